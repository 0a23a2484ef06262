package progen

import "fmt"

// declareTypes makes the types of the program.
func (g *generator) declareTypes() {
	num := g.intern(&typ{kind: intKind, name: "num"})
	fault := g.intern(&typ{kind: structKind, name: "fault", fields: []field{{name: "code", t: g.integer}, {name: "text", t: g.text}}})

	g.iface = g.intern(&typ{kind: ifaceKind, name: "shape"})
	fieldNames := []string{"a", "b", "c", "d", "f", "state", "next", "v", "p"}
	for i := range g.between(2, 3) {
		s := g.intern(&typ{kind: structKind, name: fmt.Sprintf("S%d", i)})
		types := []*typ{g.integer, g.integer, g.text, g.boolean, g.any, g.small, g.slice(g.integer), g.array(3, g.integer),
			g.pointer(s), g.mapOf(g.text, g.integer), g.function(nil, g.integer), num, g.slice(g.text), g.pointer(g.integer)}
		plain := types[:6]
		if i == 0 {
			types = plain // comparable, and a key of maps
		}
		for j := range g.between(2, 4) {
			t := oneOf(g.random, types...)
			if j == 0 {
				t = oneOf(g.random, g.integer, g.text)
			}
			s.fields = append(s.fields, field{name: fieldNames[(j+i*2)%len(fieldNames)], t: t})
		}
		switch {
		case i == 2 && g.chance(50):
			s.fields = append(s.fields, field{name: "shape", t: g.iface, embedded: true})
		case i > 0 && g.chance(70):
			e := g.structs[g.IntN(len(g.structs))]
			if g.chance(40) {
				s.fields = append(s.fields, field{name: e.name, t: g.pointer(e), embedded: true})
			} else {
				s.fields = append(s.fields, field{name: e.name, t: e, embedded: true})
			}
		}
		g.structs = append(g.structs, s)
		g.declared = append(g.declared, s)
	}

	T := g.inFunction(&typ{kind: paramKind, name: "T"})
	g.generic = &genericType{name: "box", params: []*typ{T}, fields: []field{{name: "v", t: T}, {name: "list", t: g.slice(T)}, {name: "n", t: g.integer}}}

	s0, s1 := g.structs[0], g.structs[1]
	g.implementers = []*typ{s0, g.pointer(s1), num}

	must := []*typ{g.integer, g.integer, g.text, g.boolean, g.any, g.slice(g.integer), s0, s1, g.pointer(s0), g.pointer(s1)}
	may := []*typ{
		g.small, g.char, g.float, g.complex, g.err, num, g.iface, g.iface, g.structs[len(g.structs)-1], g.pointer(g.structs[len(g.structs)-1]),
		g.slice(g.text), g.slice(g.any), g.slice(s0), g.slice(g.small), g.slice(g.slice(g.integer)), g.slice(g.pointer(s1)),
		g.array(3, g.integer), g.array(2, s0), g.array(2, g.text), g.pointer(g.array(3, g.integer)), g.array(2, g.array(2, g.integer)),
		g.mapOf(g.text, g.integer), g.mapOf(g.integer, g.text), g.mapOf(s0, g.integer), g.mapOf(g.text, s0), g.mapOf(g.any, g.integer), g.mapOf(g.float, g.integer), g.mapOf(g.text, g.slice(g.integer)),
		g.mapOf(g.integer, g.slice(g.integer)), g.mapOf(g.array(2, g.integer), g.text),
		g.pointer(g.integer), g.pointer(g.text), g.pointer(g.pointer(g.integer)), g.pointer(g.any), g.pointer(g.slice(g.integer)),
		g.function(nil, g.integer), g.function([]*typ{g.integer}, g.integer), g.function(nil, g.text), g.function([]*typ{g.text, g.integer}, g.text),
		g.function(nil), g.slice(g.function(nil, g.integer)), g.mapOf(g.text, g.function(nil, g.integer)), g.function([]*typ{g.pointer(g.integer)}, g.boolean),
		g.function(nil, g.integer, g.text),
		g.instance(g.generic, g.integer), g.instance(g.generic, g.text), g.pointer(g.instance(g.generic, g.integer)), g.instance(g.generic, s0),
		g.channel(g.integer), g.channel(s0), fault,
	}
	g.pool = must
	g.Shuffle(len(may), func(i, j int) { may[i], may[j] = may[j], may[i] })
	g.pool = append(g.pool, may[:g.between(8, 16)]...)
}

// declareGlobals makes the variables of the package.
func (g *generator) declareGlobals() {
	for i := range g.between(1, 4) {
		t := oneOf(g.random, g.pool...)
		name := fmt.Sprintf("g%d", i)
		if i == 0 && g.chance(20) {
			name = oneOf(g.random, "f", "cx", "state", "frame", "fr")
		}
		init := newBody(g, &function{index: len(g.functions)})
		init.scope.vars = nil // one variable may not depend on another, or on itself
		init.quiet = true
		g.globals = append(g.globals, &variable{name: name, t: t, used: true, init: init.literal(t, 0)})
	}
}

// A param is a parameter, a result or a receiver.
type param struct {
	name string
	t    *typ
}

