package transform

// Pass colour: which calls of a marked function are await points.
//
// Input: the type-checked body of a marked function. Output: a plan for every
// await point, and the set of syntax nodes that contain one. A call without a
// plan stays a plain call, which is always correct.
//
// A call is an await point when
//
//  1. the callee F has a companion: FAsync, declared in the same scope or on the
//     same type, with F's parameters, and with one result that is a future
//     whose Result method returns what F returns; or
//  2. it is rt.Await; or
//  3. another package declares a companion for it, as package rt does for
//     blocking calls of the standard library (foreign.go); or
//  4. it goes through an interface, and the value in it may have a dynamic
//     companion (dynamic.go); or
//  5. it is a receive from or a send to a channel, a range over one included;
//     or a select without a default; or
//  6. it is a range over a function whose frame can run the loop's body; or a call of
//     the yield function in such a frame (see yield.go).
//
// Functions that the run is about to generate have companions by then: the
// load pass declared them in stubs. So rule 1 knows no difference between this
// package, another package of the run, generated code of a dependency, and a
// hand-written leaf.
//
// What is inside a function literal or the body of another range over a function
// belongs to another function, and is not an await point of this one. A literal
// that is called, deferred, started with go, or an iterator, is coloured on its own
// (literal.go).

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/types/typeutil"
)

// planKind says how the child of an await point is made.
type planKind uint8

const (
	planCompanion planKind = iota
	planAwait              // rt.Await(future)
	planYield              // a call of the yield function
	planIterator           // a range over the function that a call returns
)

// A plan says how an operation becomes an await.
type plan struct {
	kind planKind
	// future is the type of the child's field in the frame.
	future types.Type
	// init: the child is a struct in the frame, and its Init method starts it.
	init bool
	// step: the child is a frame that its Step method starts, which takes the
	// arguments and returns the results directly.
	step bool
	// yields: the frame calls its last argument as a yield function. passes: this call
	// passes on the yield function of the function that it is in, or a loop's body.
	yields, passes bool
	// iterates: the frame keeps the iterator that the call returns.
	iterates bool
	// results are those of the operation.
	results *types.Tuple
	// pointer: the companion returns a pointer or an interface.
	pointer bool
	// local: the future's type mentions one that is declared in the function.
	local bool
	// channel: the operation is a receive, a send, or a select.
	channel bool
	// companion is the function or method that makes the child.
	companion *types.Func
	// receiver is the receiver type of a method that is awaited.
	receiver *types.Var
	// foreign: companion is a function of another package, which takes the
	// receiver as its first parameter.
	foreign bool
	// detached: companion takes the receiver as its first parameter, and targs
	// are its type arguments.
	detached bool
	targs    []types.Type
	// dynamic is the interface of the values whose method can be awaited; operand
	// is the type of the interface that it is called through.
	dynamic types.Type
	operand types.Type
	// lit is the literal that is called.
	lit *asyncFunc
	// frame is the marked function that the child is the frame of, if it is
	// one of this run.
	frame *asyncFunc
}

// direct reports whether the results of the operation can go straight to variables.
func (p *plan) direct() bool { return p.step || p.dynamic != nil }

// colours is what the pass knows of one marked function.
type colours struct {
	plans map[ast.Node]*plan // by *ast.CallExpr, *ast.UnaryExpr, *ast.SendStmt, *ast.RangeStmt, *ast.SelectStmt
	// spawns are the companions of calls in go and defer statements.
	spawns map[*ast.CallExpr]*plan
	// lits has the literals with frames, and literals them in order.
	lits     map[*ast.FuncLit]*asyncFunc
	holders  map[types.Object]*ast.FuncLit // variables that hold a literal
	literals []*asyncFunc
	// within has every node that contains an await point, or is one.
	within map[ast.Node]bool
	by     *colourer
}

// A colourer colours the marked functions of one package.
type colourer struct {
	prog   *program
	info   *types.Info
	pkg    *types.Package
	frames map[*types.TypeName]*asyncFunc
	// dynamic are the methods with a dynamic companion that the package knows.
	dynamic dynamicMethods
	foreign foreignCompanions
}

