package transform

// Pass blocks: control statements that contain await points, as blocks.
//
// Input: a statement of the source; the lowering of its parts. Output: blocks
// in the order of the source, so that the generated code reads like it.
//
//	if x := f(); x > 0 {          x = f()
//		await g()                 if !(x > 0) { goto else }
//	} else {                      await g()
//		h()                       goto done
//	}                       else: h()
//	                        done:
//
// A switch without await points in its cases keeps its head, whose bodies
// become jumps. Loop variables that need a box get a new one for each
// iteration (for files of Go 1.22 and later).

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
)

func (l *lowerer) ifStmt(s *ast.IfStmt) {
	if s.Init != nil {
		l.stmt(s.Init)
	}
	if !l.col.within[s.Body] && (s.Else == nil || !l.col.within[s.Else]) {
		// Only the head has awaits.
		s.Init = nil
		s.Cond = l.expr(s.Cond, false)
		l.plain(s)
		return
	}
	then, done := l.fn.newBlock("then"), l.fn.newBlock("done")
	els := done
	if s.Else != nil {
		els = l.fn.newBlock("otherwise")
	}
	l.cond(s.Cond, then, els)
	l.start(then)
	l.stmts(s.Body.List, s.Body.Lbrace, s.Body.Rbrace)
	l.fallInto(done)
	if s.Else != nil {
		l.start(els)
		if body, ok := s.Else.(*ast.BlockStmt); ok {
			l.stmts(body.List, body.Lbrace, body.Rbrace)
		} else {
			l.stmt(s.Else)
		}
		l.fallInto(done)
	}
	l.start(done)
}

// fallInto jumps to b if control reaches this point.
func (l *lowerer) fallInto(b *block) {
	if l.cur != nil {
		l.jump(b)
	}
}

// loop lowers the body of a loop with its scope.
func (l *lowerer) loop(label types.Object, body *ast.BlockStmt, done, cont *block) {
	l.scopes = append(l.scopes, &scope{label: label, brk: done, cont: cont})
	l.stmts(body.List, body.Lbrace, body.Rbrace)
	l.scopes = l.scopes[:len(l.scopes)-1]
	l.fallInto(cont)
}

func (l *lowerer) forStmt(s *ast.ForStmt, label types.Object) {
	if s.Init != nil {
		l.stmt(s.Init)
	}
	head, body, done := l.fn.newBlock("loop"), l.fn.newBlock("body"), l.fn.newBlock("done")
	fresh := l.iterationVars(s.Init)
	cont := head
	if s.Post != nil || len(fresh) > 0 {
		cont = l.fn.newBlock("next")
	}
	l.fallInto(head)
	l.start(head)
	if s.Cond != nil {
		l.cond(s.Cond, body, done)
		l.start(body)
	}
	l.loop(label, s.Body, done, cont)
	if cont != head {
		l.start(cont)
		for _, v := range fresh {
			l.renew(v)
		}
		if s.Post != nil {
			l.stmt(s.Post)
		}
		l.jump(head)
	}
	l.start(done)
}

// iterationVars returns the boxed variables that a for statement declares anew
// for each iteration.
func (l *lowerer) iterationVars(init ast.Stmt) []*irVar {
	s, ok := init.(*ast.AssignStmt)
	if !ok || !l.file.perIteration() {
		return nil
	}
	var out []*irVar
	for _, x := range s.Lhs {
		if id, ok := x.(*ast.Ident); ok {
			if v := l.fn.byObj[l.info.Defs[id]]; v != nil && v.boxed {
				out = append(out, v)
			}
		}
	}
	return out
}

// perIteration reports whether the file has loop variables per iteration.
func (f *sourceFile) perIteration() bool {
	return f.goVersion == "" || version.Compare(f.goVersion, "go1.22") >= 0
}

// renew gives a boxed variable of a for statement its copy for the next
// iteration.
func (l *lowerer) renew(v *irVar) {
	name := l.fn.names.fresh("next")
	l.emit(&ast.BlockStmt{List: []ast.Stmt{
		define(name, call(ast.NewIdent("new"), l.spell.spell(v.obj.Type()))),
		assign(&ast.StarExpr{X: ast.NewIdent(name)}, &ast.StarExpr{X: l.pointer(v)}),
		assign(l.pointer(v), ast.NewIdent(name)),
	}})
	delete(l.fn.names.taken, name)
}

