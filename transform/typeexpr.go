package transform

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// A typeSpeller writes types as syntax. Names of other packages become
// placeholders, which emit resolves to imports (see qualified).
type typeSpeller struct {
	pkg *types.Package
	// params names the type parameters in scope, where that differs from the
	// names in the source.
	params map[*types.TypeParam]string
}

// spell returns the syntax of t.
func (s *typeSpeller) spell(t types.Type) ast.Expr {
	switch t := t.(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return qualified("unsafe", "Pointer")
		}
		return s.predeclared(types.Default(t).(*types.Basic).Name())
	case *types.Alias:
		if nameable(t, s.pkg) {
			return s.name(t.Obj(), t.TypeArgs())
		}
		return s.spell(types.Unalias(t))
	case *types.Named:
		return s.name(t.Obj(), t.TypeArgs())
	case *types.TypeParam:
		if name, ok := s.params[t]; ok {
			return ast.NewIdent(name)
		}
		return ast.NewIdent(t.Obj().Name())
	case *types.Pointer:
		return &ast.StarExpr{X: s.spell(t.Elem())}
	case *types.Slice:
		return &ast.ArrayType{Elt: s.spell(t.Elem())}
	case *types.Array:
		return &ast.ArrayType{Len: intLit(t.Len()), Elt: s.spell(t.Elem())}
	case *types.Map:
		return &ast.MapType{Key: s.spell(t.Key()), Value: s.spell(t.Elem())}
	case *types.Chan:
		return s.channel(t)
	case *types.Signature:
		return s.signature(t)
	case *types.Struct:
		return s.structure(t)
	case *types.Interface:
		return s.iface(t)
	case *types.Union:
		var x ast.Expr
		for i := range t.Len() {
			term := s.spell(t.Term(i).Type())
			if t.Term(i).Tilde() {
				term = &ast.UnaryExpr{Op: token.TILDE, X: term}
			}
			if x == nil {
				x = term
			} else {
				x = &ast.BinaryExpr{X: x, Op: token.OR, Y: term}
			}
		}
		return x
	}
	panic(fmt.Sprintf("spell: unexpected type %T", t))
}

func (s *typeSpeller) name(obj *types.TypeName, args *types.TypeList) ast.Expr {
	var x ast.Expr
	switch obj.Pkg() {
	case nil:
		x = s.predeclared(obj.Name())
	case s.pkg:
		x = ast.NewIdent(obj.Name())
	default:
		x = qualified(obj.Pkg().Path(), obj.Name())
	}
	var targs []types.Type
	for i := range args.Len() {
		targs = append(targs, args.At(i))
	}
	return s.instance(x, targs)
}

// instance returns x with type arguments.
func (s *typeSpeller) instance(x ast.Expr, targs []types.Type) ast.Expr {
	var list []ast.Expr
	for _, t := range targs {
		list = append(list, s.spell(t))
	}
	switch len(list) {
	case 0:
		return x
	case 1:
		return &ast.IndexExpr{X: x, Index: list[0]}
	}
	return &ast.IndexListExpr{X: x, Indices: list}
}

func (s *typeSpeller) channel(t *types.Chan) ast.Expr {
	elem := s.spell(t.Elem())
	switch t.Dir() {
	case types.SendOnly:
		return &ast.ChanType{Dir: ast.SEND, Value: elem}
	case types.RecvOnly:
		return &ast.ChanType{Dir: ast.RECV, Value: elem}
	}
	if inner, ok := types.Unalias(t.Elem()).(*types.Chan); ok && inner.Dir() == types.RecvOnly {
		elem = &ast.ParenExpr{X: elem}
	}
	return &ast.ChanType{Dir: ast.SEND | ast.RECV, Value: elem}
}

func (s *typeSpeller) signature(t *types.Signature) *ast.FuncType {
	return &ast.FuncType{Params: s.tuple(t.Params(), t.Variadic()), Results: s.tuple(t.Results(), false)}
}

func (s *typeSpeller) tuple(t *types.Tuple, variadic bool) *ast.FieldList {
	list := &ast.FieldList{}
	for i := range t.Len() {
		typ := s.spell(t.At(i).Type())
		if variadic && i == t.Len()-1 {
			typ = variadicType(typ)
		}
		list.List = append(list.List, &ast.Field{Type: typ})
	}
	return list
}

// variadicType turns the syntax of a slice type into that of a variadic
// parameter.
func variadicType(slice ast.Expr) ast.Expr {
	return &ast.Ellipsis{Elt: slice.(*ast.ArrayType).Elt}
}

func (s *typeSpeller) structure(t *types.Struct) ast.Expr {
	list := &ast.FieldList{Opening: 1, Closing: 1}
	for i := range t.NumFields() {
		field := t.Field(i)
		f := &ast.Field{Type: s.spell(field.Type())}
		if !field.Embedded() {
			f.Names = []*ast.Ident{ast.NewIdent(field.Name())}
		}
		if tag := t.Tag(i); tag != "" {
			f.Tag = &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(tag)}
		}
		list.List = append(list.List, f)
	}
	return &ast.StructType{Fields: list}
}

