package progen

import (
	"strconv"
)

// operation applies an operator, a conversion or a built-in function.
func (b *body) operation(t *typ, d int) string {
	switch t.kind {
	case boolKind:
		return b.boolOperation(t, d)
	case intKind:
		return b.intOperation(t, d)
	case floatKind:
		return b.choose([]option{
			{1, func() string {
				return "(" + b.varying(t, d-1) + oneOf(b.random, " + ", " - ", " * ") + b.expr(t, d-1) + ")"
			}},
			{1, func() string { return b.spell(t) + "(" + b.varying(b.integer, d-1) + ")" }},
			{1, func() string { return "-" + b.operand(t, d-1) }},
			{1, func() string { return oneOf(b.random, "real", "imag") + "(" + b.varying(b.complex, d-1) + ")" }},
		})
	case complexKind:
		return b.choose([]option{
			{2, func() string {
				return "(" + b.varying(t, d-1) + oneOf(b.random, " + ", " - ", " * ") + b.expr(t, d-1) + ")"
			}},
			{2, func() string { return "complex(" + b.expr(b.float, d-1) + ", " + b.varying(b.float, d-1) + ")" }},
			{1, func() string { return "-" + b.operand(t, d-1) }},
		})
	case stringKind:
		return b.stringOperation(t, d)
	case paramKind:
		if !t.numeric {
			return ""
		}
		return "(" + b.varying(t, d-1) + oneOf(b.random, " + ", " - ", " * ", " & ") + b.varying(t, d-1) + ")"
	case pointerKind:
		return b.choose([]option{
			{6, func() string {
				p := b.place(t.elem, d-1, true)
				if p == "" {
					return ""
				}
				return "&" + p
			}},
			{3, func() string {
				switch t.elem.kind {
				case structKind, arrayKind, sliceKind, mapKind:
					return b.headParens("&" + b.spell(t.elem) + "{" + b.elements(t.elem, d) + "}")
				}
				return ""
			}},
			{1, func() string {
				if !b.can("new") {
					return ""
				}
				return "new(" + b.spell(t.elem) + ")"
			}},
		})
	case structKind, arrayKind:
		return b.choose([]option{
			{8, func() string { return b.composite(t, d) }},
			{2, func() string {
				if t.kind != arrayKind {
					return ""
				}
				if b.chance(10) {
					return b.spell(t) + "(" + b.expr(b.slice(t.elem), d-1) + ")"
				}
				return b.spell(t) + "(" + b.spell(b.slice(t.elem)) + "{" + b.elements(t, d) + "})"
			}},
		})
	case sliceKind:
		return b.sliceOperation(t, d)
	case mapKind:
		return b.choose([]option{
			{8, func() string { return b.composite(t, d) }},
			{2, func() string {
				if !b.can("make") {
					return ""
				}
				return "make(" + b.spell(t) + ")"
			}},
		})
	case funcKind:
		return b.funcOperation(t, d)
	case anyKind, errorKind:
		return b.spell(t) + "(" + b.value(t, d-1) + ")"
	case ifaceKind:
		return b.spell(t) + "(" + b.expr(oneOf(b.random, b.implementers...), d-1) + ")"
	}
	return ""
}

func (b *body) boolOperation(t *typ, d int) string {
	return b.choose([]option{
		{8, func() string {
			op := oneOf(b.random, " && ", " || ")
			return "(" + b.expr(t, d-1) + op + b.expr(t, d-1) + ")"
		}},
		{2, func() string { return "!" + b.operand(t, d-1) }},
		{8, func() string { return b.comparison(d) }},
		{1, func() string {
			if !b.can("nil") {
				return ""
			}
			p := b.randomType()
			switch p.kind {
			case pointerKind, sliceKind, mapKind, funcKind, anyKind, errorKind, ifaceKind:
				return "(" + b.operand(p, d-1) + oneOf(b.random, " == ", " != ") + "nil)"
			}
			return ""
		}},
	})
}

