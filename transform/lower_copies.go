package transform

// What gc copies because it needs an address.
//
// The runtime's functions take some operands by their address. For an operand that
// has none, gc evaluates it early into a temporary (addrTemp in
// cmd/compile/internal/walk/order.go):
//
//  1. a value that is converted to an interface, also implicitly, unless its size
//     has a function of its own, as that of an int and of a string has: a bool, a
//     struct, a pointer
//  2. an operand of a comparison of structs or arrays
//  3. the key of a map, unless the map has functions for keys of its type
//
// A variable, *p, p.f and s[i] have an address, so they are still read late.

import (
	"go/ast"
	"go/token"
	"go/types"
)

// exprTo is expr for a value that is assigned to a place of type t.
func (l *lowerer) exprTo(x ast.Expr, t types.Type, after bool) ast.Expr {
	if after && t != nil && types.IsInterface(t) && l.needsAddress(x) {
		return l.copied(x)
	}
	return l.expr(x, after)
}

// copied evaluates x now.
func (l *lowerer) copied(x ast.Expr) ast.Expr {
	t, name := l.info.TypeOf(x), tempName(x)
	return l.keep(l.expr(x, false), name, t)
}

// needsAddress reports whether gc copies x into a temporary in order to convert
// it to an interface (dataWordFuncName in cmd/compile/internal/walk/convert.go).
func (l *lowerer) needsAddress(x ast.Expr) bool {
	tv := l.info.Types[x]
	if tv.Addressable() || tv.Value != nil || tv.IsNil() || tv.Type == nil || l.fixed(x) {
		return false
	}
	t := types.Default(tv.Type)
	switch {
	case l.derived(t):
		return alwaysNeedsAddress(t)
	case types.IsInterface(t):
		return false
	}
	size, align := l.prog.sizes.Sizeof(t), l.prog.sizes.Alignof(t)
	if size == align && (size == 2 || (size == 4 || size == 8) && !mayHavePointers(t)) {
		return false
	}
	switch sole := soleComponent(t).Underlying().(type) {
	case *types.Slice:
		return false
	case *types.Basic:
		return sole.Info()&types.IsString == 0
	}
	return true
}

// alwaysNeedsAddress is the same for a type that depends on type parameters. It reports
// false if that depends on the type arguments: there is one frame for all of them.
func alwaysNeedsAddress(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return true
	case *types.Struct, *types.Array:
		return soleComponent(t) == t && minSize(t) > 8
	}
	return false
}

// minSize is what a value of type t takes in memory at least, in bytes. Type parameters
// may be of no size.
func minSize(t types.Type) int64 {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return 0
	}
	switch t := t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return 8
	case *types.Interface:
		return 16
	case *types.Slice:
		return 24
	case *types.Basic:
		return gcSizes.Sizeof(t)
	case *types.Array:
		return t.Len() * minSize(t.Elem())
	case *types.Struct:
		var n int64
		for i := range t.NumFields() {
			n += minSize(t.Field(i).Type())
		}
		return n
	}
	return 0
}

var gcSizes = types.SizesFor("gc", "amd64")

// fixed reports whether x is the same whenever it is evaluated: a function, or the
// address of a variable.
func (l *lowerer) fixed(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.FuncLit, *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return l.info.Selections[x] == nil
	case *ast.UnaryExpr:
		_, variable := ast.Unparen(x.X).(*ast.Ident)
		return x.Op == token.AND && variable
	}
	return false
}

// soleComponent is the type that t is made of alone, through structs and arrays.
func soleComponent(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if u.NumFields() == 1 {
			return soleComponent(u.Field(0).Type())
		}
	case *types.Array:
		if u.Len() == 1 {
			return soleComponent(u.Elem())
		}
	}
	return t
}

// aggregate reports whether x is a struct or an array without an address.
func (l *lowerer) aggregate(x ast.Expr) bool {
	tv := l.info.Types[x]
	if tv.Addressable() || tv.Type == nil {
		return false
	}
	switch tv.Type.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// comparison lowers the operands of x == y and x != y.
func (l *lowerer) comparison(x *ast.BinaryExpr, after bool) {
	left, right := l.info.TypeOf(x.X), l.info.TypeOf(x.Y)
	// Both operands have been evaluated when these are copied.
	copyLeft, copyRight := after && l.aggregate(x.X), after && l.aggregate(x.Y)
	x.X = l.exprTo(x.X, right, after || l.col.within[x.Y])
	x.Y = l.exprTo(x.Y, left, after)
	if copyLeft {
		x.X = l.keep(x.X, "left", left)
	}
	if copyRight {
		x.Y = l.keep(x.Y, "right", right)
	}
}

// mapKey is expr for a key of a map of type m.
func (l *lowerer) mapKey(x ast.Expr, m *types.Map, after bool) ast.Expr {
	if after && l.copiesKey(x, m) {
		return l.copied(x)
	}
	return l.expr(x, after)
}

// copiesKey reports whether gc copies the key x of a map of type m (mapKeyTemp in
// cmd/compile/internal/walk/order.go).
func (l *lowerer) copiesKey(x ast.Expr, m *types.Map) bool {
	tv := l.info.Types[x]
	if tv.Value != nil || tv.IsNil() || tv.Type == nil {
		return false
	}
	if l.derived(m) {
		return l.aggregate(x)
	}
	if types.IsInterface(m.Key()) && !types.IsInterface(tv.Type) {
		return true // the interface has no address, whatever it is made from
	}
	fast := l.fastKey(m)
	if fast == nil {
		return !tv.Addressable()
	}
	switch m.Key().Underlying().(type) {
	case *types.Struct, *types.Array:
		return true // it becomes a number, a pointer or a string by way of memory
	}
	return false
}

// fastKey returns the type that the runtime's functions for maps of type m take a key
// as, nil if they take its address (mapfast in cmd/compile/internal/walk/walk.go).
func (l *lowerer) fastKey(m *types.Map) types.Type {
	const maxFastElem = 128 // bytes
	if l.prog.sizes.Sizeof(m.Elem()) > maxFastElem {
		return nil
	}
	size := l.prog.sizes.Sizeof(m.Key())
	switch {
	case isString(loneComponent(m.Key())):
		return types.Typ[types.String]
	case !l.plainMemory(m.Key()):
	case mayHavePointers(m.Key()) && size == 8:
		return types.Typ[types.UnsafePointer]
	case size == 4:
		return types.Typ[types.Uint32]
	case size == 8:
		return types.Typ[types.Uint64]
	}
	return nil
}

// loneComponent is the type whose values t's are compared like.
func loneComponent(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if u.NumFields() == 1 && u.Field(0).Name() != "_" {
			return loneComponent(u.Field(0).Type())
		}
	case *types.Array:
		if u.Len() == 1 {
			return loneComponent(u.Elem())
		}
	}
	return t
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// plainMemory reports whether values of type t are equal when their memory is.
func (l *lowerer) plainMemory(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&(types.IsInteger|types.IsBoolean) != 0 || t.Kind() == types.UnsafePointer
	case *types.Pointer, *types.Chan:
		return true
	case *types.Array:
		return l.plainMemory(t.Elem())
	case *types.Struct:
		var offset int64
		for i := range t.NumFields() {
			f := t.Field(i)
			if f.Name() == "_" || !l.plainMemory(f.Type()) || offset%l.prog.sizes.Alignof(f.Type()) != 0 {
				return false
			}
			offset += l.prog.sizes.Sizeof(f.Type())
		}
		return offset == l.prog.sizes.Sizeof(t)
	}
	return false
}
