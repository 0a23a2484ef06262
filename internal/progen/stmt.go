package progen

import (
	"fmt"
	"strings"
)

// stmt writes one statement, with nested ones up to the depth d.
func (b *body) stmt(d int) {
	b.budget--
	b.heat()
	if b.budget < -20 {
		d = 0
	}
	nested := func(weight int) int {
		if d <= 0 || b.budget <= 0 {
			return 0
		}
		return weight
	}
	w := func(weight int, f func()) option {
		return option{weight, func() string {
			text := b.capture(f)
			b.out.WriteString(text)
			return text
		}}
	}
	b.choose([]option{
		w(20, b.declareStmt),
		w(24, b.assignStmt),
		w(12, b.showStmt),
		w(18, b.orderStmt),
		w(10, b.callStmt),
		w(6, b.deferStmt),
		w(2, b.panicStmt),
		w(6, b.leaveStmt),
		w(2, b.recoverStmt),
		w(nested(12), func() { b.ifStmt(d) }),
		w(nested(9), func() { b.forStmt(d) }),
		w(nested(12), func() { b.rangeStmt(d) }),
		w(nested(8), func() { b.switchStmt(d) }),
		w(nested(6), func() { b.typeSwitchStmt(d) }),
		w(nested(4), func() { b.gotoStmt(d) }),
		w(nested(4), func() { b.selectStmt(d) }),
		w(nested(3), func() { b.block(d, nil, nil) }),
		w(nested(5), b.closuresStmt),
		w(nested(4), func() { b.labeledBlock(d) }),
		w(3, b.spawnStmt),
		w(3, b.localDecl),
		w(2, b.channelStmt),
		w(3, b.builtinStmt),
		w(1, b.goexitStmt),
		w(1, func() { b.line("show(%d, %q)", b.site(), "filler") }),
	})
}

// depth is how deep expressions of statements get.
func (b *body) depth() int { return oneOf(b.random, 1, 1, 1, 2, 2, 3) }

// declare adds a variable to the innermost scope.
func (b *body) declare(name string, t *typ) {
	if name != "_" {
		b.scope.vars = append(b.scope.vars, &variable{name: name, t: t})
	}
}

// declareStmt declares variables.
func (b *body) declareStmt() {
	t := b.randomType()
	d := b.depth()
	switch b.IntN(10) {
	case 0:
		name := b.freshName()
		b.line("var %s %s", name, b.spell(t))
		b.declare(name, t)
	case 1:
		name, v := b.freshName(), b.value(t, d)
		b.line("var %s %s = %s", name, b.spell(t), v)
		b.declare(name, t)
	case 2:
		u := b.randomType()
		v, w := b.expr(t, d), b.expr(u, d)
		n, m := b.freshName(), b.freshName()
		if n == m {
			m = "_"
		}
		if old := b.redeclared(t); old != "" && b.chance(50) && old != m {
			n = old
			if m == "_" {
				return
			}
			b.line("%s, %s := %s, %s", n, m, v, w)
			b.declare(m, u)
			return
		}
		b.line("%s, %s := %s, %s", n, m, v, w)
		b.declare(n, t)
		b.declare(m, u)
	case 3, 4:
		b.declareResults(d)
	case 5:
		b.declareOk(t, d)
	default:
		name, v := b.freshName(), b.expr(t, d)
		b.line("%s := %s", name, v)
		b.declare(name, t)
	}
}

// redeclared returns a variable of the innermost scope for a short variable
// declaration to assign to.
func (b *body) redeclared(t *typ) string {
	for _, v := range b.scope.vars {
		if v.t == t && !v.pinned && b.scope.outer != nil {
			return v.name
		}
	}
	return ""
}

// declareResults declares variables for the results of a call.
func (b *body) declareResults(d int) {
	f, call := b.multiCall(d)
	if f == nil {
		return
	}
	names := make([]string, len(f))
	some := false
	for i := range names {
		names[i] = b.freshName()
		for j := range i {
			if names[j] == names[i] {
				names[i] = "_"
			}
		}
		if b.chance(15) {
			names[i] = "_"
		}
		some = some || names[i] != "_"
	}
	if !some {
		return
	}
	b.line("%s := %s", strings.Join(names, ", "), call)
	for i, n := range names {
		b.declare(n, f[i])
	}
}