// Range statements.

func (l *lowerer) rangeStmt(s *ast.RangeStmt, label types.Object) {
	t := coreType(l.info.TypeOf(s.X))
	if _, ok := t.(*types.Signature); ok {
		s.X = l.expr(s.X, false)
		l.keepLabel(s, label)
		return
	}
	head, done := l.fn.newBlock("loop"), l.fn.newBlock("done")
	switch t := t.(type) {
	case *types.Basic:
		if t.Info()&types.IsString != 0 {
			l.rangeString(s, head, done)
		} else {
			l.rangeInt(s, head, done)
		}
	case *types.Slice, *types.Array:
		l.rangeIndexed(s, t, head, done)
	case *types.Pointer:
		l.rangeIndexed(s, t.Elem().Underlying(), head, done)
	case *types.Map:
		l.rangeMap(s, t, head, done)
	case *types.Chan:
		l.rangeChan(s, t, head, done)
	default:
		l.refuse(codeUnsupported, s.Pos(), "cogen does not know how to suspend in a range over %s", l.info.TypeOf(s.X))
	}
	l.loop(label, s.Body, done, head)
	l.start(done)
}

// iterate assigns the iteration values to the variables of the range
// statement, which are declared anew if it declares them.
func (l *lowerer) iterate(s *ast.RangeStmt, key, value ast.Expr) {
	a := &ast.AssignStmt{Tok: s.Tok, TokPos: s.TokPos}
	if s.Key != nil && !isBlank(s.Key) {
		a.Lhs, a.Rhs = append(a.Lhs, s.Key), append(a.Rhs, key)
	}
	if s.Value != nil && !isBlank(s.Value) {
		a.Lhs, a.Rhs = append(a.Lhs, s.Value), append(a.Rhs, value)
	}
	if len(a.Lhs) == 0 {
		return
	}
	if s.Key != nil && l.col.within[s.Key] || s.Value != nil && l.col.within[s.Value] {
		l.col.within[a] = true
	}
	if a.Tok == token.DEFINE && !l.file.perIteration() {
		// One variable for the whole loop: rangeVars declared it.
		a.Tok = token.ASSIGN
	}
	l.assignStmt(a)
}

// rangeVars declares the loop's variables in front of it, for files of a Go
// version in which they are not new in each iteration.
func (l *lowerer) rangeVars(s *ast.RangeStmt) {
	if s.Tok != token.DEFINE || l.file.perIteration() {
		return
	}
	var lhs []ast.Expr
	for _, x := range []ast.Expr{s.Key, s.Value} {
		if x != nil && !isBlank(x) {
			lhs = append(lhs, x)
		}
	}
	l.defineLeft(lhs)
}

func (l *lowerer) increment(v *types.Var) {
	l.plain(&ast.IncDecStmt{X: l.mention(v), Tok: token.INC})
}

// rangeInt lowers `for i := range n`.
func (l *lowerer) rangeInt(s *ast.RangeStmt, head, done *block) {
	t := l.info.TypeOf(s.X)
	if s.Key != nil && !isBlank(s.Key) {
		// An untyped n takes the type of the variable.
		t = l.info.TypeOf(s.Key)
		if id, ok := s.Key.(*ast.Ident); ok && l.info.Defs[id] != nil {
			t = l.info.Defs[id].Type()
		}
	}
	if !nameable(t, l.file.pkg.pkg.Types) {
		l.refuse(codeUnnameable, s.X.Pos(), "the type %s of this range expression cannot be written in this package", t)
	}
	end := l.temp("end", t, s.X.Pos())
	l.plain(assign(l.mention(end), l.expr(s.X, false)))
	i := l.temp("i", t, s.X.Pos())
	l.plain(assign(l.mention(i), intLit(0)))
	l.rangeVars(s)
	l.jump(head)
	l.start(head)
	body := l.fn.newBlock("body")
	l.end(&branch{&ast.BinaryExpr{X: l.mention(i), Op: token.LSS, Y: l.mention(end)}, body, done})
	l.start(body)
	l.iterate(s, l.mention(i), nil)
	l.increment(i)
}

