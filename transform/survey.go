package transform

// The calls of a function that stay plain, and why.
//
// Input: a marked function with its colours, before lower rewrites its syntax.
// Output: its operations, those that are awaited and those that are not.
//
//  1. A call that cannot be an await point where it stands, but could elsewhere,
//     is known to wait. Such are calls in literals that are values, and in the
//     bodies of loops over functions that stay plain.
//  2. So is a call of an unmarked function of the package that has, at some depth of
//     such functions, an operation of that kind; and one of the functions in
//     blockingFuncs.
//  3. Nothing is known of the rest. Those that are certain never to wait are left
//     out: builtin functions, conversions, and functions of packages that only
//     compute (quietPackages), unless they are given functions or interfaces to call.

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/types/typeutil"
)

// A survey has the operations of a function.
type survey struct {
	plain    []PlainCall
	awaited  []PlainCall // those with a plan
	deferred []Related   // calls that are awaited at the end
	spawns   []Spawn
	end      token.Pos
}

// A surveyor makes a survey. It goes through the syntax like colour does.
type surveyor struct {
	c   *colourer
	fn  *asyncFunc
	col *colours
	out *survey
	// why says why what is looked at cannot be awaited, empty if it can, and at
	// the literal or loop that is the reason.
	why Reason
	at  ast.Node
	// comms are the operations of select statements.
	comms map[ast.Node]bool
}

// survey returns the survey of fn.
func (c *colourer) survey(fn *asyncFunc, col *colours) *survey {
	s := &surveyor{c: c, fn: fn, col: col, out: &survey{end: fn.root().End()}, comms: map[ast.Node]bool{}}
	s.walk(fn.body())
	byPosition := func(a, b PlainCall) int { return cmp.Compare(a.Pos.Offset, b.Pos.Offset) }
	slices.SortStableFunc(s.out.plain, byPosition)
	return s.out
}

// walk looks at what is below root.
func (s *surveyor) walk(root ast.Node) {
	if root == nil {
		return
	}
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			if s.col.lits[n] == nil {
				s.inside(ReasonLiteral, n, n.Body)
			}
			return false
		case *ast.GenDecl:
			return n.Tok != token.CONST
		case *ast.GoStmt:
			s.spawn(n.Call)
			return false
		case *ast.DeferStmt:
			s.deferCall(n.Call)
			return false
		case *ast.SelectStmt:
			s.selectStmt(n)
		case *ast.CallExpr:
			if s.c.info.Types[n].Value != nil {
				return false
			}
			s.call(n)
		case *ast.UnaryExpr:
			if n.Op == token.ARROW && !s.comms[n] {
				s.operation(n)
			}
		case *ast.SendStmt:
			if !s.comms[n] {
				s.operation(n)
			}
		case *ast.RangeStmt:
			return s.rangeStmt(n)
		}
		return true
	})
}

// inside walks what cannot be awaited because of node at.
func (s *surveyor) inside(why Reason, at, root ast.Node) {
	sub := *s
	if sub.why == "" {
		sub.why, sub.at = why, at
	}
	sub.walk(root)
}

// spawn looks at a go statement: what it calls runs elsewhere.
func (s *surveyor) spawn(call *ast.CallExpr) {
	if s.why == "" {
		s.out.spawns = append(s.out.spawns, Spawn{Pos: s.position(call), Call: s.source(call), Task: s.col.spawns[call] != nil})
	}
	if _, ok := ast.Unparen(call.Fun).(*ast.FuncLit); !ok {
		s.walk(call.Fun)
	}
	for _, x := range call.Args {
		s.walk(x)
	}
}

func (s *surveyor) deferCall(call *ast.CallExpr) {
	s.walk(call.Fun)
	for _, x := range call.Args {
		s.walk(x)
	}
	if s.why == "" && s.col.spawns[call] != nil {
		s.out.deferred = append(s.out.deferred, Related{Pos: s.position(call), Message: s.source(call)})
		s.out.awaited = append(s.out.awaited, s.plainCall(call, "", s.effect(s.col.spawns[call])))
		return
	}
	if p := s.c.call(call); p != nil && s.why == "" && s.col.lits[s.c.calledLiteral(call.Fun, s.col)] == nil {
		s.add(s.plainCall(call, ReasonDeferred, s.effect(p)))
		return
	}
	s.call(call)
}