// multiCall returns a call with several results, and their types.
func (b *body) multiCall(d int) ([]*typ, string) {
	for _, f := range b.shuffled() {
		if len(f.results) < 2 {
			continue
		}
		params, targs, ok := b.solve(f, nil)
		if !ok {
			continue
		}
		var ts []*typ
		usable := true
		for _, r := range f.results {
			t := b.substitute(r.t, params, targs)
			usable = usable && b.spellable(t)
			ts = append(ts, t)
		}
		if !usable {
			continue
		}
		if s := b.call(f, ts, d); s != "" {
			return ts, s
		}
	}
	if !b.can("two") {
		return nil, ""
	}
	t, u := b.randomType(), b.randomType()
	return []*typ{t, u}, "two(" + b.expr(t, d-1) + ", " + b.expr(u, d-1) + ")"
}

// commaOk returns an operation with a second, boolean result.
func (b *body) commaOk(t *typ, d int) (*typ, string) {
	switch b.IntN(3) {
	case 0:
		for range 8 {
			if m := b.randomType(); m.kind == mapKind {
				return m.elem, b.operand(m, d-1) + "[" + b.value(m.key, d-1) + "]"
			}
		}
	case 1:
		return t, "<-" + oneOf(b.random, "closed", "filled") + "(" + b.expr(t, d-1) + ")"
	}
	if t.kind == anyKind {
		t = b.integer
	}
	if slicesContain(b.implementers, t) && b.chance(40) {
		return t, b.operand(b.iface, d-1) + ".(" + b.spell(t) + ")"
	}
	return t, b.operand(b.any, d-1) + ".(" + b.spell(t) + ")"
}

func (b *body) declareOk(t *typ, d int) {
	t, x := b.commaOk(t, d)
	if !b.spellable(t) {
		return
	}
	n, m := b.freshName(), b.freshName()
	if n == m {
		n = "_"
	}
	b.line("%s, %s := %s", n, m, x)
	b.declare(n, t)
	b.declare(m, b.boolean)
}

// assignStmt assigns.
func (b *body) assignStmt() {
	t := b.randomType()
	d := b.depth()
	lhs := b.target(t, d)
	if lhs == "" {
		return
	}
	form := b.IntN(10)
	if lhs == "_" && form < 3 {
		form = 9
	}
	switch form {
	case 0, 1:
		switch t.kind {
		case intKind:
			b.line("%s %s %s", lhs, oneOf(b.random, "+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>=", "&^="), oneOf(b.random, b.varying(t, d)+"&3", "2", "1"))
		case floatKind, complexKind:
			b.line("%s %s %s", lhs, oneOf(b.random, "+=", "-=", "*="), b.expr(t, d))
		case stringKind:
			b.line("%s += %s", lhs, oneOf(b.random, b.literal(t, 0), "text("+b.expr(b.integer, d)+")"))
		default:
			b.line("%s = %s", lhs, b.value(t, d))
		}
	case 2:
		if t.kind != intKind {
			lhs = b.place(b.integer, d, false)
		}
		if lhs != "" {
			b.line("%s%s", lhs, oneOf(b.random, "++", "--"))
		}
	case 3, 4:
		// Several at once.
		u := b.randomType()
		other := b.target(u, d)
		if other == "" {
			other = "_"
		}
		b.line("%s, %s = %s, %s", lhs, other, b.value(t, d), b.expr(u, d))
	case 5:
		// A swap.
		other := b.place(t, d, false)
		if other == "" || lhs == "_" {
			return
		}
		b.use(lhs)
		b.use(other)
		b.line("%s, %s = %s, %s", lhs, other, other, lhs)
	case 6:
		ts, call := b.multiCall(d)
		if ts == nil {
			return
		}
		var left []string
		for _, t := range ts {
			p := b.target(t, d-1)
			if p == "" {
				p = "_"
			}
			left = append(left, p)
		}
		b.line("%s = %s", strings.Join(left, ", "), call)
	case 7:
		u, x := b.commaOk(t, d)
		p, ok := b.target(u, d), b.target(b.boolean, d)
		if p == "" {
			p = "_"
		}
		if ok == "" {
			ok = "_"
		}
		b.line("%s, %s = %s", p, ok, x)
	default:
		b.line("%s = %s", lhs, b.value(t, d))
	}
}

