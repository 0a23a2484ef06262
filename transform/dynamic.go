package transform

// Calls through interfaces.
//
// A method with a frame has, next to its companion, a dynamic companion, which
// has the same type for every receiver:
//
//	func (c *Conn) ReadDynamic(self any, spare rt.Call2[int, error], b []byte) rt.Call2[int, error]
//
// A frame that calls Read through an interface asks at run time whether the value
// in it has that method, and otherwise makes the plain call:
//
//	n, err := r.Read(b)     if d, ok := r.(interface{ ReadDynamic(...) ... }); ok && !rt.NilReceiver(r) {
//	                            f.read = d.ReadDynamic(r, f.read, b)
//	                        } else {
//	                            f.read = nil
//	                        }
//	                        if f.read == nil {
//	                            n, err = r.Read(b)
//	                        } else {
//	                            await f.read
//	                            n, err = f.read.Result()
//	                        }
//
// A dynamic companion returns nil if self, the value in the interface, is not its
// own receiver but a type that embeds it: that may have overridden Read. Spare is
// the call that the frame made here before, whose memory it may use again.
//
// The question costs some nanoseconds, so it is asked only where the answer
// may be yes:
//
//  1. the method of the interface is marked //cogen:async where the interface
//     is declared; or
//  2. a type of this package, or of one that it imports, directly or not, has a
//     dynamic companion for a method of this name and signature.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/dave/jennifer/jen"
)

// maxDynamicResults is the number of results up to which package rt has a type
// for the calls that dynamic companions return.
const maxDynamicResults = 4

// dynamicMethods are the methods with a dynamic companion, by name.
type dynamicMethods map[string][]*types.Func

// findDynamic returns the methods with a dynamic companion of pkg and of all that
// it imports.
func findDynamic(pkgs ...*types.Package) dynamicMethods {
	out := dynamicMethods{}
	seen := map[*types.Package]bool{}
	var visit func(*types.Package)
	visit = func(pkg *types.Package) {
		if seen[pkg] {
			return
		}
		seen[pkg] = true
		usesRT := pkg.Path() == rtPath
		for _, imp := range pkg.Imports() {
			usesRT = usesRT || imp.Path() == rtPath
			visit(imp)
		}
		if !usesRT {
			return // it has no name for what a dynamic companion returns
		}
		for _, name := range pkg.Scope().Names() {
			obj, ok := pkg.Scope().Lookup(name).(*types.TypeName)
			if !ok || obj.IsAlias() {
				continue
			}
			if named, ok := obj.Type().(*types.Named); ok {
				out.add(named)
			}
		}
	}
	for _, pkg := range pkgs {
		visit(pkg)
	}
	return out
}

func (d dynamicMethods) add(named *types.Named) {
	methods := map[string]*types.Func{}
	for m := range named.Methods() {
		methods[m.Name()] = m
	}
	for name, m := range methods {
		if methods[dynamicName(name)] != nil {
			d[name] = append(d[name], m)
		}
	}
}

// has reports whether a call of the method fn of an interface, with the given
// signature, may meet a dynamic companion.
func (d dynamicMethods) has(fn *types.Func, sig *types.Signature) bool {
	for _, m := range d[fn.Name()] {
		if !fn.Exported() && m.Pkg() != fn.Pkg() {
			continue
		}
		own := m.Signature()
		if own.RecvTypeParams().Len() > 0 {
			// What it is in an instance is not known.
			if own.Params().Len() == sig.Params().Len() && own.Results().Len() == sig.Results().Len() {
				return true
			}
			continue
		}
		if types.Identical(own, sig) {
			return true
		}
	}
	return false
}