// colour returns the colours of fn.
func (c *colourer) colour(fn *asyncFunc) *colours {
	out := &colours{
		plans:  map[ast.Node]*plan{},
		spawns: map[*ast.CallExpr]*plan{},
		within: map[ast.Node]bool{},
		lits:   map[*ast.FuncLit]*asyncFunc{},
		by:     c,
	}
	out.holders = c.holders(fn)
	var stack []ast.Node
	mark := func() {
		for i := len(stack) - 1; i >= 0 && !out.within[stack[i]]; i-- {
			out.within[stack[i]] = true
		}
	}
	spawned := map[*ast.CallExpr]bool{}
	comms := map[ast.Node]bool{} // the channel operations of select statements
	ast.Inspect(fn.body(), func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		var p *plan
		switch n := n.(type) {
		case *ast.FuncLit:
			if c.prog.opts.All && !callsRecover(n.Body) {
				c.literal(fn, n, out)
			}
			stack = stack[:len(stack)-1]
			return false
		case *ast.ReturnStmt:
			if fn.iterates {
				if lit := returnedLiteral(c.info, n.Results[0]); lit != nil {
					c.literal(fn, lit, out)
				}
			}
		case *ast.GenDecl:
			if n.Tok == token.CONST {
				// What has a constant size is not run.
				stack = stack[:len(stack)-1]
				return false
			}
		case *ast.SelectStmt:
			blocks := true
			for _, s := range n.Body.List {
				comm := s.(*ast.CommClause).Comm
				blocks = blocks && comm != nil
				comms[commOperation(comm)] = true
			}
			if blocks {
				p = &plan{channel: true, init: true, future: c.prog.rt.Scope().Lookup("SelectFuture").Type()}
			}
		case *ast.GoStmt:
			spawned[n.Call] = true
		case *ast.DeferStmt:
			spawned[n.Call] = true
		case *ast.CallExpr:
			if c.info.Types[n].Value != nil {
				stack = stack[:len(stack)-1]
				return false // as in unsafe.Sizeof(f())
			}
			if p = c.literalPlan(fn, n, out); p == nil {
				p = c.callIn(fn, n)
			}
			if spawned[n] {
				if p != nil && p.kind == planCompanion && !p.foreign && p.dynamic == nil {
					out.spawns[n] = p
				}
				p = nil
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW && !comms[n] {
				p = c.channel("RecvAsync", n.X)
			}
		case *ast.SendStmt:
			if !comms[n] {
				p = c.channel("SendAsync", n.Chan)
			}
		case *ast.RangeStmt:
			switch coreType(c.info.TypeOf(n.X)).(type) {
			case *types.Chan:
				p = c.channel("RecvAsync", n.X)
			case *types.Signature:
				if p = c.rangeFunc(fn, n, out); p != nil {
					break
				}
				// The body is the iterator's yield function: only what is
				// evaluated before the loop is ours.
				ast.Inspect(n.X, func(x ast.Node) bool {
					if call, ok := x.(*ast.CallExpr); ok {
						if p := c.callIn(fn, call); p != nil {
							out.plans[call] = p
							mark()
						}
					}
					return !isFuncLit(x)
				})
				if out.within[n] {
					c.markWithin(out, n.X)
				}
				stack = stack[:len(stack)-1]
				return false
			}
		}
		if p != nil {
			out.plans[n] = p
			mark()
		}
		if _, ok := n.(ast.Stmt); ok && c.prog.opts.stressStatements() {
			mark()
		}
		return true
	})
	return out
}

func isFuncLit(n ast.Node) bool {
	_, ok := n.(*ast.FuncLit)
	return ok
}

// markWithin adds to out.within the nodes below root that contain a planned one.
func (c *colourer) markWithin(out *colours, root ast.Node) {
	var stack []ast.Node
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		if out.plans[n] != nil {
			for _, s := range stack {
				out.within[s] = true
			}
		}
		return true
	})
}

// callIn returns the plan for a call in fn, or nil if it stays plain.
func (c *colourer) callIn(fn *asyncFunc, call *ast.CallExpr) *plan {
	if id, ok := call.Fun.(*ast.Ident); ok && fn.yield != nil && c.info.Uses[id] == fn.yield {
		return &plan{kind: planYield, step: true, results: types.Unalias(fn.yield.Type()).(*types.Signature).Results()}
	}
	p := c.call(call)
	if p == nil || !p.yields {
		return p
	}
	if n := len(call.Args); n > 0 && fn.yield != nil {
		id, ok := call.Args[n-1].(*ast.Ident)
		p.passes = ok && c.info.Uses[id] == fn.yield
	}
	p.step = p.step && p.passes
	return p
}

