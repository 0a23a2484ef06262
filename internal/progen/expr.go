package progen

import (
	"fmt"
	"strconv"
	"strings"
)

// Expressions. In every method d bounds the depth.

// expr writes an expression that has the type t wherever it stands.
func (b *body) expr(t *typ, d int) string {
	if d <= 0 {
		return b.leaf(t)
	}
	s := b.choose([]option{
		{22, func() string { return b.variable(t) }},
		{26, func() string { return b.access(t, d) }},
		{30, func() string { return b.callOf(t, d) }},
		{14, func() string { return b.helperCall(t, d) }},
		{30, func() string { return b.operation(t, d) }},
		{4, func() string { return b.literalCall(t, d) }},
		{4, func() string { return b.assertion(t, d) }},
		{3, func() string { return b.receive(t, d) }},
		{2, func() string { return b.newCopy(t, d) }},
		{8, func() string { return b.literal(t, d) }},
	})
	return s
}

// varying is expr for something that is not constant.
func (b *body) varying(t *typ, d int) string {
	s := b.choose([]option{
		{40, func() string { return b.variable(t) }},
		{20, func() string { return b.access(t, max(d, 1)) }},
		{20, func() string { return b.callOf(t, d) }},
		{14, func() string { return b.helperCall(t, max(d, 1)) }},
	})
	if s == "" {
		s = "*new(" + b.spell(t) + ")"
		if !b.can("new") {
			s = "zero[" + b.spell(t) + "]()"
		}
	}
	return s
}

// value writes an expression that can be assigned to a place of type t: one of
// that type, or one that becomes it there.
func (b *body) value(t *typ, d int) string {
	switch {
	case t.kind == anyKind && b.chance(55):
		return b.expr(b.concrete(), d)
	case t.kind == ifaceKind && b.chance(50):
		return b.expr(oneOf(b.random, b.implementers...), d)
	case t.kind == errorKind && b.chance(50):
		return b.expr(b.byText["fault"], d)
	}
	if b.chance(1) && b.can("nil") {
		switch t.kind {
		case pointerKind, sliceKind, mapKind, funcKind, anyKind, errorKind, ifaceKind:
			return "nil"
		}
	}
	return b.expr(t, d)
}

// concrete returns a type to be put into an interface.
func (b *body) concrete() *typ {
	if b.chance(50) {
		return oneOf(b.random, b.integer, b.text, b.integer, b.boolean, b.structs[0], b.small)
	}
	t := b.randomType()
	if t.kind == chanKind {
		return b.integer
	}
	return t
}

// leaf is a variable or a literal.
func (b *body) leaf(t *typ) string {
	if b.chance(75) {
		if s := b.variable(t); s != "" {
			return s
		}
	}
	return b.literal(t, 0)
}

func (b *body) variable(t *typ) string {
	vars := b.variables(t, false)
	if len(vars) == 0 {
		return ""
	}
	v := vars[b.IntN(len(vars))]
	if len(vars) > 1 && b.chance(40) {
		v = vars[b.IntN(2)] // a near one
	}
	if b.hotVisible(t) && b.chance(70) {
		v = b.hot
	}
	v.used = true
	return v.name
}

// An accessor is a way to get from a container to a part of it.
type accessor struct {
	container *typ
	field     string // of a struct or a pointer to one
	index     bool
	deref     bool
}

// accessors returns the ways to a part of type t.
func (b *body) accessors(t *typ) []accessor {
	var out []accessor
	for _, c := range b.pool {
		if !b.spellable(c) {
			continue
		}
		s := c
		if c.kind == pointerKind {
			if c.elem == t {
				out = append(out, accessor{container: c, deref: true})
			}
			s = c.elem
		}
		switch s.kind {
		case structKind:
			for _, f := range promoted(s, 0) {
				if f.t == t {
					out = append(out, accessor{container: c, field: f.name})
				}
			}
		case arrayKind:
			if s.elem == t {
				out = append(out, accessor{container: c, index: true})
			}
		case sliceKind, mapKind:
			if s == c && s.elem == t {
				out = append(out, accessor{container: c, index: true})
			}
		case stringKind:
			if s == c && t == b.small {
				out = append(out, accessor{container: c, index: true})
			}
		}
	}
	return out
}