// comparison compares two values.
func (b *body) comparison(d int) string {
	t := oneOf(b.random, b.integer, b.text, b.randomType(), b.randomType())
	for range 10 {
		if t.comparable() && t.kind != chanKind && t.kind != pointerKind {
			break
		}
		t = b.randomType()
	}
	if !t.comparable() {
		t = b.integer
	}
	left := parens(b.varying(t, d-1))
	if t.ordered() && b.chance(50) {
		return "(" + left + oneOf(b.random, " < ", " <= ", " > ", " >= ") + b.operand(t, d-1) + ")"
	}
	right := b.operand(t, d-1)
	switch {
	case t.kind == anyKind && b.chance(40):
		// A mixed comparison.
		c := b.concrete()
		if c.comparable() {
			right = b.operand(c, d-1)
		}
	case t.kind == structKind && b.chance(30):
		right = "(" + b.spell(t) + "{" + b.elements(t, d) + "})"
	}
	return "(" + left + oneOf(b.random, " == ", " != ") + right + ")"
}

func (b *body) intOperation(t *typ, d int) string {
	return b.choose([]option{
		{20, func() string {
			op := oneOf(b.random, " + ", " - ", " * ", " & ", " | ", " ^ ", " &^ ", " + ", " - ")
			left, right := b.varying(t, d-1), b.operand(t, d-1)
			if b.chance(50) {
				left, right = right, parens(left)
			}
			return "(" + left + op + right + ")"
		}},
		{4, func() string {
			op := oneOf(b.random, " / ", " % ")
			if b.chance(60) {
				return "(" + b.varying(t, d-1) + op + strconv.Itoa(b.between(1, 7)) + ")"
			}
			if b.chance(80) {
				return "(" + b.expr(t, d-1) + op + "(" + b.varying(t, d-1) + " | 1))"
			}
			return "(" + b.expr(t, d-1) + op + parens(b.varying(t, d-1)) + ")"
		}},
		{4, func() string {
			op := oneOf(b.random, " << ", " >> ")
			left := b.operand(t, d-1)
			switch {
			case b.chance(40):
				return "(" + parens(b.varying(t, d-1)) + op + strconv.Itoa(b.between(0, 7)) + ")"
			case b.chance(85):
				return "(" + left + op + "(" + b.varying(b.integer, d-1) + " & 7))"
			case b.chance(50):
				return "(" + left + op + parens(b.varying(b.small, d-1)) + ")"
			}
			return "(" + left + op + parens(b.varying(b.integer, d-1)) + ")"
		}},
		{2, func() string { return oneOf(b.random, "-", "^", "+") + parens(b.varying(t, d-1)) }},
		{5, func() string {
			from := oneOf(b.random, b.integer, b.small, b.byText["num"], b.char)
			if from == t {
				return ""
			}
			return b.spell(t) + "(" + b.varying(from, d-1) + ")"
		}},
		{6, func() string {
			if t != b.integer {
				return ""
			}
			name := oneOf(b.random, "len", "len", "cap")
			if !b.can(name) {
				return ""
			}
			c := b.randomType()
			switch {
			case c.kind == sliceKind:
			case c.kind == stringKind || c.kind == mapKind:
				name = "len"
				if !b.can(name) {
					return ""
				}
			default:
				return ""
			}
			return name + "(" + b.varying(c, d-1) + ")"
		}},
		{3, func() string {
			name := oneOf(b.random, "min", "max")
			if !b.can(name) {
				return ""
			}
			return name + "(" + b.varying(t, d-1) + ", " + b.expr(t, d-1) + ")"
		}},
		{2, func() string {
			if t != b.integer || !b.can("copy") {
				return ""
			}
			c := b.randomType()
			if c.kind != sliceKind {
				c = b.slice(b.integer)
			}
			return "copy(" + b.expr(c, d-1) + ", " + b.expr(c, d-1) + ")"
		}},
		{2, func() string {
			if t != b.small {
				return ""
			}
			return b.safePart(accessor{container: b.text, index: true}, b.operand(b.text, d-1), d-1)
		}},
	})
}

