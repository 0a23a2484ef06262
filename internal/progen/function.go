package progen

import "strings"

// A function is a function or method of the program, or a method of its
// interface.
type function struct {
	name string
	// index orders the functions: a function calls mostly those with a higher
	// one.
	index    int
	recv     *param
	tparams  []*typ
	params   []param
	variadic bool // the last parameter, whose type is a slice
	results  []param
	marked   bool
	// child: it is started by go statements, and its first parameter is the
	// channel for its result.
	child bool
	// stage: it is called by work, and recovers what panics in it.
	stage bool
	// calls is a function that this one has to call.
	calls *function
	// text is the body.
	text string
}

// named reports whether the results have names.
func (f *function) named() bool { return len(f.results) > 0 && f.results[0].name != "" }

// isMethodOfGeneric reports whether f is a method of a generic type.
func (f *function) isMethodOfGeneric() bool {
	return f.recv != nil && f.recv.t.mentions(func(t *typ) bool { return t.kind == paramKind })
}

// separateNames renames what has the name of a parameter before it.
func (f *function) separateNames() {
	taken := map[string]bool{}
	all := []*param{}
	if f.recv != nil {
		all = append(all, f.recv)
	}
	for i := range f.params {
		all = append(all, &f.params[i])
	}
	for i := range f.results {
		all = append(all, &f.results[i])
	}
	for _, p := range all {
		for p.name != "" && p.name != "_" && taken[p.name] {
			p.name += "2"
		}
		taken[p.name] = true
	}
}

// makeGeneric gives f type parameters, and lets some of its parameters have their
// types.
func (f *function) makeGeneric(g *generator) {
	T := g.inFunction(&typ{kind: paramKind, name: "T", numeric: g.chance(50)})
	T.shaped = !T.numeric && g.chance(50)
	f.tparams = []*typ{T}
	if g.chance(30) {
		f.tparams = append(f.tparams, g.inFunction(&typ{kind: paramKind, name: "U"}))
	}
	// Type arguments are inferred from these.
	for i, p := range f.tparams {
		name := []string{"tv", "uv"}[i]
		f.params = append([]param{{name, p}}, f.params...)
	}
	if len(f.results) > 0 && g.chance(70) {
		f.results[0].t = oneOf(g.random, T, T, g.slice(T), g.pointer(T))
	}
}

// signature writes the parameters and results.
func (f *function) signature(name func(*typ) string) string {
	var b strings.Builder
	b.WriteString("(")
	for i, p := range f.params {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.name + " ")
		if f.variadic && i == len(f.params)-1 {
			b.WriteString("..." + p.t.elem.spell(name))
		} else {
			b.WriteString(p.t.spell(name))
		}
	}
	b.WriteString(")")
	if len(f.results) == 0 {
		return b.String()
	}
	if len(f.results) == 1 && !f.named() {
		return b.String() + " " + f.results[0].t.spell(name)
	}
	b.WriteString(" (")
	for i, p := range f.results {
		if i > 0 {
			b.WriteString(", ")
		}
		if p.name != "" {
			b.WriteString(p.name + " ")
		}
		b.WriteString(p.t.spell(name))
	}
	b.WriteString(")")
	return b.String()
}

// heading writes what stands before the body.
func (f *function) heading() string {
	var b strings.Builder
	if f.recv != nil {
		b.WriteString("(" + f.recv.name + " " + f.recv.t.spell(plainNames) + ") ")
	}
	b.WriteString(f.name)
	if len(f.tparams) > 0 {
		b.WriteString("[")
		for i, p := range f.tparams {
			if i > 0 {
				b.WriteString(", ")
			}
			constraint := "any"
			switch {
			case p.numeric:
				constraint = "~int | ~uint8 | ~int32"
			case p.shaped:
				constraint = "shape"
			}
			b.WriteString(p.name + " " + constraint)
		}
		b.WriteString("]")
	}
	b.WriteString(f.signature(plainNames))
	b.WriteString(" ")
	return b.String()
}

func typesOf(params []param) []*typ {
	var out []*typ
	for _, p := range params {
		out = append(out, p.t)
	}
	return out
}
