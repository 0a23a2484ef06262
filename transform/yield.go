package transform

// Pass yield: which functions yield to a loop over them.
//
// Input: the marked functions, with types. Output: for each its yield parameter, if it
// has one, and whether it returns iterators; the frames of those can run a loop's
// body that waits (see lower_rangefunc.go).
//
// A yield parameter is the last parameter of a function, of a type written like
// func(K, V) bool, func(V) bool or func() bool (a named type is none, as stubs are made
// before there are types), such that
//
//  1. the function does nothing with it but call it, or pass it as the last argument
//     to a marked function that has a yield parameter there, and none of that in a
//     function literal, a go or a defer statement: so nothing can call it once the
//     function has returned; and
//  2. the function is an iterator, that is, it has no other parameters and no results;
//     or a function with a yield parameter passes its own to it.
//
// In the frame the parameter is a rangefunc.Body, and a call of it an await point:
//
//	func (t *tree) each(yield func(int) bool) {      yield rangefunc.Body[int, None]
//		if !yield(t.value) {                         more, done = yield.Yield(cx, t.value, None{})
//			return
//		}
//	}
//
// A function returns iterators if its result is written as iter.Seq[V], iter.Seq2[K, V]
// or a function type, and one of its return statements returns a function
// literal that has a yield parameter, or calls a function of this kind.

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

const rangefuncPath = rtPath + "/rangefunc"

// A yieldShape is the type of a yield function: the types of the values it takes.
type yieldShape struct{ values []types.Type }

// yieldShapeOf returns the shape of a yield function of type t.
func yieldShapeOf(t types.Type) (*yieldShape, bool) {
	sig, ok := types.Unalias(t).(*types.Signature)
	if !ok || sig.Variadic() || sig.Params().Len() > 2 || sig.Results().Len() != 1 || !types.Identical(sig.Results().At(0).Type(), types.Typ[types.Bool]) {
		return nil, false
	}
	s := &yieldShape{}
	for i := range sig.Params().Len() {
		s.values = append(s.values, sig.Params().At(i).Type())
	}
	return s, true
}

// iteratedShape returns the shape of the yield function that an iterator of type t
// takes.
func iteratedShape(t types.Type) (*yieldShape, bool) {
	sig, ok := coreType(t).(*types.Signature)
	if !ok || sig.Variadic() || sig.Params().Len() != 1 || sig.Results().Len() != 0 {
		return nil, false
	}
	return yieldShapeOf(sig.Params().At(0).Type())
}

// usable reports whether frames in pkg can keep the values.
func (s *yieldShape) usable(pkg *types.Package) bool {
	for _, t := range s.values {
		if !nameable(t, pkg) || local(t) {
			return false
		}
	}
	return true
}

// instance returns the generic type of package rangefunc with the given name for
// this shape.
func (s *yieldShape) instance(prog *program, name string) types.Type {
	none := prog.rangefunc.Scope().Lookup("None").Type()
	args := append([]types.Type{}, s.values...)
	for len(args) < 2 {
		args = append(args, none)
	}
	inst, err := types.Instantiate(nil, prog.rangefunc.Scope().Lookup(name).Type(), args, false)
	if err != nil {
		panic(err)
	}
	return inst
}

// body is the type that stands for the yield function in frames.
func (s *yieldShape) body(prog *program) types.Type { return s.instance(prog, "Body") }

// iterator is the type of a call of an iterator function.
func (s *yieldShape) iterator(prog *program) types.Type { return s.instance(prog, "Iterator") }

// function returns a function of package rangefunc that has a variant for each
// number of values.
func (s *yieldShape) function(spell *typeSpeller, name string) ast.Expr {
	return spell.instance(qualified(rangefuncPath, name+string(rune('0'+len(s.values)))), s.values)
}

// A yieldUse is what a function does with its last parameter.
type yieldUse struct {
	param *types.Var
	// passed has the functions that get it as their last argument.
	passed []passedYield
	// other is a use that nothing is known of, and rules out that the parameter is a
	// yield parameter.
	other ast.Node
}

