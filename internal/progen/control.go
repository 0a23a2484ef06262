package progen

import (
	"fmt"
	"strings"
)

// Loops, switches and jumps.

// freshLabel returns a label that the function does not have.
func (b *body) freshLabel() string {
	for range 20 {
		name := oneOf(b.random, labelNames...)
		if !b.labels[name] {
			b.labels[name] = true
			return name
		}
	}
	return ""
}

// breakable writes a statement that break can refer to. write writes the
// statement; a label is put in front of it if something refers to that.
func (b *body) breakable(loop bool, write func()) {
	t := &target{loop: loop, lits: b.lits}
	if b.lits == 0 && b.chance(60) {
		t.label = b.freshLabel()
	}
	b.targets = append(b.targets, t)
	text := b.capture(write)
	b.targets = b.targets[:len(b.targets)-1]
	if t.used {
		b.line("%s:", t.label)
	}
	b.out.WriteString(text)
}

// loopBody writes the body of a loop and its brace. limit is a variable that counts
// the iterations, if it is not "".
func (b *body) loopBody(d int, head *scope, limit string) {
	b.inner(d, func() {
		b.line("if spent() { break }")
		if limit != "" {
			b.line("if %s++; %s > 3 { break }", limit, limit)
		}
		if head != nil {
			b.useHeader(head)()
		}
	}, nil)
	b.line("}")
}

func (b *body) forStmt(d int) {
	// Few iterations, whatever the body does to the loop's variables.
	limit := fmt.Sprintf("n%d", b.site())
	b.line("%s := 0", limit)
	b.scope.names[limit] = true
	b.breakable(true, func() {
		b.open()
		head := b.scope
		switch b.IntN(5) {
		case 0:
			b.line("for {")
			b.inner(d, func() {
				b.line("if %s++; %s > 3 || spent() || %s { break }", limit, limit, b.condition(1))
			}, nil)
			b.line("}")
		case 1:
			b.line("for %s {", b.condition(b.depth()))
			b.loopBody(d, nil, limit)
		case 2:
			// Awaits in the head.
			t := b.integer
			v := b.headed(t, 2)
			name := b.freshName()
			b.declare(name, t)
			b.use(name)
			b.line("for %s := %s & 3; %s < %s; %s += %s {", name, parens(v), name, "6 - ("+b.headed(t, 2)+" & 3)", name, "1 + ("+b.headed(t, 1)+"&1)")
			b.loopBody(d, head, limit)
		default:
			name := b.freshName()
			b.declare(name, b.integer)
			b.use(name)
			b.line("for %s := %d; %s < %d; %s++ {", name, b.IntN(2), name, b.between(2, 4), name)
			b.loopBody(d, head, limit)
		}
		b.scope = head.outer
	})
}

func (b *body) rangeStmt(d int) {
	b.breakable(true, func() {
		b.open()
		head := b.scope
		defer func() { b.scope = head.outer }()
		kind := b.IntN(10)
		switch {
		case kind < 2:
			t := oneOf(b.random, b.integer, b.small, b.byText["num"])
			n := "(" + b.headed(t, 2) + ") & 3"
			if b.chance(30) {
				n = "3"
				t = b.integer
			}
			b.rangeHead(d, head, []*typ{t}, n)
		case kind < 3:
			b.rangeHead(d, head, []*typ{b.integer, b.char}, b.headed(b.text, 2))
		case kind < 4:
			// Ordered keys of a map.
			if !b.can("trace") {
				b.rangeHead(d, head, []*typ{b.integer}, "2")
				return
			}
			m := oneOf(b.random, b.mapOf(b.text, b.integer), b.mapOf(b.integer, b.text))
			b.rangeHead(d, head, []*typ{b.integer, m.key}, "trace.Keys("+b.headed(m, 2)+")")
		case kind < 5:
			// A map with one entry.
			k, v := oneOf(b.random, b.integer, b.text, b.structs[0]), b.randomType()
			m := b.mapOf(k, v)
			b.rangeHead(d, head, []*typ{k, v}, "("+b.spell(m)+"{"+b.headed(k, 1)+": "+b.headed(v, 1)+"})")
		case kind < 6:
			t := b.randomType()
			b.rangeHead(d, head, []*typ{t}, "closed("+b.headed(t, 1)+", "+b.headed(t, 1)+")")
		case kind < 7:
			n := "(" + b.headed(b.integer, 1) + " & 3)"
			switch b.IntN(5) {
			case 0:
				b.rangeHead(d, head, []*typ{b.integer}, "seq"+n)
			case 1:
				b.rangeHead(d, head, []*typ{b.integer, b.integer}, "span"+n+".each")
			case 2:
				b.rangeHead(d, head, []*typ{b.integer}, "span"+n+".swallow")
			default:
				b.rangeHead(d, head, []*typ{b.integer}, "items"+n)
			}
		default:
			for range 12 {
				t := b.randomType()
				e := t
				if t.kind == pointerKind {
					e = t.elem
				}
				if e.kind == arrayKind || e == t && e.kind == sliceKind {
					b.rangeHead(d, head, []*typ{b.integer, e.elem}, b.headed(t, 2))
					return
				}
			}
			b.rangeHead(d, head, []*typ{b.integer}, "2")
		}
	})
}

