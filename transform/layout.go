package transform

// Pass layout: the fields of the frame.
//
// Input: an irFunc with the live sets of its awaits. Output: its slots, and for
// each await what is stored, loaded and cleared.
//
//  1. A variable gets a slot if it is live at some await, or is a parameter: the
//     call puts parameters into the frame.
//  2. Two variables share a slot if they have the same type and are never live
//     at the same await. All live variables are stored on the way out of Poll
//     and loaded on the way in, so between those two only one needs the slot.
//     Types must be identical, since the collector needs each word of the frame
//     to be always a pointer or never one.
//  3. A parameter has the slot that Init puts it in. Poll passes it back to Step
//     from there, so it is stored but not loaded.
//  4. All awaits of one future type share the child of that type: one child is
//     alive at a time. But the iterator of a loop is alive while the loop's body runs.
//  5. While a loop over a function runs, all that is live behind an iteration is in
//     the frame, and so is what the iterator yields.
//  6. While the frame waits, a slot or child that is not in use and may hold
//     pointers from an earlier await is cleared, so that it keeps nothing alive.

import (
	"go/types"
	"slices"
)

// layout assigns the slots of fn.
func layout(fn *irFunc) {
	// Which variables are live together.
	conflicts := make([]bitset, len(fn.vars))
	needed := newBitset(len(fn.vars))
	for i := range conflicts {
		conflicts[i] = newBitset(len(fn.vars))
	}
	for _, a := range fn.awaits {
		together := a.kept()
		for _, v := range together {
			needed.add(v.index)
			for _, w := range together {
				if v != w {
					conflicts[v.index].add(w.index)
				}
			}
		}
	}
	for _, p := range fn.params {
		if p.field == "" {
			continue
		}
		s := &slot{name: p.field, typ: p.typ()}
		p.slot = s
		fn.slots = append(fn.slots, s)
		if p.v != nil && (!p.v.boxed || p.passed) {
			s.vars = []*irVar{p.v}
			s.param = p.v
			p.v.slot = s
		} else {
			s.pinned = true // what lives on is the box
		}
	}
	for _, v := range fn.vars {
		if v.slot != nil || v.resident || !needed.has(v.index) {
			continue
		}
		for _, s := range fn.slots {
			if !s.pinned && fits(fn, s, v, conflicts) {
				v.slot = s
				s.vars = append(s.vars, v)
				break
			}
		}
		if v.slot == nil {
			s := &slot{name: fn.fields.fresh(v.obj.Name(), v.name), typ: slotType(v), vars: []*irVar{v}}
			v.slot = s
			fn.slots = append(fn.slots, s)
		}
	}
}

// slotType is the type of the slot of v. A type that is declared in the
// function does not exist outside Poll, so the frame keeps such a value in an
// interface.
func slotType(v *irVar) types.Type {
	if local(v.typ()) {
		return types.Universe.Lookup("any").Type()
	}
	return v.typ()
}

func fits(fn *irFunc, s *slot, v *irVar, conflicts []bitset) bool {
	if !types.Identical(s.typ, slotType(v)) || local(v.typ()) {
		return false
	}
	for _, w := range s.vars {
		if conflicts[v.index].has(w.index) || local(w.typ()) {
			return false
		}
	}
	return true
}

// kept returns the variables that are in the frame at a, or while the loop of a runs.
func (a *await) kept() []*irVar {
	out := slices.Clone(a.live)
	if a.loop != nil {
		for _, v := range a.loop.values {
			if v != nil && a.loop.body.liveIn.has(v.index) {
				out = append(out, v)
			}
		}
	}
	return out
}

// loaded returns the variables that the frame loads when it resumes at a.
func (a *await) loaded() []*irVar { return withoutParams(a.live) }

// left returns the variables that are loaded when the loop of a is over.
func (a *await) left() []*irVar {
	return slices.DeleteFunc(slices.Clone(a.live), func(v *irVar) bool { return !a.next.liveIn.has(v.index) })
}

// entered returns the variables that are loaded when an iteration begins.
func (loop *funcLoop) entered() []*irVar {
	all := slices.DeleteFunc(loop.await.kept(), func(v *irVar) bool { return !loop.body.liveIn.has(v.index) })
	return withoutParams(all)
}

// withoutParams leaves out the variables that Step gets as arguments.
func withoutParams(list []*irVar) []*irVar {
	var out []*irVar
	for _, v := range list {
		if v.slot.param != v {
			out = append(out, v)
		}
	}
	return out
}

// A stale is a field to clear while the frame waits.
type stale struct {
	name string
	typ  types.Type
}

// cleared returns the fields to clear when the frame suspends at a: those that
// are not in use there, may hold pointers, and may have been set before.
func (fn *irFunc) cleared(a *await) []stale {
	var out []stale
	before := fn.reaching(a)
	for _, s := range fn.slots {
		if !mayHavePointers(s.typ) || s.usedAt(a) {
			continue
		}
		set := fn.isParam(s)
		for b := range before {
			set = set || s.usedAt(b)
		}
		if set {
			out = append(out, stale{s.name, s.typ})
		}
	}
	for _, c := range fn.children {
		if !c.pointers || c == a.child || a.within.runs(c) {
			continue
		}
		for b := range before {
			if b.child == c {
				out = append(out, stale{c.name, c.typ})
				break
			}
		}
	}
	return out
}

// runs reports whether c is the iterator of the loop, or of one around it.
func (loop *funcLoop) runs(c *child) bool {
	for ; loop != nil; loop = loop.outer {
		if loop.await.child == c {
			return true
		}
	}
	return false
}

func (fn *irFunc) isParam(s *slot) bool {
	for _, p := range fn.params {
		if p.slot == s {
			return true
		}
	}
	return false
}

// usedAt reports whether the slot holds a variable that is live at a.
func (s *slot) usedAt(a *await) bool {
	for _, v := range a.kept() {
		if v.slot == s {
			return true
		}
	}
	return false
}

// reaching returns the awaits that may have suspended before a does.
func (fn *irFunc) reaching(a *await) map[*await]bool {
	if fn.reach == nil {
		fn.reach = map[*await]map[*await]bool{}
		for _, from := range fn.awaits {
			seen := map[*block]bool{}
			var visit func(*block)
			visit = func(b *block) {
				if seen[b] {
					return
				}
				seen[b] = true
				if to, ok := b.term.(*await); ok {
					if fn.reach[to] == nil {
						fn.reach[to] = map[*await]bool{}
					}
					fn.reach[to][from] = true
				}
				b.successors(visit)
			}
			for _, b := range from.successors() {
				visit(b)
			}
		}
	}
	return fn.reach[a]
}
