// Package lib has types whose methods are promoted through fields that other packages
// cannot name.
package lib

import (
	"fmt"
	"sync"

	"github.com/cogen-go/cogen/rt"
)

// A Source is implemented by async types.
type Source interface {
	//cogen:async
	Next() int
}

// A Counter counts.
type Counter struct{ n int }

//cogen:async
func (c *Counter) Next() int {
	rt.Yield()
	c.n++
	return c.n
}

// Walker has an async method with a defer, and one with several results.
type Walker struct{ steps []string }

//cogen:async
func (w *Walker) Walk(names ...string) (n int, err error) {
	for _, name := range names {
		rt.Yield()
		w.steps = append(w.steps, name)
	}
	return len(w.steps), nil
}

//cogen:async
func (w *Walker) Rest() (s string) {
	defer func() { s += "!" }()
	rt.Yield()
	return fmt.Sprint(w.steps)
}

// Each is an iterator.
//
//cogen:async
func (w *Walker) Each(yield func(string) bool) {
	for _, s := range w.steps {
		rt.Yield()
		if !yield(s) {
			return
		}
	}
}

type inner struct {
	sync.Mutex
	Source
	*Walker
}

// Outer promotes what inner has.
type Outer struct {
	inner
	Name string
}

// WalkAsync of an Overriding is no companion: Walk is promoted, and this is not.
type Overriding struct {
	inner
}

func (o *Overriding) WalkAsync(names ...string) rt.Call2[int, error] {
	panic("the companion of nothing")
}

func New(name string) *Outer { return &Outer{inner{Source: &Counter{}, Walker: &Walker{}}, name} }

func NewOverriding() *Overriding { return &Overriding{inner{Walker: &Walker{}}} }
