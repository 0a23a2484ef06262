package progen

import (
	"fmt"
	"strings"
)

// A body makes the body of one function.
type body struct {
	*generator
	fn    *function
	scope *scope
	// pool are the types that variables have here.
	pool []*typ
	out  strings.Builder
	// budget is how many more statements the body gets.
	budget int
	// results are those of the innermost function or literal.
	results []param
	// lits counts the function literals around.
	lits int
	// targets are the statements that break and continue can refer to.
	targets []*target
	labels  map[string]bool
	// header: an expression in the head of a statement, where a composite
	// literal needs parentheses.
	header bool
	// quiet: no calls of the program's other functions, since this code runs beside
	// others.
	quiet bool
	// hot is a variable that expressions mention and change more often than others, so
	// that one statement reads it before and after it changes. It may be nil.
	hot *variable
}

// A target is a statement that break, and if it is a loop continue, refers to.
type target struct {
	label string // "" if it has none
	loop  bool
	used  bool
	lits  int
}

func newBody(g *generator, f *function) *body {
	b := &body{generator: g, fn: f, results: f.results, labels: map[string]bool{}, quiet: f.child}
	b.pool = append(b.pool, g.pool...)
	b.scope = &scope{names: map[string]bool{}}
	b.scope.vars = append(b.scope.vars, g.globals...)
	return b
}

// write returns the body.
func (b *body) write() string {
	f := b.fn
	outer := &scope{outer: b.scope, names: map[string]bool{}}
	declare := func(p param) {
		if p.name != "" && p.name != "_" {
			outer.vars = append(outer.vars, &variable{name: p.name, t: p.t, used: true})
		}
	}
	if f.recv != nil {
		declare(*f.recv)
		if f.isMethodOfGeneric() {
			T := b.generic.params[0]
			b.pool = append(b.pool, T, b.slice(T), b.instance(b.generic, T))
		}
	}
	for i, p := range f.params {
		if f.child && i == 0 {
			outer.names[p.name] = true
			continue
		}
		declare(p)
	}
	for _, p := range f.results {
		declare(p)
	}
	for _, T := range f.tparams {
		b.pool = append(b.pool, T, T, b.slice(T), b.instance(b.generic, T))
	}
	b.scope = outer
	b.budget = b.between(2, 6)
	b.line("{")
	for _, p := range f.results {
		if p.name != "" && p.name != "_" && p.t.builtInPlace() {
			b.line("_ = &%s", p.name)
		}
	}
	switch {
	case f.child:
		b.budget = b.between(1, 5)
		b.childFrame()
	case f.stage && (f != b.stages[len(b.stages)-1] || b.chance(60)):
		b.line("defer func() { show(%q, recover()) }()", f.name)
	case b.chance(30):
		b.line("defer %s", oneOf(b.random, "catch(0)", "catchLate(1)", "func() { show(2, recover()) }()"))
	}
	b.line("if spent() { %s }", b.zeroReturn())
	if b.chance(30) {
		b.line("show(%q%s)", "enter "+f.name, b.shownVars(3))
	}
	switch {
	case f.stage:
		b.budget = b.IntN(3)
	case !f.child:
		b.prologue()
	}
	if f.calls != nil {
		b.showCall(f.calls)
	}
	for b.budget > 0 {
		b.stmt(3)
	}
	b.finish()
	b.line("}")
	return b.out.String()
}

// prologue declares variables for the statements to work with.
func (b *body) prologue() {
	for range b.between(1, 3) {
		t := b.randomType()
		if b.chance(30) {
			t = b.integer
		}
		name, v := b.freshName(), b.literal(t, -1)
		b.line("%s := %s", name, v)
		b.declare(name, t)
		if name != "_" && b.chance(30) {
			p := b.freshName()
			b.use(name)
			b.line("%s := &%s", p, name)
			b.declare(p, b.pointer(t))
		}
	}
	if b.chance(25) {
		b.deferStmt()
	}
}

// showCall calls a function and shows what it returns.
func (b *body) showCall(f *function) {
	params, targs, ok := b.solve(f, nil)
	if !ok {
		return
	}
	var want []*typ
	for _, r := range f.results {
		want = append(want, b.substitute(r.t, params, targs))
	}
	s := b.call(f, want, 2)
	switch {
	case s == "":
	case len(want) == 0:
		b.line("%s", s)
	default:
		b.line("show(%s)", s)
	}
}

// childFrame begins a function that is run beside others: whatever happens, it
// sends one value, and that is the last thing it does.
func (b *body) childFrame() {
	t := b.fn.params[0].t.elem
	b.line("var sent %s", b.spell(t))
	b.line("defer func() { ch <- sent }()")
	b.line("defer func() { show(%q, recover()) }()", b.fn.name)
	b.scope.vars = append(b.scope.vars, &variable{name: "sent", t: t, used: true})
}

// finish ends the body of a function or literal: its variables are used, and it
// returns.
func (b *body) finish() {
	b.useAll()
	if len(b.results) > 0 {
		b.line("%s", b.returnStmt(2))
	}
}

func (b *body) line(text string, args ...any) {
	fmt.Fprintf(&b.out, text, args...)
	b.out.WriteByte('\n')
}

// site returns a new number for a place in the program.
func (b *body) site() int {
	b.sites++
	return b.sites
}