// A passedYield is a call that gets a yield function as its last argument.
type passedYield struct {
	to *types.Func
	at ast.Node
}

// yieldUseOf returns the use of the parameter that may be the yield parameter of a
// function, nil if its type rules that out.
func yieldUseOf(info *types.Info, pkg *types.Package, sig *types.Signature, body *ast.BlockStmt) *yieldUse {
	n := sig.Params().Len()
	if n == 0 || sig.Variadic() {
		return nil
	}
	v := sig.Params().At(n - 1)
	shape, ok := yieldShapeOf(v.Type())
	if !ok || v.Name() == "" || v.Name() == "_" || !shape.usable(pkg) {
		return nil
	}
	use := &yieldUse{param: v}
	var stack []ast.Node
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		if id, ok := n.(*ast.Ident); ok && info.Uses[id] == v {
			use.add(info, id, stack[:len(stack)-1])
		}
		return true
	})
	return use
}

// add notes a mention of the parameter; stack are the nodes that contain it.
func (u *yieldUse) add(info *types.Info, id *ast.Ident, stack []ast.Node) {
	for i, n := range stack {
		switch n.(type) {
		case *ast.FuncLit:
			u.other = id
			return
		case *ast.GoStmt, *ast.DeferStmt:
			if i == len(stack)-2 {
				u.other = id
				return
			}
		}
	}
	c, ok := stack[len(stack)-1].(*ast.CallExpr)
	switch {
	case !ok:
		u.other = id
	case c.Fun == ast.Expr(id):
	default:
		fn, _ := typeutil.Callee(info, c).(*types.Func)
		if fn == nil || c.Args[len(c.Args)-1] != ast.Expr(id) || len(c.Args) != fn.Signature().Params().Len() {
			u.other = id
			return
		}
		u.passed = append(u.passed, passedYield{fn.Origin(), id})
	}
}

// isIterator reports whether a function of this type can be ranged over.
func isIterator(sig *types.Signature) bool {
	return sig.Params().Len() == 1 && sig.Results().Len() == 0
}

// findYields finds the yield parameters of the marked functions, and which of them
// return iterators.
func (prog *program) findYields(fns []*asyncFunc) {
	if prog.rangefunc == nil {
		return
	}
	var wanted []*types.Func // functions that get a yield function
	for _, fn := range fns {
		pkg := fn.file.pkg.pkg
		if mayYield(fn.decl.Type) {
			fn.yieldUse = yieldUseOf(pkg.TypesInfo, pkg.Types, fn.obj.Signature(), fn.decl.Body)
		}
		if fn.yieldUse != nil && isIterator(fn.obj.Signature()) {
			wanted = append(wanted, fn.obj)
		}
		for _, use := range literalYields(pkg.TypesInfo, pkg.Types, fn.decl.Body) {
			for _, p := range use.passed {
				wanted = append(wanted, p.to)
			}
		}
	}
	// Rule 1.
	for changed := true; changed; {
		changed = false
		for _, fn := range fns {
			if use := fn.yieldUse; use != nil && use.other == nil {
				use.other = prog.passedOn(use)
				changed = changed || use.other != nil
			}
		}
	}
	for _, fn := range fns {
		if fn.yieldUse != nil && isIterator(fn.obj.Signature()) {
			fn.keptYield = fn.yieldUse.other
		}
	}
	// Rule 2.
	for len(wanted) > 0 {
		fn := prog.funcs[wanted[0]]
		wanted = wanted[1:]
		if fn == nil || fn.yield != nil || fn.yieldUse == nil || fn.yieldUse.other != nil {
			continue
		}
		fn.yield = fn.yieldUse.param
		for _, p := range fn.yieldUse.passed {
			wanted = append(wanted, p.to)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, fn := range fns {
			if !fn.iterates && prog.returnsIterator(fn) {
				fn.iterates, changed = true, true
			}
		}
	}
}

// passedOn returns where a yield parameter is passed to a function that does more
// with it than rule 1 allows.
func (prog *program) passedOn(use *yieldUse) ast.Node {
	for _, p := range use.passed {
		if fn := prog.funcs[p.to]; fn == nil || fn.yieldUse == nil || fn.yieldUse.other != nil {
			return p.at
		}
	}
	return nil
}

// literalYields returns the uses of the yield parameters of the function literals in
// body that are iterators.
func literalYields(info *types.Info, pkg *types.Package, body *ast.BlockStmt) []*yieldUse {
	var uses []*yieldUse
	ast.Inspect(body, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			if sig, ok := info.TypeOf(lit).(*types.Signature); ok && isIterator(sig) {
				if use := yieldUseOf(info, pkg, sig, lit.Body); use != nil && use.other == nil {
					uses = append(uses, use)
				}
			}
		}
		return true
	})
	return uses
}

