package rt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cogen-go/cogen/rt/stackful"
)

// FeatureSet says what a runtime found to work with.
type FeatureSet struct {
	// Driver is the name of the driver the workers use, "uring", "epoll" or "portable"; if
	// they differ, both.
	Driver string
	// PassedOver says for each better driver, and for the better engine, why it is
	// not used.
	PassedOver []string
	// Ring describes the ring of a worker that uses uring: sizes, set-up flags and
	// what the kernel offers.
	Ring string
	// Engine is the name of the engine that switches stacks, "exchange" or
	// "portable".
	Engine string
	// Workers is the number of workers.
	Workers int
}

// Features returns what the default runtime found.
func Features() FeatureSet { return Default().Features() }

// Features returns what r found.
func (r *Runtime) Features() FeatureSet {
	f := FeatureSet{Engine: stackful.EngineName(), Workers: len(r.workers)}
	var names []string
	for _, w := range r.workers {
		if f.Ring == "" {
			f.Ring = ringOf(w.drv)
		}
		if name := w.drv.Name(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	f.Driver = strings.Join(names, "+")
	r.drivers.mu.Lock()
	defer r.drivers.mu.Unlock()
	f.PassedOver = slices.Clone(r.drivers.passed)
	if reason := stackful.EngineReason(); reason != "" {
		f.PassedOver = append(f.PassedOver, "exchange: "+reason)
	}
	return f
}

// String returns the features on one line.
func (f FeatureSet) String() string {
	s := fmt.Sprintf("driver=%s engine=%s workers=%d", f.Driver, f.Engine, f.Workers)
	if f.Ring != "" {
		s += fmt.Sprintf(" ring=[%s]", f.Ring)
	}
	for _, reason := range f.PassedOver {
		s += fmt.Sprintf(" (not %s)", reason)
	}
	return s
}