// rangeFunc returns the plan for a range over a function, or nil if the loop stays as
// it is.
func (c *colourer) rangeFunc(fn *asyncFunc, s *ast.RangeStmt, out *colours) *plan {
	shape, ok := iteratedShape(c.info.TypeOf(s.X))
	if !ok || c.prog.rangefunc == nil || !shape.usable(c.pkg) {
		return nil
	}
	if lit := c.calledLiteral(s.X, out); lit != nil {
		sub := c.literal(fn, lit, out)
		if sub == nil || sub.yield == nil {
			return nil
		}
		p := literalPlan(sub)
		p.step, p.passes = !hasDefer(sub.body()), true
		return p
	}
	switch x := ast.Unparen(s.X).(type) {
	case *ast.CallExpr:
		p := c.call(x)
		if p != nil && p.iterates {
			return &plan{kind: planIterator, future: shape.iterator(c.prog)}
		}
		c.keptYield(s, p)
		return nil
	default:
		p := c.call(&ast.CallExpr{Fun: s.X})
		c.keptYield(s, p)
		if p == nil || !p.init || !p.yields || p.foreign || p.dynamic != nil {
			return nil
		}
		if p.receiver != nil && !reaches(c.selection(&ast.CallExpr{Fun: s.X}), c.pkg) {
			return nil
		}
		p.passes = true
		return p
	}
}

// keptYield reports a loop over a marked iterator, or over what a marked function
// returns, that has to stay plain; p is the plan of the call.
func (c *colourer) keptYield(s *ast.RangeStmt, p *plan) {
	if p == nil || p.frame == nil || p.frame.keptYield == nil || c.prog.opts.All {
		return
	}
	d := c.prog.diags.report(codeKeptYield, s.X.Pos(), "this loop stays plain, since %s does something with its yield function that its frame cannot follow", p.frame.name)
	c.prog.diags.relate(d, p.frame.keptYield.Pos(), "the yield function is used here")
}

// iterates reports whether the frame of a call keeps the iterator that it returns.
func (c *colourer) iterates(p *plan) bool {
	if p.frame != nil {
		return p.frame.iterates
	}
	return c.frameMethod(p, "Iterator") != nil
}

// frameMethod returns a method of a future that is generated, but not in this run.
func (c *colourer) frameMethod(p *plan, name string) *types.Func {
	obj, _, _ := types.LookupFieldOrMethod(p.future, true, c.pkg, name)
	m, _ := obj.(*types.Func)
	return m
}

// takesBody reports whether the frame has a yield parameter.
func (c *colourer) takesBody(p *plan) bool {
	if p.frame != nil {
		return p.frame.yield != nil
	}
	m := c.frameMethod(p, "Begin")
	if m == nil || c.prog.rangefunc == nil || m.Signature().Params().Len() != 1 {
		return false
	}
	named, ok := types.Unalias(m.Signature().Params().At(0).Type()).(*types.Named)
	return ok && named.Origin().Obj() == c.prog.rangefunc.Scope().Lookup("Body")
}

// call returns the plan for a call, or nil if it stays plain.
func (c *colourer) call(call *ast.CallExpr) *plan {
	p := c.planOf(call)
	if p == nil || p.receiver == nil || reaches(c.selection(call), c.pkg) {
		return p
	}
	// A companion that is a method is promoted like the method that is called; others
	// take the receiver as an argument.
	if p.foreign || p.detached || p.dynamic != nil {
		return nil
	}
	promoted, _, _ := types.LookupFieldOrMethod(c.selection(call).Recv(), true, c.pkg, p.companion.Name())
	if promoted, ok := promoted.(*types.Func); !ok || promoted.Origin() != p.companion.Origin() {
		return nil
	}
	p.step = false
	return p
}

// reaches reports whether pkg can name the embedded fields on the way to the receiver
// of a method.
func reaches(s *types.Selection, pkg *types.Package) bool {
	for f := range embeddedFields(s) {
		if !f.Exported() && f.Pkg() != pkg {
			return false
		}
	}
	return true
}

