package transform

// Defer statements.
//
// A frame keeps its deferred calls in a list (rt.Defers). What a defer
// statement evaluates, the function value, the receiver and the arguments, is
// evaluated when it runs, into variables that the entry captures:
//
//	defer c.done(n)       {
//	                          recv, n1 := c, n
//	                          f.defers.Push(func(raise func()) {
//	                              defer recv.done(n1)
//	                              raise()
//	                          })
//	                      }
//
// The entry makes the call by deferring it, so that recover in the callee is
// what it is in Go: raise panics again with the value of the pending panic, and
// does nothing if there is none. For a callee with a companion a second
// function starts the call as a future, which the frame awaits when it returns.
// While it panics, the plain form is called, which is always right.

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

func (l *lowerer) deferStmt(s *ast.DeferStmt) {
	l.callOperands(s.Call, false)
	l.plain(s)
}

// push returns the statements that put a deferred call on the frame's list.
func (l *lowerer) push(s *ast.DeferStmt) []ast.Stmt {
	d := &deferral{l: l}
	c := s.Call
	d.sig, _ = coreType(l.info.TypeOf(c.Fun)).(*types.Signature)
	p := l.col.spawns[c]
	if p == nil || !d.receiver(c, p) {
		p = nil
		d.callee(c)
	}
	d.arguments(c)

	raise := l.fn.names.made("raise")
	plain := &ast.FuncLit{
		Type: &ast.FuncType{Params: &ast.FieldList{List: []*ast.Field{{
			Names: []*ast.Ident{ast.NewIdent(raise)},
			Type:  &ast.FuncType{Params: &ast.FieldList{}},
		}}}},
		Body: &ast.BlockStmt{List: []ast.Stmt{
			&ast.DeferStmt{Call: c},
			exprStmt(call(ast.NewIdent(raise))),
		}},
	}
	delete(l.fn.names.taken, raise)
	list := sel(ast.NewIdent(l.fn.frameVar), "defers")
	var push ast.Stmt
	if p == nil {
		push = exprStmt(call(sel(list, "Push"), plain))
	} else {
		push = exprStmt(call(sel(list, "PushAsync"), plain, d.start(c, p)))
	}
	if len(d.lhs) == 0 {
		return []ast.Stmt{push}
	}
	return []ast.Stmt{&ast.BlockStmt{List: []ast.Stmt{
		&ast.AssignStmt{Lhs: d.lhs, Tok: token.DEFINE, Rhs: d.rhs},
		push,
	}}}
}

// A deferral collects what a defer statement evaluates at once.
type deferral struct {
	l        *lowerer
	sig      *types.Signature // of the call; nil if that cannot be told
	lhs, rhs []ast.Expr
}

// keep evaluates x at the defer statement and returns its name.
func (d *deferral) keep(name string, x ast.Expr) ast.Expr {
	id := d.l.fn.names.made(name)
	d.lhs = append(d.lhs, ast.NewIdent(id))
	d.rhs = append(d.rhs, x)
	return ast.NewIdent(id)
}

// receiver replaces the receiver of a call that can be awaited, so that both
// forms of the call get the same one. It reports false if the call has to be made
// in its plain form: an interface's method may not exist.
func (d *deferral) receiver(c *ast.CallExpr, p *plan) bool {
	if p.receiver == nil {
		return true
	}
	fun := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if types.IsInterface(p.receiver.Type()) || d.l.info.Selections[fun].Kind() == types.MethodExpr {
		return false
	}
	if !d.l.reaches(c, p) {
		return false
	}
	recv, _ := d.l.receiver(c, p)
	fun.X = d.keep("recv", recv)
	return true
}

// callee replaces what has to be evaluated of the function in c.
func (d *deferral) callee(c *ast.CallExpr) {
	info := d.l.info
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.FuncLit:
	case *ast.Ident:
		switch info.Uses[fun].(type) {
		case *types.Func, *types.Builtin, *types.TypeName:
		default:
			c.Fun = d.keep("fn", c.Fun)
		}
	case *ast.IndexExpr, *ast.IndexListExpr:
		if id := calleeIdent(fun); id == nil || info.Instances[id].TypeArgs == nil {
			c.Fun = d.keep("fn", c.Fun)
		}
	case *ast.SelectorExpr:
		s := info.Selections[fun]
		switch {
		case s == nil:
			if _, ok := info.Uses[fun.Sel].(*types.Func); !ok {
				c.Fun = d.keep("fn", c.Fun)
			}
		case s.Kind() == types.MethodExpr:
		case s.Kind() == types.MethodVal && len(s.Index()) == 1 && !types.IsInterface(s.Recv()) && sameReceiver(s):
			fun.X = d.keep("recv", fun.X)
		default:
			// The method value evaluates the receiver, faults included.
			c.Fun = d.keep("fn", c.Fun)
		}
	default:
		c.Fun = d.keep("fn", c.Fun)
	}
}

// sameReceiver reports whether the operand is passed as the receiver as it is.
func sameReceiver(s *types.Selection) bool {
	_, isTypeParam := types.Unalias(s.Recv()).(*types.TypeParam)
	return !isTypeParam && types.Identical(s.Obj().(*types.Func).Signature().Recv().Type(), s.Recv())
}

