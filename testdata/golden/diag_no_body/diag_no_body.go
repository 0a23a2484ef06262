// Package diagnobody has async functions without bodies, and others that cannot
// have frames.
package diagnobody

import "github.com/cogen-go/cogen/rt"

//cogen:async
func external()

//cogen:async
func init() { rt.Yield() }
