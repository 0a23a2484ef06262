package rt_test

import (
	"fmt"
	"time"

	"github.com/cogen-go/cogen/rt"
)

func ExampleSelect() {
	c := rt.NewChan[string](1)
	c.Send("hello")
	recv, timeout := c.RecvAsync(), rt.SleepAsync(time.Minute)
	switch rt.Select(recv, timeout) {
	case 0:
		fmt.Println(recv.Result())
	case 1:
		fmt.Println("too late")
	}
	// Output: hello true
}
