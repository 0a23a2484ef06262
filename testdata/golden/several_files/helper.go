package severalfiles

import (
	std "fmt"
	. "strings"

	runtime "github.com/cogen-go/cogen/rt"
)

//cogen:async
func helper(n int) string {
	s := Repeat("x", n)
	runtime.Yield()
	std.Println(s, step(n))
	return ToUpper(s)
}

//cogen:async
func another(n int) string {
	defer runtime.Yield()
	return helper(n) + std.Sprint(step(n))
}
