// Package diagtypeerror does not type-check.
package diagtypeerror

import "github.com/cogen-go/cogen/rt"

//cogen:async
func work() int {
	rt.Yield()
	return "text"
}

func other() { undefined() }

//cogen:async
func () none() { rt.Yield() }

type t struct{}

//cogen:async
func (a, b t) two() { rt.Yield() }