// declareFunctions makes the signatures of all functions.
func (g *generator) declareFunctions() {
	// The method of the interface.
	contract := &function{name: "area", params: g.params(g.IntN(3)), results: g.results(g.between(1, 2))}
	contract.separateNames()
	g.iface.methods = []*function{contract}
	s0, num := g.structs[0], g.byText["num"]
	for _, t := range g.implementers {
		m := *contract
		m.params = append([]param(nil), contract.params...)
		m.results = append([]param(nil), contract.results...)
		m.recv = &param{g.receiverName(), t}
		g.add(&m)
	}

	for i := range g.between(2, 3) {
		f := &function{name: fmt.Sprintf("f%d", i), params: g.params(g.IntN(4)), results: g.results(oneOf(g.random, 0, 1, 1, 1, 1, 2, 2, 3))}
		if n := len(f.params); n > 0 && g.chance(20) {
			f.variadic = true
			f.params[n-1].t = g.slice(oneOf(g.random, g.integer, g.text, g.any, s0))
		}
		if g.chance(25) {
			f.makeGeneric(g)
		}
		g.add(f)
	}
	for i := range g.between(0, 1) {
		owner := oneOf(g.random, g.structs...)
		if g.chance(20) {
			owner = num
		}
		if g.chance(50) {
			owner = g.pointer(owner)
		}
		g.add(&function{name: fmt.Sprintf("m%d", i), recv: &param{g.receiverName(), owner}, params: g.params(g.IntN(3)), results: g.results(oneOf(g.random, 0, 1, 1, 2))})
	}
	for i := range g.between(0, 1) {
		self := g.instance(g.generic, g.generic.params...)
		if g.chance(60) {
			self = g.pointer(self)
		}
		f := &function{name: fmt.Sprintf("q%d", i), recv: &param{g.receiverName(), self}, params: g.params(g.IntN(2)), results: g.results(oneOf(g.random, 0, 1, 1, 2))}
		T := g.generic.params[0]
		if g.chance(60) {
			f.params = append(f.params, param{"w", T})
		}
		if len(f.results) > 0 && g.chance(60) {
			f.results[0].t = T
		}
		g.add(f)
	}
	g.Shuffle(len(g.functions), func(i, j int) { g.functions[i], g.functions[j] = g.functions[j], g.functions[i] })
	for i, f := range g.functions {
		f.index = i
	}

	for i := range g.IntN(2) {
		t := oneOf(g.random, g.integer, g.text, s0)
		f := &function{name: fmt.Sprintf("child%d", i), child: true, marked: g.chance(80), index: len(g.functions)}
		f.params = append([]param{{"ch", g.channel(t)}}, g.params(g.IntN(3))...)
		g.children = append(g.children, f)
	}
	// Types for values of some of the functions.
	for _, f := range g.functions[:2] {
		if !f.variadic && len(f.tparams) == 0 && !f.isMethodOfGeneric() {
			g.pool = append(g.pool, g.function(typesOf(f.params), typesOf(f.results)...))
		}
	}
	// Each function is called by a stage of its own.
	for i, f := range g.functions {
		g.stages = append(g.stages, &function{name: fmt.Sprintf("stage%d", i), stage: true, calls: f, marked: g.chance(85), index: -1})
	}
}

func (g *generator) receiverName() string { return oneOf(g.random, "r", "recv", "f", "cx", "x", "s") }

// add adds f to the functions that can be called.
func (g *generator) add(f *function) {
	f.separateNames()
	f.marked = g.chance(78)
	g.functions = append(g.functions, f)
	if f.recv == nil {
		return
	}
	owner := f.recv.t
	if owner.kind == pointerKind {
		owner = owner.elem
	}
	if owner.generic != nil {
		owner.generic.methods = append(owner.generic.methods, f)
	} else {
		owner.methods = append(owner.methods, f)
	}
}

// params makes n parameters with names.
func (g *generator) params(n int) []param {
	var out []param
	taken := map[string]bool{}
	for range n {
		t := oneOf(g.random, g.pool...)
		if g.chance(25) {
			t = oneOf(g.random, g.pointer(g.integer), g.pointer(g.structs[0]), g.pointer(g.text), g.slice(g.integer), g.pointer(g.slice(g.integer)))
		}
		name := g.paramName(taken)
		out = append(out, param{name, t})
	}
	return out
}

// paramName returns a name for a parameter, which must not hide a type of the
// signature.
func (g *generator) paramName(taken map[string]bool) string {
	for {
		name := oneOf(g.random, "a", "b", "n", "p", "s", "f", "cx", "state", "result", "rt", "v", "fr", "len", "new", "err", "ok", "done", "next", "w1", "_")
		if !taken[name] {
			taken[name] = name != "_"
			return name
		}
	}
}

// results makes n results, with names or without.
func (g *generator) results(n int) []param {
	var out []param
	named := g.chance(50)
	names := []string{"r0", "r1", "r2"}
	if g.chance(30) {
		names = []string{"result", "x", "err"}
	}
	for i := range n {
		p := param{t: oneOf(g.random, g.pool...)}
		if named {
			p.name = names[i]
			if g.chance(8) {
				p.name = "_"
			}
		}
		out = append(out, p)
	}
	return out
}