// planOf is call without regard to whether the receiver can be named.
func (c *colourer) planOf(call *ast.CallExpr) *plan {
	fn, _ := typeutil.Callee(c.info, call).(*types.Func)
	if fn == nil {
		return nil
	}
	selection := c.selection(call)
	if sel := selection; sel != nil {
		if sel.Kind() == types.MethodExpr && len(sel.Index()) == 1 && isPointer(sel.Recv()) != isPointer(fn.Signature().Recv().Type()) {
			return nil // (*T).M of a value method: a nil pointer is another fault there
		}
		// Callee gives the method of the generic type; this is the one of the
		// type that it is called on.
		fn, _ = sel.Obj().(*types.Func)
		if fn == nil {
			return nil
		}
	}
	sig, ok := c.info.TypeOf(call.Fun).(*types.Signature)
	if !ok {
		return nil
	}
	if selection != nil && selection.Kind() == types.MethodExpr {
		sig = methodSignature(sig)
	}
	if fn.Pkg() != nil && fn.Pkg().Path() == rtPath && fn.Name() == "Await" && sig.Recv() == nil && len(call.Args) == 1 {
		// The plain form takes any type that is a future, and returns it.
		future := sig.Results().At(0).Type()
		if !nameable(future, c.pkg) || local(future) {
			return nil
		}
		return &plan{kind: planAwait, future: future}
	}
	p := &plan{}
	companion := c.companion(fn, call)
	if companion == nil {
		if p := c.foreignCall(fn, sig); p != nil {
			return p
		}
		if selection != nil {
			return c.dynamicCall(fn, operandType(selection), sig)
		}
		return nil
	}
	csig := companion.Signature()
	if frame := c.prog.funcs[fn.Origin()]; frame != nil && frame.detached {
		return c.detached(frame, companion, fn, call, sig)
	}
	if n := csig.TypeParams().Len(); n > 0 {
		targs := c.instance(call)
		if targs == nil || targs.Len() != n {
			return nil
		}
		list := make([]types.Type, n)
		for i := range list {
			list[i] = targs.At(i)
		}
		inst, err := types.Instantiate(nil, csig, list, false)
		if err != nil {
			return nil
		}
		csig = inst.(*types.Signature)
	}
	if csig.Variadic() != sig.Variadic() || !types.Identical(csig.Params(), sig.Params()) {
		return nil
	}
	p.companion = companion
	p.receiver = fn.Signature().Recv()
	if !c.fit(p, csig, sig.Params(), sig.Results()) {
		return nil
	}
	return p
}

// detached returns the plan for a call of a function whose companion takes the
// receiver as its first parameter.
func (c *colourer) detached(frame *asyncFunc, companion, fn *types.Func, call *ast.CallExpr, sig *types.Signature) *plan {
	p := &plan{companion: companion, receiver: fn.Signature().Recv(), detached: true}
	if targs := c.typeArgs(fn, call, p.receiver); targs != nil {
		inst, err := types.Instantiate(nil, companion.Signature(), targs, false)
		if err != nil {
			return nil
		}
		p.targs = targs
		if !c.fit(p, inst.(*types.Signature), sig.Params(), sig.Results()) {
			return nil
		}
		return p
	}
	if companion.Signature().TypeParams().Len() > 0 || !c.fit(p, companion.Signature(), sig.Params(), sig.Results()) {
		return nil
	}
	return p
}

// typeArgs returns the type arguments of the callee: its own, or those of its
// receiver.
func (c *colourer) typeArgs(fn *types.Func, call *ast.CallExpr, recv *types.Var) []types.Type {
	list := c.instance(call)
	if recv != nil {
		t := recv.Type()
		if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
			t = ptr.Elem()
		}
		named, ok := types.Unalias(t).(*types.Named)
		if !ok {
			return nil
		}
		list = named.TypeArgs()
	}
	var out []types.Type
	for i := range list.Len() {
		out = append(out, list.At(i))
	}
	return out
}

