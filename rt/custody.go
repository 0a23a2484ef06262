package rt

// Descriptors that only a future knows of, because it makes a connection, waits for one, or is
// closing one, would be lost with it when its worker ends. So such futures are in the worker's
// custody while they wait, and are told.

// custody is an entry in the list of a worker's, in the future it is about. It belongs to the
// worker.
type custody struct {
	next, prev *custody
	// of is nil if it is in no list. Nobody else changes it while its future is polled, so that
	// the future can look without holding the worker.
	of abandoner
}

// An abandoner has descriptors to close when nobody is going to poll it any more.
type abandoner interface {
	// abandon is called when the worker's driver has been closed, so that nothing is in
	// flight.
	abandon()
}

// keep puts c, if it is not there yet, into custody on behalf of a.
func (cx *Context) keep(c *custody, a abandoner) {
	if c.of != nil {
		return
	}
	defer cx.exit(cx.enter())
	list := &cx.worker.custody
	if list.next == nil {
		list.next, list.prev = list, list
	}
	c.of = a
	c.next, c.prev = list, list.prev
	c.prev.next, list.prev = c, c
}

// release takes c out of custody.
func (cx *Context) release(c *custody) {
	if c.of == nil {
		return
	}
	defer cx.exit(cx.enter())
	c.unlink()
}

func (c *custody) unlink() {
	c.prev.next, c.next.prev = c.next, c.prev
	*c = custody{}
}

// abandonAll tells all that are in custody.
func (w *worker) abandonAll() {
	for list := &w.custody; list.next != nil && list.next != list; {
		c := list.next
		a := c.of
		c.unlink()
		a.abandon()
	}
}
