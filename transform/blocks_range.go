package transform

// Range statements.

import (
	"go/ast"
	"go/token"
	"go/types"
)

func (l *lowerer) rangeStmt(s *ast.RangeStmt, label types.Object) {
	t := coreType(l.info.TypeOf(s.X))
	if _, ok := t.(*types.Signature); ok {
		if l.col.plans[s] != nil {
			l.rangeFunc(s, label)
			return
		}
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
	switch {
	case !isArray || value:
		x = l.temp("ranged", l.info.TypeOf(s.X), s.X.Pos())
		l.plain(assign(l.mention(x), l.expr(s.X, false)))
	case hasCall(l.info, s.X):
		l.discard(l.expr(s.X, false))
	}
	var end ast.Expr
	if isArray {
		end = intLit(array.Len())
	} else {
		n := l.temp("end", integer, s.X.Pos())
		l.plain(assign(l.mention(n), l.spell.length(l.mention(x), x.Type())))
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
func hasCall(info *types.Info, x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if tv := info.Types[n]; tv.Value == nil && !info.Types[n.Fun].IsType() {
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
		x = call(l.spell.predeclared("string"), x)
	}
	l.plain(assign(l.mention(str), x))
	pos := l.temp("pos", integer, s.X.Pos())
	l.plain(assign(l.mention(pos), intLit(0)))
	l.rangeVars(s)
	l.jump(head)
	l.start(head)
	body := l.fn.newBlock("body")
	l.end(&branch{&ast.BinaryExpr{X: l.mention(pos), Op: token.LSS, Y: l.spell.length(l.mention(str), str.Type())}, body, done})
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
	result := ast.Expr(recv)
	if p := l.col.plans[s]; p != nil {
		result = l.await(recv, p, what)[0]
	}
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