// dynamicCall returns the plan for a call of the method fn through an interface of
// type recv, or nil if it stays plain.
func (c *colourer) dynamicCall(fn *types.Func, recv types.Type, sig *types.Signature) *plan {
	if c.prog.opts.All || !types.IsInterface(recv) || isTypeParam(recv) || fn.Pkg() == nil {
		return nil
	}
	if !c.prog.marksInterface[fn.Origin()] && !c.dynamic.has(fn, sig) {
		return nil
	}
	for _, t := range []types.Type{recv, sig.Params(), sig.Results()} {
		if !nameable(t, c.pkg) || local(t) {
			return nil
		}
	}
	future := dynamicType(c.prog, sig.Results())
	if future == nil {
		return nil
	}
	list := []*types.Var{
		types.NewParam(token.NoPos, nil, "self", types.Universe.Lookup("any").Type()),
		types.NewParam(token.NoPos, nil, "spare", future),
	}
	for p := range sig.Params().Variables() {
		list = append(list, types.NewParam(token.NoPos, nil, "_", p.Type()))
	}
	result := types.NewTuple(types.NewParam(token.NoPos, nil, "", future))
	companion := types.NewSignatureType(nil, nil, nil, types.NewTuple(list...), result, sig.Variadic())
	method := types.NewFunc(token.NoPos, fn.Pkg(), dynamicName(fn.Name()), companion)
	return &plan{
		dynamic:  types.NewInterfaceType([]*types.Func{method}, nil).Complete(),
		future:   future,
		results:  sig.Results(),
		receiver: fn.Signature().Recv(),
		operand:  recv,
	}
}

