package transform

// Select statements.
//
// The operands of all cases are evaluated when the statement is entered, in the
// order of the source. Then the statement is tried without blocking; if it has no
// default, and nothing was ready, the frame awaits one of the operations:
//
//	select {                    ch, v, ch2 = c(), f(), d
//	case c() <- f():            select {
//		A                       case ch <- v: goto A
//	case x[g()] = <-d:          case received = <-ch2: goto B
//		B                       default:
//	}                           }
//	                            f.sel.Init(rt.SelectSend(ch, v), rt.SelectRecv(ch2))
//	                            await
//	                            switch f.sel.Result() { ... }
//
// What the left side of a receive evaluates belongs to the body.

import (
	"go/ast"
	"go/token"
	"go/types"
)

// A commCase is a case of a select statement.
type commCase struct {
	clause *ast.CommClause
	body   *block
	// ch, and for a send value, hold the operands.
	ch, value *types.Var
	// left has what a receive is assigned to, nil for the rest.
	left []ast.Expr
	tok  token.Token
	// received and ok hold what a receive yields, if it is used.
	received, ok *types.Var
}

func (l *lowerer) selectStmt(s *ast.SelectStmt, label types.Object) {
	var cases []*commCase
	var fallback *block
	for _, c := range s.Body.List {
		clause := c.(*ast.CommClause)
		body := l.fn.newBlock("selected")
		cases = append(cases, &commCase{clause: clause, body: body})
		if clause.Comm == nil {
			fallback = body
		}
	}
	for _, c := range cases {
		l.commOperands(c)
	}
	done := l.fn.newBlock("done")

	// Try.
	try := &ast.SelectStmt{Select: s.Select, Body: &ast.BlockStmt{Lbrace: s.Body.Lbrace}}
	var targets []*block
	for _, c := range cases {
		targets = append(targets, c.body)
		try.Body.List = append(try.Body.List, &ast.CommClause{Case: c.clause.Case, Comm: l.comm(c), Body: []ast.Stmt{l.gotoBlock(c.body)}})
	}
	if fallback == nil {
		try.Body.List = append(try.Body.List, &ast.CommClause{})
	}
	if len(cases) > 0 {
		l.emit(try, targets...)
	}
	if fallback != nil {
		l.end(&unreachable{})
	} else {
		l.selectAwait(s, cases)
	}

	for i, c := range cases {
		l.scopes = append(l.scopes, &scope{label: label, brk: done})
		l.start(c.body)
		l.commAssign(c)
		end := s.Body.Rbrace
		if i+1 < len(cases) {
			end = cases[i+1].clause.Pos()
		}
		l.stmts(c.clause.Body, c.clause.Colon, end)
		l.fallInto(done)
		l.scopes = l.scopes[:len(l.scopes)-1]
	}
	l.start(done)
}

// commOperands evaluates the operands of a case.
func (l *lowerer) commOperands(c *commCase) {
	keep := func(name string, x ast.Expr, t types.Type) *types.Var {
		obj := l.temp(name, t, x.Pos())
		l.plain(assign(l.mention(obj), l.expr(x, false)))
		return obj
	}
	switch op := commOperation(c.clause.Comm).(type) {
	case *ast.SendStmt:
		t := l.info.TypeOf(op.Chan)
		c.ch = keep("ch", op.Chan, t)
		c.value = keep("sent", op.Value, coreType(t).(*types.Chan).Elem())
	case *ast.UnaryExpr:
		t := l.info.TypeOf(op.X)
		c.ch = keep("ch", op.X, t)
		s, ok := c.clause.Comm.(*ast.AssignStmt)
		if !ok {
			return
		}
		c.left, c.tok = s.Lhs, s.Tok
		if !isBlank(s.Lhs[0]) {
			c.received = l.temp("received", coreType(t).(*types.Chan).Elem(), op.Pos())
		}
		if len(s.Lhs) > 1 && !isBlank(s.Lhs[1]) {
			c.ok = l.temp("ok", types.Typ[types.Bool], op.Pos())
		}
	}
}