// promoted returns the fields of a struct, those of embedded ones included.
func promoted(s *typ, depth int) []field {
	out := append([]field(nil), s.fields...)
	seen := map[string]bool{}
	for _, f := range s.fields {
		seen[f.name] = true
	}
	if depth > 3 {
		return out
	}
	for _, f := range s.fields {
		if !f.embedded {
			continue
		}
		e := f.t
		if e.kind == pointerKind {
			e = e.elem
		}
		for _, p := range promoted(e, depth+1) {
			if !seen[p.name] {
				seen[p.name] = true
				out = append(out, p)
			}
		}
	}
	return out
}

// access reads a part of something.
func (b *body) access(t *typ, d int) string {
	ways := b.accessors(t)
	if len(ways) == 0 {
		return ""
	}
	a := ways[b.IntN(len(ways))]
	for range 3 {
		// Variables are the more interesting containers.
		if v := b.variable(a.container); v != "" && b.chance(60) {
			return b.safePart(a, v, d-1)
		}
		a = ways[b.IntN(len(ways))]
	}
	return b.safePart(a, b.operand(a.container, d-1), d-1)
}

// safePart is part, mostly so that it does not panic if the container is short.
func (b *body) safePart(a accessor, base string, d int) string {
	switch {
	case a.container.kind == sliceKind && b.chance(60):
		return "(*at(" + base + ", " + b.expr(b.integer, d) + "))"
	case a.container.kind == stringKind:
		// A constant has its bounds checked when it is compiled.
		return "(" + base + oneOf(b.random, ` + text(1)`, ` + same("xy")`, ` + text(true)`) + ")[" + b.index(a.container, d) + "]"
	}
	return b.part(a, base, d)
}

// operand is expr for what is selected from, called or indexed.
func (b *body) operand(t *typ, d int) string {
	s := b.expr(t, d)
	return parens(s)
}

// parens puts an expression into parentheses unless it needs none.
func parens(s string) string {
	if s == "" {
		return s
	}
	if s[0] == '(' && closes(s) {
		return s
	}
	for i, c := range s {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', i > 0 && c >= '0' && c <= '9', c == '.':
		default:
			return "(" + s + ")"
		}
	}
	return s
}

// closes reports whether the parenthesis that s begins with ends at its end.
func closes(s string) bool {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '"', '`', '\'':
			return false // do not look into strings
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i == len(s)-1
			}
		}
	}
	return false
}

// part selects from a container.
func (b *body) part(a accessor, base string, d int) string {
	switch {
	case a.deref:
		return "(*" + base + ")"
	case a.index:
		return base + "[" + b.index(a.container, d) + "]"
	}
	return base + "." + a.field
}

// index writes an index that is mostly valid.
func (b *body) index(c *typ, d int) string {
	n := 2
	switch {
	case c.kind == mapKind:
		return b.mapKey(c.key, d)
	case c.kind == arrayKind:
		n = c.len
	case c.kind == pointerKind:
		n = c.elem.len
	}
	switch {
	case d <= 0 && b.chance(60) || b.chance(35):
		return strconv.Itoa(b.IntN(n))
	case b.chance(3):
		return b.varying(b.integer, d)
	case b.chance(12):
		return parens(b.varying(b.small, d)) + " & 1"
	}
	return parens(b.varying(b.integer, d)) + " & 1"
}

// mapKey writes a key, mostly one that can be hashed.
func (b *body) mapKey(t *typ, d int) string {
	if t.kind != anyKind || b.chance(3) {
		return b.value(t, d)
	}
	return b.expr(oneOf(b.random, b.integer, b.text, b.boolean), d)
}