// dynamicType returns the type of the calls that dynamic companions with these
// results return, nil if there is none.
func dynamicType(prog *program, results *types.Tuple) types.Type {
	if results.Len() > maxDynamicResults || prog.rt == nil {
		return nil
	}
	obj, ok := prog.rt.Scope().Lookup("Call" + strconv.Itoa(results.Len())).(*types.TypeName)
	if !ok {
		return nil
	}
	var targs []types.Type
	for v := range results.Variables() {
		targs = append(targs, v.Type())
	}
	if len(targs) == 0 {
		return obj.Type()
	}
	t, err := types.Instantiate(nil, obj.Type(), targs, false)
	if err != nil {
		return nil
	}
	return t
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// dynamic awaits a call through an interface, with its results in variables, nil
// for those that are not wanted.
func (l *lowerer) dynamic(c *ast.CallExpr, p *plan, what string, targets []*irVar) {
	name, pos := calleeIdent(c.Fun).Name, c.Pos()
	l.callOperands(c, true)
	to := l.paramTypes(c)
	for i, x := range c.Args {
		// They are written down twice.
		if _, isName := x.(*ast.Ident); !isName && l.info.Types[x].Value == nil {
			c.Args[i] = l.keep(x, "arg", to(i))
		}
	}
	recv, args := l.receiver(c, p)
	recv = l.keep(recv, "recv", p.operand)

	a := &await{pos: pos, what: what, plan: p}
	a.child = l.dynamicChild(name, p.future)
	child := func() ast.Expr { return l.field(a.child) }
	has, isOK := l.fn.names.made("dynamic"), l.fn.names.made("ok")
	companion := &ast.CallExpr{
		Fun:      sel(ast.NewIdent(has), dynamicName(name)),
		Args:     append([]ast.Expr{recv, child()}, args...),
		Ellipsis: c.Ellipsis,
	}
	l.plain(&ast.IfStmt{
		Init: &ast.AssignStmt{
			Lhs: []ast.Expr{ast.NewIdent(has), ast.NewIdent(isOK)},
			Tok: token.DEFINE,
			Rhs: []ast.Expr{&ast.TypeAssertExpr{X: l.again(recv), Type: l.spell.spell(p.dynamic)}},
		},
		Cond: &ast.BinaryExpr{
			X:  ast.NewIdent(isOK),
			Op: token.LAND,
			Y:  &ast.UnaryExpr{Op: token.NOT, X: call(qualified(rtPath, "NilReceiver"), l.again(recv))},
		},
		Body: &ast.BlockStmt{List: []ast.Stmt{assign(child(), companion)}},
		Else: &ast.BlockStmt{List: []ast.Stmt{assign(child(), l.spell.nilOf(p.future))}},
	})
	delete(l.fn.names.taken, has)
	delete(l.fn.names.taken, isOK)

	take := func(x ast.Expr) ast.Stmt {
		if len(targets) == 0 {
			return exprStmt(x)
		}
		lhs := make([]ast.Expr, len(targets))
		for i, v := range targets {
			lhs[i] = ast.NewIdent("_")
			if v != nil {
				lhs[i] = l.mention(v.obj)
			}
		}
		return &ast.AssignStmt{Lhs: lhs, Tok: token.ASSIGN, Rhs: []ast.Expr{x}}
	}
	for i, x := range args {
		args[i] = l.again(x)
	}
	plain, async, joined := l.fn.newBlock("plain"), l.fn.newBlock("async"), l.fn.newBlock("joined")
	l.end(&branch{&ast.BinaryExpr{X: child(), Op: token.EQL, Y: l.spell.nilOf(p.future)}, plain, async})
	l.start(plain)
	l.plain(take(&ast.CallExpr{Fun: sel(l.again(recv), name), Args: args, Ellipsis: c.Ellipsis}))
	l.jump(joined)
	l.start(async)
	l.suspend(a)
	l.plain(take(call(sel(child(), "Result"))))
	l.jump(joined)
	l.start(joined)
}

// again returns a copy of an expression that is evaluated on two ways.
func (l *lowerer) again(x ast.Expr) ast.Expr {
	return (&cloner{info: l.info}).clone(x).(ast.Expr)
}

// dynamicChild returns the slot for calls of an interface's method. It is not
// shared with other methods, so that a call finds the spare memory of one like it.
func (l *lowerer) dynamicChild(name string, t types.Type) *child {
	for _, c := range l.fn.children {
		if c.dynamic == name && types.Identical(c.typ, t) {
			return c
		}
	}
	c := l.newChild(name, t)
	c.dynamic = name
	return c
}

// dynamic writes the dynamic companion of a method.
func (e *emitter) dynamic(f *jen.File) {
	fn := e.fn
	call := dynamicType(e.prog, fn.sig.Results())
	if call == nil {
		return
	}
	formals := e.formals()
	names := newNameSet()
	names.reserve(e.fn.frameVar)
	for _, p := range formals {
		names.reserve(p.name)
	}
	self, spare, ok := names.fresh("self"), names.fresh("spare"), names.fresh("ok")
	recv := formals[0]
	params := []jen.Code{jen.Id(self).Add(e.predeclared("any")), jen.Id(spare).Add(e.typ(call))}
	args := []jen.Code{jen.Id(recv.name)}
	for _, p := range formals[1:] {
		params = append(params, jen.Id(p.name).Add(p.typ))
		arg := jen.Id(p.name)
		if p.variadic {
			arg.Op("...")
		}
		args = append(args, arg)
	}
	name := dynamicName(fn.async.obj.Name())
	is := func(dst, src string, t jen.Code) *jen.Statement {
		return jen.List(jen.Id(dst), jen.Id(ok)).Op(":=").Id(src).Assert(t)
	}
	f.Line()
	f.Comment(fmt.Sprintf("// %s is %s for calls through an interface that holds %s, in the memory of", name, fn.async.asyncName, self))
	f.Comment(fmt.Sprintf("// %s if that fits. It returns nil if another type's %s is to be called.", spare, fn.async.obj.Name()))
	f.Func().Params(jen.Id(recv.name).Add(recv.typ)).Id(name).Params(params...).Add(e.typ(call)).Block(
		jen.If(is("_", self, recv.typ), jen.Op("!").Id(ok)).Block(jen.Return(e.code(e.spell.nilOf(call)))),
		is(fn.frameVar, spare, e.pointer()),
		jen.If(jen.Op("!").Id(ok)).Block(e.self().Op("=").Op("&").Add(e.frameType()).Values()),
		e.self().Dot("Init").Call(args...),
		jen.Return(e.self()),
	)
}
