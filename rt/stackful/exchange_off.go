//go:build !(go1.26 && !go1.28 && gc && linux && (amd64 || arm64) && !race && !msan && !asan && !valgrind && !cogen_portable)

package stackful

import "errors"

// newExchange says why there is no exchange engine.
func newExchange() (engine, error) {
	return nil, errors.New(
		"this binary has no exchange engine: it needs Linux on amd64 or arm64, a Go release that it knows, " +
			"no race detector or sanitizer, and none of the build tags valgrind and cogen_portable")
}

// rehome and doom are there for the type to be a stack, of which none is ever made.
func (s *exchangeStack) rehome() error { panic("stackful: there is no exchange engine") }

func (s *exchangeStack) doom() { panic("stackful: there is no exchange engine") }
