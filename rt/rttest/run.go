package rttest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/cogen-go/cogen/rt"
	"github.com/cogen-go/cogen/rt/internal/sim"
	"github.com/cogen-go/cogen/rt/stackful"
)

// The environment variables that choose seeds.
const (
	seedVar  = "COGEN_SEED"  // the only seed to run
	seedsVar = "COGEN_SEEDS" // first:count, of those that Seeds runs
)

// Config says how a world is. The zero Config is what [Run] and [Seeds] use.
type Config struct {
	Network Network
}

// Run runs f as a task in a simulated world, with the seed in COGEN_SEED, or else 1.
func Run(t *testing.T, f func(*Sim)) { Config{}.Run(t, f) }

// Seeds runs f in as many worlds, one after the other, each with another seed, until one
// fails. They begin with 1, so that the same are run each time. COGEN_SEEDS=1000:5000
// makes it 5,000 seeds from 1,000 on, and COGEN_SEED=17 that one. With -short it is a
// tenth.
func Seeds(t *testing.T, n int, f func(*Sim)) { Config{}.Seeds(t, n, f) }

// Run is [Run] with c.
func (c Config) Run(t *testing.T, f func(*Sim)) {
	t.Helper()
	seed, ok := onlySeed(t)
	if !ok {
		seed = 1
	}
	c.seed(t, seed, f)
}

// Seeds is [Seeds] with c.
func (c Config) Seeds(t *testing.T, n int, f func(*Sim)) {
	t.Helper()
	if seed, ok := onlySeed(t); ok {
		c.seed(t, seed, f)
		return
	}
	first, count := uint64(1), uint64(n)
	if testing.Short() {
		count = (count + 9) / 10
	}
	if s := os.Getenv(seedsVar); s != "" {
		a, b, _ := strings.Cut(s, ":")
		var err1, err2 error
		first, err1 = strconv.ParseUint(a, 10, 64)
		count, err2 = strconv.ParseUint(b, 10, 64)
		if err1 != nil || err2 != nil {
			t.Fatalf("rttest: %s=%q is not of the form first:count", seedsVar, s)
		}
	}
	for i := range count {
		c.seed(t, first+i, f)
	}
}

func onlySeed(t *testing.T) (seed uint64, ok bool) {
	t.Helper()
	s := os.Getenv(seedVar)
	if s == "" {
		return 0, false
	}
	seed, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatalf("rttest: %s=%q is not a seed", seedVar, s)
	}
	return seed, true
}

// one lets one world exist at a time: goroutines find theirs by there being one.
var one sync.Mutex

// seed runs f in a world with the given seed.
func (c Config) seed(t *testing.T, seed uint64, f func(*Sim)) {
	t.Helper()
	one.Lock()
	defer one.Unlock()
	failed := t.Failed() // before
	defer func() {
		// Also when the test leaves by FailNow.
		if t.Failed() && !failed {
			t.Logf("rttest: failed with seed %d; to run it again: %s=%d go test -run '^%s$'",
				seed, seedVar, seed, strings.ReplaceAll(t.Name(), "/", "$/^"))
		}
	}()
	stackful.EngineName() // engines are probed in the bubble of no world
	synctest.Test(t, func(t *testing.T) { c.live(t, seed, f) })
}

// live is the life of a world, in its bubble.
func (c Config) live(t *testing.T, seed uint64, f func(*Sim)) {
	w := newWorld(seed, c)
	defer w.release()
	r := sim.New(w).(*rt.Runtime)
	w.runtime = r
	var active any = r
	sim.Active.Store(&active)
	defer sim.Active.Store(nil)
	w.tb = t
	s := &Sim{TB: t, w: w}
	r.Go(&first{s: s, f: f})
	<-w.over
	if w.failure != "" { // before anything can go wrong with what is left
		t.Errorf("%s\n\nwhat happened last:\n%s", w.failure, w.trace.text())
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if os.Getenv(traceVar) != "" {
		t.Logf("trace %x\n%s", w.trace.hash, w.trace.text())
	}
}

// first is the task that runs the test.
type first struct {
	s *Sim
	f func(*Sim)
}

// Poll implements [rt.Future]. The function waits in plain form.
func (f *first) Poll(*rt.Context) bool {
	w := f.s.w
	returned := false
	defer func() {
		if v := recover(); v != nil {
			w.fail(fmt.Sprintf("panic: %v\n\n%s", v, stack()))
		} else if !returned {
			w.leave() // Goexit, as by FailNow: the other tasks need not finish
		}
	}()
	f.f(f.s)
	returned = true
	w.finished = true
	return true
}
