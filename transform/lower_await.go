package transform

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// await lowers the operation x (a call, a receive, or a send statement): its
// operands, the start of the child, and the suspension. It returns the
// values of the results: one for each, or else one expression that reads them all
// and is valid until the next await. what is the operation as the user wrote it.
func (l *lowerer) await(x ast.Node, p *plan, what string) []ast.Expr {
	if p.direct() {
		return l.stepToTemps(x.(*ast.CallExpr), p, what)
	}
	a := &await{pos: x.Pos(), what: what, plan: p}
	var start ast.Expr
	name := "child"
	switch x := x.(type) {
	case *ast.CallExpr:
		l.callOperands(x, false)
		if id := calleeIdent(x.Fun); id != nil {
			name = id.Name
		}
		if p.kind == planAwait {
			name = "awaited"
			start = x.Args[0]
			break
		}
		if p.init && (!l.separate(p) || p.lit != nil) {
			if l.reaches(x, p) {
				recv, args := l.receiver(x, p)
				a.child = l.childOf(p, name)
				if recv != nil {
					args = append([]ast.Expr{recv}, args...)
				}
				if p.lit != nil {
					args = l.literalArgs(p.lit, args)
				}
				a.args = &ast.CallExpr{Args: args, Ellipsis: x.Ellipsis}
				if p.passes {
					l.passYield(a, l.fn.yield.obj.Type())
				}
				l.initChild(a)
				break
			}
		}
		start = l.companionCall(x, p)
	case *ast.UnaryExpr:
		x.X = l.expr(x.X, false)
		l.startChannel(a, p, "recv", x.X)
	case *ast.SendStmt:
		list := []ast.Expr{x.Chan, x.Value}
		l.exprs(list, false)
		l.startChannel(a, p, "send", list...)
	}
	if a.child == nil {
		typ := p.future
		if p.init && p.pointer {
			if l.separate(p) {
				typ = types.NewPointer(typ)
			} else {
				start = &ast.StarExpr{X: start}
			}
		}
		a.child = l.child(name, typ, p.frame != nil)
		l.plain(assign(l.slot(a.child), start))
	}
	l.suspend(a)
	if p.kind == planAwait {
		return []ast.Expr{l.field(a.child)}
	}
	return []ast.Expr{call(sel(l.field(a.child), "Result"))}
}

// initChild starts a call that is not started by Step.
func (l *lowerer) initChild(a *await) {
	l.plain(exprStmt(a.init(l.field(a.child))))
	if a.body != nil {
		l.emit(exprStmt(call(sel(l.field(a.child), "Begin"), a.body)))
	}
	a.args, a.body = nil, nil
}

// init is the call of Init for the child.
func (a *await) init(child ast.Expr) *ast.CallExpr {
	c := *a.args
	c.Fun = sel(child, "Init")
	if a.body != nil {
		c.Args = append(slices.Clip(c.Args), a.noYield)
	}
	return &c
}

// stepToTemps awaits a call with its results in temporaries.
func (l *lowerer) stepToTemps(c *ast.CallExpr, p *plan, what string) []ast.Expr {
	name, pos := tempName(c), c.Pos()
	targets := make([]*irVar, p.results.Len())
	values := make([]ast.Expr, len(targets))
	for i := range targets {
		obj := l.temp(name, p.results.At(i).Type(), pos)
		targets[i] = l.fn.byObj[obj]
		values[i] = l.mention(obj)
	}
	l.step(c, p, what, targets)
	return values
}

