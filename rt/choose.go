package rt

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
)

// Select waits until one of the futures has finished, gives up the others, and
// returns the index of the one:
//
//	recv, timeout := ch.RecvAsync(), rt.SleepAsync(time.Second)
//	switch rt.Select(recv, timeout) {
//	case 0:
//		v, ok := recv.Result()
//		...
//
// Of several that can finish at once it chooses any. At most one of those that
// send to or receive from a [Chan] does so, and then it is the one chosen. Others,
// such as a read from a socket, may have been faster than their being given up;
// what Canceled says of them is false then, and they have results. When Select
// returns all futures have finished. Nil futures are never chosen; without any other,
// Select waits for ever.
//
// If the code that Select is part of is cancelled, as by [WithTimeout], before a
// future has finished, Select gives all of them up and returns -1.
//
// A panic in a future, as of a send to a closed channel, surfaces. See [Race] for
// futures that are not Cancelers.
func Select(futures ...Canceler) int {
	f := SelectAsync(futures...)
	block(f)
	return f.Result()
}

// SelectAsync is the companion of [Select].
func SelectAsync(futures ...Canceler) *ChoiceFuture {
	f := new(ChoiceFuture)
	f.Init(futures...)
	return f
}

// A choice decides which of the channel operations of a Select goes on.
type choice struct {
	// made is one more than the index of the operation, 0 before that.
	made atomic.Int32
}

// claim makes the choice, and reports false if it has been made.
func (c *choice) claim(index int) bool { return c.made.CompareAndSwap(0, int32(index)+1) }

// A chanLock is the lock of a channel, with its place in the order of locks.
type chanLock struct {
	id uint64
	mu *sync.Mutex
}

// A chanFuture is an operation on a channel. The
// methods attempt and enter are called with the lock held, the others are not.
type chanFuture interface {
	Canceler
	channel() chanLock
	// choose makes f a case of a Select.
	choose(by *choice, index int)
	// attempt does it if that need not wait.
	attempt() (done bool, grant *waitEntry)
	// enter begins to wait.
	enter(cx *Context)
	// served reports whether an operation that was chosen is done, and finish
	// ends it.
	served() bool
	finish()
	// dismiss gives up an operation that was not chosen.
	dismiss()
}

// A ChoiceFuture is a [Select] in progress.
//
// What goes on between channels is as in Go's own select. With the locks of all
// channels held, taken in the order of their ids, each case is tried; if none can
// go on, all are put into their queues before the locks are released. So there is no
// moment at which two selects could both miss each other. Whoever takes a case out
// of a queue to serve it must claim the choice first.
type ChoiceFuture struct {
	choice choice
	cases  []Canceler
	chans  []chanCase // in the order of locks
	others []int      // the cases that are not channels'
	phase  choicePhase
	index  int

	// The slices above begin here, so that a small select allocates nothing.
	fewChans  [4]chanCase
	fewOthers [4]int
}

type chanCase struct {
	chanFuture
	lock  chanLock
	index int
}

type choicePhase uint8

const (
	choiceIdle choicePhase = iota
	choiceWaiting
	choiceDraining // made; waiting for those that were given up
)

// Init prepares f to choose among futures.
func (f *ChoiceFuture) Init(futures ...Canceler) {
	f.choice.made.Store(0)
	f.cases = futures
	f.phase = choiceIdle
	f.chans, f.others = f.fewChans[:0], f.fewOthers[:0]
	for i, c := range futures {
		switch c := c.(type) {
		case nil:
		case chanFuture:
			c.choose(&f.choice, i)
			f.chans = append(f.chans, chanCase{c, c.channel(), i})
		default:
			f.others = append(f.others, i)
		}
	}
	slices.SortFunc(f.chans, func(a, b chanCase) int { return cmp.Compare(a.lock.id, b.lock.id) })
}

// Poll implements [Future].
func (f *ChoiceFuture) Poll(cx *Context) bool {
	switch f.phase {
	case choiceIdle:
		if !cx.proceed() {
			return false
		}
		f.phase = choiceWaiting
		if f.choice.made.Load() == 0 {
			f.begin(cx)
		}
	case choiceWaiting:
		if f.choice.made.Load() == 0 {
			f.pollOthers(cx)
		}
	case choiceDraining:
		return f.drain(cx)
	}
	if f.choice.made.Load() == 0 && cx.canceled() == nil {
		return false
	}
	return f.settle(cx)
}