// rangeHead writes a range statement that yields values of the given types.
func (b *body) rangeHead(d int, head *scope, yields []*typ, x string) {
	n := b.between(0, len(yields))
	if n > 0 && b.chance(20) {
		// To variables that exist.
		var left []string
		for _, t := range yields[:n] {
			p := b.place(t, 1, false)
			if p == "" || strings.Contains(p, "{") {
				p = "_"
			}
			left = append(left, p)
		}
		b.line("for %s = range %s {", strings.Join(left, ", "), x)
		b.loopBody(d, nil, "")
		return
	}
	var left []string
	for i, t := range yields[:n] {
		name := b.freshName()
		if i == 0 && n == 2 && b.chance(30) {
			name = "_"
		}
		left = append(left, name)
		b.declare(name, t)
	}
	if n == 0 {
		b.line("for range %s {", x)
	} else {
		b.line("for %s := range %s {", strings.Join(left, ", "), x)
	}
	b.loopBody(d, head, "")
}

func (b *body) switchStmt(d int) {
	b.breakable(false, func() {
		b.open()
		head := b.scope
		init := b.initStmt()
		var tag *typ
		if b.chance(65) {
			tag = oneOf(b.random, b.integer, b.text, b.any, b.small, b.structs[0], b.boolean)
		}
		if tag == nil {
			b.line("switch %s{", init)
		} else {
			b.line("switch %s%s {", init, b.headed(tag, b.depth()))
		}
		n := b.between(1, 4)
		fallback := b.IntN(n + 1)
		for i := range n {
			if i == fallback {
				b.line("default:")
			} else if tag == nil {
				b.line("case %s:", b.caseList(b.boolean))
			} else {
				b.line("case %s:", b.caseList(tag))
			}
			fall := i < n-1 && b.chance(20)
			b.inner(d, b.useHeader(head), func() {
				if fall {
					b.useAll()
					b.line("fallthrough")
				}
			})
		}
		b.line("}")
		b.scope = head.outer
	})
}

// caseList writes the expressions of a case.
func (b *body) caseList(t *typ) string {
	s := b.caseExpr(t)
	if b.chance(25) {
		s += ", " + b.caseExpr(t)
	}
	return s
}

func (b *body) caseExpr(t *typ) string {
	if t.kind == structKind {
		return "(" + b.expr(t, 1) + ")"
	}
	if b.chance(50) {
		return b.varying(t, b.depth())
	}
	return b.expr(t, b.IntN(2))
}

func (b *body) typeSwitchStmt(d int) {
	b.breakable(false, func() {
		b.open()
		head := b.scope
		init := b.initStmt()
		on := b.any
		if b.chance(25) {
			on = b.iface
		}
		x := b.headed(on, b.depth())
		if b.chance(40) && on == b.any {
			x = b.spell(b.any) + "(" + b.headed(b.concrete(), 2) + ")"
		}
		name := ""
		if b.chance(70) {
			name = b.freshName()
			if name == "_" || head.declares(name) {
				name = ""
			}
		}
		guard := parens(x) + ".(type)"
		if name != "" {
			guard = name + " := " + guard
		}
		b.line("switch %s%s {", init, guard)
		used := false
		seen := map[*typ]bool{}
		clause := func(t *typ) {
			b.inner(d, func() {
				b.useHeader(head)()
				if name != "" && t != nil {
					b.scope.vars = append(b.scope.vars, &variable{name: name, t: t, used: true})
					if !used || b.chance(50) {
						used = true
						b.line("show(%d, %s)", b.site(), name)
					}
				}
			}, nil)
		}
		for range b.between(1, 4) {
			t := b.concrete()
			if on == b.iface {
				t = oneOf(b.random, b.implementers...)
			}
			if seen[t] || t.kind == anyKind {
				continue
			}
			seen[t] = true
			u := b.concrete()
			if b.chance(25) && on == b.any && !seen[u] && u.kind != anyKind {
				seen[u] = true
				b.line("case %s, %s:", b.spell(t), b.spell(u))
				clause(on)
				continue
			}
			b.line("case %s:", b.spell(t))
			clause(t)
		}
		if b.chance(25) && b.can("nil") {
			b.line("case nil:")
			clause(nil)
		}
		if b.chance(50) || name != "" && !used {
			b.line("default:")
			clause(on)
		}
		b.line("}")
		b.scope = head.outer
	})
}

