//go:build linux && !cogen_portable

package rt

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// fullListener returns the address of a listener that takes no more connections, so that
// connecting to it waits, and what closes it.
func fullListener(t *testing.T) (address string, closeAll func()) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	fds := []int{fd}
	closeAll = func() {
		for _, fd := range fds {
			unix.Close(fd)
		}
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	at, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		c, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		fds = append(fds, c)
		unix.Connect(c, at)
	}
	in := at.(*unix.SockaddrInet4)
	return (&net.TCPAddr{IP: in.Addr[:], Port: in.Port}).String(), closeAll
}

// TestAbandonedDescriptors closes a runtime whose tasks are dialing, accepting and
// closing. No descriptor may be lost with them.
func TestAbandonedDescriptors(t *testing.T) {
	netDrivers(t, func(t *testing.T, outer *Runtime) {
		full, closeFull := fullListener(t)
		defer closeFull()
		l := must(Listen("tcp", "127.0.0.1:0"))(t)
		defer l.Close()
		for range 20 {
			before := openDescriptors(t)
			// Were the worker handed over, it would have other turns.
			r, err := New(Config{Workers: 1, Driver: outer.workers[0].drv.Name(), HandOff: -1})
			if err != nil {
				t.Fatal(err)
			}
			used, peer := connPair(t)
			for range 3 {
				r.Go(DialAsync("tcp", full))
				r.Go(l.AcceptConnAsync())
				r.Go(plainly(func() { Dial("tcp", full) }))
				r.Go(plainly(func() { l.AcceptConn() }))
			}
			r.Go(used.ReadAsync(make([]byte, 1)))
			waitFor(t, func() bool { return r.Stats().Tasks() == 13 })
			// One turn has the close begin and a connection come, and is the last.
			last := &lastTurn{f: used.CloseAsync(), address: l.Addr().String()}
			r.Go(last)
			waitFor(t, func() bool { return r.workers[0].ended() })
			if last.client != nil {
				last.client.Close()
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			peer.Close()
			waitFor(t, func() bool { return openDescriptors(t) <= before })
		}
	})
}

// lastTurn begins a close, connects to an address, and ends its worker's loop.
type lastTurn struct {
	f       *CloseFuture
	address string
	client  net.Conn
}

func (l *lastTurn) Poll(cx *Context) bool {
	l.f.Poll(cx)
	l.client, _ = net.Dial("tcp", l.address)
	was := cx.enter()
	cx.worker.closing = true
	cx.exit(was)
	return false
}
