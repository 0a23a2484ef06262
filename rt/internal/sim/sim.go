// Package sim is where package rt and the simulated world of package rttest meet. It is
// not for programs.
//
// A simulated runtime has one worker, whose driver is the world. The world also decides
// what is left to chance in a real one, and has the sockets. Time is
// that of a bubble of testing/synctest, in which the runtime and all goroutines that
// it starts are: it passes when all of them wait.
package sim

import (
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/cogen-go/cogen/rt/driver"
)

// A World is what package rt needs of a simulated world. The methods of Driver are called
// as its rules say, and the others by the worker only.
type World interface {
	driver.Driver

	// Sockets are the world's. Any goroutine may use them.
	Sockets() Sockets
	// Choose returns a number below n, which is positive.
	Choose(n int) int
	// Settle waits until all goroutines but the worker wait for something inside the
	// bubble. What they have sent to the worker then, and in which turn it
	// looks, does not depend on how fast they are.
	Settle()
	// Polled is told that a task is about to be polled, or resumed. Tasks are
	// numbered in the order in which they run for the first time.
	Polled(task int)
	// Crashed is told of a panic that would have ended the program.
	Crashed(err error)
}

// Sockets are the system calls on sockets that do not move data. Names are raw socket
// addresses.
type Sockets interface {
	Socket(family, typ int) (fd int32, errno syscall.Errno)
	Bind(fd int32, name []byte) syscall.Errno
	Listen(fd int32, backlog int) syscall.Errno
	Shutdown(fd int32, how int) syscall.Errno
	// LocalName and PeerName write a name to buf and return its length, 0 if there
	// is none.
	LocalName(fd int32, buf []byte) int
	PeerName(fd int32, buf []byte) int
	Close(fd int32) syscall.Errno
}

// New makes a runtime, a *rt.Runtime, of a world. It is set by package rt, as are the
// variables below.
var New func(World) any

// Tasks describes the tasks of a simulated runtime that have not finished: what they
// are, and whether they wait in plain code. It is called by the worker.
var Tasks func(runtime any) []string

// Active is the runtime, a *rt.Runtime, that goroutines in a bubble use for what they
// do on none in particular; nil if there is none.
var Active atomic.Pointer[any]

// FirstFD is the least descriptor of a simulated socket. No real one comes near it,
// so that a system call which is given one by mistake fails.
const FirstFD = 1 << 30

// Descriptors of a world are in a range of its own: that tells whose they are.
const (
	perWorld  = 1 << 20
	worldsMax = 1 << 9
)

var (
	mu     sync.Mutex
	worlds [worldsMax]atomic.Pointer[Sockets]
)

// Register gives s, the sockets of a world, its range of descriptors: perWorld of them
// from first. The world is given up with Unregister.
func Register(s Sockets) (first int32) {
	mu.Lock()
	defer mu.Unlock()
	for i := range worlds {
		if worlds[i].Load() == nil {
			worlds[i].Store(&s)
			return int32(FirstFD + i*perWorld)
		}
	}
	panic("sim: too many worlds at a time")
}

// Unregister frees the range that begins with first.
func Unregister(first int32) {
	mu.Lock()
	defer mu.Unlock()
	worlds[(first-FirstFD)/perWorld].Store(nil)
}

// gone are the sockets of a world that has ended.
type gone struct{}

func (gone) Socket(int, int) (int32, syscall.Errno) { return -1, syscall.EBADF }
func (gone) Bind(int32, []byte) syscall.Errno       { return syscall.EBADF }
func (gone) Listen(int32, int) syscall.Errno        { return syscall.EBADF }
func (gone) Shutdown(int32, int) syscall.Errno      { return syscall.EBADF }
func (gone) LocalName(int32, []byte) int            { return 0 }
func (gone) PeerName(int32, []byte) int             { return 0 }
func (gone) Close(int32) syscall.Errno              { return syscall.EBADF }

// Of returns the sockets that fd, a simulated descriptor, is one of.
func Of(fd int32) Sockets {
	if i := int(fd-FirstFD) / perWorld; i < worldsMax {
		if s := worlds[i].Load(); s != nil {
			return *s
		}
	}
	return gone{}
}