// comm is the operation of a case on the operands that it holds.
func (l *lowerer) comm(c *commCase) ast.Stmt {
	switch {
	case c.ch == nil:
		return nil
	case c.value != nil:
		return &ast.SendStmt{Chan: l.mention(c.ch), Value: l.mention(c.value)}
	}
	recv := &ast.UnaryExpr{Op: token.ARROW, X: l.mention(c.ch)}
	if c.received == nil && c.ok == nil {
		return exprStmt(recv)
	}
	return &ast.AssignStmt{Lhs: l.commResults(c), Tok: token.ASSIGN, Rhs: []ast.Expr{recv}}
}

// commResults are the places for what a receive yields.
func (l *lowerer) commResults(c *commCase) []ast.Expr {
	place := func(v *types.Var) ast.Expr {
		if v == nil {
			return ast.NewIdent("_")
		}
		return l.mention(v)
	}
	if c.ok == nil {
		return []ast.Expr{place(c.received)}
	}
	return []ast.Expr{place(c.received), place(c.ok)}
}

// commAssign assigns what was received to the left side of the case.
func (l *lowerer) commAssign(c *commCase) {
	a := &ast.AssignStmt{Tok: c.tok}
	for i, v := range []*types.Var{c.received, c.ok} {
		if v == nil {
			continue
		}
		value := ast.Expr(l.mention(v))
		if t := l.info.TypeOf(c.left[i]); v == c.ok && t != nil && definedBool(t) {
			value = call(l.spell.spell(t), value)
		}
		a.Lhs, a.Rhs = append(a.Lhs, c.left[i]), append(a.Rhs, value)
	}
	if len(a.Lhs) == 0 {
		return
	}
	if anyWithin(l.col, a.Lhs) {
		l.col.within[a] = true
	}
	l.assignStmt(a)
}

// selectAwait awaits one of the cases and goes to its body.
func (l *lowerer) selectAwait(s *ast.SelectStmt, cases []*commCase) {
	a := &await{pos: s.Pos(), what: "select", plan: l.col.plans[s]}
	var args []ast.Expr
	for _, c := range cases {
		elem := l.spell.spell(coreType(c.ch.Type()).(*types.Chan).Elem())
		if c.value != nil {
			args = append(args, call(&ast.IndexExpr{X: qualified(rtPath, "SelectSend"), Index: elem}, l.mention(c.ch), l.mention(c.value)))
		} else {
			args = append(args, call(&ast.IndexExpr{X: qualified(rtPath, "SelectRecv"), Index: elem}, l.mention(c.ch)))
		}
	}
	if len(cases) == 0 {
		// The end of the function must not seem reachable from here.
		forever := l.fn.newBlock("forever")
		l.jump(forever)
		l.start(forever)
		l.startChannel(a, l.col.plans[s], "sel")
		l.suspend(a)
		l.jump(forever)
		return
	}
	l.startChannel(a, l.col.plans[s], "sel", args...)
	l.suspend(a)
	for i, c := range cases {
		if i < len(cases)-1 {
			chosen, other := l.fn.newBlock("chosen"), l.fn.newBlock("other")
			l.end(&branch{&ast.BinaryExpr{X: call(sel(l.field(a.child), "Result")), Op: token.EQL, Y: intLit(int64(i))}, chosen, other})
			l.start(chosen)
			l.commReceived(a, c)
			l.jump(c.body)
			l.start(other)
			continue
		}
		l.commReceived(a, c)
		l.jump(c.body)
	}
}

// commReceived takes what the awaited case c has received.
func (l *lowerer) commReceived(a *await, c *commCase) {
	if c.received == nil && c.ok == nil {
		return
	}
	lhs := l.commResults(c)
	if len(lhs) == 1 {
		lhs = append(lhs, ast.NewIdent("_"))
	}
	elem := l.spell.spell(coreType(c.ch.Type()).(*types.Chan).Elem())
	l.plain(&ast.AssignStmt{
		Lhs: lhs,
		Tok: token.ASSIGN,
		Rhs: []ast.Expr{call(&ast.IndexExpr{X: qualified(rtPath, "Selected"), Index: elem}, &ast.UnaryExpr{Op: token.AND, X: l.field(a.child)})},
	})
}