// capture runs f and returns what it wrote.
func (b *body) capture(f func()) string {
	var outer strings.Builder
	outer.WriteString(b.out.String())
	b.out.Reset()
	f()
	text := b.out.String()
	b.out.Reset()
	b.out.WriteString(outer.String())
	return text
}

// open begins a scope, close ends it.
func (b *body) open() { b.scope = &scope{outer: b.scope, names: map[string]bool{}} }

func (b *body) close() {
	b.useAll()
	b.scope = b.scope.outer
}

// useAll uses the variables of the innermost scope that nothing used.
func (b *body) useAll() {
	for _, v := range b.scope.vars {
		if !v.used {
			v.used = true
			if b.chance(50) || v.name == "_" {
				b.line("_ = %s", v.name)
			} else {
				b.line("show(%d, %s)", b.site(), v.name)
			}
		}
	}
}

// block writes a block with up to n statements, and what before and after
// write into it.
func (b *body) block(n int, before, after func()) {
	b.line("{")
	b.inner(n, before, after)
	b.line("}")
}

// inner is block without the braces.
func (b *body) inner(n int, before, after func()) {
	b.open()
	if before != nil {
		before()
	}
	for range b.between(1, max(min(n, 2), 1)) {
		b.stmt(n - 1)
	}
	if after != nil {
		after()
	}
	b.close()
}

// can reports whether a name of the package or the language means here what it
// does there.
func (b *body) can(name string) bool { return !b.scope.hidden(name) }

// spell writes a type with the names that are visible here.
func (b *body) spell(t *typ) string {
	return t.spell(func(t *typ) string {
		if t.local || t.kind == paramKind || !b.scope.hidden(t.name) {
			return t.name
		}
		if t.predeclared && t != b.byText[t.name] {
			return t.name
		}
		return aliasPrefix + t.name
	})
}

// spellable reports whether there is a way to write t here.
func (b *body) spellable(t *typ) bool {
	return !t.mentions(func(t *typ) bool {
		if t.local {
			// It may be out of scope, or another one with that name.
			return b.localType(t.name) != t
		}
		return t.generic != nil && b.scope.hidden(t.name) || t.kind == paramKind && !b.hasParam(t)
	})
}

func (b *body) hasParam(t *typ) bool {
	for _, p := range b.fn.tparams {
		if p == t {
			return true
		}
	}
	return t == b.generic.params[0] && b.fn.isMethodOfGeneric()
}

// localType returns the local type that a name means here.
func (b *body) localType(name string) *typ {
	for s := b.scope; s != nil; s = s.outer {
		if s.declares(name) {
			return s.declared(name)
		}
	}
	return nil
}

// heat chooses a hot variable for a statement.
func (b *body) heat() {
	b.hot = nil
	if vars := b.scope.visible(); len(vars) > 0 && b.chance(55) {
		v := vars[b.IntN(len(vars))]
		if !v.pinned {
			b.hot = v
		}
	}
}

// hotVisible reports whether the hot variable has type t and can be named here.
func (b *body) hotVisible(t *typ) bool {
	if b.hot == nil || b.hot.t != t {
		return false
	}
	for s := b.scope; s != nil; s = s.outer {
		if s.declares(b.hot.name) {
			for _, v := range s.vars {
				if v == b.hot {
					return true
				}
			}
			return false
		}
	}
	return false
}

// variables returns the visible variables of type t.
func (b *body) variables(t *typ, assign bool) []*variable {
	var out []*variable
	for _, v := range b.scope.visible() {
		if v.t == t && !(assign && v.pinned) {
			out = append(out, v)
		}
	}
	return out
}

// randomType returns a type that variables have.
func (b *body) randomType() *typ {
	for range 20 {
		if t := b.pool[b.IntN(len(b.pool))]; b.spellable(t) {
			return t
		}
	}
	return b.integer
}

// freshName returns a name for a new variable in the innermost scope.
func (b *body) freshName() string {
	for {
		name := oneOf(b.random, localNames...)
		if b.chance(30) {
			name = oneOf(b.random, "a", "b", "i", "x", "y", "v", "err", "ok")
		}
		if !b.scope.declares(name) {
			return name
		}
	}
}

// shownVars returns up to n variables as further arguments of show.
func (b *body) shownVars(n int) string {
	var s strings.Builder
	vars := b.scope.visible()
	for range b.between(1, n) {
		if len(vars) > 0 {
			v := vars[b.IntN(len(vars))]
			v.used = true
			s.WriteString(", " + v.name)
		}
	}
	return s.String()
}

// zeroReturn is a return statement with zero values.
func (b *body) zeroReturn() string {
	if len(b.results) == 0 || b.results[0].name != "" && b.lits == 0 {
		return "return"
	}
	var s []string
	for _, r := range b.results {
		s = append(s, b.zero(r.t))
	}
	return "return " + strings.Join(s, ", ")
}

// zero is the zero value of t.
func (b *body) zero(t *typ) string {
	switch {
	case t == b.integer:
		return "0"
	case t == b.text:
		return `""`
	case t.kind == pointerKind && b.can("new"):
		return "new(" + b.spell(t.elem) + ")"
	}
	return "zero[" + b.spell(t) + "]()"
}