// target writes a place to assign to.
func (b *body) target(t *typ, d int) string {
	if b.chance(3) {
		return "_"
	}
	return b.place(t, d, false)
}

func (b *body) showStmt() {
	if b.chance(40) {
		b.line("show(%d%s)", b.site(), b.shownVars(4))
		return
	}
	var s strings.Builder
	for range b.between(1, 3) {
		s.WriteString(", " + b.value(b.any, b.depth()))
	}
	if b.chance(25) && b.can("note") && !b.quiet {
		b.line("note(%d%s)", b.site(), s.String())
		return
	}
	b.line("show(%d%s)", b.site(), s.String())
}

func (b *body) callStmt() {
	switch b.IntN(6) {
	case 0:
		if b.can("rt") {
			b.line("rt.Yield()")
			return
		}
	case 1:
		b.line("%s(%s)", oneOf(b.random, "text", "show"), b.expr(b.randomType(), b.depth()))
		return
	case 2:
		if s := b.callValue(nil, b.depth()); s != "" {
			b.line("%s", s)
			return
		}
	}
	for _, f := range b.shuffled() {
		if len(f.results) == 0 || b.chance(15) {
			params, targs, ok := b.solve(f, nil)
			if !ok {
				continue
			}
			var want []*typ
			for _, r := range f.results {
				want = append(want, b.substitute(r.t, params, targs))
			}
			if s := b.call(f, want, b.depth()); s != "" {
				b.line("%s", s)
				return
			}
		}
	}
	if s := b.helperCall(b.integer, b.depth()); s != "" {
		b.line("%s", s)
	}
}

// condition writes a condition for the head of a statement.
func (b *body) condition(d int) string {
	b.header = true
	defer func() { b.header = false }()
	return b.expr(b.boolean, d)
}

// headed writes an expression for the head of a statement.
func (b *body) headed(t *typ, d int) string {
	b.header = true
	defer func() { b.header = false }()
	return b.expr(t, d)
}

// initStmt writes the simple statement of a head, with its semicolon. It declares
// into the innermost scope.
func (b *body) initStmt() string {
	if b.chance(65) {
		return ""
	}
	t := b.randomType()
	if b.chance(25) {
		if lhs := b.variable(t); lhs != "" && !b.isPinned(lhs) {
			return lhs + " = " + b.headed(t, 2) + "; "
		}
	}
	v := b.headed(t, 2)
	name := b.freshName()
	b.declare(name, t)
	return name + " := " + v + "; "
}

func (b *body) isPinned(name string) bool {
	for _, v := range b.scope.visible() {
		if v.name == name {
			return v.pinned
		}
	}
	return true
}

// useInside uses the head's variables in the body: they cannot be used behind it.
func (b *body) useHeader(head *scope) func() {
	return func() {
		for _, v := range head.vars {
			if !v.used && !b.scope.hiddenBelow(v.name, head) {
				v.used = true
				b.line("_ = %s", v.name)
			}
		}
	}
}

// hiddenBelow reports whether a scope inside outer declares the name.
func (s *scope) hiddenBelow(name string, outer *scope) bool {
	for ; s != nil && s != outer; s = s.outer {
		if s.declares(name) {
			return true
		}
	}
	return false
}

func (b *body) ifStmt(d int) {
	b.open()
	head := b.scope
	init := b.initStmt()
	b.line("if %s%s {", init, b.condition(b.depth()))
	b.inner(d, b.useHeader(head), nil)
	switch b.IntN(4) {
	case 0:
		b.line("} else if %s {", b.condition(b.depth()))
		b.inner(d, nil, nil)
		if b.chance(50) {
			b.line("} else {")
			b.inner(d, nil, nil)
		}
	case 1:
		b.line("} else {")
		b.inner(d, nil, nil)
	}
	b.line("}")
	b.scope = head.outer
}

// leaveStmt leaves a loop, a switch, or the function, under a condition.
func (b *body) leaveStmt() {
	cond := b.condition(1)
	b.line("if %s {", cond)
	b.open()
	if !b.branch() {
		if b.chance(50) {
			b.line("show(%d)", b.site())
		}
		b.line("%s", b.returnStmt(2))
	}
	b.close()
	b.line("}")
}

