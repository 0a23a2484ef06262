package transform

import (
	"cmp"
	"go/token"
	"slices"
	"strings"
)

// A Function says what has become of a marked function, or of a function literal that
// has a frame of its own. It is for people and tools that want to know; nothing
// here is needed to compile. Positions are those of the source.
type Function struct {
	// Package is the import path.
	Package, PackageName string
	// Output is the path of the generated file.
	Output string
	// Name is that of the function for messages: serve, Server.Handle, serve.func1.
	Name string
	// Pos is that of the name, of the literal itself if Literal is set. The function
	// spans From to To.
	Pos, From, To token.Position
	Literal       bool
	// Frame is the type of the frame. Companion is the function or method that
	// makes one, empty for a literal.
	Frame, Companion string
	// Plain says why the function keeps its plain form, nil if it does not. Its frame
	// calls it, and has no states.
	Plain *Diagnostic
	// Awaits are in order of their states, which count from 1.
	Awaits []*Await
	// Calls are the calls that stay plain, in order of position, without those
	// of which it is certain that they never wait.
	Calls []PlainCall
	// Spawns are the go statements, in order of position.
	Spawns []Spawn
	// Variables are those that have a place in the frame.
	Variables []*Variable
	// Boxes are the variables that are allocated one by one, because something may
	// still refer to an earlier one.
	Boxes []Box
	// Edges are the transitions between states.
	Edges []Edge
	// Fields are those of the frame, in order.
	Fields []Field
	// Size is that of the frame in bytes, and Align its alignment; both are 0 if they
	// depend on type arguments.
	Size, Align int64
}

// How says in which way an operation is awaited.
type How string

const (
	HowFrame    How = "frame"    // the callee's frame runs as a part of this one
	HowFuture   How = "future"   // a future of the callee's companion is polled
	HowForeign  How = "foreign"  // the same; another package has the companion
	HowDynamic  How = "dynamic"  // the value in an interface is asked for a companion
	HowChannel  How = "channel"  // a channel operation, range or select
	HowAwait    How = "await"    // rt.Await
	HowLoop     How = "loop"     // an iterator whose loop is a part of this frame
	HowYield    How = "yield"    // the loop's body that an iterator calls
	HowDeferred How = "deferred" // the deferred calls, at the end
)

// An Await is a point where the frame can wait.
type Await struct {
	// State is the frame's state while it waits here.
	State int
	Pos   token.Position
	// Call is the operation as the user wrote it, on one line and perhaps shortened.
	Call string
	How  How
	// Companion is the function or method that is called instead, if there is one.
	Companion string
	// Deferred are the deferred calls that are awaited, for HowDeferred.
	Deferred []Related
	// Live are the variables that are kept in the frame meanwhile.
	Live []*Variable
	// Child is the field of the frame for what is awaited, empty if there is none.
	Child string
}

// A Variable is a variable that is in the frame at times.
type Variable struct {
	Name string
	// Kind is parameter, result, local, or temporary.
	Kind string
	// Pos is that of the declaration, or of the operation a temporary is for.
	Pos  token.Position
	Type string
	// Field is where it is kept, and Size what it takes there, in bytes: that of a pointer if
	// the variable is boxed. Size is 0 if it depends on type arguments.
	Field string
	Size  int64
	Boxed bool
}

// A Box says why a variable is allocated.
type Box struct {
	Name string
	Pos  token.Position
	// Reasons are the uses that are to blame.
	Reasons []Related
}

// States that no await has.
const (
	StateStart = 0
	StateEnd   = -1
)

// An Edge says that the function can get from waiting in one state to waiting in
// another without a wait between them.
type Edge struct {
	From, To int
	// Lines are the source lines on the shortest way, in order.
	Lines []int
}

// A Field is a field of a frame.
type Field struct {
	Name, Type string
	// Kind is state, variable, result, child, or runtime.
	Kind string
	// Holds are the variables that share the field.
	Holds []*Variable
	// Offset and Size are in bytes, 0 if they depend on type arguments.
	Offset, Size int64
}

// Effect says what a plain call does to its worker if it has to wait.
type Effect string

const (
	// EffectStack: the task's stack is set aside, and the worker goes on.
	EffectStack Effect = "stack"
	// EffectBlock: the worker is blocked, until another thread takes it over.
	EffectBlock Effect = "block"
	// EffectUnknown: nothing is known of what is called; if it gets to an
	// operation of package rt that waits, the task's stack is set aside.
	EffectUnknown Effect = "unknown"
)

// Reason says why a call is not an await point.
type Reason string

const (
	ReasonNoCompanion   Reason = "no companion"       // and nothing is known about it
	ReasonUnmarked      Reason = "unmarked"           // a function of the package that waits, and is not marked
	ReasonBlocking      Reason = "blocking"           // a call of another package that is known to block
	ReasonMismatch      Reason = "companion mismatch" // there is one that cannot be used
	ReasonFunctionValue Reason = "function value"
	ReasonInterface     Reason = "interface"
	ReasonTypeParameter Reason = "type parameter"
	ReasonLiteral       Reason = "literal"  // it is in a function literal that is a value
	ReasonPlainLoop     Reason = "loop"     // it is in the body of a range over a function
	ReasonDeferred      Reason = "deferred" // deferred, and of a kind that is only called then
	ReasonPlainFunction Reason = "function" // the function as a whole keeps its plain form
)

// A PlainCall is a call, or a channel operation, that stays what it is.
type PlainCall struct {
	Pos token.Position
	// Call is as the user wrote it, on one line and perhaps shortened.
	Call string
	// Callee is the full name of the function that is called, such as (*os.File).Read;
	// empty if it is not known.
	Callee string
	Reason Reason
	Effect Effect
	// Related are other positions that explain it.
	Related []Related
}

// Waits reports whether the call is known to wait, at least at times.
func (c *PlainCall) Waits() bool { return c.Effect != EffectUnknown }

// A Spawn is a go statement.
type Spawn struct {
	Pos  token.Position
	Call string
	// Task says that it starts a task. Otherwise it starts a goroutine, since what it
	// calls has no companion, or nothing to await.
	Task bool
}

// sortedAnalysis returns the analysis in order of packages and positions.
func (prog *program) sortedAnalysis() []*Function {
	slices.SortStableFunc(prog.analysis, func(a, b *Function) int {
		return cmp.Or(
			strings.Compare(a.Package, b.Package),
			strings.Compare(a.Pos.Filename, b.Pos.Filename),
			cmp.Compare(a.Pos.Offset, b.Pos.Offset),
		)
	})
	return prog.analysis
}