// step awaits a call of a generated frame, with its results in variables, nil
// for those that are not wanted.
//
//	n = await g(x)      if n, done = f.g.Step(cx, 0, x); !done { ... }
func (l *lowerer) step(c *ast.CallExpr, p *plan, what string, targets []*irVar) {
	if p.dynamic != nil {
		l.dynamic(c, p, what, targets)
		return
	}
	pos := c.Pos() // before lowering, which changes the callee
	// A function literal that captures variables needs a statement of its own,
	// and what comes before it, too.
	inLiteral := p.lit == nil && containsFuncLit(c.Fun) || slices.ContainsFunc(c.Args, containsFuncLit)
	l.callOperands(c, inLiteral)
	a := &await{pos: pos, what: what, plan: p, step: true, results: targets}
	name := "child"
	if id := calleeIdent(c.Fun); id != nil {
		name = id.Name
	}
	if p.kind == planYield {
		a.yield = l.fn.yield
		a.args = &ast.CallExpr{Args: l.keepLiterals(c.Args)}
		l.suspend(a)
		return
	}
	recv, args := l.receiver(c, p)
	args = l.keepLiterals(args)
	if recv != nil {
		if containsFuncLit(recv) {
			recv = l.keep(recv, "recv", p.receiver.Type())
		}
		args = append([]ast.Expr{recv}, args...)
	}
	if p.lit != nil {
		if calleeIdent(c.Fun) == nil {
			name = "lit"
		}
		args = l.literalArgs(p.lit, args)
	}
	a.child = l.childOf(p, name)
	a.args = &ast.CallExpr{Args: args, Ellipsis: c.Ellipsis}
	if p.passes {
		l.passYield(a, l.fn.yield.obj.Type())
	}
	l.suspend(a)
}

// keepLiterals evaluates the arguments that have function literals.
func (l *lowerer) keepLiterals(args []ast.Expr) []ast.Expr {
	for i, x := range args {
		if containsFuncLit(x) {
			args[i] = l.keep(x, "arg", l.info.TypeOf(x))
		}
	}
	return args
}

// suspend ends the block with a, and starts the one behind it.
func (l *lowerer) suspend(a *await) {
	a.next, a.within = l.fn.newBlock(""), l.fn.loop
	l.fn.awaits = append(l.fn.awaits, a)
	l.end(a)
	l.start(a.next)
}

// startChannel starts a channel operation.
func (l *lowerer) startChannel(a *await, p *plan, name string, args ...ast.Expr) {
	a.child = l.childOf(p, name)
	l.plain(exprStmt(call(sel(l.field(a.child), "Init"), args...)))
}

// child returns the slot for children of type t. Frames of this run are known
// by their stubs only, which have no fields.
func (l *lowerer) child(name string, t types.Type, frame bool) *child {
	for _, c := range l.fn.children {
		if c.dynamic == "" && types.Identical(c.typ, t) && !l.fn.loop.runs(c) {
			return c
		}
	}
	c := l.newChild(name, t)
	c.pointers = frame || mayHavePointers(t)
	return c
}

// childOf returns the slot for the frame of p, which is new for each call if it
// cannot be part of this frame.
func (l *lowerer) childOf(p *plan, name string) *child {
	if !l.separate(p) {
		return l.child(name, p.future, p.frame != nil)
	}
	c := l.child(name, types.NewPointer(p.future), p.frame != nil)
	l.plain(assign(l.slot(c), &ast.UnaryExpr{Op: token.AND, X: &ast.CompositeLit{Type: l.spell.spell(p.future)}}))
	return c
}

// separate reports whether the frame has only a pointer to children of p: they may
// contain the frame, or have a type that only the function can name.
func (l *lowerer) separate(p *plan) bool { return l.recurse[p] || p.local }

func (l *lowerer) newChild(name string, t types.Type) *child {
	r, n := utf8.DecodeRuneInString(name)
	name = string(unicode.ToLower(r)) + name[n:]
	c := &child{name: l.fn.fields.fresh(name, name+"Call"), typ: t}
	l.fn.children = append(l.fn.children, c)
	return c
}

// field mentions the child.
func (l *lowerer) field(c *child) ast.Expr { return l.fn.child(c, l.spell) }

// slot mentions the child's field of the frame, to assign to it.
func (l *lowerer) slot(c *child) ast.Expr { return sel(ast.NewIdent(l.fn.frameVar), c.name) }

// child mentions a child. If its type is one that only the function can name, the
// frame's field is a Future.
func (fn *irFunc) child(c *child, s *typeSpeller) ast.Expr {
	field := sel(ast.NewIdent(fn.frameVar), c.name)
	if !local(c.typ) {
		return field
	}
	return &ast.TypeAssertExpr{X: field, Type: s.spell(c.typ)}
}

// reaches reports whether the receiver of a call, if it has one, can be named here.
func (l *lowerer) reaches(c *ast.CallExpr, p *plan) bool {
	return p.receiver == nil || reaches(l.info.Selections[ast.Unparen(c.Fun).(*ast.SelectorExpr)], l.file.pkg.pkg.Types)
}