// place writes something of type t that can be assigned to, and if addressable
// is set, whose address can be taken. It returns "" if there is none.
func (b *body) place(t *typ, d int, addressable bool) string {
	return b.choose([]option{
		{40, func() string {
			vars := b.variables(t, true)
			if len(vars) == 0 {
				return ""
			}
			v := vars[b.IntN(len(vars))]
			if b.hotVisible(t) && b.chance(80) {
				v = b.hot
			}
			if addressable {
				v.used = true
			}
			return v.name
		}},
		{40, func() string {
			if d <= 0 {
				return ""
			}
			ways := b.accessors(t)
			if len(ways) == 0 {
				return ""
			}
			a := ways[b.IntN(len(ways))]
			switch {
			case a.container.kind == stringKind, a.container.kind == mapKind && addressable:
				return ""
			case a.container.kind == structKind, a.container.kind == arrayKind:
				base := b.place(a.container, d-1, addressable)
				if base == "" || strings.HasSuffix(base, "]") && strings.Contains(base, "[") && b.mayBeMap(base) {
					return ""
				}
				b.use(base)
				return b.part(a, base, d-1)
			}
			return b.part(a, b.operand(a.container, d-1), d-1)
		}},
	})
}

// mayBeMap reports whether a place may be an element of a map: its parts cannot
// be assigned to.
func (b *body) mayBeMap(place string) bool {
	for _, t := range b.pool {
		if t.kind == mapKind {
			return true
		}
	}
	return false
}

// use notes that a variable is used.
func (b *body) use(name string) {
	for _, v := range b.scope.visible() {
		if v.name == name {
			v.used = true
		}
	}
}

// helperCall calls one of the helpers that all programs have.
func (b *body) helperCall(t *typ, d int) string {
	return b.choose([]option{
		{50, func() string {
			if !b.can("same") {
				return ""
			}
			if b.chance(40) {
				return "same[" + b.spell(t) + "](" + b.value(t, d-1) + ")"
			}
			return "same(" + b.expr(t, d-1) + ")"
		}},
		{30, func() string {
			if t != b.integer {
				return ""
			}
			name := oneOf(b.random, "step", "tick")
			if b.quiet {
				name = "tick"
			}
			if !b.can(name) {
				return ""
			}
			return name + "(" + b.expr(b.integer, d-1) + ")"
		}},
		{10, func() string {
			if t != b.integer || b.quiet || !b.can("rt") || !b.can("trace") {
				return ""
			}
			return "rt.Await(trace.Wait(" + b.expr(b.integer, d-1) + ")).Result()"
		}},
		{10, func() string {
			if t != b.integer || !b.can("trace") {
				return ""
			}
			return "trace.Tick(" + b.expr(b.integer, d-1) + ")"
		}},
		{10, func() string {
			if !b.can("pick") {
				return ""
			}
			return "pick(" + b.expr(b.boolean, d-1) + ", " + b.expr(t, d-1) + ", " + b.expr(t, d-1) + ")"
		}},
		{20, func() string {
			p := b.place(t, d-1, true)
			if p == "" {
				return ""
			}
			return "set(&" + p + ", " + b.expr(t, d-1) + ")"
		}},
		{40, func() string {
			// Something that changes the hot variable, whatever it returns.
			hot := b.hot
			if hot == nil || !b.hotVisible(hot.t) || !b.spellable(hot.t) {
				return ""
			}
			hot.used = true
			switch {
			case hot.t == t && b.chance(80):
				return "set(&" + hot.name + ", " + b.expr(t, d-1) + ")"
			case b.chance(30):
				return b.changingLit(hot.name, b.leafOf(hot.t), b.spell(t), b.leafOf(t))
			}
			return "after(" + b.expr(t, d-1) + ", &" + hot.name + ", " + b.expr(hot.t, d-1) + ")"
		}},
	})
}

// assertion takes a value out of an interface.
func (b *body) assertion(t *typ, d int) string {
	if t.kind == anyKind {
		return ""
	}
	if b.chance(95) {
		inner := b.expr(t, d-1)
		if b.can("same") && b.chance(50) {
			return "same[" + b.spell(b.any) + "](" + inner + ").(" + b.spell(t) + ")"
		}
		return b.spell(b.any) + "(" + inner + ").(" + b.spell(t) + ")"
	}
	if slicesContain(b.implementers, t) && b.chance(60) {
		return b.operand(b.iface, d-1) + ".(" + b.spell(t) + ")"
	}
	return b.operand(b.any, d-1) + ".(" + b.spell(t) + ")"
}

