package rt

// Defers are the deferred calls of a frame, in the order of their defer
// statements. Generated code uses it: as a future that makes the calls when the
// function returns, and through Leave when it panics.
//
// A deferred call must see in recover what it would see in Go, and only a
// function that is deferred itself, while a panic runs, gets anything from it.
// So an entry is a function that defers the user's call and then calls raise,
// which panics again with the value of the pending panic, or does nothing if
// none is pending:
//
//	func(raise func()) { defer cleanup(x); raise() }
//
// If that returns, cleanup has recovered; if it panics, with whatever value,
// that is the pending panic for the calls that are left.
type Defers struct {
	list []deferred
	// running is the call that the frame awaits.
	running Future
	// exited is set by Exit: Poll returned, it did not panic.
	exited bool
}

type deferred struct {
	plain func(raise func())
	// async starts the call as a future, if it can be awaited.
	async func() Future
}

// Push adds a call that is made in its plain form.
func (d *Defers) Push(plain func(raise func())) {
	d.list = append(d.list, deferred{plain: plain})
}

// PushAsync adds a call that the frame awaits when it returns. While it panics
// the call is made in its plain form, which suspends the runner.
func (d *Defers) PushAsync(plain func(raise func()), async func() Future) {
	d.list = append(d.list, deferred{plain, async})
}

// Poll makes the calls, last first, and returns true once they have all
// returned.
func (d *Defers) Poll(cx *Context) bool {
	for {
		if d.running != nil {
			if !d.running.Poll(cx) {
				return false
			}
			d.running = nil
		}
		call, ok := d.pop()
		switch {
		case !ok:
			return true
		case call.async != nil:
			d.running = call.async()
		default:
			call.plain(func() {})
		}
	}
}

func (d *Defers) pop() (deferred, bool) {
	n := len(d.list)
	if n == 0 {
		d.list = nil
		return deferred{}, false
	}
	call := d.list[n-1]
	d.list[n-1] = deferred{}
	d.list = d.list[:n-1]
	return call, true
}

// Exit says that the frame's Poll returns, so that Leave has nothing to do.
func (d *Defers) Exit() { d.exited = true }

// Leave is deferred by the frame's Poll itself. If Poll did not reach Exit, it
// panics, or runtime.Goexit ends its goroutine: Leave makes the calls that are
// left. If one recovers the panic, it sets *done: the function has returned, with
// the results that the frame has.
func (d *Defers) Leave(done *bool) {
	if d.exited {
		d.exited = false
		return
	}
	value := recover()
	if d.unwind(value, value != nil) {
		*done = true
		return
	}
}

// unwind makes the calls that are left, while a panic with the given value is
// pending, or Goexit runs. It returns true if a panic was recovered, and panics
// if one is pending in the end.
func (d *Defers) unwind(value any, panicking bool) (recovered bool) {
	d.running = nil
	goexit := !panicking
	// A call that ends the goroutine unwinds this function, too.
	finished := false
	defer func() {
		if !finished && len(d.list) > 0 {
			d.unwind(nil, false)
		}
	}()
	for {
		call, ok := d.pop()
		if !ok {
			break
		}
		value, panicking = call.run(value, panicking)
	}
	finished = true
	if panicking {
		panic(value)
	}
	return !goexit
}

// run makes the call with the given panic pending, and returns the panic that is
// pending afterwards.
func (call deferred) run(value any, panicking bool) (_ any, still bool) {
	returned := false
	var after any
	func() {
		defer func() {
			if !returned {
				after = recover()
			}
		}()
		call.plain(func() {
			if panicking {
				panic(value)
			}
		})
		returned = true
	}()
	if returned {
		return nil, false
	}
	return after, true
}
