package transform

// Composite literals.

import (
	"go/ast"
	"go/token"
	"go/types"
)

// composite lowers the elements of a composite literal, in the order in which
// they are written.
func (l *lowerer) composite(x *ast.CompositeLit, after bool) ast.Expr {
	t := coreType(l.info.TypeOf(x))
	m, isMap := t.(*types.Map)
	if isMap && l.col.within[x] {
		return l.mapLit(x, m)
	}
	for i, elt := range x.Elts {
		rest := after || anyWithin(l.col, x.Elts[i+1:])
		// The keys of structs are names, those of arrays are constants.
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			x.Elts[i] = l.element(elt, elementType(t, i, nil), rest)
			continue
		}
		if isMap {
			kv.Key = l.element(kv.Key, m.Key(), rest || l.col.within[kv.Value])
		}
		kv.Value = l.element(kv.Value, elementType(t, i, kv.Key), rest)
	}
	return x
}

// elementType is the type of an element of a literal of the core type t.
func elementType(t types.Type, i int, key ast.Expr) types.Type {
	switch t := t.(type) {
	case *types.Slice:
		return t.Elem()
	case *types.Array:
		return t.Elem()
	case *types.Map:
		return t.Elem()
	case *types.Struct:
		id, ok := key.(*ast.Ident)
		for j := range t.NumFields() {
			if !ok && i == j || ok && t.Field(j).Name() == id.Name {
				return t.Field(j).Type()
			}
		}
	}
	return nil
}

// element lowers an element of a composite literal. If that is a literal
// without a type, which may no longer stand alone, it gets one.
func (l *lowerer) element(x ast.Expr, to types.Type, after bool) ast.Expr {
	lit, ok := x.(*ast.CompositeLit)
	if !ok || lit.Type != nil || !after && !l.col.within[x] {
		return l.exprTo(x, to, after)
	}
	t := l.info.TypeOf(lit)
	if !nameable(t, l.file.pkg.pkg.Types) {
		l.refuse(codeUnnameable, x.Pos(), "the type %s of this literal cannot be written in this package, so cogen cannot order its elements around an await", types.TypeString(t, nil))
	}
	ptr, ok := coreType(t).(*types.Pointer)
	if !ok {
		lit.Type = l.spell.spell(t)
		return l.expr(lit, after)
	}
	lit.Type = l.spell.spell(ptr.Elem())
	l.info.Types[lit] = types.TypeAndValue{Type: ptr.Elem()}
	addr := &ast.UnaryExpr{OpPos: lit.Pos(), Op: token.AND, X: lit}
	l.info.Types[addr] = types.TypeAndValue{Type: t}
	l.col.within[addr] = l.col.within[lit]
	return l.expr(addr, after)
}

// mapLit makes the entries of a map literal one at a time, as gc does; those that are
// static come first.
func (l *lowerer) mapLit(x *ast.CompositeLit, m *types.Map) ast.Expr {
	var constant, dynamic []ast.Expr
	for _, elt := range x.Elts {
		kv := elt.(*ast.KeyValueExpr)
		if l.static(kv.Key, m.Key()) && l.static(kv.Value, m.Elem()) {
			constant = append(constant, kv)
		} else {
			dynamic = append(dynamic, kv)
		}
	}
	obj := l.temp("lit", l.info.TypeOf(x), x.Pos())
	l.plain(assign(l.mention(obj), &ast.CompositeLit{Type: x.Type, Elts: constant}))
	for _, elt := range dynamic {
		kv := elt.(*ast.KeyValueExpr)
		within, t := l.col.within[kv.Value], l.info.TypeOf(kv.Key)
		copied := within && l.copiesKey(kv.Key, m)
		key := l.entry(kv.Key, m.Key(), within)
		if copied {
			key = l.keep(key, "key", t)
		}
		value := l.entry(kv.Value, m.Elem(), false)
		l.plain(assign(&ast.IndexExpr{X: l.mention(obj), Index: key}, value))
	}
	return l.mention(obj)
}

// static reports whether gc knows the value x when it compiles, if x is converted to
// type t: constants, and structs and arrays of them (isStaticCompositeLiteral in
// cmd/compile/internal/walk/complit.go). Of interfaces, nil alone.
func (l *lowerer) static(x ast.Expr, t types.Type) bool {
	x = ast.Unparen(x)
	tv := l.info.Types[x]
	if tv.IsNil() {
		return true
	}
	if types.IsInterface(t) || l.derived(t) {
		return false
	}
	lit, ok := x.(*ast.CompositeLit)
	if !ok {
		return tv.Value != nil
	}
	core := coreType(l.info.TypeOf(lit))
	switch core.(type) {
	case *types.Struct, *types.Array:
	default:
		return false
	}
	for i, elt := range lit.Elts {
		var key ast.Expr
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			key, elt = kv.Key, kv.Value
		}
		if !l.static(elt, elementType(core, i, key)) {
			return false
		}
	}
	return true
}

// entry is element for a part of a map entry, which always leaves its literal.
func (l *lowerer) entry(x ast.Expr, t types.Type, after bool) ast.Expr {
	if lit, ok := x.(*ast.CompositeLit); ok && lit.Type == nil && !after && !l.col.within[x] {
		if ptr, ok := coreType(t).(*types.Pointer); ok {
			lit.Type = l.spell.spell(ptr.Elem())
			return &ast.UnaryExpr{Op: token.AND, X: lit}
		}
		lit.Type = l.spell.spell(t)
		return lit
	}
	return l.element(x, t, after)
}

func isComposite(x ast.Expr) bool {
	_, ok := ast.Unparen(x).(*ast.CompositeLit)
	return ok
}

// addressOf returns the address of a new variable with the value x of type t.
func (l *lowerer) addressOf(x ast.Expr, t types.Type) ast.Expr {
	p := l.temp("ptr", types.NewPointer(t), x.Pos())
	l.plain(assign(l.mention(p), l.spell.newOf(t)))
	l.plain(assign(&ast.StarExpr{X: l.mention(p)}, x))
	return l.mention(p)
}
