package progen

import (
	"fmt"
	"strings"
)

// Statements about the order of evaluation: one variable, whose value several operands
// read in different ways, and that others change, with awaits among them, in a
// context that takes all of them. Random expressions seldom do that.

// An operand is an expression with its type.
type operand struct {
	text string
	t    *typ
}

// orderStmt writes such a statement.
func (b *body) orderStmt() {
	v := b.subject()
	if v == nil {
		return
	}
	n := b.between(2, 5)
	changed := b.between(1, n-1)
	var list []operand
	for i := range n {
		switch {
		case i == changed, i > 0 && b.chance(15):
			list = append(list, b.changer(v))
		default:
			o := b.reader(v)
			if b.chance(20) {
				o.text = "same(" + o.text + ")"
			}
			list = append(list, o)
		}
	}
	b.orderContext(v, list)
}

// subject returns a variable to read and change, a new one if there is none.
func (b *body) subject() *variable {
	if !b.can("same") {
		return nil
	}
	var vars []*variable
	for _, v := range b.scope.visible() {
		if !v.pinned && b.spellable(v.t) && v.t.kind != chanKind && v.t.kind != paramKind {
			vars = append(vars, v)
		}
	}
	if len(vars) > 0 && b.chance(60) {
		v := vars[b.IntN(len(vars))]
		v.used = true
		return v
	}
	t := b.randomType()
	if t.kind == chanKind || t.kind == paramKind {
		t = b.integer
	}
	name, init := b.freshName(), b.literal(t, 1)
	if name == "_" || name == "same" {
		return nil
	}
	b.line("var %s %s = %s", name, b.spell(t), init)
	v := &variable{name: name, t: t, used: true}
	b.scope.vars = append(b.scope.vars, v)
	return v
}

// changer writes an expression that changes v.
func (b *body) changer(v *variable) operand {
	w := b.literal(v.t, 1)
	t := oneOf(b.random, b.integer, b.text, b.integer, v.t)
	result := b.literal(t, 0)
	if v.t.kind == pointerKind && b.chance(50) {
		// Change what it points to.
		return operand{fmt.Sprintf("after(%s, %s, %s)", result, v.name, b.literal(v.t.elem, 1)), t}
	}
	switch b.IntN(8) {
	case 0:
		return operand{fmt.Sprintf("set(&%s, %s)", v.name, w), v.t}
	case 1:
		return operand{b.changingLit(v.name, w, b.spell(t), result), t}
	case 2:
		return operand{fmt.Sprintf("poke(%s, &%s, %s)", result, v.name, w), t}
	case 3:
		if part := b.partOf(v); part != nil {
			return operand{fmt.Sprintf("after(%s, &%s, %s)", result, part.text, b.literal(part.t, 1)), t}
		}
	}
	return operand{fmt.Sprintf("after(%s, &%s, %s)", result, v.name, w), t}
}

// changingLit calls a literal that assigns to a variable. The literal also takes its
// address: gc inlines the literal, and without that it depends on whether it did
// when the variable's other mentions are read.
func (b *body) changingLit(name, value, result, returned string) string {
	return fmt.Sprintf("func() %s { %s = %s; _ = &%s; return %s }()", result, name, value, name, returned)
}

// partOf returns a part of v that has an address, or nil.
func (b *body) partOf(v *variable) *operand {
	t := v.t
	if t.kind == pointerKind {
		t = t.elem
	}
	switch t.kind {
	case structKind:
		if fields := promoted(t, 0); len(fields) > 0 {
			f := fields[b.IntN(len(fields))]
			if b.spellable(f.t) {
				return &operand{v.name + "." + f.name, f.t}
			}
		}
	case arrayKind:
		return &operand{fmt.Sprintf("%s[%d]", v.name, b.IntN(t.len)), t.elem}
	}
	return nil
}

