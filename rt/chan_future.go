package rt

// SendAsync is the companion of [Chan.Send].
func (c *Chan[T]) SendAsync(v T) *ChanSendFuture[T] {
	f := new(ChanSendFuture[T])
	f.Init(c, v)
	return f
}

// A ChanSendFuture is a [Chan.Send] in progress.
type ChanSendFuture[T any] struct {
	place chanPlace[T]
	c     *Chan[T]
}

// Init prepares f to send v to c.
func (f *ChanSendFuture[T]) Init(c *Chan[T], v T) {
	f.c = c
	f.place.value = v
	f.place.phase = waitIdle
	f.place.choice = nil
}

// Poll implements [Future]. It panics if the channel is closed.
func (f *ChanSendFuture[T]) Poll(cx *Context) bool {
	over, begun := f.place.ready()
	if !begun {
		if !cx.proceed() {
			return false
		}
		f.c.mu.Lock()
		done, grant := f.attempt()
		if !done {
			f.enter(cx)
		}
		f.c.mu.Unlock()
		if grant != nil {
			grant.grantFrom(cx)
		}
		over = done
	}
	if over {
		f.finish()
	}
	return over
}

// finish lets go of the value, and panics if the channel was closed.
func (f *ChanSendFuture[T]) finish() {
	var zero T
	f.place.value = zero
	if !f.place.ok && f.place.phase != waitCanceled {
		panic(errSendClosed)
	}
}

// Result has nothing to tell; it is there for generated code.
func (f *ChanSendFuture[T]) Result() {}

// Cancel implements [Canceler]. If f was given up, nothing was sent.
func (f *ChanSendFuture[T]) Cancel(*Context) { f.place.cancel(f.c) }

// Canceled implements [Canceler].
func (f *ChanSendFuture[T]) Canceled() bool { return f.place.Canceled() }

func (f *ChanSendFuture[T]) attempt() (done bool, grant *waitEntry) {
	f.place.ok, done, grant = f.c.put(f.place.value)
	return done, grant
}

func (f *ChanSendFuture[T]) enter(cx *Context) {
	f.place.entry.begin(cx)
	f.place.join(&f.c.senders)
}

func (f *ChanSendFuture[T]) channel() chanLock { return chanLock{f.c.id, &f.c.mu} }

func (f *ChanSendFuture[T]) served() bool { return f.place.served() }

func (f *ChanSendFuture[T]) dismiss() { f.place.dismiss(f.c) }

func (f *ChanSendFuture[T]) choose(by *choice, index int) {
	f.place.choice, f.place.index = by, index
}

// RecvAsync is the companion of [Chan.Recv].
func (c *Chan[T]) RecvAsync() *ChanRecvFuture[T] { return &ChanRecvFuture[T]{c: c} }

// A ChanRecvFuture is a [Chan.Recv] in progress.
type ChanRecvFuture[T any] struct {
	place chanPlace[T]
	c     *Chan[T]
}

// Init prepares f to receive from c.
func (f *ChanRecvFuture[T]) Init(c *Chan[T]) {
	f.c = c
	f.place.phase = waitIdle
	f.place.choice = nil
}

// Poll implements [Future].
func (f *ChanRecvFuture[T]) Poll(cx *Context) bool {
	over, begun := f.place.ready()
	if begun {
		return over
	}
	if !cx.proceed() {
		return false
	}
	f.c.mu.Lock()
	done, grant := f.attempt()
	if !done {
		f.enter(cx)
	}
	f.c.mu.Unlock()
	if grant != nil {
		grant.grantFrom(cx)
	}
	return done
}

func (f *ChanRecvFuture[T]) finish() {}

// Result returns what [Chan.Recv] returns.
func (f *ChanRecvFuture[T]) Result() (v T, ok bool) { return f.place.value, f.place.ok }

// Cancel implements [Canceler]. If f was given up, nothing was received.
func (f *ChanRecvFuture[T]) Cancel(*Context) { f.place.cancel(f.c) }

// Canceled implements [Canceler].
func (f *ChanRecvFuture[T]) Canceled() bool { return f.place.Canceled() }

func (f *ChanRecvFuture[T]) attempt() (done bool, grant *waitEntry) {
	f.place.value, f.place.ok, done, grant = f.c.take()
	return done, grant
}

func (f *ChanRecvFuture[T]) enter(cx *Context) {
	f.place.entry.begin(cx)
	f.place.join(&f.c.receivers)
}

func (f *ChanRecvFuture[T]) channel() chanLock { return chanLock{f.c.id, &f.c.mu} }

func (f *ChanRecvFuture[T]) served() bool { return f.place.served() }

func (f *ChanRecvFuture[T]) dismiss() { f.place.dismiss(f.c) }

func (f *ChanRecvFuture[T]) choose(by *choice, index int) {
	f.place.choice, f.place.index = by, index
}
