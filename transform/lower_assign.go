package transform

// Assignments and declarations.

import (
	"go/ast"
	"go/token"
	"go/types"
)

// assignStmt lowers an assignment or a short variable declaration.
func (l *lowerer) assignStmt(s *ast.AssignStmt) {
	if s.Tok == token.DEFINE {
		if s.Lhs, s.Rhs = l.withoutAwaited(s.Lhs, s.Rhs); len(s.Lhs) == 0 {
			l.lead = nil
			return
		}
	}
	if l.col.within[s] {
		l.appendToEntry(s)
		afterLeft := anyWithin(l.col, s.Rhs)
		for i := range s.Lhs {
			if l.col.within[s.Lhs[i]] || afterLeft || anyWithin(l.col, s.Lhs[i+1:]) {
				if s.Tok != token.DEFINE {
					s.Lhs[i] = l.lvalue(s.Lhs[i], afterLeft || anyWithin(l.col, s.Lhs[i+1:]))
				}
			}
		}
		if len(s.Rhs) == 1 {
			if s.Tok == token.DEFINE || s.Tok == token.ASSIGN {
				if p := l.stepOf(s.Rhs[0]); p != nil && l.direct(s, p) {
					return
				}
			}
			s.Rhs = l.rhs(s.Rhs[0], len(s.Lhs))
		} else {
			l.exprsTo(s.Rhs, func(i int) types.Type { return l.info.TypeOf(s.Lhs[i]) }, false)
		}
	}
	if s.Tok == token.DEFINE {
		l.defineLeft(s.Lhs)
		s.Tok = token.ASSIGN
	}
	l.plain(s)
}

func allBlank(list []ast.Expr) bool {
	for _, x := range list {
		if !isBlank(x) {
			return false
		}
	}
	return true
}

// defineLeft declares the new variables on the left side of a short variable
// declaration.
func (l *lowerer) defineLeft(lhs []ast.Expr) {
	for _, x := range lhs {
		id := x.(*ast.Ident)
		if obj, ok := l.info.Defs[id].(*types.Var); ok && obj != nil && id.Name != "_" {
			v := l.declare(obj, localVar)
			l.box(v)
		}
	}
}

// box makes the new variable of a declaration of v.
func (l *lowerer) box(v *irVar) {
	if v.boxed && !v.resident {
		l.emit(assign(l.pointer(v), l.spell.newOf(v.obj.Type())))
	}
}

// rhs lowers the only expression on the right side of an assignment to n
// variables; its operands are ordered, its own result is not moved.
func (l *lowerer) rhs(x ast.Expr, n int) []ast.Expr {
	if n == 1 {
		return []ast.Expr{l.expr(x, false)}
	}
	inner := ast.Unparen(x)
	if p := l.col.plans[inner]; p != nil {
		results := l.await(inner, p, l.source(inner))
		if t, ok := l.info.TypeOf(inner).(*types.Tuple); ok && p.channel {
			return l.commaOk(results[0], t)
		}
		return results
	}
	return []ast.Expr{l.operands(inner, false)}
}

// commaOk returns the results of a receive as values of the given types. The second
// is untyped in Go, and takes the type of what it is assigned to.
func (l *lowerer) commaOk(result ast.Expr, t *types.Tuple) []ast.Expr {
	b := t.At(1).Type()
	if !definedBool(b) {
		return []ast.Expr{result}
	}
	received := l.temp("received", t.At(0).Type(), result.Pos())
	ok := l.temp("ok", types.Typ[types.Bool], result.Pos())
	l.plain(&ast.AssignStmt{Lhs: []ast.Expr{l.mention(received), l.mention(ok)}, Tok: token.ASSIGN, Rhs: []ast.Expr{result}})
	return []ast.Expr{l.mention(received), call(l.spell.spell(b), l.mention(ok))}
}