func (b *body) stringOperation(t *typ, d int) string {
	bounded := func() string {
		return b.choose([]option{
			{2, func() string { return b.literal(t, 0) }},
			{2, func() string { return "text(" + b.expr(b.integer, d-1) + ")" }},
			{1, func() string {
				if !b.can("same") {
					return ""
				}
				return "same(" + b.literal(t, 0) + ")"
			}},
			{1, func() string { return b.spell(t) + "(" + parens(b.varying(b.char, d-1)) + ")" }},
		})
	}
	return b.choose([]option{
		{10, func() string {
			left, right := b.varying(t, d-1), bounded()
			if b.chance(40) {
				left, right = right, left
			}
			return "(" + left + " + " + right + ")"
		}},
		{3, bounded},
		{3, func() string { return "text(" + b.value(b.any, d-1) + ")" }},
		{3, func() string {
			base := parens(b.varying(t, d-1))
			if b.chance(80) {
				base = "(" + base + ` + "xy")`
			}
			return base + oneOf(b.random, "[1:]", "[:1]", "[:]", "[0:1]", "["+b.index(t, d-1)+":]")
		}},
		{2, func() string {
			from := b.slice(oneOf(b.random, b.small, b.char))
			return b.spell(t) + "(" + b.expr(from, d-1) + ")"
		}},
		{1, func() string {
			if !b.can("max") {
				return ""
			}
			return "max(" + b.varying(t, d-1) + ", " + b.expr(t, d-1) + ")"
		}},
	})
}

func (b *body) sliceOperation(t *typ, d int) string {
	return b.choose([]option{
		{6, func() string { return b.composite(t, d) }},
		{6, func() string {
			if !b.can("append") {
				return ""
			}
			s := "append(" + b.expr(t, d-1)
			if b.chance(20) {
				return s + ", " + b.spell(t) + "{" + b.elements(t, d-1) + "}...)"
			}
			for range b.between(1, 2) {
				s += ", " + b.value(t.elem, d-1)
			}
			return s + ")"
		}},
		{5, func() string {
			base := b.operand(t, d-1)
			if b.can("append") && b.chance(75) {
				base = "append(" + base + ", " + b.value(t.elem, d-1) + ", " + b.value(t.elem, d-1) + ")"
			}
			return base + b.choose([]option{
				{3, func() string { return "[" + b.index(t, d-1) + ":]" }},
				{3, func() string { return "[:" + b.index(t, d-1) + "]" }},
				{1, func() string { return "[:]" }},
				{1, func() string { return "[0:" + b.index(t, d-1) + ":2]" }},
				{1, func() string {
					return "[" + parens(b.varying(b.integer, d-1)) + "&1:" + parens(b.varying(b.integer, d-1)) + "&1+1]"
				}},
			})
		}},
		{3, func() string {
			for _, a := range b.pool {
				if a.kind == arrayKind && a.elem == t.elem {
					if p := b.place(a, d-1, true); p != "" {
						return p + oneOf(b.random, "[:]", "[1:]", "[:1]", "["+b.index(a, d-1)+":]")
					}
				}
				if a.kind == pointerKind && a.elem.kind == arrayKind && a.elem.elem == t.elem {
					return b.operand(a, d-1) + "[:]"
				}
			}
			return ""
		}},
		{2, func() string {
			if !b.can("make") {
				return ""
			}
			return "make(" + b.spell(t) + ", 2" + oneOf(b.random, "", ", 3", ", 2+("+b.varying(b.integer, d-1)+"&3)") + ")"
		}},
		{3, func() string {
			if t.elem != b.small && t.elem != b.char {
				return ""
			}
			return b.spell(t) + "(" + b.expr(b.text, d-1) + ")"
		}},
	})
}

func (b *body) funcOperation(t *typ, d int) string {
	return b.choose([]option{
		{5, func() string { return b.literal(t, d) }},
		{3, func() string {
			// A function or a method value.
			if b.quiet {
				return ""
			}
			for _, f := range b.shuffled() {
				if f.variadic || len(f.tparams) > 0 || !sameTypes(typesOf(f.params), t.params) || !sameTypes(typesOf(f.results), t.results) {
					continue
				}
				if f.recv == nil {
					if b.can(f.name) {
						return f.name
					}
					continue
				}
				if f.isMethodOfGeneric() {
					continue
				}
				if r := b.receiver(f.recv.t, d-1); r != "" {
					return r + "." + f.name
				}
			}
			return ""
		}},
	})
}

func sameTypes(a, b []*typ) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