// reader writes an expression that reads v.
func (b *body) reader(v *variable) operand {
	if b.chance(25) {
		return operand{v.name, v.t}
	}
	if b.chance(25) {
		if part := b.partOf(v); part != nil {
			return *part
		}
	}
	var list []operand
	add := func(t *typ, format string, args ...any) {
		list = append(list, operand{fmt.Sprintf(format, args...), t})
	}
	t, x := v.t, v.name
	call := func(name string, t *typ, args string) {
		if b.can(name) {
			add(t, "%s(%s)", name, args)
		}
	}
	switch t.kind {
	case boolKind:
		add(t, "!%s", x)
		add(t, "(%s && %s)", x, b.boolean01())
		add(t, "(%s || %s)", x, b.boolean01())
		add(t, "(%s && same(%s))", x, x)
		add(t, "(same(%s) || %s)", x, x)
	case intKind:
		add(t, "(%s + 1)", x)
		add(t, "-%s", x)
		add(t, "(%s << 1)", x)
		add(b.float, "%s(%s)", b.spell(b.float), x)
		add(b.integer, "%s(%s)", b.spell(b.integer), x)
		add(b.text, "%s(%s(%s))", b.spell(b.text), b.spell(b.char), x)
		call("min", t, x+", 5")
		call("max", t, x+", 2")
	case complexKind:
		add(b.float, "real(%s)", x)
		add(b.float, "imag(%s)", x)
		add(t, "(%s * 2i)", x)
	case floatKind:
		add(b.complex, "complex(%s, 1)", x)
		add(t, "(%s * 2)", x)
		add(b.integer, "%s(%s)", b.spell(b.integer), x)
	case stringKind:
		call("len", b.integer, x)
		add(t, "(%s + \"x\")", x)
		add(t, "%s[:]", x)
		add(t, "(%s + \"yz\")[1:]", x)
		add(b.slice(b.small), "[]%s(%s)", b.spell(b.small), x)
		add(b.slice(b.char), "[]%s(%s)", b.spell(b.char), x)
		call("max", t, x+`, "b"`)
	case anyKind:
		add(b.boolean, "(%s == %s(1))", x, b.spell(t))
		add(b.boolean, "(%s == 2)", x)
		add(b.integer, "%s.(%s)", x, b.spell(b.integer))
	case ifaceKind:
		if m := b.iface.methods[0]; len(m.results) == 1 {
			add(m.results[0].t, "%s.%s(%s)", x, m.name, b.args(m, nil, nil, 0))
		}
		s := oneOf(b.random, b.implementers...)
		add(s, "%s.(%s)", x, b.spell(s))
	case structKind:
		if t.comparable() {
			add(b.boolean, "(%s == %s)", x, "("+b.spell(t)+"{"+b.elements(t, 0)+"})")
		}
		add(t, "func() %s { return %s }()", b.spell(t), x)
	case pointerKind:
		add(t.elem, "*%s", x)
		add(t.elem, "same(*%s)", x)
	case arrayKind:
		call("len", b.integer, x)
		add(b.slice(t.elem), "%s[:]", x)
		add(b.slice(t.elem), "%s[1:]", x)
		if t.comparable() {
			add(b.boolean, "(%s == %s)", x, "("+b.spell(t)+"{"+b.elements(t, 0)+"})")
		}
	case sliceKind:
		call("len", b.integer, x)
		call("cap", b.integer, x)
		call("append", t, x+", "+b.literal(t.elem, 0))
		call("copy", b.integer, x+", "+x)
		add(t, "%s[:]", x)
		add(t, "%s[0:0]", x)
		if t.elem == b.small {
			// The key shares the memory of the slice.
			add(b.integer, "map[%s]%s{\"a\": 1, \"\": 2}[%s(%s)]", b.spell(b.text), b.spell(b.integer), b.spell(b.text), x)
		}
		add(t.elem, "%s[0]", x)
		add(t.elem, "*at(%s, 1)", x)
	case mapKind:
		call("len", b.integer, x)
		add(t.elem, "%s[%s]", x, b.literal(t.key, 0))
	case funcKind:
		if len(t.params) == 0 && len(t.results) == 1 {
			add(t.results[0], "%s()", x)
		}
	}
	// What is possible with every type.
	add(b.any, "%s(%s)", b.spell(b.any), x)
	add(t, "(%s)(%s)", b.spell(t), x)
	add(t, "*&%s", x)
	add(t, "(<-filled(%s))", x)
	add(b.slice(t), "[]%s{%s}", b.spell(t), x)
	add(b.array(2, t), "[2]%s{%s, %s}", b.spell(t), x, x)
	add(b.mapOf(b.integer, t), "map[%s]%s{1: %s}", b.spell(b.integer), b.spell(t), x)
	add(t, "func() %s { return %s }()", b.spell(t), x)
	add(b.text, "text(%s)", x)
	add(t, "%s(%s).(%s)", b.spell(b.any), x, b.spell(t))
	call("new", b.pointer(t), x)
	o := list[b.IntN(len(list))]
	if o.t.kind == anyKind && strings.HasSuffix(o.text, ")") && t.kind == anyKind {
		return operand{x, t}
	}
	return o
}

