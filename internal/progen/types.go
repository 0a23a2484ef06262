package progen

import (
	"strconv"
	"strings"
)

type kind int

const (
	boolKind kind = iota
	intKind       // any integer type
	floatKind
	complexKind
	stringKind
	anyKind
	errorKind
	structKind
	pointerKind
	sliceKind
	arrayKind
	mapKind
	funcKind
	chanKind
	ifaceKind // the program's interface
	paramKind // a type parameter
)

// A typ is a type of the program. Types are interned: identical types are the
// same *typ.
type typ struct {
	kind kind
	// name is what the type is called; empty for a type literal.
	name string
	// predeclared: the name is one of the language's.
	predeclared bool
	// local: declared in a function.
	local bool

	elem, key       *typ
	len             int
	fields          []field
	params, results []*typ
	methods         []*function

	// generic and targs say what a type is an instance of.
	generic *genericType
	targs   []*typ
	// numeric: a type parameter that has arithmetic; shaped: one that has the method of the
	// program's interface.
	numeric, shaped bool
	// serial tells types apart that have the same name in different functions.
	serial int
}

// builtInPlace reports whether gc, when it assigns a composite literal of the type to a
// variable whose address nobody takes, fills in the variable element by element. If one of
// them panics, a result has some of them already, which a frame does not imitate.
func (t *typ) builtInPlace() bool { return t.kind == structKind || t.kind == arrayKind }

type field struct {
	name     string
	t        *typ
	embedded bool
}

// A genericType is a declared struct type with type parameters.
type genericType struct {
	name    string
	params  []*typ
	fields  []field
	methods []*function
}

// universe makes the types of one program.
type universe struct {
	byText map[string]*typ
	// declared are the package's types, in the order of their declarations.
	declared []*typ
	serial   int

	boolean, integer, text, float, complex, small, char, any, err *typ
}

func newUniverse() *universe {
	u := &universe{byText: map[string]*typ{}}
	basic := func(k kind, name string) *typ {
		t := &typ{kind: k, name: name, predeclared: true}
		u.byText[name] = t
		return t
	}
	u.boolean = basic(boolKind, "bool")
	u.integer = basic(intKind, "int")
	u.text = basic(stringKind, "string")
	u.float = basic(floatKind, "float64")
	u.complex = basic(complexKind, "complex128")
	u.small = basic(intKind, "uint8")
	u.char = basic(intKind, "rune")
	u.any = basic(anyKind, "any")
	u.err = basic(errorKind, "error")
	return u
}

// id returns a text that identical types share.
func (t *typ) id() string {
	return t.spell(func(t *typ) string {
		if t.serial == 0 {
			return t.name
		}
		return t.name + "#" + strconv.Itoa(t.serial)
	})
}

// spell writes the type, with name for the names.
func (t *typ) spell(name func(*typ) string) string {
	list := func(types []*typ) string {
		var out []string
		for _, p := range types {
			out = append(out, p.spell(name))
		}
		return strings.Join(out, ", ")
	}
	if t.generic != nil {
		return t.generic.name + "[" + list(t.targs) + "]"
	}
	if t.name != "" {
		return name(t)
	}
	switch t.kind {
	case pointerKind:
		return "*" + t.elem.spell(name)
	case sliceKind:
		return "[]" + t.elem.spell(name)
	case arrayKind:
		return "[" + strconv.Itoa(t.len) + "]" + t.elem.spell(name)
	case mapKind:
		return "map[" + t.key.spell(name) + "]" + t.elem.spell(name)
	case chanKind:
		return "chan " + t.elem.spell(name)
	case funcKind:
		s := "func(" + list(t.params) + ")"
		switch len(t.results) {
		case 0:
			return s
		case 1:
			return s + " " + t.results[0].spell(name)
		}
		return s + " (" + list(t.results) + ")"
	}
	panic("a type without a name")
}

// inFunction returns a new type of that name that a function declares: a type
// parameter, or a local type.
func (u *universe) inFunction(t *typ) *typ {
	u.serial++
	t.serial = u.serial
	return u.intern(t)
}

// intern returns the one *typ for types identical to t.
func (u *universe) intern(t *typ) *typ {
	id := t.id()
	if have := u.byText[id]; have != nil {
		return have
	}
	u.byText[id] = t
	return t
}

