package transform

// Pass live: which variables a frame has to keep at each await point.
//
// Input: an irFunc. Output: await.live for every await, irVar.reads.
//
// A variable is live at a point if some path from there reads it before it
// assigns it. The frame keeps the variables that are live behind an await while
// it waits there. A backward analysis over the blocks:
//
//  1. live-out(b) is the union of live-in of b's successors.
//  2. A plain assignment to a whole variable ends its life above; any other
//     mention begins it.
//  3. In a statement with jumps out of it (see irFunc invariant 4), the live-in of a
//     jump's target is what is live in front of the jump. Conditional statements are
//     followed into their branches; what a loop assigns may not have been reached,
//     and ends no life.
//  4. A resident variable is in the frame always, and takes no part.

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A liveness is the analysis of one function.
type liveness struct {
	fn   *irFunc
	info *types.Info
}

func live(fn *irFunc) {
	l := &liveness{fn: fn, info: fn.info}
	n := len(fn.vars)
	for _, b := range fn.blocks {
		b.liveIn = newBitset(n)
	}
	set := newBitset(n)
	for changed := true; changed; {
		changed = false
		for i := len(fn.blocks) - 1; i >= 0; i-- {
			b := fn.blocks[i]
			clear(set)
			l.block(b, set)
			if b.liveIn.union(set) {
				changed = true
			}
		}
	}
	for _, a := range fn.awaits {
		a.live = nil
		for _, v := range fn.vars {
			if v == a.yield || l.after(a, v) {
				a.live = append(a.live, v)
			}
		}
	}
	l.countReads()
}

// after reports whether v is live behind a, and not set by it. Behind a loop over
// a function are its iterations, too.
func (l *liveness) after(a *await, v *irVar) bool {
	if a.loop == nil {
		return a.next.liveIn.has(v.index) && !slices.Contains(a.results, v)
	}
	return (a.next.liveIn.has(v.index) || a.loop.body.liveIn.has(v.index)) && !slices.Contains(a.loop.values, v)
}

// block computes the variables that are live at the top of b.
func (l *liveness) block(b *block, set bitset) {
	for _, t := range b.term.successors() {
		set.union(t.liveIn)
	}
	switch t := b.term.(type) {
	case *branch:
		l.uses(t.cond, set)
	case *finish:
		for _, x := range t.results {
			l.uses(x, set)
		}
	case *await:
		for _, v := range t.results {
			if v != nil {
				set.remove(v.index)
			}
		}
		if t.step {
			for _, x := range t.args.Args {
				l.uses(x, set)
			}
		}
		if t.body != nil {
			l.uses(t.body, set)
		}
		if t.yield != nil {
			set.add(t.yield.index)
		}
		if t.loop != nil {
			l.yielded(t.loop, set)
		}
	case *iterated:
		l.yielded(t.loop, set)
	}
	for i := len(b.instrs) - 1; i >= 0; i-- {
		l.instr(b.instrs[i], set)
	}
}

// yielded ends the lives of what the iterator yields in front of the iteration.
func (l *liveness) yielded(loop *funcLoop, set bitset) {
	for _, v := range loop.values {
		if v != nil {
			set.remove(v.index)
		}
	}
}

// assignment is stmt for an assignment.
func (l *liveness) assignment(s *ast.AssignStmt, set bitset) {
	if s.Tok != token.ASSIGN {
		l.uses(s, set)
		return
	}
	for _, x := range s.Lhs {
		if v := l.variable(x); v != nil {
			set.remove(v.index)
		}
	}
	for _, x := range s.Lhs {
		if l.variable(x) == nil {
			l.uses(x, set)
		}
	}
	for _, x := range s.Rhs {
		l.uses(x, set)
	}
}

// variable returns the variable that x, as a whole, is; not the one that a
// boxed variable's pointer leads to.
func (l *liveness) variable(x ast.Expr) *irVar {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return nil
	}
	if v := l.fn.raw[id]; v != nil {
		return v
	}
	if v := l.of(id); v != nil && !v.boxed && !v.resident {
		return v
	}
	return nil
}

// of returns the variable that an identifier mentions.
func (l *liveness) of(id *ast.Ident) *irVar {
	if v := l.fn.raw[id]; v != nil {
		return v
	}
	obj := l.info.Uses[id]
	if obj == nil {
		obj = l.info.Defs[id]
	}
	if obj == nil {
		return nil
	}
	return l.fn.byObj[obj]
}

// uses adds the variables that n mentions, assignments to whole variables
// left out.
func (l *liveness) uses(n ast.Node, set bitset) {
	l.mentions(n, func(v *irVar, assigned bool) {
		if !assigned && !v.resident {
			set.add(v.index)
		}
	})
}

// mentions calls f for every mention of a variable in n, and says whether that
// is a plain assignment to it.
func (l *liveness) mentions(n ast.Node, f func(v *irVar, assigned bool)) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.ASSIGN {
				return true
			}
			for _, x := range n.Lhs {
				if v := l.variable(x); v != nil {
					f(v, true)
				} else {
					l.mentions(x, f)
				}
			}
			for _, x := range n.Rhs {
				l.mentions(x, f)
			}
			return false
		case *ast.Ident:
			if v := l.of(n); v != nil {
				f(v, false)
			}
		}
		return true
	})
}

// countReads counts the mentions that make a variable "used" to the compiler.
func (l *liveness) countReads() {
	count := func(n ast.Node) {
		l.mentions(n, func(v *irVar, assigned bool) {
			if !assigned {
				v.reads++
			} else {
				v.writes++
			}
		})
	}
	for _, b := range l.fn.blocks {
		for _, in := range b.instrs {
			count(in.stmt)
		}
		switch t := b.term.(type) {
		case *branch:
			count(t.cond)
		case *finish:
			for _, x := range t.results {
				count(x)
			}
		case *await:
			if t.step {
				for _, x := range t.args.Args {
					count(x)
				}
			}
			if t.body != nil {
				count(t.body)
			}
			if t.yield != nil {
				t.yield.reads++
			}
		}
	}
	for _, loop := range l.fn.loops {
		for _, v := range loop.values {
			if v != nil {
				v.writes++
			}
		}
	}
	// A temporary for a result that nobody reads is not needed.
	for _, a := range l.fn.awaits {
		for _, v := range a.results {
			if v != nil && (v.reads > 0 || v.kind != tempVar) {
				v.writes++
			}
		}
	}
}