// receiver returns the receiver that the method of a call gets, nil for a
// function, and the arguments. The receiver must be one that can be named.
func (l *lowerer) receiver(c *ast.CallExpr, p *plan) (recv ast.Expr, args []ast.Expr) {
	if p.receiver == nil {
		return nil, c.Args
	}
	fun := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	s := l.info.Selections[fun]
	x, t, args := fun.X, s.Recv(), c.Args
	if s.Kind() == types.MethodExpr {
		x, args = c.Args[0], c.Args[1:]
	}
	for f := range embeddedFields(s) {
		x, t = sel(x, f.Name()), f.Type()
	}
	_, want := types.Unalias(p.receiver.Type()).(*types.Pointer)
	_, have := t.Underlying().(*types.Pointer)
	switch {
	case want && !have:
		return &ast.UnaryExpr{Op: token.AND, X: x}, args
	case have && !want:
		return &ast.StarExpr{X: x}, args
	}
	return x, args
}

// companionCall turns the call of a function into that of its companion.
func (l *lowerer) companionCall(c *ast.CallExpr, p *plan) *ast.CallExpr {
	if p.foreign || p.detached {
		args := c.Args
		if p.receiver != nil {
			var recv ast.Expr
			recv, args = l.receiver(c, p)
			args = append([]ast.Expr{recv}, args...)
		}
		fun := qualified(p.companion.Pkg().Path(), p.companion.Name())
		if p.detached {
			fun = l.spell.instance(ast.NewIdent(p.companion.Name()), p.targs)
		}
		return &ast.CallExpr{Fun: fun, Args: args, Ellipsis: c.Ellipsis}
	}
	id := calleeIdent(c.Fun)
	l.info.Uses[id] = p.companion
	id.Name = p.companion.Name()
	return c
}

// spawn returns the statement for `go f(x)` with an asynchronous f, or nil if that has
// to stay as it is.
func (l *lowerer) spawn(c *ast.CallExpr, p *plan) ast.Stmt {
	var list []ast.Stmt
	if t := l.spread(c); t != nil && (p.lit != nil || p.receiver != nil && (p.foreign || p.detached)) {
		// They will not be the only arguments.
		if p.lit == nil && hasCall(l.info, c.Fun) {
			return nil
		}
		s := &ast.AssignStmt{Tok: token.DEFINE, Rhs: c.Args}
		c.Args = nil
		for range t.Len() {
			name := l.fn.names.made("arg")
			s.Lhs = append(s.Lhs, ast.NewIdent(name))
			c.Args = append(c.Args, ast.NewIdent(name))
		}
		list = append(list, s)
	}
	var future ast.Expr
	if p.lit != nil {
		name := l.fn.names.made("future")
		list = append(list, l.literalFuture(name, p.lit, c)...)
		future = ast.NewIdent(name)
	} else if future = l.companionCall(c, p); !p.pointer {
		name := l.fn.names.made("future")
		list = append(list, define(name, future))
		future = &ast.UnaryExpr{Op: token.AND, X: ast.NewIdent(name)}
	}
	list = append(list, exprStmt(call(qualified(rtPath, "Go"), future)))
	if len(list) == 1 {
		return list[0]
	}
	return &ast.BlockStmt{List: list}
}

// source returns the source of n on one line.
func (l *lowerer) source(n ast.Node) string {
	file := l.prog.fset.File(n.Pos())
	if file == nil {
		return ""
	}
	from, to := file.Offset(n.Pos()), file.Offset(n.End())
	if to > len(l.file.src) {
		return ""
	}
	text := strings.Join(strings.Fields(string(l.file.src[from:to])), " ")
	const limit = 60
	if len(text) > limit {
		cut := limit
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "..."
	}
	return text
}

// mayHavePointers reports whether a value of type t can keep memory alive.
func mayHavePointers(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&types.IsString != 0 || t.Kind() == types.UnsafePointer
	case *types.Array:
		return t.Len() > 0 && mayHavePointers(t.Elem())
	case *types.Struct:
		for i := range t.NumFields() {
			if mayHavePointers(t.Field(i).Type()) {
				return true
			}
		}
		return false
	}
	return true
}