func (u *universe) pointer(elem *typ) *typ { return u.intern(&typ{kind: pointerKind, elem: elem}) }
func (u *universe) slice(elem *typ) *typ   { return u.intern(&typ{kind: sliceKind, elem: elem}) }
func (u *universe) array(n int, elem *typ) *typ {
	return u.intern(&typ{kind: arrayKind, len: n, elem: elem})
}
func (u *universe) mapOf(key, elem *typ) *typ {
	return u.intern(&typ{kind: mapKind, key: key, elem: elem})
}
func (u *universe) channel(elem *typ) *typ { return u.intern(&typ{kind: chanKind, elem: elem}) }
func (u *universe) function(params []*typ, results ...*typ) *typ {
	return u.intern(&typ{kind: funcKind, params: params, results: results})
}

// instance returns an instance of a generic type.
func (u *universe) instance(g *genericType, targs ...*typ) *typ {
	t := &typ{kind: structKind, name: g.name, generic: g, targs: targs}
	if have := u.byText[t.id()]; have != nil {
		return have
	}
	u.byText[t.id()] = t
	for _, f := range g.fields {
		t.fields = append(t.fields, field{name: f.name, t: u.substitute(f.t, g.params, targs)})
	}
	return t
}

// substitute replaces type parameters by types.
func (u *universe) substitute(t *typ, params, targs []*typ) *typ {
	for i, p := range params {
		if t == p {
			return targs[i]
		}
	}
	all := func(list []*typ) []*typ {
		var out []*typ
		for _, t := range list {
			out = append(out, u.substitute(t, params, targs))
		}
		return out
	}
	if t.generic != nil {
		return u.instance(t.generic, all(t.targs)...)
	}
	if t.name != "" {
		return t
	}
	switch t.kind {
	case pointerKind:
		return u.pointer(u.substitute(t.elem, params, targs))
	case sliceKind:
		return u.slice(u.substitute(t.elem, params, targs))
	case arrayKind:
		return u.array(t.len, u.substitute(t.elem, params, targs))
	case chanKind:
		return u.channel(u.substitute(t.elem, params, targs))
	case mapKind:
		return u.mapOf(u.substitute(t.key, params, targs), u.substitute(t.elem, params, targs))
	case funcKind:
		return u.function(all(t.params), all(t.results)...)
	}
	return t
}

// comparable reports whether == is defined, and does not panic unless an
// interface is inside.
func (t *typ) comparable() bool {
	switch t.kind {
	case sliceKind, mapKind, funcKind:
		return false
	case paramKind:
		return t.numeric
	case arrayKind:
		return t.elem.comparable()
	case structKind:
		for _, f := range t.fields {
			if f.t != t && !f.t.comparable() {
				return false
			}
		}
	}
	return true
}

// hashable reports whether all values of t can be keys of a map. The panic about one that
// cannot has one type if an entry is read and another if it is assigned to, and gc makes one
// operation of m[k] = append(m[k], ...) where a frame may need two.
func (t *typ) hashable() bool {
	switch t.kind {
	case anyKind, errorKind, ifaceKind:
		return false
	case arrayKind:
		return t.elem.hashable()
	case structKind:
		for _, f := range t.fields {
			if f.t != t && !f.t.hashable() {
				return false
			}
		}
	}
	return t.comparable()
}

// nilable reports whether the zero value is one that most operations panic on.
func (t *typ) nilable() bool {
	switch t.kind {
	case pointerKind, mapKind, funcKind, ifaceKind:
		return true
	case structKind:
		for _, f := range t.fields {
			if f.t != t && f.t.nilable() {
				return true
			}
		}
	}
	return false
}

// ordered reports whether < is defined.
func (t *typ) ordered() bool {
	switch t.kind {
	case intKind, floatKind, stringKind:
		return true
	}
	return t.kind == paramKind && t.numeric
}

// mentions reports whether a type parameter or a local type is part of t.
func (t *typ) mentions(pred func(*typ) bool) bool {
	if t == nil {
		return false
	}
	if pred(t) {
		return true
	}
	if t.name != "" && t.generic == nil {
		return false
	}
	for _, list := range [][]*typ{{t.elem, t.key}, t.params, t.results, t.targs} {
		for _, s := range list {
			if s.mentions(pred) {
				return true
			}
		}
	}
	return false
}
