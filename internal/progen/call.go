package progen

import "strings"

// Calls of the program's functions.

// shuffled returns the functions that can be called, those first that do not lead
// back to this one.
func (b *body) shuffled() []*function {
	if b.quiet {
		return nil
	}
	var out []*function
	for _, f := range b.functions {
		if f.isMethodOfGeneric() && b.chance(70) {
			continue
		}
		if f.index > b.fn.index || b.chance(4) {
			out = append(out, f)
		}
	}
	b.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// callOf calls a function that returns a t.
func (b *body) callOf(t *typ, d int) string {
	return b.choose([]option{
		{50, func() string {
			for _, f := range b.shuffled() {
				if len(f.results) == 1 {
					if s := b.call(f, []*typ{t}, d); s != "" {
						return s
					}
				}
			}
			return ""
		}},
		{15, func() string { return b.callValue([]*typ{t}, d) }},
		{12, func() string {
			m := b.iface.methods[0]
			if b.quiet || len(m.results) != 1 || m.results[0].t != t {
				return ""
			}
			return b.operand(b.shapely(), d-1) + "." + m.name + "(" + b.args(m, nil, nil, d-1) + ")"
		}},
		{6, func() string {
			// A method expression.
			for _, f := range b.shuffled() {
				if f.recv != nil && !f.variadic && sameTypes(typesOf(f.results), []*typ{t}) && !f.isMethodOfGeneric() {
					args := b.value(f.recv.t, d-1)
					if rest := b.args(f, nil, nil, d-1); rest != "" {
						args += ", " + rest
					}
					return "(" + b.spell(f.recv.t) + ")." + f.name + "(" + args + ")"
				}
			}
			return ""
		}},
	})
}

// shapely returns a type that has the method of the interface without declaring it.
func (b *body) shapely() *typ {
	list := []*typ{b.iface}
	for _, T := range b.fn.tparams {
		if T.shaped {
			list = append(list, T, T)
		}
	}
	for _, s := range b.structs {
		for _, f := range s.fields {
			if f.embedded && f.t == b.iface {
				list = append(list, s, b.pointer(s))
			}
		}
	}
	return oneOf(b.random, list...)
}

// callValue calls a value of function type.
func (b *body) callValue(results []*typ, d int) string {
	if b.quiet {
		return ""
	}
	for range 6 {
		ft := b.randomType()
		if ft.kind != funcKind || !sameTypes(ft.results, results) {
			continue
		}
		s := parens(b.choose([]option{
			{6, func() string { return b.variable(ft) }},
			{4, func() string { return b.access(ft, d) }},
			{1, func() string { return b.helperCall(ft, d) }},
		}))
		if s == "" {
			continue
		}
		var args []string
		for _, p := range ft.params {
			args = append(args, b.value(p, d-1))
		}
		return s + "(" + strings.Join(args, ", ") + ")"
	}
	return ""
}

// call calls f, if its results can be those wanted.
func (b *body) call(f *function, want []*typ, d int) string {
	params, targs, ok := b.solve(f, want)
	if !ok {
		return ""
	}
	for _, p := range f.params {
		if !b.spellable(b.substitute(p.t, params, targs)) {
			return ""
		}
	}
	name := f.name
	if f.recv != nil {
		recv := f.recv.t
		if len(params) > 0 {
			recv = b.substitute(recv, params, targs)
		}
		r := b.receiver(recv, d-1)
		if r == "" {
			return ""
		}
		name = r + "." + f.name
	} else if !b.can(f.name) {
		return ""
	}
	if s := b.spreadCall(f, params, targs, name, d); s != "" {
		return s
	}
	if len(f.tparams) > 0 && b.chance(40) {
		var list []string
		for _, t := range targs {
			list = append(list, b.spell(t))
		}
		name += "[" + strings.Join(list, ", ") + "]"
	}
	return name + "(" + b.args(f, params, targs, d-1) + ")"
}

// spreadCall is f(g()) with a g that returns what f takes.
func (b *body) spreadCall(f *function, params, targs []*typ, name string, d int) string {
	if len(f.params) != 2 || f.variadic || d <= 0 || b.chance(60) {
		return ""
	}
	want := []*typ{b.substitute(f.params[0].t, params, targs), b.substitute(f.params[1].t, params, targs)}
	for _, g := range b.shuffled() {
		if len(g.results) == 2 && g.recv == nil {
			if s := b.call(g, want, d-2); s != "" {
				return name + "(" + s + ")"
			}
		}
	}
	if b.can("two") && b.chance(50) {
		return name + "(two(" + b.expr(want[0], d-1) + ", " + b.expr(want[1], d-1) + "))"
	}
	return ""
}

// solve finds type arguments with which f returns what is wanted, which may be
// nil for anything.
func (b *body) solve(f *function, want []*typ) (params, targs []*typ, ok bool) {
	params = f.tparams
	if f.isMethodOfGeneric() {
		params = b.generic.params
	}
	have := typesOf(f.results)
	if len(params) == 0 {
		return nil, nil, want == nil || sameTypes(have, want)
	}
	if want != nil && len(have) != len(want) {
		return nil, nil, false
	}
	for range 6 {
		targs = nil
		for _, p := range params {
			t := oneOf(b.random, b.arguments()...)
			switch {
			case p.numeric:
				t = oneOf(b.random, b.integer, b.small)
			case p.shaped:
				t = oneOf(b.random, b.implementers...)
			}
			targs = append(targs, t)
		}
		if want == nil {
			return params, targs, true
		}
		match := true
		for i, t := range have {
			match = match && b.substitute(t, params, targs) == want[i]
		}
		if match {
			return params, targs, true
		}
	}
	return nil, nil, false
}

// arguments are the types that the program's generic functions are instantiated
// with: few, since each instance is compiled.
func (b *body) arguments() []*typ {
	list := []*typ{b.integer, b.text, b.structs[0]}
	list = append(list, b.fn.tparams...)
	if b.fn.isMethodOfGeneric() {
		list = append(list, b.generic.params...)
	}
	return list
}

// receiver writes an operand for a method with that receiver.
func (b *body) receiver(t *typ, d int) string {
	if !b.spellable(t) {
		return ""
	}
	if t.kind == pointerKind && b.chance(70) {
		if p := b.place(t.elem, d, true); p != "" {
			b.use(p)
			return parens(p)
		}
	}
	if t.kind != pointerKind && b.chance(25) {
		return b.operand(b.pointer(t), d)
	}
	// Through a struct that embeds it.
	if b.chance(25) {
		for _, s := range b.structs {
			for _, f := range s.fields {
				if f.embedded && (f.t == t || f.t.kind != pointerKind && b.pointer(f.t) == t || f.t.kind == pointerKind && f.t.elem == t) {
					if p := b.place(s, d, true); p != "" {
						b.use(p)
						return parens(p)
					}
				}
			}
		}
	}
	return b.operand(t, d)
}

// args writes the arguments of a call of f.
func (b *body) args(f *function, params, targs []*typ, d int) string {
	var out []string
	for i, p := range f.params {
		t := b.substitute(p.t, params, targs)
		if f.variadic && i == len(f.params)-1 {
			if b.chance(25) {
				out = append(out, b.expr(t, d)+"...")
				break
			}
			for range b.IntN(4) {
				out = append(out, b.value(t.elem, d))
			}
			break
		}
		// What the callee may change is the more interesting argument.
		if t.kind == pointerKind && b.chance(65) {
			if p := b.place(t.elem, d, true); p != "" {
				b.use(p)
				out = append(out, "&"+p)
				continue
			}
		}
		if p.t.kind == paramKind {
			out = append(out, b.expr(t, d))
			continue
		}
		out = append(out, b.value(t, d))
	}
	return strings.Join(out, ", ")
}
