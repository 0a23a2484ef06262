package rt

import "context"

// Join runs the futures as tasks, in parallel if they find idle workers, and
// waits until all have finished. Their results are then in them:
//
//	a, b := fetchAsync(x), fetchAsync(y)
//	rt.Join(a, b)
//	fmt.Println(a.Result(), b.Result())
//
// A panic or Goexit in one of them cancels the others, as does cancelling the code
// that Join is part of, and surfaces when all have finished.
func Join(futures ...Future) { block(JoinAsync(futures...)) }

// JoinAsync is the companion of [Join].
func JoinAsync(futures ...Future) *JoinFuture {
	f := new(JoinFuture)
	f.Init(futures...)
	return f
}

// A JoinFuture is a [Join] in progress.
type JoinFuture struct{ crewRun }

// Init prepares f to run the futures.
func (f *JoinFuture) Init(futures ...Future) { f.prepare(futures, false) }

// Result has nothing to tell; it is there for generated code.
func (f *JoinFuture) Result() {}

// Race runs the futures as tasks until one has finished, cancels the others, waits
// until they have finished too, and returns the index of the one. What the
// others have done is in their results: they may have been fast enough to
// succeed as well.
//
// A future that is a [Canceler] is given up; the operations of others fail, see
// [WithTimeout]. A panic or Goexit in one of them surfaces when all have
// finished. Race is for functions; [Select] is faster for leaves. It panics without any
// future.
func Race(futures ...Future) int {
	f := RaceAsync(futures...)
	block(f)
	return f.Result()
}

// RaceAsync is the companion of [Race].
func RaceAsync(futures ...Future) *RaceFuture {
	f := new(RaceFuture)
	f.Init(futures...)
	return f
}

// A RaceFuture is a [Race] in progress.
type RaceFuture struct{ crewRun }

// Init prepares f to run the futures.
func (f *RaceFuture) Init(futures ...Future) {
	if len(futures) == 0 {
		panic("rt: race without futures")
	}
	f.prepare(futures, true)
}

// Result returns the index of the future that finished first.
func (f *RaceFuture) Result() int { return f.crew.first }

// A crewRun runs futures and waits for them.
type crewRun struct {
	futures []Future
	crew    *crew // its members may outlive the future if it is abandoned
	wait    crewWait
}

func (f *crewRun) prepare(futures []Future, race bool) {
	f.futures = futures
	f.crew = &crew{race: race}
	f.wait = crewWait{}
}

// Poll implements [Future].
func (f *crewRun) Poll(cx *Context) bool {
	for _, m := range f.futures {
		f.crew.start(m)
	}
	f.futures = nil
	if !f.wait.over(cx, f.crew) {
		return false
	}
	f.crew.surface()
	return true
}

// Cancel implements [Canceler]: all futures are cancelled.
func (f *crewRun) Cancel(*Context) { f.wait.cancel(f.crew, context.Canceled) }

// Canceled implements [Canceler]. It is always false, since the futures have run.
func (f *crewRun) Canceled() bool { return false }