func slicesContain(list []*typ, t *typ) bool {
	for _, x := range list {
		if x == t {
			return true
		}
	}
	return false
}

// receive takes a value from a channel that has one.
func (b *body) receive(t *typ, d int) string {
	if b.chance(25) {
		return "(<-closed[" + b.spell(t) + "](" + b.value(t, d-1) + "))"
	}
	return "(<-filled(" + b.expr(t, d-1) + "))"
}

// newCopy reads a new variable.
func (b *body) newCopy(t *typ, d int) string {
	if !b.can("new") {
		return ""
	}
	return "(*new(" + b.expr(t, d-1) + "))"
}

// literalCall calls a function literal.
func (b *body) literalCall(t *typ, d int) string {
	if b.chance(50) {
		return b.funcLit(nil, []*typ{t}, false) + "()"
	}
	p := b.randomType()
	return b.funcLit([]*typ{p}, []*typ{t}, false) + "(" + b.value(p, d-1) + ")"
}

// funcLit writes a function literal. stored says that it can be called from
// afar, so that it must count its calls.
func (b *body) funcLit(params, results []*typ, stored bool) string {
	outerHeader, outerResults, outerHot := b.header, b.results, b.hot
	b.header = false
	b.lits++
	defer func() {
		b.header, b.results, b.hot = outerHeader, outerResults, outerHot
		b.lits--
	}()
	b.open()
	outer := b.scope.outer
	defer func() { b.scope = outer }()
	var list []string
	b.results = nil
	var declared []*variable
	for range params {
		name := b.freshName()
		for containsName(declared, name) {
			name = b.freshName()
		}
		declared = append(declared, &variable{name: name, used: true})
	}
	for i, t := range params {
		list = append(list, declared[i].name+" "+b.spell(t))
		declared[i].t = t
	}
	head := "func(" + strings.Join(list, ", ") + ")"
	list = nil
	for _, t := range results {
		list = append(list, b.spell(t))
		b.results = append(b.results, param{t: t})
	}
	switch len(list) {
	case 0:
	case 1:
		head += " " + list[0]
	default:
		head += " (" + strings.Join(list, ", ") + ")"
	}
	b.scope.vars = append(b.scope.vars, declared...)
	text := b.capture(func() {
		if stored {
			b.line("if spent() { %s }", b.zeroReturn())
		}
		if b.budget > 0 {
			for range b.IntN(3) {
				b.stmt(1)
			}
		}
		b.finish()
	})
	return head + " {\n" + text + "}"
}

func containsName(list []*variable, name string) bool {
	for _, v := range list {
		if v.name == name {
			return true
		}
	}
	return false
}

// literal writes a value that mentions no variable but deep inside.
func (b *body) literal(t *typ, d int) string {
	if d < -3 {
		return b.zero(t)
	}
	switch t.kind {
	case boolKind:
		return b.boolean01()
	case intKind:
		n := oneOf(b.random, 0, 1, 1, 2, 3, 5, 7, 10, 100)
		if t == b.integer {
			return strconv.Itoa(n)
		}
		if t == b.char && b.chance(50) {
			return oneOf(b.random, "'a'", "'é'", "'世'")
		}
		return b.spell(t) + "(" + strconv.Itoa(n) + ")"
	case complexKind:
		return oneOf(b.random, "1i", "(2 - 0.5i)", "complex(0.5, 3)")
	case floatKind:
		if b.chance(8) {
			return "nan()"
		}
		return oneOf(b.random, "0.5", "1.25", "2.0", "3.5")
	case stringKind:
		return oneOf(b.random, `""`, `"a"`, `"bc"`, `"héllo"`, `"a\xffb\xe4\xb8"`, `"k"`, "`x`")
	case anyKind:
		return b.spell(t) + "(" + b.literal(oneOf(b.random, b.integer, b.text, b.boolean, b.structs[0], b.byText["num"]), d-1) + ")"
	case errorKind:
		return b.spell(t) + "(" + b.literal(b.byText["fault"], d-1) + ")"
	case ifaceKind:
		return b.spell(t) + "(" + b.literal(oneOf(b.random, b.implementers...), d-1) + ")"
	case paramKind:
		if vars := b.variables(t, false); len(vars) > 0 {
			return vars[0].name
		}
		return b.zero(t)
	case structKind:
		return b.composite(t, d)
	case arrayKind, sliceKind, mapKind:
		return b.composite(t, d)
	case pointerKind:
		switch t.elem.kind {
		case structKind, arrayKind, sliceKind, mapKind:
			return b.headParens("&" + b.spell(t.elem) + "{" + b.elements(t.elem, d) + "}")
		}
		if b.can("new") {
			return "new(" + b.expr(t.elem, d-1) + ")"
		}
		return "func() " + b.spell(t) + " { v := " + b.literal(t.elem, d-1) + "; return &v }()"
	case funcKind:
		if d <= 0 || b.budget <= 0 {
			return b.smallFunc(t)
		}
		return b.funcLit(t.params, t.results, true)
	case chanKind:
		return "filled[" + b.spell(t.elem) + "](" + b.value(t.elem, d-1) + ")"
	}
	panic("a type without literals")
}

