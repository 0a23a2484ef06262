// Package diagcollision has names that cogen has to generate.
package diagcollision

import "github.com/cogen-go/cogen/rt"

//cogen:async
func serve(n int) int {
	rt.Yield()
	return n
}

func serveAsync(n int) int { return n }

//cogen:async
func fetch() { rt.Yield() }

type fetchFrame struct{}

type server struct{ handleAsync int }

//cogen:async
func (s *server) handle() { rt.Yield() }