// branch writes a break or continue if one is possible.
func (b *body) branch() bool {
	var open []*target
	for _, t := range b.targets {
		if t.lits == b.lits {
			open = append(open, t)
		}
	}
	if len(open) == 0 || b.chance(30) {
		return false
	}
	t := open[b.IntN(len(open))]
	word := "break"
	if t.loop && b.chance(50) {
		word = "continue"
	}
	if t.label != "" {
		t.used = true
		b.line("%s %s", word, t.label)
		return true
	}
	// Without a label it is the innermost that counts.
	inner := open[len(open)-1]
	if word == "continue" && !inner.loop {
		return false
	}
	b.line("%s", word)
	return true
}

func (b *body) returnStmt(d int) string {
	switch {
	case len(b.results) == 0:
		return "return"
	case b.results[0].name != "" && b.lits == 0 && b.chance(40) && !b.resultHidden():
		return "return"
	}
	want := typesOf(b.results)
	if len(want) > 1 && b.chance(30) {
		for _, f := range b.shuffled() {
			if len(f.results) == len(want) {
				if s := b.call(f, want, d); s != "" {
					return "return " + s
				}
			}
		}
	}
	var s []string
	for i, t := range want {
		v := b.value(t, d)
		if b.results[i].name == "" && t.builtInPlace() && strings.Contains(v, "{") {
			if v = b.zero(t); b.can("same") {
				v = "same(" + b.literal(t, d) + ")"
			}
		}
		s = append(s, v)
	}
	return "return " + strings.Join(s, ", ")
}

// resultHidden reports whether a variable hides a named result, so that a return
// needs values.
func (b *body) resultHidden() bool {
	for _, r := range b.results {
		for s := b.scope; s != nil && s.outer != nil; s = s.outer {
			if r.name != "_" && s.declares(r.name) && !s.holds(r) {
				return true
			}
			if s.holds(r) {
				break
			}
		}
	}
	return false
}

// holds reports whether the scope is the one of the function's results.
func (s *scope) holds(r param) bool {
	for _, v := range s.vars {
		if v.name == r.name && v.t == r.t && s.outer != nil && s.outer.outer == nil {
			return true
		}
	}
	return false
}

// panicStmt panics, mostly under a condition.
func (b *body) panicStmt() {
	if !b.can("panic") {
		return
	}
	var what string
	switch b.IntN(4) {
	case 0:
		what = b.value(b.any, 2)
	case 1:
		what = b.expr(b.byText["fault"], 1)
	case 2:
		what = b.expr(b.text, 2)
	default:
		what = b.expr(b.integer, 2)
	}
	b.line("if %s {", b.condition(2))
	b.line("panic(%s)", what)
	b.line("}")
}

// recoverStmt calls recover where it returns nil, or in a deferred literal where
// it may not.
func (b *body) recoverStmt() {
	if !b.can("recover") {
		return
	}
	b.line("show(%d, recover())", b.site())
}

// localDecl declares constants or a type.
func (b *body) localDecl() {
	name := b.freshName()
	if b.scope.declares(name) || name == "_" {
		return
	}
	if b.chance(50) {
		if name == "iota" {
			return
		}
		b.line("const %s = %s", name, oneOf(b.random, "3", "7", "1 << 3", `"c"`, "'x'", "2.5"))
		b.scope.names[name] = true
		b.line("show(%d, %s)", b.site(), name)
		return
	}
	if b.chance(70) {
		name = oneOf(b.random, "local", "pair", "S0", "num", "frame", "f", "T1")
		if b.scope.declares(name) {
			return
		}
	}
	if b.lits > 0 && b.chance(50) {
		return
	}
	var t *typ
	switch b.IntN(3) {
	case 0:
		t = &typ{kind: intKind}
		b.line("type %s %s", name, b.spell(b.integer))
	case 1:
		t = &typ{kind: sliceKind, elem: b.integer}
		b.line("type %s []%s", name, b.spell(b.integer))
	default:
		u := b.randomType()
		t = &typ{kind: structKind, fields: []field{{name: "a", t: b.integer}, {name: "b", t: u}}}
		b.line("type %s struct { a %s; b %s }", name, b.spell(b.integer), b.spell(u))
	}
	t.name, t.local = name, true
	t = b.inFunction(t)
	b.scope.types = append(b.scope.types, t)
	b.pool = append(b.pool, t, t)
	if b.chance(40) {
		b.pool = append(b.pool, b.slice(t))
	}
	if b.chance(40) {
		b.pool = append(b.pool, b.pointer(t))
	}
	v, n := b.expr(t, 2), b.freshName()
	if !b.scope.declares(n) && n != name {
		b.line("%s := %s", n, v)
		b.declare(n, t)
	}
}