// begin tries everything once. Each group has its turn to be the first, or one
// could starve the other.
func (f *ChoiceFuture) begin(cx *Context) {
	if len(f.others) > 0 && cx.worker.random(2) == 0 {
		if !f.pollOthers(cx) {
			f.tryChannels(cx)
		}
	} else if !f.tryChannels(cx) {
		f.pollOthers(cx)
	}
}

// tryChannels tries the channel operations, and has them wait if none can go on.
func (f *ChoiceFuture) tryChannels(cx *Context) (done bool) {
	n := len(f.chans)
	if n == 0 {
		return false
	}
	f.lockAll()
	first := cx.worker.random(n)
	var grant *waitEntry
	for i := range n {
		c := &f.chans[(first+i)%n]
		if done, grant = c.attempt(); done {
			f.choice.claim(c.index)
			break
		}
	}
	if !done {
		for i := range f.chans {
			f.chans[i].enter(cx)
		}
	}
	f.unlockAll()
	if grant != nil {
		grant.grantFrom(cx)
	}
	return done
}

func (f *ChoiceFuture) lockAll() {
	for i := range f.chans {
		if i == 0 || f.chans[i].lock != f.chans[i-1].lock {
			f.chans[i].lock.mu.Lock()
		}
	}
}

func (f *ChoiceFuture) unlockAll() {
	for i := range f.chans {
		if i == 0 || f.chans[i].lock != f.chans[i-1].lock {
			f.chans[i].lock.mu.Unlock()
		}
	}
}

// pollOthers polls the futures that are not of channels until one has finished,
// and chooses it unless a channel was served in that moment.
func (f *ChoiceFuture) pollOthers(cx *Context) bool {
	n := len(f.others)
	if n == 0 {
		return false
	}
	first := cx.worker.random(n)
	for i := range n {
		at := (first + i) % n
		if index := f.others[at]; f.cases[index].Poll(cx) {
			f.others = slices.Delete(f.others, at, at+1)
			f.choice.claim(index)
			return true
		}
	}
	return false
}

// settle gives up what was not chosen.
func (f *ChoiceFuture) settle(cx *Context) bool {
	f.choice.made.CompareAndSwap(0, nothingChosen)
	f.index = max(int(f.choice.made.Load())-1, -1)
	f.phase = choiceDraining
	for i := range f.chans {
		if c := &f.chans[i]; c.index != f.index {
			c.dismiss()
		}
	}
	for _, i := range f.others {
		f.cases[i].Cancel(cx)
	}
	return f.drain(cx)
}

// nothingChosen is the choice of a Select that was given up.
const nothingChosen = -1

// drain waits until all futures have finished.
func (f *ChoiceFuture) drain(cx *Context) bool {
	f.others = slices.DeleteFunc(f.others, func(i int) bool { return f.cases[i].Poll(cx) })
	if len(f.others) > 0 {
		return false
	}
	for i := range f.chans {
		if c := &f.chans[i]; c.index == f.index {
			// It was chosen by somebody who may not have served it yet.
			if !c.served() {
				return false
			}
			c.finish()
		}
	}
	clear(f.chans)
	f.cases = nil
	return true
}

// Result returns the index of the future that was chosen, or -1.
func (f *ChoiceFuture) Result() int { return f.index }

// Cancel implements [Canceler]: no future is chosen.
func (f *ChoiceFuture) Cancel(cx *Context) { f.choice.made.CompareAndSwap(0, nothingChosen) }

// Canceled implements [Canceler]. It is also true if the code that f is part of was
// cancelled.
func (f *ChoiceFuture) Canceled() bool { return f.index < 0 }

// random returns a number below n.
func (w *worker) random(n int) int {
	if n == 1 {
		return 0
	}
	if w.simulation != nil {
		return w.simulation.world.Choose(n)
	}
	return rand.IntN(n)
}
