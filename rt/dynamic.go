package rt

// A Call0 to a Call4 is a call of a method with that many results, as a future.
// The dynamic companion of a method M returns one:
//
//	func (c *Conn) ReadDynamic(self any, spare Call2[int, error], b []byte) Call2[int, error]
//
// Frames call it to await M through an interface. They pass as self the value in
// the interface, and as spare nil or an earlier call that has finished, whose
// memory the callee may use again. The callee returns nil if self is not its own
// receiver, but a type that embeds it and so may have another M; then
// the frame calls M itself. cogen generates a dynamic companion for every method
// that it makes a companion for.
type (
	Call0 interface {
		Future
		Result()
	}
	Call1[A any] interface {
		Future
		Result() A
	}
	Call2[A, B any] interface {
		Future
		Result() (A, B)
	}
	Call3[A, B, C any] interface {
		Future
		Result() (A, B, C)
	}
	Call4[A, B, C, D any] interface {
		Future
		Result() (A, B, C, D)
	}
)
