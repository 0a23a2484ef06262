package stackful

// An engine makes stacks and switches to and from them.
type engine interface {
	// name is for reports: "portable".
	name() string
	// newStack returns a stack on which main will be called when it is resumed
	// for the first time. It is called by home.
	newStack(main func()) stack
}

// A stack is one engine's half of a [Runner].
type stack interface {
	// resume switches from home to the stack, and returns when the code there
	// suspends itself (true) or has ended, by return or by Goexit (false). A
	// panic that leaves main is raised again by resume.
	resume() bool
	// suspend switches from the stack back to home, and returns when the stack
	// is resumed.
	suspend()
}

// current is the engine that new runners use.
var current engine = portable{}

// EngineName returns the name of the engine that switches runners.
func EngineName() string { return current.name() }