// findLiteralYield finds the yield parameter of a literal that has a frame.
func (prog *program) findLiteralYield(sub *asyncFunc) {
	if prog.rangefunc == nil || !isIterator(sub.lit.sig) {
		return
	}
	sub.yield, _ = prog.literalYield(sub.file.pkg, sub.lit.sig, sub.body())
}

// literalYield returns the yield parameter of an iterator literal, nil if there is
// none, and what rules it out.
func (prog *program) literalYield(p *sourcePackage, sig *types.Signature, body *ast.BlockStmt) (*types.Var, ast.Node) {
	use := yieldUseOf(p.pkg.TypesInfo, p.pkg.Types, sig, body)
	if use == nil || use.other != nil {
		return nil, use.why()
	}
	for _, p := range use.passed {
		if fn := prog.funcs[p.to]; fn == nil || fn.yield == nil {
			return nil, p.at
		}
	}
	return use.param, nil
}

// why is what rules a yield parameter out; u may be nil.
func (u *yieldUse) why() ast.Node {
	if u == nil {
		return nil
	}
	return u.other
}

// returnsIterator reports whether a function returns iterators, as far as is known
// of those that it calls.
func (prog *program) returnsIterator(fn *asyncFunc) bool {
	pkg := fn.file.pkg.pkg
	results := fn.obj.Signature().Results()
	if results.Len() != 1 || results.At(0).Name() != "" {
		return false
	}
	shape, ok := iteratedShape(results.At(0).Type())
	if !ok || !shape.usable(pkg.Types) {
		return false
	}
	written, _, ok := writtenIterator(fn.decl.Type)
	if id, isName := written.(*ast.Ident); isName {
		name, _ := pkg.TypesInfo.Uses[id].(*types.PkgName)
		ok = ok && name != nil && name.Imported().Path() == "iter"
	}
	if !ok {
		return false
	}
	found := false
	ast.Inspect(fn.decl.Body, func(n ast.Node) bool {
		ret, ok := n.(*ast.ReturnStmt)
		if !ok {
			return !isFuncLit(n)
		}
		x := ast.Unparen(ret.Results[0])
		if lit := returnedLiteral(pkg.TypesInfo, x); lit != nil {
			sig := pkg.TypesInfo.TypeOf(lit).(*types.Signature)
			yield, kept := prog.literalYield(fn.file.pkg, sig, lit.Body)
			found = found || yield != nil
			if kept != nil {
				fn.keptYield = kept
			}
		} else if c, ok := x.(*ast.CallExpr); ok {
			if callee, ok := typeutil.Callee(pkg.TypesInfo, c).(*types.Func); ok {
				to := prog.funcs[callee.Origin()]
				found = found || to != nil && to.iterates
			}
		}
		return false
	})
	return found
}

// returnedLiteral returns the iterator literal that x is, or a conversion of it.
func returnedLiteral(info *types.Info, x ast.Expr) *ast.FuncLit {
	x = ast.Unparen(x)
	if c, ok := x.(*ast.CallExpr); ok && len(c.Args) == 1 && info.Types[c.Fun].IsType() {
		return returnedLiteral(info, c.Args[0])
	}
	lit, ok := x.(*ast.FuncLit)
	if !ok {
		return nil
	}
	if sig, ok := info.TypeOf(lit).(*types.Signature); !ok || !isIterator(sig) {
		return nil
	}
	return lit
}
