package stackful

import "sync/atomic"

// Switches counts switches from one stack to another, by kind. A runner that is
// resumed and suspends itself makes two.
type Switches struct {
	Fast    uint64 // by exchanging stacks
	Marking uint64 // by the Go runtime, as the garbage collector was marking
	First   uint64 // by the Go runtime, as the stack was new
	Last    uint64 // by the Go runtime, as the stack had ended
	Other   uint64 // by the Go runtime, for other reasons
	// Portable is the number of switches that the portable engine made.
	Portable uint64
}

// A tally counts the switches of one home, on its thread.
type tally struct {
	fast uint64 // counted by the assembly
	slow [reasons]uint64
}

// The reasons why the Go runtime made a switch.
const (
	other   = iota
	marking // the assembly knows this number
	first
	last
	reasons
)

// totals is what the tallies have been flushed to.
var totals struct {
	fast     atomic.Uint64
	slow     [reasons]atomic.Uint64
	portable atomic.Uint64
}

// flushEvery is the number of fast switches after which the next slow one flushes
// the tally.
const flushEvery = 2048

func (t *tally) flush() {
	totals.fast.Add(t.fast)
	for i, n := range t.slow {
		totals.slow[i].Add(n)
	}
	*t = tally{}
}

// Stats returns how many switches there have been so far. Those of a thread
// that has live runners lag behind: they are added up when one ends, and after some
// thousand resumptions at the next switch that is not a fast one.
func Stats() Switches {
	return Switches{
		Fast:     totals.fast.Load(),
		Marking:  totals.slow[marking].Load(),
		First:    totals.slow[first].Load(),
		Last:     totals.slow[last].Load(),
		Other:    totals.slow[other].Load(),
		Portable: totals.portable.Load(),
	}
}
