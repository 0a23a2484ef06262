package transform

// Function literals.
//
// A literal that a marked function calls, defers or starts with go, directly or
// through a variable that never holds anything else, and that has await points, gets
// a frame of its own, like a function that has what the literal captures as its
// first parameters:
//
//	x := 0                              x = new(int)
//	go func(c *rt.Conn) {               f := &serveFunc1Frame{}
//		x += copyAll(c)                 f.Init(x, c)
//	}(c)                                rt.Go(f)
//
// A captured variable that needs a box (see capture.go) is passed as the pointer
// to its box, another one by value, since it never changes.
//
// A captured variable is at the call what it was where the literal was evaluated:
// its declaration encloses that of the variable which holds the literal, so when it
// runs again, both are new.
//
// A literal that is a value, in another variable or an argument, stays as it is: who
// calls it knows nothing of frames.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
)

// A literal is what is particular about an asyncFunc that is a function literal.
type literal struct {
	outer *asyncFunc
	// syntax is a copy, for the passes to change: the original is part of the
	// outer function.
	syntax   *ast.FuncLit
	sig      *types.Signature
	captured []*types.Var
	// frame is the frame's type as the outer function names it.
	frame types.Type
}

// root is the function's syntax.
func (fn *asyncFunc) root() ast.Node {
	if fn.lit != nil {
		return fn.lit.syntax
	}
	return fn.decl
}

func (fn *asyncFunc) body() *ast.BlockStmt {
	if fn.lit != nil {
		return fn.lit.syntax.Body
	}
	return fn.decl.Body
}

func (fn *asyncFunc) signature() *types.Signature {
	if fn.lit != nil {
		return fn.lit.sig
	}
	return fn.obj.Signature()
}

// outermost is the declared function that fn is part of.
func (fn *asyncFunc) outermost() *asyncFunc {
	for fn.lit != nil {
		fn = fn.lit.outer
	}
	return fn
}

// captures is the analysis of the function's variables.
func (fn *asyncFunc) captures() map[*types.Var]*capture {
	if fn.captureInfo == nil {
		fn.captureInfo = captures(fn.file.pkg.pkg.TypesInfo, fn.root(), fn.body(), fn.file.perIteration())
	}
	return fn.captureInfo
}

// isBoxed reports whether a variable of fn, or one that it captures, has a box.
func (fn *asyncFunc) isBoxed(v *types.Var) bool {
	if fn.lit != nil && !inside(v, fn.root()) {
		return fn.lit.outer.isBoxed(v)
	}
	results := fn.signature().Results()
	for i := range results.Len() {
		if results.At(i) == v {
			return fn.captures()[v].boxed(true)
		}
	}
	return fn.captures()[v].boxed(false)
}

// literal returns the asyncFunc of a literal in fn, or nil if the literal has no
// use for a frame, or cannot have one.
func (c *colourer) literal(fn *asyncFunc, lit *ast.FuncLit, out *colours) *asyncFunc {
	if sub, ok := out.lits[lit]; ok {
		return sub
	}
	out.lits[lit] = nil
	sig, ok := c.info.TypeOf(lit).(*types.Signature)
	if !ok {
		return nil
	}
	cl := &cloner{info: c.info}
	sub := &asyncFunc{file: fn.file, lit: &literal{outer: fn, syntax: cl.clone(lit).(*ast.FuncLit), sig: sig}}
	if !c.captureVars(sub) {
		return nil
	}
	outermost := fn.outermost()
	base := strings.TrimSuffix(outermost.frameName, "Frame")
	scope := c.pkg.Scope()
	for {
		outermost.literals++
		sub.name = fmt.Sprintf("%s.func%d", outermost.name, outermost.literals)
		sub.frameName = fmt.Sprintf("%sFunc%dFrame", base, outermost.literals)
		if scope.Lookup(sub.frameName) == nil {
			break
		}
	}
	obj := types.NewTypeName(lit.Pos(), c.pkg, sub.frameName, nil)
	named := types.NewNamed(obj, types.NewStruct(nil, nil), nil)
	sub.lit.frame = named
	if params := outermost.typeParams(); len(params) > 0 {
		var fresh []*types.TypeParam
		var targs []types.Type
		for _, p := range params {
			fresh = append(fresh, types.NewTypeParam(types.NewTypeName(p.Obj().Pos(), c.pkg, p.Obj().Name(), nil), p.Constraint()))
			targs = append(targs, p)
		}
		named.SetTypeParams(fresh)
		inst, err := types.Instantiate(nil, named, targs, false)
		if err != nil {
			return nil
		}
		sub.lit.frame = inst
	}
	c.prog.findLiteralYield(sub)
	cols := c.colour(sub)
	if len(cols.plans) == 0 && !c.prog.opts.All {
		outermost.literals--
		return nil
	}
	scope.Insert(obj)
	c.frames[obj] = sub
	c.prog.colours[sub] = cols
	out.lits[lit] = sub
	out.literals = append(out.literals, sub)
	return sub
}