// definedBool reports whether t is a type like bool, but not bool.
func definedBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Bool && types.Unalias(t) != types.Typ[types.Bool]
}

// stepOf returns the plan of x if that is a call whose results can go straight
// to variables.
func (l *lowerer) stepOf(x ast.Expr) *plan {
	if p := l.col.plans[ast.Unparen(x)]; p != nil && p.direct() {
		return p
	}
	return nil
}

// direct lowers an assignment of the results of an await to whole variables of
// Poll without temporaries. It reports false if the left side is something else.
func (l *lowerer) direct(s *ast.AssignStmt, p *plan) bool {
	if p.results.Len() != len(s.Lhs) {
		return false
	}
	objs := make([]*types.Var, len(s.Lhs))
	for i, x := range s.Lhs {
		id, ok := x.(*ast.Ident)
		if !ok {
			return false
		}
		if id.Name == "_" {
			continue
		}
		objs[i], _ = l.info.ObjectOf(id).(*types.Var)
		if objs[i] == nil || !types.Identical(objs[i].Type(), p.results.At(i).Type()) {
			return false
		}
		v := l.fn.byObj[objs[i]]
		if v == nil && l.info.Defs[id] == nil || v != nil && (v.boxed || v.resident) || l.captures[objs[i]].boxed(false) {
			return false
		}
	}
	if s.Tok == token.DEFINE {
		l.defineLeft(s.Lhs)
	}
	targets := make([]*irVar, len(objs))
	for i, obj := range objs {
		if obj != nil {
			targets[i] = l.fn.byObj[obj]
		}
	}
	x := ast.Unparen(s.Rhs[0])
	l.step(x.(*ast.CallExpr), p, l.source(x), targets)
	return true
}

// declStmt lowers a declaration in the body.
func (l *lowerer) declStmt(s *ast.DeclStmt) {
	decl := s.Decl.(*ast.GenDecl)
	if decl.Tok != token.VAR {
		l.hoist(decl)
		return
	}
	for _, spec := range decl.Specs {
		spec := spec.(*ast.ValueSpec)
		if spec.Doc != nil && !containsComment(l.lead, spec.Doc) {
			l.lead = append(l.lead, spec.Doc)
		}
		var lhs []ast.Expr
		for _, id := range spec.Names {
			lhs = append(lhs, id)
		}
		if len(spec.Values) > 0 {
			if lhs, spec.Values = l.withoutAwaited(lhs, spec.Values); len(lhs) == 0 {
				l.lead = nil
				continue
			}
			if l.col.within[spec] {
				if len(spec.Values) == 1 {
					spec.Values = l.rhs(spec.Values[0], len(lhs))
				} else {
					l.exprsTo(spec.Values, func(i int) types.Type { return l.info.TypeOf(lhs[i]) }, false)
				}
			}
		}
		l.defineLeft(lhs)
		if len(spec.Values) > 0 {
			if spec.Type != nil && allBlank(lhs) {
				// The conversion to the declared type is all that is left.
				for i, v := range spec.Values {
					spec.Values[i] = call(&ast.ParenExpr{X: spec.Type}, v)
				}
			}
			l.plain(&ast.AssignStmt{Lhs: lhs, TokPos: spec.Names[len(spec.Names)-1].End(), Tok: token.ASSIGN, Rhs: spec.Values})
			continue
		}
		for _, id := range spec.Names {
			if v := l.fn.byObj[l.info.Defs[id]]; v != nil && !v.boxed {
				// An execution of the declaration after the first must clear
				// the variable again.
				l.plain(&ast.AssignStmt{Lhs: []ast.Expr{id}, Tok: token.ASSIGN, Rhs: []ast.Expr{l.spell.zero(v.obj.Type())}})
			}
		}
	}
}

func containsComment(list []*ast.CommentGroup, c *ast.CommentGroup) bool {
	for _, x := range list {
		if x == c {
			return true
		}
	}
	return false
}
