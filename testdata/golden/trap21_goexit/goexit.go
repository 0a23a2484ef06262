package trap21

import (
	"fmt"
	"runtime"

	"github.com/cogen-go/cogen/rt"
)

// Y stands for an await point; it prints its argument.
//
//cogen:async
func Y(n int) {
	fmt.Println("y", n)
	rt.Yield()
}

//cogen:async
func g() {
	defer fmt.Println("deferred")
	defer func() { Y(3); fmt.Println(recover()) }()
	Y(1)
	runtime.Goexit()
}

//cogen:async
func work() {
	c := make(chan bool)
	go func() { defer close(c); g(); fmt.Println("unreachable") }()
	<-c
	Y(7)
}

// Main is the program.
func Main() { work() }