// rangeIndexed lowers a range over a slice, an array, or a pointer to an array.
func (l *lowerer) rangeIndexed(s *ast.RangeStmt, elem types.Type, head, done *block) {
	value := s.Value != nil && !isBlank(s.Value)
	integer := types.Typ[types.Int]
	array, isArray := elem.(*types.Array)
	var x *types.Var
	if !isArray || value || l.hasCall(s.X) {
		t := l.info.TypeOf(s.X)
		x = l.temp("ranged", t, s.X.Pos())
		l.plain(assign(l.mention(x), l.expr(s.X, false)))
	}
	var end ast.Expr
	if isArray {
		end = intLit(array.Len())
	} else {
		n := l.temp("end", integer, s.X.Pos())
		l.plain(assign(l.mention(n), call(ast.NewIdent("len"), l.mention(x))))
		end = l.mention(n)
	}
	i := l.temp("i", integer, s.X.Pos())
	l.plain(assign(l.mention(i), intLit(0)))
	l.rangeVars(s)
	l.jump(head)
	l.start(head)
	body := l.fn.newBlock("body")
	l.end(&branch{&ast.BinaryExpr{X: l.mention(i), Op: token.LSS, Y: end}, body, done})
	l.start(body)
	var v ast.Expr
	if value {
		v = &ast.IndexExpr{X: l.mention(x), Index: l.mention(i)}
	}
	l.iterate(s, l.mention(i), v)
	l.increment(i)
}

// hasCall reports whether x has a call or a receive: if not, a range over an
// array for its indexes does not evaluate x.
func (l *lowerer) hasCall(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if tv := l.info.Types[n]; tv.Value == nil && !l.info.Types[n.Fun].IsType() {
				found = true
			}
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// rangeString lowers a range over the runes of a string.
func (l *lowerer) rangeString(s *ast.RangeStmt, head, done *block) {
	integer := types.Typ[types.Int]
	str := l.temp("ranged", types.Typ[types.String], s.X.Pos())
	x := l.expr(s.X, false)
	if !types.Identical(types.Default(l.info.TypeOf(s.X)), types.Typ[types.String]) {
		x = call(ast.NewIdent("string"), x)
	}
	l.plain(assign(l.mention(str), x))
	pos := l.temp("pos", integer, s.X.Pos())
	l.plain(assign(l.mention(pos), intLit(0)))
	l.rangeVars(s)
	l.jump(head)
	l.start(head)
	body := l.fn.newBlock("body")
	l.end(&branch{&ast.BinaryExpr{X: l.mention(pos), Op: token.LSS, Y: call(ast.NewIdent("len"), l.mention(str))}, body, done})
	l.start(body)
	width := l.temp("width", integer, s.X.Pos())
	decode := call(qualified("unicode/utf8", "DecodeRuneInString"), &ast.SliceExpr{X: l.mention(str), Low: l.mention(pos)})
	first := ast.Expr(ast.NewIdent("_"))
	var value ast.Expr
	if s.Value != nil && !isBlank(s.Value) {
		r := l.temp("decoded", types.Typ[types.Rune], s.X.Pos())
		first, value = l.mention(r), l.mention(r)
	}
	l.plain(&ast.AssignStmt{Lhs: []ast.Expr{first, l.mention(width)}, Tok: token.ASSIGN, Rhs: []ast.Expr{decode}})
	l.iterate(s, l.mention(pos), value)
	l.plain(&ast.AssignStmt{Lhs: []ast.Expr{l.mention(pos)}, Tok: token.ADD_ASSIGN, Rhs: []ast.Expr{l.mention(width)}})
}

// rangeMap lowers a range over a map. The iterator of package reflect is the
// one that the compiler's loops use, so that changes to the map during the loop
// have the same effects.
func (l *lowerer) rangeMap(s *ast.RangeStmt, t *types.Map, head, done *block) {
	iter := l.runtimeType("MapIter")
	args := []types.Type{t.Key(), t.Elem()}
	for _, a := range args {
		if !nameable(a, l.file.pkg.pkg.Types) {
			l.refuse(codeUnnameable, s.X.Pos(), "the type %s cannot be written in this package, so a range over this map cannot suspend", a)
		}
	}
	inst, err := types.Instantiate(nil, iter, args, false)
	if err != nil {
		panic(err)
	}
	it := l.temp("iter", types.NewPointer(inst), s.X.Pos())
	l.plain(assign(l.mention(it), call(qualified(rtPath, "RangeMap"), l.expr(s.X, false))))
	l.rangeVars(s)
	l.jump(head)
	l.start(head)
	body := l.fn.newBlock("body")
	l.end(&branch{call(sel(l.mention(it), "Next")), body, done})
	l.start(body)
	l.iterate(s, call(sel(l.mention(it), "Key")), call(sel(l.mention(it), "Value")))
}

// runtimeType returns a type of package rt.
func (l *lowerer) runtimeType(name string) types.Type {
	obj, ok := l.prog.rt.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		panic("package rt has no type " + name)
	}
	return obj.Type()
}