// arguments replaces what has to be evaluated of the arguments of c.
func (d *deferral) arguments(c *ast.CallExpr) {
	l := d.l
	if len(c.Args) == 1 {
		if t, ok := l.info.TypeOf(c.Args[0]).(*types.Tuple); ok {
			x := c.Args[0]
			c.Args = nil
			for range t.Len() {
				id := l.fn.names.made("arg")
				d.lhs = append(d.lhs, ast.NewIdent(id))
				c.Args = append(c.Args, ast.NewIdent(id))
			}
			// A receiver or function value kept before is a pair of its own.
			if len(d.rhs) > 0 {
				l.refuse(codeUnsupported, c.Lparen, "a deferred call of a function value or method with the results of another call; assign the results to variables first")
			}
			d.rhs = append(d.rhs, x)
			return
		}
	}
	mayOrder := l.mayOrder(c.Args)
	for i, x := range c.Args {
		tv := l.info.Types[x]
		if tv.Value != nil || tv.IsType() || tv.IsNil() {
			continue
		}
		switch y := ast.Unparen(x).(type) {
		case *ast.BinaryExpr, *ast.UnaryExpr:
			// What was untyped has the type that the parameter gave it.
			if b, ok := tv.Type.(*types.Basic); !ok || b.Kind() != types.Bool && b.Kind() != types.UntypedBool {
				if !types.IsInterface(tv.Type) && nameable(tv.Type, l.file.pkg.pkg.Types) && isUntypedOperation(y) {
					x = call(&ast.ParenExpr{X: l.spell.spell(tv.Type)}, x)
				}
			}
		}
		name := "arg"
		if id, ok := x.(*ast.Ident); ok && id.Name != "_" {
			name = id.Name
		}
		if t := d.paramType(i, c.Ellipsis.IsValid()); t != nil && mayOrder && l.converts(t, l.info.TypeOf(x)) {
			// gc converts early, and with that evaluates x.
			x = call(&ast.ParenExpr{X: l.spell.spell(t)}, x)
		}
		c.Args[i] = d.keep(name, x)
	}
}

// mayOrder reports whether it can make a difference in which order the expressions are
// evaluated: some do more than to mention variables.
func (l *lowerer) mayOrder(list []ast.Expr) bool {
	return len(list) > 1 && slices.ContainsFunc(list, func(x ast.Expr) bool {
		tv := l.info.Types[x]
		switch ast.Unparen(x).(type) {
		case *ast.Ident, *ast.FuncLit:
			return false
		}
		return tv.Value == nil && !tv.IsType() && !tv.IsNil()
	})
}

// paramType is the type that argument i has as a parameter, nil if that cannot be told.
// spread says that the last argument is a slice with those for a variadic parameter.
func (d *deferral) paramType(i int, spread bool) types.Type {
	if d.sig == nil {
		return nil
	}
	params := d.sig.Params()
	if n := params.Len() - 1; d.sig.Variadic() && i >= n {
		if s, ok := params.At(n).Type().(*types.Slice); ok && !spread {
			return s.Elem()
		}
		return params.At(n).Type()
	}
	if i < params.Len() {
		return params.At(i).Type()
	}
	return nil
}

// converts reports whether passing a value of type from as a parameter of type to makes
// an interface of it, and one that can be named here.
func (l *lowerer) converts(to, from types.Type) bool {
	isInterface := func(t types.Type) bool { return types.IsInterface(t) && !isTypeParam(t) }
	return from != nil && isInterface(to) && !isInterface(from) && nameable(to, l.file.pkg.pkg.Types)
}

// isUntypedOperation reports whether x may be untyped although it is not
// constant: a comparison or a shift.
func isUntypedOperation(x ast.Expr) bool {
	b, ok := x.(*ast.BinaryExpr)
	if !ok {
		return false
	}
	switch b.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ, token.SHL, token.SHR, token.LAND, token.LOR:
		return true
	}
	return false
}

// start is the function that starts the deferred call as a future.
func (d *deferral) start(c *ast.CallExpr, p *plan) ast.Expr {
	// c has been used for the plain call: this one is another call.
	c = cloneCall(d.l.info, c)
	name := d.l.fn.names.made("future")
	defer delete(d.l.fn.names.taken, name)
	var body []ast.Stmt
	if p.lit != nil {
		body = append(d.l.literalFuture(name, p.lit, c), &ast.ReturnStmt{Results: []ast.Expr{ast.NewIdent(name)}})
	} else if future := d.l.companionCall(c, p); p.pointer {
		body = []ast.Stmt{&ast.ReturnStmt{Results: []ast.Expr{future}}}
	} else {
		body = []ast.Stmt{
			define(name, future),
			&ast.ReturnStmt{Results: []ast.Expr{&ast.UnaryExpr{Op: token.AND, X: ast.NewIdent(name)}}},
		}
	}
	return &ast.FuncLit{
		Type: &ast.FuncType{
			Params:  &ast.FieldList{},
			Results: &ast.FieldList{List: []*ast.Field{{Type: qualified(rtPath, "Future")}}},
		},
		Body: &ast.BlockStmt{List: body},
	}
}

// cloneCall copies a call whose callee and arguments have been evaluated: names
// and constants, as far as they differ between the two calls.
func cloneCall(info *types.Info, c *ast.CallExpr) *ast.CallExpr {
	d := *c
	d.Fun = cloneCallee(info, ast.Unparen(c.Fun))
	d.Args = append([]ast.Expr(nil), c.Args...)
	return &d
}

func cloneCallee(info *types.Info, fun ast.Expr) ast.Expr {
	switch fun := fun.(type) {
	case *ast.Ident:
		id := *fun
		info.Uses[&id] = info.Uses[fun]
		return &id
	case *ast.SelectorExpr:
		s := *fun
		s.Sel = cloneCallee(info, fun.Sel).(*ast.Ident)
		if info.Selections[fun] != nil {
			info.Selections[&s] = info.Selections[fun]
		}
		return &s
	case *ast.IndexExpr:
		x := *fun
		x.X = cloneCallee(info, fun.X)
		return &x
	case *ast.IndexListExpr:
		x := *fun
		x.X = cloneCallee(info, fun.X)
		return &x
	}
	return fun
}