func (s *typeSpeller) iface(t *types.Interface) ast.Expr {
	if t.Empty() && !t.IsComparable() {
		return s.predeclared("any")
	}
	list := &ast.FieldList{Opening: 1, Closing: 1}
	for i := range t.NumExplicitMethods() {
		m := t.ExplicitMethod(i)
		list.List = append(list.List, &ast.Field{Names: []*ast.Ident{ast.NewIdent(m.Name())}, Type: s.signature(m.Signature())})
	}
	for i := range t.NumEmbeddeds() {
		list.List = append(list.List, &ast.Field{Type: s.spell(t.EmbeddedType(i))})
	}
	return &ast.InterfaceType{Methods: list}
}

func intLit(n int64) *ast.BasicLit {
	return &ast.BasicLit{Kind: token.INT, Value: strconv.FormatInt(n, 10)}
}

// zero returns an expression for the zero value of t.
func (s *typeSpeller) zero(t types.Type) ast.Expr {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return &ast.StarExpr{X: s.newOf(t)}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return s.predeclared("false")
		case u.Info()&types.IsNumeric != 0:
			return intLit(0)
		case u.Info()&types.IsString != 0:
			return &ast.BasicLit{Kind: token.STRING, Value: `""`}
		}
		return s.nilOf(t)
	case *types.Struct, *types.Array:
		return &ast.CompositeLit{Type: s.spell(t)}
	}
	return s.nilOf(t)
}

// anyType reports whether pred holds for a type that t is made of, without
// looking into the declarations of named types.
func anyType(t types.Type, pred func(types.Type) bool) bool {
	if t == nil {
		return false
	}
	if pred(t) {
		return true
	}
	anyArg := func(list *types.TypeList) bool {
		for i := range list.Len() {
			if anyType(list.At(i), pred) {
				return true
			}
		}
		return false
	}
	anyVar := func(list *types.Tuple) bool {
		for i := range list.Len() {
			if anyType(list.At(i).Type(), pred) {
				return true
			}
		}
		return false
	}
	switch t := t.(type) {
	case *types.Alias:
		return anyArg(t.TypeArgs())
	case *types.Named:
		return anyArg(t.TypeArgs())
	case *types.Pointer:
		return anyType(t.Elem(), pred)
	case *types.Slice:
		return anyType(t.Elem(), pred)
	case *types.Array:
		return anyType(t.Elem(), pred)
	case *types.Chan:
		return anyType(t.Elem(), pred)
	case *types.Map:
		return anyType(t.Key(), pred) || anyType(t.Elem(), pred)
	case *types.Signature:
		return anyVar(t.Params()) || anyVar(t.Results())
	case *types.Tuple:
		return anyVar(t)
	case *types.Struct:
		for i := range t.NumFields() {
			if anyType(t.Field(i).Type(), pred) {
				return true
			}
		}
	case *types.Interface:
		for i := range t.NumExplicitMethods() {
			if anyType(t.ExplicitMethod(i).Type(), pred) {
				return true
			}
		}
		for i := range t.NumEmbeddeds() {
			if anyType(t.EmbeddedType(i), pred) {
				return true
			}
		}
	}
	return false
}

// typeName returns the declared name of t, if it has one.
func typeName(t types.Type) *types.TypeName {
	switch t := t.(type) {
	case *types.Alias:
		return t.Obj()
	case *types.Named:
		return t.Obj()
	}
	return nil
}

// local reports whether t mentions a type that is declared in a function.
func local(t types.Type) bool {
	return anyType(t, func(t types.Type) bool {
		obj := typeName(t)
		return obj != nil && obj.Pkg() != nil && obj.Parent() != obj.Pkg().Scope()
	})
}

// nameable reports whether code in pkg can write the type t. It cannot name
// what another package does not export, or what it may not import.
func nameable(t types.Type, pkg *types.Package) bool {
	hidden := func(t types.Type) bool {
		switch t := t.(type) {
		case *types.Struct:
			for i := range t.NumFields() {
				if f := t.Field(i); !f.Exported() && f.Pkg() != pkg {
					return true
				}
			}
		case *types.Interface:
			for i := range t.NumExplicitMethods() {
				if m := t.ExplicitMethod(i); !m.Exported() && m.Pkg() != pkg {
					return true
				}
			}
		}
		obj := typeName(t)
		if obj == nil || obj.Pkg() == nil || obj.Pkg() == pkg {
			return false
		}
		return !obj.Exported() || !importable(obj.Pkg().Path(), pkg.Path())
	}
	if alias, ok := t.(*types.Alias); ok && hidden(alias) {
		t = types.Unalias(t)
	}
	return !anyType(t, func(t types.Type) bool {
		if alias, ok := t.(*types.Alias); ok && hidden(alias) {
			return !nameable(types.Unalias(t), pkg)
		}
		return hidden(t)
	})
}

// importable applies the go command's rule for internal packages.
func importable(path, from string) bool {
	if path == "main" {
		return false
	}
	parent := ""
	switch i := strings.LastIndex("/"+path+"/", "/internal/"); {
	case i < 0:
		return true
	case i > 0:
		parent = path[:i-1]
	}
	from = strings.TrimSuffix(from, "_test")
	return parent == "" || from == parent || strings.HasPrefix(from, parent+"/")
}
