package progen

import "strings"

// deferStmt defers a call.
func (b *body) deferStmt() {
	if b.quiet {
		return
	}
	d := b.depth()
	s := b.choose([]option{
		{30, func() string { return b.deferredLit() + "(" + ")" }},
		{12, func() string {
			return oneOf(b.random, "catch", "catchLate", "catchNot") + "(" + b.expr(b.integer, d) + ")"
		}},
		{10, func() string {
			if b.chance(50) && b.can("note") {
				return "note(" + b.value(b.integer, d) + ", " + b.value(b.any, d) + ")"
			}
			return "show(" + b.value(b.any, d) + ", " + b.value(b.any, d) + ")"
		}},
		{16, func() string {
			for _, f := range b.shuffled() {
				params, targs, ok := b.solve(f, nil)
				if !ok {
					continue
				}
				var want []*typ
				for _, r := range f.results {
					want = append(want, b.substitute(r.t, params, targs))
				}
				if s := b.call(f, want, d); s != "" {
					return s
				}
			}
			return ""
		}},
		{8, func() string {
			ft := b.randomType()
			for range 8 {
				if ft.kind == funcKind {
					break
				}
				ft = b.randomType()
			}
			if ft.kind != funcKind {
				return ""
			}
			var args []string
			for _, p := range ft.params {
				args = append(args, b.value(p, d-1))
			}
			return b.operand(ft, d) + "(" + strings.Join(args, ", ") + ")"
		}},
		{4, func() string {
			m := b.iface.methods[0]
			return b.operand(b.iface, d) + "." + m.name + "(" + b.args(m, nil, nil, d-1) + ")"
		}},
		{4, func() string {
			t := b.randomType()
			return b.funcLit([]*typ{t}, nil, false) + "(" + b.value(t, d) + ")"
		}},
		{1, func() string {
			if !b.can("panic") {
				return ""
			}
			return "panic(" + b.value(b.any, d) + ")"
		}},
		{1, func() string {
			if !b.can("recover") {
				return ""
			}
			return "recover()"
		}},
		{1, func() string {
			if !b.can("rt") {
				return ""
			}
			return "rt.Yield()"
		}},
	})
	if s != "" {
		b.line("defer %s", s)
	}
}

// deferredLit writes a function literal that may recover and change the results.
func (b *body) deferredLit() string {
	outerResults, outerHot := b.results, b.hot
	named := b.results
	nested := b.lits > 0
	b.results = nil
	b.lits++
	b.open()
	outer := b.scope.outer
	text := b.capture(func() {
		if b.chance(30) {
			b.stmt(1)
		}
		b.recovering()
		if !nested && b.chance(60) {
			for _, r := range named {
				if r.name != "" && r.name != "_" && b.can2(r) {
					b.line("%s = %s", r.name, b.value(r.t, 2))
				}
			}
		}
		if b.chance(50) {
			b.stmt(1)
		}
		b.useAll()
	})
	b.scope = outer
	b.lits--
	b.results, b.hot = outerResults, outerHot
	return "func() {\n" + text + "}"
}

// can2 reports whether the name of a result means the result here.
func (b *body) can2(r param) bool {
	for s := b.scope; s != nil; s = s.outer {
		if s.declares(r.name) {
			return s.holds(r)
		}
	}
	return false
}

// recovering writes what a deferred function does about a panic.
func (b *body) recovering() {
	if !b.can("recover") {
		return
	}
	site := b.site()
	switch b.IntN(8) {
	case 0, 1, 2:
		b.line("show(%d, recover())", site)
	case 3:
		b.line("if caught := recover(); caught != %s { show(%d, caught) }", b.spell(b.any)+"(0)", site)
	case 4:
		if b.can("panic") {
			b.line("if caught := recover(); caught != zero[%s]() { show(%d, caught); panic(text(caught)) }", b.spell(b.any), site)
		}
	case 5:
		if b.can("panic") {
			b.line("defer func() { show(%d, recover()) }()", site)
			b.line("panic(%s)", b.value(b.any, 1))
		}
	case 6:
		b.line("func() { show(%d, recover()) }()", site)
	}
}

// spawnStmt starts a goroutine and waits for it.
func (b *body) spawnStmt() {
	if b.lits > 0 || b.quiet || len(b.children) == 0 {
		return
	}
	f := b.children[b.IntN(len(b.children))]
	b.line("{")
	b.open()
	if !b.can("make") {
		b.close()
		b.line("}")
		return
	}
	args := "joined"
	var rest []string
	inLiteral := b.chance(25)
	for _, p := range f.params[1:] {
		if inLiteral {
			// These are evaluated beside the other goroutine.
			rest = append(rest, b.leafOf(p.t))
		} else {
			rest = append(rest, b.value(p.t, 2))
		}
	}
	if len(rest) > 0 {
		args += ", " + strings.Join(rest, ", ")
	}
	b.line("joined := make(%s, 1)", b.spell(f.params[0].t))
	if inLiteral {
		b.line("go func() { %s(%s) }()", f.name, args)
	} else {
		b.line("go %s(%s)", f.name, args)
	}
	switch b.IntN(5) {
	case 0, 1:
		b.line("show(%d, <-joined)", b.site())
	case 2:
		// Nothing is ready, mostly, and the other cases never will be.
		t := b.spell(f.params[0].t)
		b.line("select {")
		b.line("case sent, ok := <-joined: show(%d, sent, ok)", b.site())
		b.line("case <-%s(nil): show(%d)", t, b.site())
		b.line("case %s(nil) <- %s: show(%d)", t, b.literal(f.params[0].t.elem, 0), b.site())
		b.line("}")
	default:
		b.line("sent := <-joined")
		b.line("show(%d, sent)", b.site())
	}
	b.close()
	b.line("}")
}
