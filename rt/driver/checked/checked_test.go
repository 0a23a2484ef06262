//go:build linux

package checked

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cogen-go/cogen/rt/driver"
)

// A puppet is a driver that does what a test says.
type puppet struct {
	flying []*driver.Op
	turn   func()
	ends   bool // Submit ends operations
}

func (p *puppet) Name() string { return "puppet" }
func (p *puppet) Submit(op *driver.Op) bool {
	if p.ends {
		return true
	}
	op.State = 1
	p.flying = append(p.flying, op)
	return false
}
func (p *puppet) Cancel(*driver.Op) {}
func (p *puppet) Poll() int {
	if p.turn != nil {
		p.turn()
	}
	return 0
}
func (p *puppet) Wait(time.Duration) int    { return p.Poll() }
func (p *puppet) Wake()                     {}
func (p *puppet) InFlight() int             { return len(p.flying) }
func (p *puppet) Counters() driver.Counters { return driver.Counters{} }
func (p *puppet) Close() error              { return nil }

// end ends the first operation.
func (p *puppet) end() {
	op := p.flying[0]
	p.flying = p.flying[1:]
	op.State = 0
	op.Owner.Complete(op)
}

type owner func(op *driver.Op)

func (o owner) Complete(op *driver.Op) { o(op) }

// TestRules breaks each rule that is checked, and once none.
func TestRules(t *testing.T) {
	id := uint64(1 << 40) // of no other descriptor
	for _, c := range []struct {
		name, want string
		run        func(d *Driver, p *puppet, op *driver.Op)
	}{
		{"none", "", func(d *Driver, p *puppet, op *driver.Op) {
			p.turn = func() { p.end() }
			for range 3 {
				d.Submit(op)
				d.Poll()
			}
			p.ends = true
			d.Submit(op)
			d.Close()
		}},
		{"submitted twice", "rule 2", func(d *Driver, p *puppet, op *driver.Op) {
			d.Submit(op)
			d.Submit(op)
		}},
		{"changed in flight", "rule 2", func(d *Driver, p *puppet, op *driver.Op) {
			d.Submit(op)
			op.Buf = make([]byte, 8)
			p.turn = p.end
			d.Poll()
		}},
		{"completed in Submit", "rule 3", func(d *Driver, p *puppet, op *driver.Op) {
			d.Submit(op)
			p.end()
		}},
		{"ended twice", "rule 3", func(d *Driver, p *puppet, op *driver.Op) {
			d.Submit(op)
			o := op.Owner
			p.turn = func() { p.end(); o.Complete(op) }
			d.Poll()
		}},
		{"forgotten", "rule 3", func(d *Driver, p *puppet, op *driver.Op) {
			d.Submit(op)
			p.flying = nil
			d.Poll()
		}},
		{"left behind", "rule 3", func(d *Driver, p *puppet, op *driver.Op) {
			d.Submit(op)
			d.Close()
		}},
		{"nested wait", "rule 3", func(d *Driver, p *puppet, op *driver.Op) {
			op.Owner = owner(func(*driver.Op) { d.Poll() })
			d.Submit(op)
			p.turn = p.end
			d.Poll()
		}},
		{"repeats", "rule 6", func(d *Driver, p *puppet, op *driver.Op) {
			d.Submit(op)
			op.More = true
			p.turn = func() { op.Owner.Complete(op) }
			d.Poll()
		}},
		{"without a buffer", "rule 7", func(d *Driver, p *puppet, op *driver.Op) {
			op.Code = driver.RecvMany
			d.Submit(op)
			op.Res = 3
			p.turn = p.end
			d.Poll()
		}},
		{"descriptor used again", "in flight on it", func(d *Driver, p *puppet, op *driver.Op) {
			d.Submit(op)
			Opened(driver.FD{ID: id + 1000, Sysfd: op.FD.Sysfd})
		}},
		{"descriptor closed", "not opening", func(d *Driver, p *puppet, op *driver.Op) {
			Opened(driver.FD{ID: id + 1000, Sysfd: op.FD.Sysfd})
			d.Submit(op)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			id++
			p := new(puppet)
			op := &driver.Op{Code: driver.Recv, Buf: make([]byte, 4), Owner: owner(func(*driver.Op) {})}
			op.FD = driver.FD{ID: id, Sysfd: int32(40_000 + id&0xff)}
			Opened(op.FD)
			got := caught(func() { c.run(New(p), p, op) })
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("panic %q, want %q", got, c.want)
			}
		})
	}
}

// caught returns what f panics with.
func caught(f func()) (s string) {
	defer func() {
		if v := recover(); v != nil {
			s = fmt.Sprint(v)
		}
	}()
	f()
	return ""
}

// TestThreads has two threads call at once.
func TestThreads(t *testing.T) {
	p := new(puppet)
	d := New(p)
	runtime.LockOSThread() // so that other goroutines are on other threads
	defer runtime.UnlockOSThread()
	p.turn = func() {
		got := make(chan string)
		go func() { got <- caught(func() { d.Cancel(nil) }) }()
		if s := <-got; !strings.Contains(s, "rule 1") {
			t.Errorf("panic %q, want one about rule 1", s)
		}
	}
	d.Poll()
}