// gotoStmt writes a jump forward or back.
func (b *body) gotoStmt(d int) {
	if b.lits > 0 {
		return
	}
	label := b.freshLabel()
	if label == "" {
		return
	}
	b.line("{")
	b.open()
	switch b.IntN(5) {
	case 0:
		// Out of statements around it.
		n := fmt.Sprintf("n%d", b.site())
		b.line("%s := 0", n)
		b.scope.names[n] = true
		b.line("%s", oneOf(b.random, "for {", "for range 4 {", "for _, again := range []string{\"\", \"a\"} { _ = again", "switch { default:"))
		b.inner(d, func() {
			b.line("if %s++; %s > 2 || spent() { goto %s }", n, n, label)
		}, func() {
			b.line("if %s { goto %s }", b.condition(2), label)
		})
		b.line("}")
		b.line("show(%d)", b.site())
		b.line("%s:", label)
		b.showStmt()
	case 1, 2:
		b.line("if %s { goto %s }", b.condition(2), label)
		b.block(d, nil, nil)
		if b.chance(40) {
			b.line("if %s { goto %s }", b.condition(1), label)
		}
		b.line("show(%d)", b.site())
		b.line("%s:", label)
		b.stmt(0)
		b.line("show(%d)", b.site())
	default:
		count := "again"
		b.line("%s := 0", count)
		b.scope.names[count] = true
		b.line("%s:", label)
		b.stmt(0)
		b.block(d, nil, nil)
		b.line("if %s++; %s < 3 && !spent() { goto %s }", count, count, label)
	}
	b.close()
	b.line("}")
}

// labeledBlock writes a block that break can leave.
func (b *body) labeledBlock(d int) {
	if b.lits > 0 {
		return
	}
	label := b.freshLabel()
	if label == "" {
		return
	}
	form := oneOf(b.random, "switch {\ndefault:", "for range 1 {")
	text := b.capture(func() {
		b.line("%s", form)
		b.inner(d, nil, func() {
			b.line("if %s { break %s }", b.condition(2), label)
			b.showStmt()
		})
		b.line("}")
	})
	b.line("%s:", label)
	b.out.WriteString(text)
}

// selectStmt writes a select statement with one case that is ready, or none and a
// default.
func (b *body) selectStmt(d int) {
	t := b.randomType()
	b.breakable(false, func() {
		b.line("select {")
		switch b.IntN(3) {
		case 0:
			b.line("case <-filled[%s]():", b.spell(t))
			b.inner(d, nil, nil)
			b.line("default:")
			b.inner(d, nil, nil)
		case 1:
			name := b.freshName()
			if name == "_" {
				name = "sel"
			}
			ok := b.freshName()
			if ok == name || ok == "_" || b.chance(50) {
				b.line("case %s := <-filled(%s):", name, b.expr(t, 2))
				ok = ""
			} else {
				b.line("case %s, %s := <-%s(%s):", name, ok, oneOf(b.random, "filled", "closed"), b.expr(t, 2))
			}
			b.inner(d, func() {
				b.declare(name, t)
				if ok != "" {
					b.declare(ok, b.boolean)
				}
			}, nil)
			if b.chance(50) {
				b.line("case <-filled[%s]():", b.spell(b.integer))
				b.inner(d, nil, nil)
			}
		default:
			b.line("case filled[%s]() <- %s:", b.spell(t), b.value(t, 2))
			b.inner(d, nil, nil)
			if b.chance(50) {
				p := b.place(b.integer, 1, false)
				if p != "" {
					b.line("case %s = <-filled[%s]():", p, b.spell(b.integer))
					b.inner(d, nil, nil)
				}
			}
		}
		b.line("}")
	})
}