// companion looks for the companion of fn where fn itself is declared.
func (c *colourer) companion(fn *types.Func, call *ast.CallExpr) *types.Func {
	if frame := c.prog.funcs[fn.Origin()]; frame != nil && frame.detached {
		companion, _ := fn.Pkg().Scope().Lookup(frame.asyncName).(*types.Func)
		return companion
	}
	name := fn.Name() + "Async"
	if fn.Pkg() == nil || !token.IsExported(name) && fn.Pkg() != c.pkg {
		return nil
	}
	recv := fn.Signature().Recv()
	if recv == nil {
		companion, _ := fn.Pkg().Scope().Lookup(name).(*types.Func)
		return companion
	}
	// Not through the call's own operand: a type that embeds another may
	// override F and still promote the other's FAsync.
	t := recv.Type()
	if types.IsInterface(t) {
		if sel := c.selection(call); sel != nil && len(sel.Index()) == 1 {
			t = sel.Recv()
		}
	}
	obj, index, _ := types.LookupFieldOrMethod(t, true, fn.Pkg(), name)
	companion, _ := obj.(*types.Func)
	if companion == nil || len(index) != 1 && !types.IsInterface(t) {
		return nil
	}
	return companion
}

// fit completes p from the companion's signature, if that returns a future
// whose results are those of the call.
func (c *colourer) fit(p *plan, csig *types.Signature, params, results *types.Tuple) bool {
	if csig.Results().Len() != 1 {
		return false
	}
	t := csig.Results().At(0).Type()
	method := func(name string) *types.Signature {
		obj, _, _ := types.LookupFieldOrMethod(t, true, c.pkg, name)
		if m, ok := obj.(*types.Func); ok {
			return m.Signature()
		}
		return nil
	}
	poll, result := method("Poll"), method("Result")
	if poll == nil || result == nil || result.Params().Len() != 0 || !types.Identical(result.Results(), results) || !c.isPoll(poll) {
		return false
	}
	if !nameable(t, c.pkg) {
		return false
	}
	p.future, p.local = t, local(t)
	p.results = results
	p.pointer = types.IsInterface(t)
	// A child that Init can prepare in place is part of the frame.
	elem := t
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		elem = ptr.Elem()
		p.pointer = true
	}
	named, ok := types.Unalias(elem).(*types.Named)
	if !ok {
		return true
	}
	p.frame = c.frames[named.Origin().Obj()]
	if _, ok := named.Underlying().(*types.Struct); !ok {
		return true
	}
	if init := method("Init"); init != nil && init.Results().Len() == 0 && c.isInit(p, init, params) {
		p.init = true
		p.future = elem
		p.step = c.isStep(p, method("Step"), method("Resume"), params)
		p.yields, p.iterates = c.takesBody(p), c.iterates(p)
	}
	return true
}

// isPoll reports whether sig is that of Future.Poll.
func (c *colourer) isPoll(sig *types.Signature) bool {
	future, ok := c.prog.rt.Scope().Lookup("Future").(*types.TypeName)
	if !ok {
		return false
	}
	want, _, _ := types.LookupFieldOrMethod(future.Type(), false, c.prog.rt, "Poll")
	return want != nil && types.Identical(want.(*types.Func).Signature(), types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic()))
}

// isInit reports whether sig takes the receiver, if any, and then params.
func (c *colourer) isInit(p *plan, sig *types.Signature, params *types.Tuple) bool {
	if p.receiver != nil && types.IsInterface(p.receiver.Type()) {
		return false
	}
	return takes(sig, p.receiver, params)
}

// takes reports whether the parameters of sig are the receiver recv, if it is not nil,
// and params.
func takes(sig *types.Signature, recv *types.Var, params *types.Tuple) bool {
	var want []*types.Var
	if recv != nil {
		want = append(want, recv)
	}
	want = slices.AppendSeq(want, params.Variables())
	return types.Identical(sig.Params(), types.NewTuple(want...))
}

// isStep reports whether a frame has the methods Step and Resume of a call with
// the given parameters.
func (c *colourer) isStep(p *plan, step, resume *types.Signature, params *types.Tuple) bool {
	if step == nil || resume == nil {
		return false
	}
	for i := range p.results.Len() {
		// Poll has variables for the results.
		if !nameable(p.results.At(i).Type(), c.pkg) {
			return false
		}
	}
	withBool := func(t *types.Tuple) bool {
		n := p.results.Len()
		if t.Len() != n+1 || !types.Identical(t.At(n).Type(), types.Typ[types.Bool]) {
			return false
		}
		for i := range n {
			if !types.Identical(t.At(i).Type(), p.results.At(i).Type()) {
				return false
			}
		}
		return true
	}
	want := 2 + params.Len()
	if p.receiver != nil {
		want++
	}
	return step.Params().Len() == want && withBool(step.Results()) && resume.Params().Len() == 1 && withBool(resume.Results())
}