// captureVars finds what the literal captures. It reports false if a frame could
// not hold it.
func (c *colourer) captureVars(sub *asyncFunc) bool {
	lit, outer := sub.lit.syntax, sub.outermost().root()
	// foreign: a type that is declared in the function outside the literal does
	// not exist for the frame.
	foreign := func(t types.Type) bool {
		return anyType(t, func(t types.Type) bool {
			obj := typeName(t)
			return obj != nil && obj.Pkg() != nil && obj.Parent() != obj.Pkg().Scope() && (obj.Pos() < lit.Pos() || obj.Pos() >= lit.End())
		})
	}
	ok := true
	seen := map[*types.Var]bool{}
	ast.Inspect(lit, func(n ast.Node) bool {
		if x, isExpr := n.(ast.Expr); isExpr {
			if t := c.info.TypeOf(x); t != nil && foreign(t) {
				ok = false
			}
		}
		id, isIdent := n.(*ast.Ident)
		if !isIdent {
			return ok
		}
		obj := c.info.Uses[id]
		if obj == nil || obj.Pos() < outer.Pos() || obj.Pos() >= outer.End() || obj.Pos() >= lit.Pos() && obj.Pos() < lit.End() {
			return ok
		}
		switch obj := obj.(type) {
		case *types.Const:
			ok = false // it is declared at the top of the other Step
		case *types.Var:
			if !obj.IsField() && !seen[obj] {
				seen[obj] = true
				ok = ok && nameable(obj.Type(), c.pkg) && !local(obj.Type())
				sub.lit.captured = append(sub.lit.captured, obj)
			}
		}
		return ok
	})
	slices.SortFunc(sub.lit.captured, func(a, b *types.Var) int { return int(a.Pos() - b.Pos()) })
	for i := range sub.lit.sig.Params().Len() {
		t := sub.lit.sig.Params().At(i).Type()
		ok = ok && nameable(t, c.pkg) && !local(t)
	}
	for i := range sub.lit.sig.Results().Len() {
		t := sub.lit.sig.Results().At(i).Type()
		ok = ok && nameable(t, c.pkg) && !local(t)
	}
	return ok
}

// holders returns the variables that the function itself declares with a literal as
// their value, and that never hold another.
func (c *colourer) holders(fn *asyncFunc) map[types.Object]*ast.FuncLit {
	out := map[types.Object]*ast.FuncLit{}
	add := func(id *ast.Ident, x ast.Expr) {
		lit, ok := ast.Unparen(x).(*ast.FuncLit)
		v, isVar := c.info.Defs[id].(*types.Var)
		if !ok || !isVar || v == nil {
			return
		}
		if use := fn.captures()[v]; use == nil || !use.assigned && !use.addressed {
			out[v] = lit
		}
	}
	ast.Inspect(fn.body(), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE && len(n.Lhs) == len(n.Rhs) {
				for i, x := range n.Rhs {
					add(n.Lhs[i].(*ast.Ident), x)
				}
			}
		case *ast.ValueSpec:
			if len(n.Names) == len(n.Values) {
				for i, x := range n.Values {
					add(n.Names[i], x)
				}
			}
		}
		return true
	})
	return out
}

// literalPlan returns the plan for a call of a literal.
func (c *colourer) literalPlan(fn *asyncFunc, call *ast.CallExpr, out *colours) *plan {
	lit := c.calledLiteral(call.Fun, out)
	if lit == nil {
		return nil
	}
	sub := c.literal(fn, lit, out)
	if sub == nil {
		return nil
	}
	return literalPlan(sub)
}

// calledLiteral returns the literal that fun is, or that the variable which fun is
// holds.
func (c *colourer) calledLiteral(fun ast.Expr, out *colours) *ast.FuncLit {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.FuncLit:
		return fun
	case *ast.Ident:
		return out.holders[c.info.Uses[fun]]
	}
	return nil
}

func literalPlan(sub *asyncFunc) *plan {
	return &plan{
		lit:     sub,
		frame:   sub,
		future:  sub.lit.frame,
		results: sub.lit.sig.Results(),
		init:    true,
		pointer: true,
		step:    !hasDefer(sub.body()) && sub.yield == nil,
		yields:  sub.yield != nil,
	}
}