func (s *surveyor) selectStmt(n *ast.SelectStmt) {
	blocks := true
	for _, clause := range n.Body.List {
		comm := clause.(*ast.CommClause).Comm
		blocks = blocks && comm != nil
		if comm != nil {
			s.comms[commOperation(comm)] = true
		}
	}
	if blocks {
		s.operation(n)
	}
}

func (s *surveyor) rangeStmt(n *ast.RangeStmt) bool {
	switch coreType(s.c.info.TypeOf(n.X)).(type) {
	case *types.Chan:
		s.operation(n)
	case *types.Signature:
		if s.why == "" && s.col.plans[n] != nil {
			return true
		}
		s.walk(n.X)
		s.inside(ReasonPlainLoop, n, n.Body)
		return false
	}
	return true
}

// operation looks at a channel operation.
func (s *surveyor) operation(n ast.Node) {
	c := s.plainCall(n, s.why, EffectBlock)
	if s.why == "" && s.col.plans[n] != nil {
		s.out.awaited = append(s.out.awaited, c)
		return
	}
	if s.why == "" {
		c.Reason = ReasonMismatch // the element's type cannot be written down here
	}
	s.add(c)
}

// call looks at a call.
func (s *surveyor) call(call *ast.CallExpr) {
	if s.why == "" {
		if p := s.col.plans[call]; p != nil {
			s.out.awaited = append(s.out.awaited, s.plainCall(call, "", s.effect(p)))
			return
		}
	} else if p := s.c.callIn(s.fn, call); p != nil && p.kind != planYield {
		s.add(s.plainCall(call, s.why, s.effect(p)))
		return
	}
	tv := s.c.info.Types[call.Fun]
	if tv.IsType() || tv.IsBuiltin() || s.c.calledLiteral(call.Fun, s.col) != nil {
		return
	}
	fn, _ := typeutil.Callee(s.c.info, call).(*types.Func)
	switch {
	case fn == nil:
		if s.isYield(call) {
			return
		}
		s.add(s.plainCall(call, ReasonFunctionValue, EffectUnknown))
	case isQuiet(fn):
	case fn.Signature().Recv() != nil && types.IsInterface(fn.Signature().Recv().Type()):
		c := s.plainCall(call, ReasonInterface, EffectUnknown)
		if sel := s.c.selection(call); sel != nil && isTypeParam(operandType(sel)) {
			c.Reason = ReasonTypeParameter
		}
		s.add(c)
	default:
		s.function(call, fn)
	}
}

// isYield reports whether the call is one of the yield function.
func (s *surveyor) isYield(call *ast.CallExpr) bool {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && s.fn.yield != nil && s.c.info.Uses[id] == s.fn.yield
}

// function looks at a call of a declared function.
func (s *surveyor) function(call *ast.CallExpr, fn *types.Func) {
	if companion := s.c.companion(fn, call); companion != nil && s.why == "" {
		c := s.plainCall(call, ReasonMismatch, EffectStack)
		c.Related = append(c.Related, Related{Pos: s.c.prog.fset.Position(companion.Pos()), Message: companion.Name() + " is declared here"})
		s.add(c)
		return
	}
	if blockingFuncs[fn.Origin().FullName()] {
		s.add(s.plainCall(call, ReasonBlocking, EffectBlock))
		return
	}
	if w := s.c.waitsIn(fn.Origin()); w.at.IsValid() {
		c := s.plainCall(call, ReasonUnmarked, w.effect)
		c.Related = append(c.Related,
			Related{Pos: s.c.prog.fset.Position(fn.Pos()), Message: fn.Name() + " is not marked //cogen:async"},
			Related{Pos: s.c.prog.fset.Position(w.at), Message: "it waits here: " + w.what})
		s.add(c)
		return
	}
	s.add(s.plainCall(call, ReasonNoCompanion, EffectUnknown))
}

// add adds a plain call. In literals and loops, only what is known to wait counts:
// the rest is as it is everywhere.
func (s *surveyor) add(c PlainCall) {
	if s.why != "" {
		if !c.Waits() {
			return
		}
		what := "it is in this function literal, which is a value"
		if s.why == ReasonPlainLoop {
			what = "it is in the body of this loop over a function"
		}
		c.Related = append(c.Related, Related{Pos: s.position(s.at), Message: what})
	}
	s.out.plain = append(s.out.plain, c)
}

