package rt

import "net"

// AcceptAsync is the async form of Accept.
func (l *Listener) AcceptAsync() *AcceptFuture {
	f := new(AcceptFuture)
	f.Init(l)
	return f
}

// AcceptFuture is a [Listener.Accept] in progress.
type AcceptFuture struct{ accept AcceptConnFuture }

// Init makes f an accept on l. It may be used again after it has finished.
func (f *AcceptFuture) Init(l *Listener) { f.accept.Init(l) }

// Poll carries the accept on.
func (f *AcceptFuture) Poll(cx *Context) bool { return f.accept.Poll(cx) }

// Result returns what [Listener.Accept] returns.
func (f *AcceptFuture) Result() (net.Conn, error) {
	c, err := f.accept.Result()
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Cancel implements [Canceler]; see [AcceptConnFuture].
func (f *AcceptFuture) Cancel(cx *Context) { f.accept.Cancel(cx) }

// Canceled implements [Canceler].
func (f *AcceptFuture) Canceled() bool { return f.accept.Canceled() }
