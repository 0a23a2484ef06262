package rt

import (
	"testing"

	"github.com/cogen-go/cogen/rt/driver"
	"github.com/cogen-go/cogen/rt/driver/blocking"
)

// An operator is a future that carries out n operations that do nothing, one
// after the other.
type operator struct {
	n       int
	op      driver.Op
	started bool
	polls   int
}

func (f *operator) Poll(cx *Context) bool {
	f.polls++
	for {
		if f.started {
			if f.op.State != 0 {
				return false
			}
			f.started = false
			f.n--
		}
		if f.n == 0 {
			return true
		}
		f.op.Code = driver.Nop
		f.started = true
		if !cx.submit(&f.op) {
			return false
		}
	}
}

func TestOperations(t *testing.T) {
	eachDriver(t, func(t *testing.T, r *Runtime) {
		var tasks []Task
		for range 100 {
			tasks = append(tasks, r.Go(&operator{n: 100}))
		}
		for _, h := range tasks {
			h.Wait()
		}
		waitFor(t, func() bool {
			var c driver.Counters
			for _, w := range r.Stats().Workers {
				c.Submitted += w.Counters.Submitted
				c.Completed += w.Counters.Completed
			}
			return c.Submitted == 100*100 && c.Completed == 100*100
		})
	})
}

// An instantDriver ends every operation at once.
type instantDriver struct{ driver.Driver }

func (d instantDriver) Submit(op *driver.Op) bool {
	op.Res, op.State = 0, 0
	return true
}

// A task whose operations all end at once lets others run, and sees each
// operation end once.
func TestOperationsThatEndAtOnceCostBudget(t *testing.T) {
	inner := driverMakers[1].make
	withDrivers(t, driverMaker{"instant", func(*blocking.Pool) (driver.Driver, error) {
		d, err := inner(nil)
		return instantDriver{d}, err
	}})
	r := newRuntime(t, "", 1)
	defer r.Close()
	const n = 100 * taskBudget
	r.Run(plainly(func() {
		f := &operator{n: n}
		h := Go(f)
		turns := 0
		for ; !h.Done(); turns++ {
			Yield()
		}
		if want := n / (taskBudget + 1); turns < want || f.polls < want {
			t.Errorf("%d operations took %d polls, and others %d turns meanwhile", n, f.polls, turns)
		}
	}))
}
