package progen

import (
	"fmt"
	"go/format"
	"strings"
)

// A generator makes one program.
type generator struct {
	random
	*universe
	pkg string
	// pool are the types that variables have.
	pool []*typ
	// iface is the program's interface; implementers are the types that have its
	// method.
	iface        *typ
	implementers []*typ
	generic      *genericType

	structs   []*typ
	globals   []*variable
	functions []*function
	children  []*function
	stages    []*function
	// sites numbers the places that record something.
	sites int
	// discarded counts the functions that did not type-check.
	discarded int
}

// Generate returns the source of the program that follows from the seed, as a
// package of one file with the given name. Its function Main runs it, and so does work,
// which is marked.
func Generate(seed uint64, pkg string) []byte {
	return newGenerator(seed, pkg).program()
}

func newGenerator(seed uint64, pkg string) *generator {
	return &generator{random: newRandom(seed), universe: newUniverse(), pkg: pkg}
}

func (g *generator) program() []byte {
	g.declareTypes()
	g.declareGlobals()
	g.declareFunctions()
	for _, f := range g.allFunctions() {
		g.fill(f)
	}
	g.breakCycles()
	src := g.source(nil)
	out, err := format.Source([]byte(src))
	if err != nil {
		panic(fmt.Sprintf("a program that was checked does not parse: %v\n%s", err, src))
	}
	return out
}

// allFunctions returns the functions that have a random body.
func (g *generator) allFunctions() []*function {
	var all []*function
	all = append(all, g.functions...)
	all = append(all, g.children...)
	return append(all, g.stages...)
}

// fill makes the body of f, again if it does not type-check.
func (g *generator) fill(f *function) {
	const attempts = 20
	for range attempts {
		f.text = newBody(g, f).write()
		if check([]byte(g.source(f)), nil) == nil {
			return
		}
		g.discarded++
	}
	g.empty(f)
}

// empty gives f a body that does nothing.
func (g *generator) empty(f *function) {
	for i := range f.results {
		f.results[i].name = fmt.Sprintf("zero%d", i)
	}
	f.text = "{\nreturn\n}"
}

// breakCycles empties generic functions until none needs an endless number of
// instances, which only the whole program shows.
func (g *generator) breakCycles() {
	for _, f := range g.functions {
		if len(f.tparams) == 0 && !f.isMethodOfGeneric() {
			continue
		}
		if check([]byte(g.source(nil)), nil) == nil {
			return
		}
		g.empty(f)
	}
}

// source returns the program. With only set, the bodies of all other functions
// are left out.
func (g *generator) source(only *function) string {
	var b strings.Builder
	fmt.Fprintf(&b, prelude, g.pkg)
	for _, t := range g.declared {
		if t.kind == structKind {
			fmt.Fprintf(&b, "type %s struct {\n", t.name)
			writeFields(&b, t.fields)
			b.WriteString("}\n\n")
		}
	}
	fmt.Fprintf(&b, "type %s[", g.generic.name)
	for i, p := range g.generic.params {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.name + " any")
	}
	b.WriteString("] struct {\n")
	writeFields(&b, g.generic.fields)
	b.WriteString("}\n\n")
	m := g.iface.methods[0]
	fmt.Fprintf(&b, "type %s interface { %s%s }\n\n", g.iface.name, m.name, m.signature(plainNames))

	// Names for types whose own name is hidden.
	b.WriteString("type (\n")
	for _, t := range []*typ{g.boolean, g.integer, g.text, g.float, g.complex, g.small, g.char, g.any, g.err} {
		fmt.Fprintf(&b, "%s%s = %s\n", aliasPrefix, t.name, t.name)
	}
	for _, t := range append([]*typ{g.byText["num"], g.byText["fault"], g.iface}, g.declared...) {
		fmt.Fprintf(&b, "%s%s = %s\n", aliasPrefix, t.name, t.name)
	}
	b.WriteString(")\n\n")

	for _, v := range g.globals {
		fmt.Fprintf(&b, "var %s %s = %s\n", v.name, v.t.spell(plainNames), v.init)
	}
	b.WriteString("\n")
	for _, f := range g.allFunctions() {
		if f.marked {
			b.WriteString("//cogen:async\n")
		}
		text := f.text
		if only != nil && f != only {
			text = "{ panic(0) }"
		}
		fmt.Fprintf(&b, "func %s%s\n\n", f.heading(), text)
	}
	b.WriteString("//cogen:async\nfunc work() {\n")
	for i, f := range g.stages {
		if i == len(g.stages)-1 {
			b.WriteString("show(\"globals\"")
			for _, v := range g.globals {
				b.WriteString(", " + v.name)
			}
			b.WriteString(")\n")
		}
		fmt.Fprintf(&b, "%s()\n", f.name)
	}
	b.WriteString("}\n")
	return b.String()
}