// channelStmt sends to and receives from a channel with room, or one without.
func (b *body) channelStmt() {
	t := b.randomType()
	if !b.can("make") {
		return
	}
	if b.chance(30) && b.can("close") && t.kind != funcKind && t.kind != paramKind {
		// Sent by another goroutine, which evaluates no more than literals.
		b.line("{ c := make(%s%s); go func() { c <- %s; c <- %s; close(c) }()", b.spell(b.channel(t)), oneOf(b.random, "", ", 1"), b.literal(t, -2), b.literal(t, -2))
		b.line("for v := range c { show(%d, v); if spent() { continue } } }", b.site())
		return
	}
	name := b.freshName()
	if name == "make" || name == "len" || name == "_" {
		return
	}
	ch := b.channel(t)
	b.line("%s := make(%s, 2)", name, b.spell(ch))
	b.scope.names[name] = true
	b.line("%s <- %s", name, b.value(t, 2))
	if b.chance(50) {
		b.line("%s <- %s", name, b.value(t, 2))
	}
	b.line("show(%d, <-%s)", b.site(), name)
}

// builtinStmt calls a built-in function for what it does.
func (b *body) builtinStmt() {
	d := b.depth()
	for range 8 {
		switch t := b.randomType(); t.kind {
		case mapKind:
			if b.chance(30) {
				b.line("clear(%s)", b.expr(t, d))
			} else {
				b.line("delete(%s, %s)", b.expr(t, d), b.mapKey(t.key, d))
			}
			return
		case sliceKind:
			switch {
			case b.chance(30):
				// Of something else the compiler may fail to clear it.
				if s := b.variable(t); s != "" {
					b.line("clear(%s)", s)
				}
			case b.can("copy"):
				b.line("copy(%s, %s)", b.expr(t, d), b.expr(t, d))
			}
			return
		}
	}
}

// goexitStmt ends the goroutine, where nothing but the end of the program depends
// on it.
func (b *body) goexitStmt() {
	last := b.stages[len(b.stages)-1]
	if b.lits == 0 && (b.fn.child || b.fn == last) && b.can("trace") {
		b.line("if %s {", b.condition(1))
		b.line("trace.Goexit()")
		b.line("}")
	}
}

// closuresStmt makes closures in a loop and calls them behind it.
func (b *body) closuresStmt() {
	if b.quiet || !b.can("append") || !b.can("nil") || !b.can("int") {
		return
	}
	b.line("{")
	b.open()
	b.line("var fns []func() int")
	b.scope.names["fns"] = true
	pointers := b.chance(30)
	if pointers {
		b.line("var ptrs []*int")
		b.scope.names["ptrs"] = true
	}
	loop := fmt.Sprintf("q%d", b.site())
	head := oneOf(b.random,
		"for %[1]s := 0; %[1]s < 3; %[1]s++ {",
		"for %[1]s := range 3 {",
		"for _, %[1]s := range []int{4, 5} {",
		"for %[1]s := range [2]bool{} {",
	)
	if !b.can("bool") {
		head = "for %[1]s := 1; %[1]s < 4; %[1]s += 1 {"
	}
	b.line(head, loop)
	b.open()
	b.scope.vars = append(b.scope.vars, &variable{name: loop, t: b.integer, used: true})
	b.line("if spent() { break }")
	b.line("_ = %s", loop)
	b.stmt(1)
	lit := b.funcLit(nil, []*typ{b.integer}, true)
	if b.can("append") && b.can("fns") {
		b.line("fns = append(fns, %s)", lit)
	} else {
		b.line("_ = %s", lit)
	}
	if b.can("append") && b.can("len") && b.can("int") && b.chance(50) {
		b.line("_ = append(fns, func() int { %s++; return %s })[len(fns)]()", loop, loop)
	}
	if pointers && b.can("append") {
		b.line("ptrs = append(ptrs, &%s)", loop)
	}
	b.stmt(0)
	b.close()
	b.line("}")
	if pointers {
		b.line("show(%d, ptrs)", b.site())
	}
	b.line("for _, fn := range fns { if spent() { break }; show(%d, fn()) }", b.site())
	b.close()
	b.line("}")
}
