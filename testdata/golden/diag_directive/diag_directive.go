// Package diagdirective has directives that cogen does not know, or not there.
package diagdirective

import "github.com/cogen-go/cogen/rt"

//cogen:asink
func misspelt() { rt.Yield() }

//cogen:async
type number int

//cogen:async
var variable = 1

//cogen:async fast
func arguments() { rt.Yield() }

// cogen:async
func space() { rt.Yield() }

type waiter interface {
	//cogen:async
	wait() // marked: calls through the interface may be awaited
	//cogen:async
	interface{ other() }
}