// orderContext writes a statement with the operands.
func (b *body) orderContext(v *variable, list []operand) {
	var texts []string
	for _, o := range list {
		texts = append(texts, o.text)
	}
	all := strings.Join(texts, ", ")
	site := b.site()
	if b.chance(20) && b.assignContext(v, list, site) {
		return
	}
	switch b.IntN(14) {
	case 0:
		b.line("show(%d, []%s{%s})", site, b.spell(b.any), all)
	case 1:
		b.line("show(%d)", site)
		b.line("show(two(%s, %s))", texts[0], texts[1])
	case 2:
		var fields []string
		for i, o := range list {
			fields = append(fields, fmt.Sprintf("f%d %s", i, b.spell(o.t)))
		}
		b.line("show(%d, struct { %s }{%s})", site, strings.Join(fields, "; "), all)
	case 3:
		var entries []string
		for i, o := range texts {
			entries = append(entries, fmt.Sprintf("text(%s) + %q: %s", o, string(rune('a'+i)), texts[(i+1)%len(texts)]))
		}
		b.line("show(%d, map[%s]%s{%s})", site, b.spell(b.text), b.spell(b.any), strings.Join(entries, ", "))
	case 4:
		var names []string
		for i := range list {
			names = append(names, fmt.Sprintf("o%d", i))
		}
		all2 := strings.Join(names, ", ")
		b.line("{ %s := %s; show(%d, %s) }", all2, all, site, all2)
	case 5:
		var names, types []string
		for i, o := range list {
			names = append(names, fmt.Sprintf("o%d", i))
			types = append(types, fmt.Sprintf("var o%d %s", i, b.spell(o.t)))
		}
		all2 := strings.Join(names, ", ")
		b.line("{ %s; %s = %s; show(%d, %s) }", strings.Join(types, "; "), all2, all, site, all2)
	case 6:
		// Comparisons.
		for i := range len(list) - 1 {
			if list[i].t == list[i+1].t && list[i].t.comparable() {
				b.line("show(%d, (%s) == (%s), (%s) != (%s))", site, texts[i], texts[i+1], texts[i], texts[i+1])
				return
			}
		}
		b.line("show(%d, %s(%s) == %s(%s))", site, b.spell(b.any), "text("+texts[0]+")", b.spell(b.any), texts[1])
	case 7:
		// A chain of operators.
		var chain []string
		for _, o := range texts {
			chain = append(chain, "text("+o+")")
		}
		b.line("show(%d, %s)", site, strings.Join(chain, " + "))
	case 8:
		b.line("note(%d, %s)", site, all)
	case 9:
		b.line("switch %s(%s) { case %s(%s): show(%d, 1); default: show(%d, 2, %s) }", b.spell(b.any), texts[0], b.spell(b.any), texts[1], site, site, v.name)
	case 10:
		b.line("if a, b := text(%s), text(%s); a == b || a < text(%s) { show(%d, a, b) }", texts[0], texts[1], texts[len(texts)-1], site)
	case 11:
		if b.can("append") {
			b.line("show(%d, append([]%s{%s}, %s))", site, b.spell(b.any), texts[0], strings.Join(texts[1:], ", "))
			return
		}
		fallthrough
	case 12:
		// A place on the left that reads the variable, and values on the right.
		b.line("{ m := map[%s]%s{}; m[text(%s)], m[text(%s)] = %s, %s; show(%d, m) }", b.spell(b.text), b.spell(b.any), texts[0], texts[len(texts)-1], texts[1], texts[0], site)
	default:
		b.line("show(%d, %s)", site, all)
	}
	if b.chance(30) {
		b.line("show(%d, %s)", b.site(), v.name)
	}
}

// assignContext writes an assignment that both reads and changes the variable, or a slice
// with bounds that do. It reports false if v is not of a type for that.
func (b *body) assignContext(v *variable, list []operand, site int) bool {
	change := b.changer(v).text
	number := "len(text(" + change + "))"
	if !b.can("len") || !b.can("append") {
		return false
	}
	switch v.t.kind {
	case intKind:
		switch b.IntN(5) {
		case 0:
			b.line("%s %s %s(%s)", v.name, oneOf(b.random, "+=", "-=", "*=", "|=", "<<="), b.spell(v.t), number+" & 3")
		case 1:
			bounds := []string{v.name + "&3", v.name, b.spell(b.integer) + "(" + v.name + ")&1", "*&" + v.name + "&3"}
			b.line("show(%d, append([]%s{}, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)[%s:4+%s&3:8])", site, b.spell(b.integer), oneOf(b.random, bounds...), number)
		case 2:
			b.line("show(%d, (\"abcdefgh\" + text(0))[%s&3:4+%s&3])", site, v.name, number)
		case 3:
			b.line("{ a := [4]%s{1, 2, 3, 4}; a[%s&3], %s = %s(%s), a[%s&1]; show(%d, a) }", b.spell(v.t), v.name, v.name, b.spell(v.t), number, v.name, site)
		default:
			b.line("{ a := []%s{1, 2, 3, 4}; a[%s&3] += %s(%s); a[%s&3]++; show(%d, a, %s) }", b.spell(v.t), v.name, b.spell(v.t), number, v.name, site, v.name)
		}
	case stringKind:
		if b.chance(50) {
			b.line("%s += text(%s)", v.name, number)
			break
		}
		fallthrough
	case boolKind, structKind:
		if !v.t.hashable() {
			return false
		}
		m := "map[" + b.spell(v.t) + "][]" + b.spell(b.any) + "{}"
		b.line("{ m := %s; m[%s] = append(m[%s], %s, %s); m[%s] = append(m[%s], %s); show(%d, m) }", m, v.name, v.name, list[0].text, change, v.name, v.name, v.name, site)
	case mapKind:
		if v.t.elem.kind != sliceKind {
			return false
		}
		key := b.literal(v.t.key, 0)
		b.line("%s[%s] = append(%s[%s], zero[%s](), *at(%s[%s], %s))", v.name, key, v.name, key, b.spell(v.t.elem.elem), v.name, key, number)
	case pointerKind:
		if v.t.elem.kind != intKind {
			return false
		}
		b.line("*%s %s %s(%s)", v.name, oneOf(b.random, "+=", "-=", "^="), b.spell(v.t.elem), number)
	default:
		return false
	}
	return true
}
