package rt

import "reflect"

// A SelectFuture waits for one of several channel operations, like a select
// statement without a default. Generated code makes it when none of the
// operations could go on at once; another goroutine then waits for them.
type SelectFuture struct {
	offload
	cases  []reflect.SelectCase
	chosen int
	recv   reflect.Value
	recvOK bool
}

// A SelectCase is an operation of a select statement.
type SelectCase struct{ c reflect.SelectCase }

// SelectRecv returns the case that receives from ch, which may be nil.
func SelectRecv[T any](ch <-chan T) SelectCase {
	return SelectCase{reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(ch)}}
}

// SelectSend returns the case that sends v to ch, which may be nil.
func SelectSend[T any](ch chan<- T, v T) SelectCase {
	// Through a pointer, since v may be a nil interface.
	return SelectCase{reflect.SelectCase{Dir: reflect.SelectSend, Chan: reflect.ValueOf(ch), Send: reflect.ValueOf(&v).Elem()}}
}

// Init prepares f to wait for one of the cases. Without any it waits for ever.
func (f *SelectFuture) Init(cases ...SelectCase) {
	f.reset()
	f.recv = reflect.Value{}
	f.cases = make([]reflect.SelectCase, len(cases))
	for i, c := range cases {
		f.cases[i] = c.c
	}
}

// Poll implements [Future]. It panics if the operation chosen is a send to a
// closed channel.
func (f *SelectFuture) Poll(cx *Context) bool {
	if f.begun() {
		return f.ended()
	}
	if !f.possible() {
		return false // for ever, like the statement
	}
	f.begin(cx, f)
	return false
}

// possible reports whether there is a channel at all, without which no
// goroutine need wait.
func (f *SelectFuture) possible() bool {
	for _, c := range f.cases {
		if !c.Chan.IsNil() {
			return true
		}
	}
	return false
}

func (f *SelectFuture) work() {
	f.chosen, f.recv, f.recvOK = reflect.Select(f.cases)
	f.cases = nil
}

// Result returns the index of the case that was chosen.
func (f *SelectFuture) Result() int { return f.chosen }

// Selected returns what the chosen case of f received, and whether that was sent
// rather than the zero value of a closed channel.
func Selected[T any](f *SelectFuture) (v T, ok bool) {
	reflect.ValueOf(&v).Elem().Set(f.recv)
	return v, f.recvOK
}