// smallFunc is a function literal that only returns something.
func (b *body) smallFunc(t *typ) string {
	var params, results, values []string
	b.open()
	outer := b.scope.outer
	for i, p := range t.params {
		name := fmt.Sprintf("p%d", i)
		params = append(params, name+" "+b.spell(p))
		b.scope.vars = append(b.scope.vars, &variable{name: name, t: p, used: true})
	}
	for _, r := range t.results {
		results = append(results, b.spell(r))
		values = append(values, b.leafOf(r))
	}
	b.scope = outer
	if len(results) == 0 {
		return "func(" + strings.Join(params, ", ") + ") {}"
	}
	return "func(" + strings.Join(params, ", ") + ") (" + strings.Join(results, ", ") + ") { return " + strings.Join(values, ", ") + " }"
}

// leafOf is leaf without function literals.
func (b *body) leafOf(t *typ) string {
	if s := b.variable(t); s != "" && b.chance(80) {
		return s
	}
	if t.kind == funcKind {
		return b.zero(t)
	}
	return b.literal(t, -1)
}

func (b *body) boolean01() string {
	name := oneOf(b.random, "true", "false")
	if b.can(name) {
		return name
	}
	return oneOf(b.random, "(0 == 0)", "(0 == 1)")
}

// headParens puts a composite literal into parentheses in the head of a
// statement.
func (b *body) headParens(s string) string {
	if b.header {
		return "(" + s + ")"
	}
	return s
}

// composite writes a composite literal.
func (b *body) composite(t *typ, d int) string {
	s := b.spell(t) + "{" + b.elements(t, d) + "}"
	if b.header || b.chance(10) {
		return "(" + s + ")"
	}
	return s
}

// elements writes what is between the braces. Elements are exprs only if d is
// above 0.
func (b *body) elements(t *typ, d int) string {
	header := b.header
	defer func() { b.header = header }()
	b.header = false
	element := func(t *typ) string {
		if d > 0 {
			return b.value(t, d-1)
		}
		return b.literal(t, d-1)
	}
	var list []string
	switch t.kind {
	case structKind:
		keyed := b.chance(60)
		for _, f := range t.fields {
			if keyed && (b.chance(25) || d < -1) && (!f.t.nilable() || d < -2) {
				continue
			}
			v := element(f.t)
			if keyed {
				v = f.name + ": " + v
			}
			list = append(list, v)
		}
	case arrayKind:
		if d < -1 {
			return ""
		}
		for i := range t.len {
			v := element(t.elem)
			if i == t.len-1 && b.chance(15) {
				v = strconv.Itoa(i) + ": " + v
			}
			list = append(list, v)
		}
	case sliceKind:
		n := b.between(2, 3)
		if d < -1 {
			n = 1
		}
		for range n {
			list = append(list, element(t.elem))
		}
	case mapKind:
		if d < -1 {
			return ""
		}
		n := 1
		if d > 0 && b.chance(50) {
			n = 2
		}
		for range n {
			list = append(list, b.mapKey(t.key, d-1)+": "+element(t.elem))
		}
	}
	return strings.Join(list, ", ")
}
