//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cogen-go/cogen/rt"
)

// A round is a runtime with a server and clients of it, for some seconds.
type round struct {
	runtime *rt.Runtime
	// abrupt is set if the runtime is closed while everything runs.
	abrupt bool
	// scarce is set if the process has too few descriptors.
	scarce bool

	listeners     []*rt.Listener
	addresses     []net.Addr
	packet        *rt.PacketConn
	packetAddress netip.AddrPort
	deaf          string // an address where nobody listens
	dir           string

	over atomic.Bool
	// clients and servers are tasks and goroutines; the goroutines count here, too.
	clients, servers, goroutines sync.WaitGroup

	mu    sync.Mutex
	open  map[io.Closer]struct{}
	tally map[string]int
}

// failf ends the program: something was wrong.
func (r *round) failf(format string, args ...any) {
	if r.abrupt && r.over.Load() {
		// Everything fails now.
		runtime.Goexit()
	}
	fmt.Fprintf(os.Stderr, "%+v\n", r.runtime.Stats())
	report(fmt.Sprintf(format, args...))
}

// report prints what was wrong, and where everybody is, and ends the program.
var report = func(what string) {
	buf := make([]byte, 1<<20)
	fmt.Fprintf(os.Stderr, "soak: %s\n\n%s\n", what, buf[:runtime.Stack(buf, true)])
	os.Exit(1)
}

// mustFollow fails if b is not in the stream at offset.
func (r *round) mustFollow(what string, key byte, offset int64, b []byte) {
	if !follows(key, offset, b) {
		r.failf("%s: %d bytes at %d are not those of stream %d", what, len(b), offset, key)
	}
}

// tolerate fails unless err is a lack of ports or descriptors, which the clients bring about
// by themselves.
func (r *round) tolerate(what string, err error) {
	switch {
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		r.did("no port")
	case r.scarce && (errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)):
		r.did("no descriptor")
	default:
		r.failf("%s: %v", what, err)
	}
}

// reset reports whether err says that the other side has gone.
func (r *round) reset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// did counts what was done.
func (r *round) did(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tally[what]++
}

// keep notes that c is open, for a round that ends abruptly.
func (r *round) keep(c io.Closer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open[c] = struct{}{}
}

// close closes c.
//
//cogen:async
func (r *round) close(c *rt.Conn) {
	c.Close()
	r.forget(c)
}

// forget is called when c has been closed.
func (r *round) forget(c io.Closer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, c)
}

// A plain task calls a function, in which everything that waits sets the stack aside.
type plain struct{ f func() }

func (p plain) Poll(*rt.Context) bool {
	p.f()
	return true
}

// listen opens the sockets of the server.
func (r *round) listen() error {
	for i := range 6 {
		l, err := rt.Listen("tcp", fmt.Sprintf("127.0.0.%d:0", i+1))
		if err != nil {
			return err
		}
		r.listeners = append(r.listeners, l)
	}
	l, err := rt.Listen("unix", fmt.Sprintf("@cogen-soak-%d-%d", os.Getpid(), time.Now().UnixNano()))
	if err != nil {
		return err
	}
	r.listeners = append(r.listeners, l)
	for _, l := range r.listeners {
		r.addresses = append(r.addresses, l.Addr())
	}
	if r.packet, err = rt.ListenPacket("udp", "127.0.0.1:0"); err != nil {
		return err
	}
	r.packetAddress = r.packet.LocalAddr().(*net.UDPAddr).AddrPort()
	deaf, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	r.deaf = deaf.Addr().String()
	return deaf.Close()
}

// start starts everybody: tasks that are frames, tasks in plain code, and goroutines.
func (r *round) start(x *rand.Rand, clients int) {
	for _, l := range r.listeners {
		r.servers.Add(2)
		r.runtime.Go(r.acceptAsync(l))
		r.runtime.Go(plain{func() { r.accept(l) }})
	}
	r.servers.Add(1)
	r.runtime.Go(r.packetsAsync(r.packet))
	r.clients.Add(1)
	r.runtime.Go(r.directoryAsync())
	for i := range clients {
		x := rand.New(rand.NewPCG(x.Uint64(), uint64(i)))
		r.clients.Add(1)
		switch i % 4 {
		case 0, 1:
			r.runtime.Go(r.clientAsync(x))
		case 2:
			r.runtime.Go(plain{func() { r.client(x) }})
		case 3:
			r.goroutines.Go(func() { r.client(x) })
		}
	}
}

// move starts f as a task of any worker.
func (r *round) move(f rt.Future) {
	defer func() {
		if v := recover(); v != nil && v != rt.ErrClosed {
			panic(v)
		}
	}()
	r.runtime.Go(f)
}

// stop ends the round, and waits until nothing of it is left.
func (r *round) stop() {
	r.over.Store(true)
	slow := time.AfterFunc(2*patience, func() { report("the round does not end") })
	defer slow.Stop()
	if r.abrupt {
		r.closeRuntime()
		r.closeServer()
		r.mu.Lock()
		open := slices.Collect(maps.Keys(r.open))
		r.mu.Unlock()
		for _, c := range open {
			c.Close()
		}
		r.goroutines.Wait()
		return
	}
	r.clients.Wait()
	r.closeServer()
	r.servers.Wait()
	r.checkIdle()
	r.closeRuntime()
}

func (r *round) closeServer() {
	for _, l := range r.listeners {
		l.Close()
	}
	r.packet.Close()
}

func (r *round) closeRuntime() {
	if err := r.runtime.Close(); err != nil {
		report(fmt.Sprintf("close of the runtime: %v", err))
	}
}

// checkIdle fails if the runtime still has something to do.
func (r *round) checkIdle() {
	var tasks, operations, timers int
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		s := r.runtime.Stats()
		tasks, operations, timers = s.Tasks(), 0, 0
		for _, w := range s.Workers {
			operations += w.InFlight
			timers += w.Timers
		}
		if tasks+operations+timers == 0 {
			return
		}
	}
	report(fmt.Sprintf("all have ended, and there are %d tasks, %d operations and %d timers", tasks, operations, timers))
}
