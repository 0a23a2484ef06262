package transform

// Switches and type switches.

import (
	"go/ast"
	"go/token"
	"go/types"
)

func (l *lowerer) switchStmt(s *ast.SwitchStmt, label types.Object) {
	if s.Init != nil {
		l.stmt(s.Init)
		s.Init = nil
	}
	clauses := clausesOf(s.Body)
	inCases, inBodies := false, false
	for _, c := range clauses {
		inCases = inCases || anyWithin(l.col, c.List)
		for _, b := range c.Body {
			inBodies = inBodies || l.col.within[b]
		}
	}
	if !inCases && !inBodies {
		s.Tag = l.expr(s.Tag, false)
		l.keepLabel(s, label)
		return
	}
	done := l.fn.newBlock("done")
	bodies, fallback := l.clauseBlocks(clauses, done)
	if inCases {
		l.switchTests(s, clauses, bodies)
		l.fallInto(fallback)
	} else {
		var tag ast.Expr
		if s.Tag != nil {
			tag = l.expr(s.Tag, false)
		}
		head := &ast.SwitchStmt{Switch: s.Switch, Tag: tag, Body: &ast.BlockStmt{Lbrace: s.Body.Lbrace}}
		targets := make([]*block, 0, len(clauses))
		for i, c := range clauses {
			if c.List != nil {
				head.Body.List = append(head.Body.List, &ast.CaseClause{Case: c.Case, List: c.List, Body: []ast.Stmt{l.gotoBlock(bodies[i])}})
				targets = append(targets, bodies[i])
			}
		}
		l.emit(head, targets...)
		l.jump(fallback)
	}
	l.clauseBodies(clauses, bodies, done, label)
	l.start(done)
}

func clausesOf(body *ast.BlockStmt) []*ast.CaseClause {
	out := make([]*ast.CaseClause, len(body.List))
	for i, s := range body.List {
		out[i] = s.(*ast.CaseClause)
	}
	return out
}

// clauseBlocks makes a block for each clause's body, and finds the one to go to
// when no case matches.
func (l *lowerer) clauseBlocks(clauses []*ast.CaseClause, done *block) (bodies []*block, fallback *block) {
	fallback = done
	for _, c := range clauses {
		b := l.fn.newBlock("matched")
		if c.List == nil {
			b.hint = "fallback"
			fallback = b
		}
		bodies = append(bodies, b)
	}
	return bodies, fallback
}

// clauseBodies lowers the bodies of a switch.
func (l *lowerer) clauseBodies(clauses []*ast.CaseClause, bodies []*block, done *block, label types.Object) {
	for i, c := range clauses {
		s := &scope{label: label, brk: done}
		if i+1 < len(bodies) {
			s.next = bodies[i+1]
		}
		l.scopes = append(l.scopes, s)
		l.start(bodies[i])
		l.stmts(c.Body, c.Colon, clauseEnd(clauses, i))
		l.fallInto(done)
		l.scopes = l.scopes[:len(l.scopes)-1]
	}
}

// clauseEnd is where the comments of a clause end.
func clauseEnd(clauses []*ast.CaseClause, i int) token.Pos {
	if i+1 < len(clauses) {
		return clauses[i+1].Pos()
	}
	return clauses[i].End()
}

// switchTests tests the cases of a switch one by one: some have awaits.
func (l *lowerer) switchTests(s *ast.SwitchStmt, clauses []*ast.CaseClause, bodies []*block) {
	var tag *types.Var
	if s.Tag != nil {
		t := l.info.TypeOf(s.Tag)
		tag = l.temp("tag", t, s.Tag.Pos())
		l.plain(assign(l.mention(tag), l.expr(s.Tag, false)))
	}
	for i, c := range clauses {
		for _, x := range c.List {
			next := l.fn.newBlock("try")
			if tag == nil {
				l.cond(x, bodies[i], next)
			} else {
				y := l.expr(x, false)
				l.end(&branch{&ast.BinaryExpr{X: l.mention(tag), Op: token.EQL, Y: parenthesized(y)}, bodies[i], next})
			}
			l.start(next)
		}
	}
}

// parenthesized wraps composite literals and binary operations.
func parenthesized(x ast.Expr) ast.Expr {
	switch x.(type) {
	case *ast.BinaryExpr, *ast.CompositeLit, *ast.FuncLit:
		return &ast.ParenExpr{X: x}
	}
	return x
}

func (l *lowerer) typeSwitchStmt(s *ast.TypeSwitchStmt, label types.Object) {
	if s.Init != nil {
		l.stmt(s.Init)
		s.Init = nil
	}
	assert := typeSwitchGuard(s)
	assert.X = l.expr(assert.X, false)
	if !l.col.within[s.Body] {
		l.keepLabel(s, label)
		return
	}
	done := l.fn.newBlock("done")
	clauses := clausesOf(s.Body)
	bodies, fallback := l.clauseBlocks(clauses, done)

	head := &ast.TypeSwitchStmt{Switch: s.Switch, Body: &ast.BlockStmt{Lbrace: s.Body.Lbrace}}
	value := l.fn.names.fresh("v")
	used := false
	var targets []*block
	for i, c := range clauses {
		clause := &ast.CaseClause{Case: c.Case, List: c.List}
		if obj, ok := l.info.Implicits[c].(*types.Var); ok && l.mentions(c.Body, obj) {
			used = true
			v := l.declare(obj, localVar)
			if v.boxed {
				clause.Body = append(clause.Body, assign(l.pointer(v), l.spell.newOf(obj.Type())))
			}
			clause.Body = append(clause.Body, assign(l.mention(obj), ast.NewIdent(value)))
		}
		clause.Body = append(clause.Body, l.gotoBlock(bodies[i]))
		targets = append(targets, bodies[i])
		head.Body.List = append(head.Body.List, clause)
	}
	if used {
		head.Assign = define(value, assert)
	} else {
		head.Assign = exprStmt(assert)
	}
	l.emit(head, targets...)
	if fallback == done {
		l.jump(done)
	} else {
		l.end(&unreachable{}) // a clause takes what no case does
	}
	l.clauseBodies(clauses, bodies, done, label)
	l.start(done)
}

func typeSwitchGuard(s *ast.TypeSwitchStmt) *ast.TypeAssertExpr {
	switch a := s.Assign.(type) {
	case *ast.AssignStmt:
		return a.Rhs[0].(*ast.TypeAssertExpr)
	case *ast.ExprStmt:
		return a.X.(*ast.TypeAssertExpr)
	}
	panic("type switch without a guard")
}

// mentions reports whether the statements refer to obj.
func (l *lowerer) mentions(list []ast.Stmt, obj types.Object) bool {
	found := false
	for _, s := range list {
		ast.Inspect(s, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && l.info.Uses[id] == obj {
				found = true
			}
			return !found
		})
	}
	return found
}