func writeFields(b *strings.Builder, fields []field) {
	for _, f := range fields {
		if f.embedded {
			fmt.Fprintf(b, "%s\n", f.t.spell(plainNames))
		} else {
			fmt.Fprintf(b, "%s %s\n", f.name, f.t.spell(plainNames))
		}
	}
}

// aliasPrefix makes the names of the aliases.
const aliasPrefix = "X"

// plainNames spells types where nothing is hidden.
func plainNames(t *typ) string { return t.name }

// prelude is the part that all programs have in common.
const prelude = `// Package %s is a random program.
package %[1]s

import (
	"github.com/cogen-go/cogen/internal/progen/trace"
	"github.com/cogen-go/cogen/rt"
)

// Main runs the program.
func Main() { work() }

func show(args ...any) { trace.Show(args...) }

func spent() bool { return trace.Spent() }

func text(v any) string { return trace.Sprint(v) }

func zero[T any]() (z T) { return }

func nan() float64 { z := zero[float64](); return z / z }

func at[T any](s []T, i int) *T {
	if len(s) == 0 {
		return new(T)
	}
	return &s[(i%%len(s)+len(s))%%len(s)]
}

func filled[T any](v ...T) chan T {
	c := make(chan T, len(v)+1)
	for _, x := range v {
		c <- x
	}
	return c
}

func closed[T any](v ...T) chan T {
	c := filled(v...)
	close(c)
	return c
}

func seq(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if spent() || !yield(i) {
				return
			}
		}
	}
}

//cogen:async
func items(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if spent() || !yield(tick(i)) {
				return
			}
		}
	}
}

type span int

//cogen:async
func (s span) each(yield func(i, left int) bool) {
	defer func() {
		if r := recover(); r != nil {
			show("each", s, r)
			panic(r)
		}
	}()
	for i := range items(int(s)) {
		if !yield(i, int(s)-i) {
			show("left", i)
			return
		}
	}
}

//cogen:async
func (s span) swallow(yield func(int) bool) {
	defer func() { show("swallow", s, recover()) }()
	s.twice(yield)
}

//cogen:async
func (s span) twice(yield func(int) bool) bool {
	return yield(int(s)) && yield(step(int(s)))
}

//cogen:async
func step(n int) int {
	trace.Show("step", n)
	rt.Yield()
	return n
}

//cogen:async
func tick(n int) int { return trace.Tick(n) }

//cogen:async
func same[T any](v T) T {
	trace.Tick(1)
	return v
}

//cogen:async
func pick[T any](first bool, v, w T) T {
	if first {
		return same(v)
	}
	trace.Tick(2)
	return w
}

//cogen:async
func two[T, U any](v T, w U) (T, U) {
	trace.Tick(3)
	return v, w
}

//cogen:async
func set[T any](p *T, v T) T {
	old := *p
	trace.Tick(4)
	*p = v
	return old
}

//cogen:async
func after[T, U any](v T, p *U, w U) T {
	trace.Tick(5)
	*p = w
	trace.Tick(6)
	return v
}

func poke[T, U any](v T, p *U, w U) T {
	*p = w
	return v
}

//cogen:async
func note(site int, values ...any) {
	show("note", site, tick(len(values)))
	trace.Show(values...)
}

func catch(site int) { show("catch", site, recover()) }

//cogen:async
func catchLate(site int) {
	tick(site)
	r := recover()
	step(site)
	show("late", site, r)
}

//cogen:async
func catchNot(site int) {
	func() { show("not", site, recover()) }()
	tick(site)
}

type fault struct {
	code int
	text string
}

func (e fault) Error() string { return e.text }

type num int

`
