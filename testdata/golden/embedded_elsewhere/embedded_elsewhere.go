// Package embedded_elsewhere calls methods that are promoted through fields which it
// cannot name.
package embedded_elsewhere

import (
	"fmt"

	"github.com/cogen-go/cogen/rt"
	"github.com/cogen-go/cogen/testdata/golden/embedded_elsewhere/lib"
)

//cogen:async
func work() {
	o := lib.New("outer")
	o.Lock()
	fmt.Println(o.Next(), o.Next(), o.Name)
	n, err := o.Walk("one", "two")
	fmt.Println(n, err, o.Rest())
	o.Unlock()
	for s := range o.Each {
		rt.Yield()
		fmt.Println(s)
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		defer o.Walk("three")
		fmt.Println(o.Rest())
	}()
	<-done
	fmt.Println((*lib.Outer).Rest(o))

	v := lib.NewOverriding()
	n, err = v.Walk("over")
	fmt.Println(n, err)
	go v.Walk("and over")
}

func Main() { work() }