// channel returns the plan for an operation on the channel ch.
func (c *colourer) channel(name string, ch ast.Expr) *plan {
	typ, ok := coreType(c.info.TypeOf(ch)).(*types.Chan)
	if !ok {
		return nil
	}
	companion, _ := c.prog.rt.Scope().Lookup(name).(*types.Func)
	if companion == nil || !nameable(typ.Elem(), c.pkg) {
		return nil
	}
	sig, err := types.Instantiate(nil, companion.Signature(), []types.Type{typ.Elem()}, false)
	if err != nil {
		return nil
	}
	future := sig.(*types.Signature).Results().At(0).Type().(*types.Pointer).Elem()
	return &plan{channel: true, init: true, future: future, local: local(future)}
}

// commOperation returns the send statement or the receive of a case of a select
// statement.
func commOperation(comm ast.Stmt) ast.Node {
	switch comm := comm.(type) {
	case *ast.SendStmt:
		return comm
	case *ast.ExprStmt:
		return ast.Unparen(comm.X)
	case *ast.AssignStmt:
		return ast.Unparen(comm.Rhs[0])
	}
	return nil
}

// selection returns the selection of a method call, or nil.
func (c *colourer) selection(call *ast.CallExpr) *types.Selection {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		return c.info.Selections[sel]
	}
	return nil
}

func isPointer(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Pointer)
	return ok
}

// methodSignature is the signature of a method, given that of its expression, whose
// first parameter is the receiver.
func methodSignature(sig *types.Signature) *types.Signature {
	params := make([]*types.Var, 0, sig.Params().Len()-1)
	for i := 1; i < sig.Params().Len(); i++ {
		params = append(params, sig.Params().At(i))
	}
	return types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), sig.Results(), sig.Variadic())
}

// operandType returns the type of what the method of a selection is called on, with
// embedded fields selected.
func operandType(s *types.Selection) types.Type {
	t := s.Recv()
	for f := range embeddedFields(s) {
		t = f.Type()
	}
	return t
}

// embeddedFields are the fields on the way from the operand of a selection to what has
// the method.
func embeddedFields(s *types.Selection) iter.Seq[*types.Var] {
	return func(yield func(*types.Var) bool) {
		t := s.Recv()
		for _, i := range s.Index()[:len(s.Index())-1] {
			u := t.Underlying()
			if ptr, ok := u.(*types.Pointer); ok {
				u = ptr.Elem().Underlying()
			}
			f := u.(*types.Struct).Field(i)
			if !yield(f) {
				return
			}
			t = f.Type()
		}
	}
}

// instance returns the type arguments of the callee.
func (c *colourer) instance(call *ast.CallExpr) *types.TypeList {
	id := calleeIdent(call.Fun)
	if id == nil {
		return nil
	}
	return c.info.Instances[id].TypeArgs
}

// calleeIdent returns the identifier that names the callee.
func calleeIdent(fun ast.Expr) *ast.Ident {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return fun
	case *ast.SelectorExpr:
		return fun.Sel
	case *ast.IndexExpr:
		return calleeIdent(fun.X)
	case *ast.IndexListExpr:
		return calleeIdent(fun.X)
	}
	return nil
}

// coreType is the type that operations on values of type t see: the underlying
// type, and for a type parameter the one that its type set shares, or nil.
func coreType(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	tp, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	var core types.Type
	iface := tp.Constraint().Underlying().(*types.Interface)
	for i := range iface.NumEmbeddeds() {
		terms := []types.Type{iface.EmbeddedType(i)}
		if u, ok := iface.EmbeddedType(i).(*types.Union); ok {
			terms = terms[:0]
			for j := range u.Len() {
				terms = append(terms, u.Term(j).Type())
			}
		}
		for _, t := range terms {
			u := coreType(t)
			if types.IsInterface(t) {
				continue
			}
			if core == nil {
				core = u
			} else if !types.Identical(core, u) {
				return nil
			}
		}
	}
	return core
}