func (s *surveyor) plainCall(n ast.Node, why Reason, effect Effect) PlainCall {
	c := PlainCall{Pos: s.position(n), Call: s.source(n), Reason: why, Effect: effect}
	switch n := n.(type) {
	case *ast.CallExpr:
		if fn, ok := typeutil.Callee(s.c.info, n).(*types.Func); ok {
			c.Callee = fn.Origin().FullName()
		}
	case *ast.SelectStmt:
		c.Call = "select"
	case *ast.RangeStmt:
		c.Pos, c.Call = s.position(n.X), "range "+s.source(n.X)
	}
	return c
}

// effect says what the plain form of an operation does when it has to wait.
func (s *surveyor) effect(p *plan) Effect {
	switch {
	case p.dynamic != nil:
		return EffectUnknown
	case p.foreign || p.channel:
		return EffectBlock
	}
	return EffectStack
}

func (s *surveyor) position(n ast.Node) token.Position { return s.c.prog.fset.Position(n.Pos()) }

// source returns the source of n on one line.
func (s *surveyor) source(n ast.Node) string {
	return (&lowerer{prog: s.c.prog, file: s.fn.file}).source(n)
}

// A waiting is an operation that makes an unmarked function wait; at is not valid if
// there is none.
type waiting struct {
	at     token.Pos
	what   string
	effect Effect
}

// waitsIn returns what an unmarked function of the package waits for. The first call looks
// at all functions of the package, until nothing more is found.
func (c *colourer) waitsIn(fn *types.Func) waiting {
	if fn.Pkg() != c.pkg {
		return waiting{}
	}
	p := c.prog.packageOf(c.pkg)
	if p.waits != nil {
		return p.waits[fn]
	}
	p.waits = map[*types.Func]waiting{}
	for changed := true; changed; {
		changed = false
		for _, file := range p.pkg.Syntax {
			for _, decl := range file.Decls {
				decl, ok := decl.(*ast.FuncDecl)
				if !ok || decl.Body == nil {
					continue
				}
				fn, ok := c.info.Defs[decl.Name].(*types.Func)
				if !ok || c.prog.funcs[fn] != nil || p.waits[fn].at.IsValid() {
					continue
				}
				if w := c.waitsInBody(decl.Body); w.at.IsValid() {
					p.waits[fn] = w
					changed = true
				}
			}
		}
	}
	return p.waits[fn]
}

func (c *colourer) waitsInBody(body *ast.BlockStmt) waiting {
	var out waiting
	found := func(n ast.Node, what string, effect Effect) {
		if !out.at.IsValid() {
			out = waiting{n.Pos(), what, effect}
		}
	}
	comms := map[ast.Node]bool{}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt:
			return false
		case *ast.SelectStmt:
			blocks := true
			for _, clause := range n.Body.List {
				comm := clause.(*ast.CommClause).Comm
				blocks = blocks && comm != nil
				if comm != nil {
					comms[commOperation(comm)] = true
				}
			}
			if blocks {
				found(n, "select", EffectBlock)
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW && !comms[n] {
				found(n, "a receive from a channel", EffectBlock)
			}
		case *ast.SendStmt:
			if !comms[n] {
				found(n, "a send to a channel", EffectBlock)
			}
		case *ast.RangeStmt:
			if _, ok := coreType(c.info.TypeOf(n.X)).(*types.Chan); ok {
				found(n.X, "range over a channel", EffectBlock)
			}
		case *ast.CallExpr:
			fn, _ := typeutil.Callee(c.info, n).(*types.Func)
			if fn == nil {
				return true
			}
			if p := c.call(n); p != nil && p.dynamic == nil {
				effect := EffectStack
				if p.foreign {
					effect = EffectBlock
				}
				found(n, fn.Name(), effect)
			} else if blockingFuncs[fn.Origin().FullName()] {
				found(n, fn.Name(), EffectBlock)
			} else if w := c.waitsIn(fn.Origin()); w.at.IsValid() {
				found(n, fn.Name(), w.effect)
			}
		}
		return true
	})
	return out
}

// packageOf returns the package of the run that has the types of pkg.
func (prog *program) packageOf(pkg *types.Package) *sourcePackage {
	i := slices.IndexFunc(prog.packages, func(p *sourcePackage) bool { return p.pkg.Types == pkg })
	return prog.packages[i]
}