// drop forgets a literal that could not be compiled.
func (out *colours) drop(sub *asyncFunc) {
	for n, p := range out.plans {
		if p.lit == sub {
			delete(out.plans, n)
		}
	}
	for n, p := range out.spawns {
		if p.lit == sub {
			delete(out.spawns, n)
		}
	}
	for lit, s := range out.lits {
		if s == sub {
			delete(out.lits, lit)
		}
	}
}

// literalArgs returns what the frame of a literal gets for its captured
// variables, in front of the arguments.
func (l *lowerer) literalArgs(sub *asyncFunc, args []ast.Expr) []ast.Expr {
	var out []ast.Expr
	for _, obj := range sub.lit.captured {
		v := l.fn.byObj[obj]
		switch {
		case !sub.lit.outer.isBoxed(obj):
			out = append(out, l.mention(obj))
		case v == nil:
			// A variable of a statement that stays as it is.
			out = append(out, &ast.UnaryExpr{Op: token.AND, X: l.mention(obj)})
		default:
			out = append(out, l.pointer(v))
		}
	}
	return append(out, args...)
}

// literalFuture are the statements that make the frame of a literal as a future
// with the given name.
func (l *lowerer) literalFuture(name string, sub *asyncFunc, c *ast.CallExpr) []ast.Stmt {
	return []ast.Stmt{
		define(name, &ast.UnaryExpr{Op: token.AND, X: &ast.CompositeLit{Type: l.spell.spell(sub.lit.frame)}}),
		exprStmt(&ast.CallExpr{Fun: sel(ast.NewIdent(name), "Init"), Args: l.literalArgs(sub, c.Args), Ellipsis: c.Ellipsis}),
	}
}

// runFrame makes the body of a literal run its frame (see all.go).
func (l *lowerer) runFrame(lit *ast.FuncLit, sub *asyncFunc) {
	c := &ast.CallExpr{}
	i := 0
	typ := *lit.Type
	params := &ast.FieldList{}
	if typ.Params != nil {
		for _, field := range typ.Params.List {
			f := &ast.Field{Type: field.Type}
			for range max(1, len(field.Names)) {
				name := "cogenP" + fmt.Sprint(i)
				i++
				f.Names = append(f.Names, ast.NewIdent(name))
				c.Args = append(c.Args, ast.NewIdent(name))
			}
			if _, ok := field.Type.(*ast.Ellipsis); ok {
				c.Ellipsis = lit.Pos()
			}
			params.List = append(params.List, f)
		}
	}
	typ.Params = params
	lit.Type = &typ
	const name = "cogenFuture"
	list := append(l.literalFuture(name, sub, c), exprStmt(call(qualified(rtPath, "Await"), ast.NewIdent(name))))
	if sub.lit.sig.Results().Len() > 0 {
		list = append(list, &ast.ReturnStmt{Results: []ast.Expr{call(sel(ast.NewIdent(name), "Result"))}})
	}
	lit.Body = &ast.BlockStmt{List: list}
}

// A cloner copies syntax with what is known of its types.
type cloner struct{ info *types.Info }

func (c *cloner) clone(n ast.Node) ast.Node {
	return c.value(reflect.ValueOf(n)).Interface().(ast.Node)
}

func (c *cloner) value(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type()).Elem()
		out.Set(c.value(v.Elem()))
		return out
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(c.value(v.Index(i)))
		}
		return out
	case reflect.Pointer:
		n, ok := v.Interface().(ast.Node)
		if v.IsNil() || !ok {
			return v
		}
		if _, ok := n.(*ast.CommentGroup); ok {
			return v
		}
		out := reflect.New(v.Type().Elem())
		for i := range v.Elem().NumField() {
			out.Elem().Field(i).Set(c.value(v.Elem().Field(i)))
		}
		c.copyInfo(n, out.Interface().(ast.Node))
		return out
	}
	return v
}

// copyInfo gives the copy of a node what is known of the original.
func (c *cloner) copyInfo(from, to ast.Node) {
	if x, ok := from.(ast.Expr); ok {
		if tv, ok := c.info.Types[x]; ok {
			c.info.Types[to.(ast.Expr)] = tv
		}
	}
	switch from := from.(type) {
	case *ast.Ident:
		id := to.(*ast.Ident)
		if obj, ok := c.info.Defs[from]; ok {
			c.info.Defs[id] = obj
		}
		if obj, ok := c.info.Uses[from]; ok {
			c.info.Uses[id] = obj
		}
		if inst, ok := c.info.Instances[from]; ok {
			c.info.Instances[id] = inst
		}
	case *ast.SelectorExpr:
		if s, ok := c.info.Selections[from]; ok {
			c.info.Selections[to.(*ast.SelectorExpr)] = s
		}
	}
	if obj, ok := c.info.Implicits[from]; ok {
		c.info.Implicits[to] = obj
	}
}
