// Package predeclared has Go's predeclared identifiers under names of its own. It is
// there for generated code: a package may declare bool or len to be something else,
// and the frames of its functions need what the language means by them.
package predeclared

// The predeclared types.
type (
	Any        = any
	Bool       = bool
	Byte       = byte
	Complex64  = complex64
	Complex128 = complex128
	Error      = error
	Float32    = float32
	Float64    = float64
	Int        = int
	Int8       = int8
	Int16      = int16
	Int32      = int32
	Int64      = int64
	Rune       = rune
	String     = string
	Uint       = uint
	Uint8      = uint8
	Uint16     = uint16
	Uint32     = uint32
	Uint64     = uint64
	Uintptr    = uintptr
)

// Comparable is the constraint comparable.
type Comparable interface{ comparable }

// The predeclared constants that generated code mentions.
const (
	True  = true
	False = false
)

// New returns new(T).
func New[T any]() *T { return new(T) }

// Len returns len(s).
func Len[S ~[]E, E any](s S) int { return len(s) }

// LenString returns len(s).
func LenString(s string) int { return len(s) }
