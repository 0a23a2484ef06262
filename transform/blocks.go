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
		define(name, l.spell.newOf(v.obj.Type())),
		assign(&ast.StarExpr{X: ast.NewIdent(name)}, &ast.StarExpr{X: l.pointer(v)}),
		assign(l.pointer(v), ast.NewIdent(name)),
	}})
	delete(l.fn.names.taken, name)
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
