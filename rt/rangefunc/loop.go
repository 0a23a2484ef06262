package rangefunc

// A Loop is the state of a range over a function, in the frame of the function
// that has the loop: what package cmd/compile/internal/rangefunc keeps in #state and
// #next. The zero Loop has not begun.
//
// An iterator's frame gives the body to nobody who could keep it, so it is called
// by the iterator only, while the iterator runs. What is left to be checked:
// that the iterator does not go on after the body has returned false, and that it
// does not recover a panic of the body and return.
type Loop struct {
	state phase
	// at is the state of the frame at which the body waits, or begins.
	at int32
	// exit says where the loop leads to when the iterator has returned.
	exit int32
}

type phase uint8

const (
	left    phase = iota // the body has left the loop
	ready                // the body does not run
	running              // the body runs, or has panicked
)

// Begin is called before the iterator.
func (l *Loop) Begin() { *l = Loop{state: ready} }

// Enter begins an iteration.
func (l *Loop) Enter() {
	if l.state != ready {
		l.refuse()
	}
	l.state = running
}

// refuse panics with the value that Go panics with.
func (l *Loop) refuse() {
	if l.state == running {
		continueAfterPanic()
	}
	l.state = running
	continueAfterDone()
}

// Wait notes at which state of the frame the body waits, or begins.
func (l *Loop) Wait(at int32) { l.at = at }

// At returns the state at which the body waits, or begins.
func (l *Loop) At() int32 { return l.at }

// Next ends an iteration that does not leave the loop.
func (l *Loop) Next() { l.state = ready }

// Leave ends the last iteration, which leaves the loop by one of its exits. Exit 0
// is behind the loop.
func (l *Loop) Leave(exit int32) { l.state, l.exit = left, exit }

// More is what the yield function returns after an iteration.
func (l *Loop) More() bool { return l.state == ready }

// Exit is called after the iterator has returned, and returns the exit that the body
// has chosen.
func (l *Loop) Exit() int32 {
	if l.state == running {
		missPanic()
	}
	return l.exit
}

// Go's panic values have types of their own, so they are those of real loops.

// continueAfterDone panics like an iterator that goes on after yield has
// returned false.
func continueAfterDone() {
	for range func(yield func() bool) { yield(); yield() } {
		break
	}
}

// continueAfterPanic panics like an iterator that goes on after the body has
// panicked.
func continueAfterPanic() {
	for range func(yield func() bool) {
		defer func() {
			_ = recover()
			yield()
		}()
		yield()
	} {
		panic("body")
	}
}

// missPanic panics like a loop whose iterator recovers a panic of the body.
func missPanic() {
	for range func(yield func() bool) {
		defer func() { _ = recover() }()
		yield()
	} {
		panic("body")
	}
}
