package rt

import (
	"github.com/cogen-go/cogen/internal/invariants"
	"github.com/cogen-go/cogen/rt/driver"
)

// opPool keeps a worker's free driver operations, linked through Next. An
// operation is taken when it is submitted and put back when its result has been
// read. So a future needs no room for one, and a connection that does nothing has
// none, whatever it may do next. Operations given up when their worker ends are
// left to the collector.
type opPool struct {
	top *driver.Op
	n   int
}

// freeOps is how many free operations a worker keeps.
const freeOps = 1024

func (p *opPool) take() *driver.Op {
	op := p.top
	if op == nil {
		return new(driver.Op)
	}
	p.top = op.Next
	p.n--
	op.Next = nil
	return op
}

// put takes back op, which is not in flight.
func (p *opPool) put(op *driver.Op) {
	if invariants.Enabled && (op.State != 0 || op.Lent != nil) {
		panic("rt: operation given back in flight, or with a buffer")
	}
	if p.n >= freeOps {
		return
	}
	// Memory of others must not be kept, and nothing left for the next one.
	op.Buf, op.Owner, op.Msg, op.File = nil, nil, nil, nil
	op.Next = p.top
	p.top = op
	p.n++
}
