package transform

// Bounds of slices that are variables in memory.
//
// Before gc evaluates the next bound of a slice it copies the one before, unless that is
// a variable (OSLICE in cmd/compile/internal/walk/order.go). A variable with a box is one
// in the source only:
//
//	s[i:next(&i)]    func(x []int, low, high int) []int { return x[low:high] }(s, *i, next(i))
//
// Arguments are read when all calls are done, whatever they are. A bound that is no
// variable stays early as the argument of a function that is: max.

import (
	"go/ast"
	"go/token"
	"go/types"
)

// boundChanges reports whether a bound of x is a variable in memory, and a call comes
// after it.
func (r *namer) boundChanges(x *ast.SliceExpr) bool {
	live := &liveness{fn: r.fn, info: r.fn.info}
	inMemory := false
	for _, b := range []ast.Expr{x.Low, x.High, x.Max} {
		if b == nil {
			continue
		}
		if inMemory && hasCall(r.fn.info, b) {
			return true
		}
		if id, ok := ast.Unparen(b).(*ast.Ident); ok {
			v := live.of(id)
			inMemory = inMemory || v != nil && (v.boxed || v.resident)
		}
	}
	return false
}

// sliceCall returns what turns x into a call when its operands have been renamed.
func (r *namer) sliceCall(x *ast.SliceExpr) func(*ast.SliceExpr) ast.Expr {
	info := r.fn.info
	spell := &typeSpeller{pkg: r.pkg, params: r.fn.async.typeParamNames()}
	fun := &ast.FuncType{Params: &ast.FieldList{}, Results: &ast.FieldList{List: []*ast.Field{{Type: spell.spell(info.TypeOf(x))}}}}
	body := &ast.SliceExpr{X: ast.NewIdent("x"), Slice3: x.Slice3}
	param := func(name string, t types.Type) ast.Expr {
		fun.Params.List = append(fun.Params.List, &ast.Field{Names: []*ast.Ident{ast.NewIdent(name)}, Type: spell.spell(t)})
		return ast.NewIdent(name)
	}
	t := info.TypeOf(x.X)
	array := isArray(t)
	if array {
		t = types.NewPointer(t)
	}
	param("x", t)
	var early [3]bool
	for i, b := range []struct {
		name string
		x    ast.Expr
		to   *ast.Expr
	}{{"low", x.Low, &body.Low}, {"high", x.High, &body.High}, {"cap", x.Max, &body.Max}} {
		if b.x != nil {
			*b.to = param(b.name, types.Default(info.TypeOf(b.x)))
			_, variable := ast.Unparen(b.x).(*ast.Ident)
			early[i] = !variable && info.Types[b.x].Value == nil
		}
	}
	operand := x.X
	return func(x *ast.SliceExpr) ast.Expr {
		if array && x.X == operand {
			x.X = &ast.UnaryExpr{Op: token.AND, X: x.X}
		}
		args := []ast.Expr{x.X}
		for i, b := range []ast.Expr{x.Low, x.High, x.Max} {
			if b == nil {
				continue
			}
			if early[i] && (i == 0 || i == 1 && x.Max != nil) {
				b = call(spell.predeclared("max"), b)
			}
			args = append(args, b)
		}
		lit := &ast.FuncLit{Type: fun, Body: &ast.BlockStmt{List: []ast.Stmt{&ast.ReturnStmt{Results: []ast.Expr{body}}}}}
		return &ast.CallExpr{Fun: lit, Args: args}
	}
}