// rangeChan lowers a range over a channel: each iteration awaits a receive.
func (l *lowerer) rangeChan(s *ast.RangeStmt, t *types.Chan, head, done *block) {
	what := "range " + l.source(s.X)
	ch := l.temp("ranged", l.info.TypeOf(s.X), s.X.Pos())
	l.plain(assign(l.mention(ch), l.expr(s.X, false)))
	l.rangeVars(s)
	l.jump(head)
	l.start(head)
	recv := &ast.UnaryExpr{Op: token.ARROW, OpPos: s.X.Pos(), X: l.mention(ch)}
	result := l.await(recv, l.col.plans[s], what)[0]
	ok := l.temp("ok", types.Typ[types.Bool], s.X.Pos())
	first := ast.Expr(ast.NewIdent("_"))
	var key ast.Expr
	if s.Key != nil && !isBlank(s.Key) {
		v := l.temp("received", t.Elem(), s.X.Pos())
		first, key = l.mention(v), l.mention(v)
	}
	l.plain(&ast.AssignStmt{Lhs: []ast.Expr{first, l.mention(ok)}, Tok: token.ASSIGN, Rhs: []ast.Expr{result}})
	body := l.fn.newBlock("body")
	l.end(&branch{l.mention(ok), body, done})
	l.start(body)
	l.iterate(s, key, nil)
}

// Switches.

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
				clause.Body = append(clause.Body, assign(l.pointer(v), call(ast.NewIdent("new"), l.spell.spell(obj.Type()))))
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

// Labels.

func (l *lowerer) labeledStmt(s *ast.LabeledStmt) {
	obj := l.info.Defs[s.Label]
	if l.gotos[obj] {
		b := l.labelBlock(obj)
		l.fallInto(b)
		l.start(b)
	}
	if l.col.within[s.Stmt] {
		switch inner := s.Stmt.(type) {
		case *ast.ForStmt:
			l.forStmt(inner, obj)
			return
		case *ast.RangeStmt:
			l.rangeStmt(inner, obj)
			return
		case *ast.SwitchStmt:
			l.switchStmt(inner, obj)
			return
		case *ast.TypeSwitchStmt:
			l.typeSwitchStmt(inner, obj)
			return
		case *ast.SelectStmt:
			l.selectStmt(inner, obj)
			return
		}
		l.stmt(s.Stmt)
		return
	}
	if l.simple(s.Stmt) {
		return
	}
	l.keepLabel(s.Stmt, obj)
}

// keepLabel emits a statement that stays as it is, with its label if a break
// or continue inside refers to that.
func (l *lowerer) keepLabel(s ast.Stmt, label types.Object) {
	if label == nil {
		l.plain(s)
		return
	}
	used := false
	ast.Inspect(s, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok != token.GOTO && b.Label != nil && l.info.Uses[b.Label] == label {
			used = true
		}
		return !isFuncLit(n)
	})
	if used {
		id := ast.NewIdent(label.Name())
		id.NamePos = label.Pos()
		s = &ast.LabeledStmt{Label: id, Colon: id.End(), Stmt: s}
	}
	l.plain(s)
}
