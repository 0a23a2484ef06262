package transform

// Statements that stay as they are.
//
// A statement without an await point keeps its structure. Rewritten is only
// what leaves it, and what means something else in a frame:
//
//	return x        return x, true
//	break outer     goto L2, if outer is a lowered loop
//	goto top        goto L1, if top is outside the statement
//	defer f(x)      f.defers.Push(...)
//	go f(x)         rt.Go(fAsync(x)), if f has a companion
//	yield(x)        rangefunc.ToFunc1(yield)(x), if yield is the yield parameter

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/astutil"
)

// plain emits s, which has no await point.
func (l *lowerer) plain(s ast.Stmt) {
	holder := &ast.BlockStmt{List: []ast.Stmt{s}}
	r := &rewriter{l: l, from: s.Pos(), to: s.End()}
	ends := terminating(l.info, s, "")
	comments := l.commentsBetween(r.from, r.to)
	astutil.Apply(holder, r.pre, r.post)
	for i, s := range holder.List {
		in := l.emit(s)
		in.comments = comments
		if i == len(holder.List)-1 {
			in.targets = r.targets
		}
	}
	if ends {
		l.end(&unreachable{})
	}
}

// A rewriter rewrites one statement.
type rewriter struct {
	l        *lowerer
	from, to token.Pos // of the statement; labels in here are its own
	// breaks and continues count the enclosing statements of the present node
	// that an unlabelled break or continue refers to.
	breaks, continues int
	targets           []*block
}

func (r *rewriter) pre(c *astutil.Cursor) bool {
	switch n := c.Node().(type) {
	case *ast.FuncLit:
		if sub := r.l.col.lits[n]; sub != nil && r.l.prog.opts.All {
			r.l.runFrame(n, sub)
		}
		r.l.literalBody(n.Body)
		return false
	case *ast.AssignStmt:
		r.l.appendLate(n)
		r.l.resultsAfterOperands(n)
	case *ast.ForStmt, *ast.RangeStmt:
		r.breaks++
		r.continues++
		r.l.funcRanges += r.funcRange(n)
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		r.breaks++
	case *ast.BranchStmt:
		if to := r.leaves(n); to != nil {
			c.Replace(r.jump(n.TokPos, to))
			return false
		}
	case *ast.ReturnStmt:
		if r.l.fn.finishes[n] {
			return false
		}
		r.operands(n.Results)
		kept, values := r.l.keepIterator(n.Results)
		list, results := r.l.returned(values)
		list = append(kept, list...)
		for _, s := range list {
			if s, ok := s.(*ast.AssignStmt); ok {
				s.TokPos = n.Return
			}
		}
		if r.l.exits() {
			list = append(list, r.jump(n.Return, r.l.route(r.l.fn.exit)))
		} else {
			list = append(list, r.l.fn.finished(r.l.spell, n.Return, results))
		}
		r.replace(c, list)
		return false
	case *ast.Ident:
		if yield := r.l.fn.yield; yield != nil && r.l.info.Uses[n] == yield.obj {
			// In a loop over a function whose body stays plain.
			c.Replace(r.l.yieldFunc())
			return false
		}
	case *ast.DeferStmt:
		r.callOperands(n.Call)
		r.replace(c, r.l.push(n))
		return false
	case *ast.GoStmt:
		if p := r.l.col.spawns[n.Call]; p != nil {
			r.callOperands(n.Call)
			s := r.l.spawn(n.Call, p)
			if s == nil {
				return false
			}
			c.Replace(s)
			return false
		}
	}
	return true
}

// operands rewrites the operands of a statement that is to be replaced. What replaces it is
// not rewritten.
func (r *rewriter) operands(list []ast.Expr) {
	for i, x := range list {
		list[i] = astutil.Apply(x, r.pre, r.post).(ast.Expr)
	}
}

// callOperands does that for a call in a defer or go statement. A literal that is called
// there stays itself: it may call recover.
func (r *rewriter) callOperands(c *ast.CallExpr) {
	if lit, ok := ast.Unparen(c.Fun).(*ast.FuncLit); ok {
		r.l.literalBody(lit.Body)
	} else {
		c.Fun = astutil.Apply(c.Fun, r.pre, r.post).(ast.Expr)
	}
	r.operands(c.Args)
}

// literalBody rewrites the body of a literal that stays one.
func (l *lowerer) literalBody(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		if s, ok := n.(*ast.AssignStmt); ok {
			l.appendLate(s)
		}
		return true
	})
}

func (r *rewriter) post(c *astutil.Cursor) bool {
	switch n := c.Node().(type) {
	case *ast.ForStmt, *ast.RangeStmt:
		r.breaks--
		r.continues--
		r.l.funcRanges -= r.funcRange(n)
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		r.breaks--
	}
	return true
}

// funcRange returns 1 for a range over a function, and 0 for another node.
func (r *rewriter) funcRange(n ast.Node) int {
	if s, ok := n.(*ast.RangeStmt); ok {
		if _, ok := coreType(r.l.info.TypeOf(s.X)).(*types.Signature); ok {
			return 1
		}
	}
	return 0
}

// replace puts statements in the place of the present one.
func (r *rewriter) replace(c *astutil.Cursor, list []ast.Stmt) {
	if c.Index() < 0 {
		c.Replace(&ast.BlockStmt{List: list})
		return
	}
	for _, s := range list[:len(list)-1] {
		c.InsertBefore(s)
	}
	c.Replace(list[len(list)-1])
}

// leaves returns the block that a branch statement leads to, or nil if that is
// within the statement.
func (r *rewriter) leaves(n *ast.BranchStmt) *block {
	if n.Label != nil {
		obj := r.l.info.Uses[n.Label]
		if obj == nil || obj.Pos() >= r.from && obj.Pos() < r.to {
			return nil
		}
		return r.l.target(n)
	}
	switch {
	case n.Tok == token.BREAK && r.breaks == 0, n.Tok == token.CONTINUE && r.continues == 0:
		return r.l.target(n)
	}
	return nil
}

func (r *rewriter) jump(pos token.Pos, to *block) *ast.BranchStmt {
	s := r.l.gotoBlock(to)
	s.TokPos = pos
	r.targets = append(r.targets, to)
	return s
}

// finished returns the statement that leaves Step with the results.
func (fn *irFunc) finished(s *typeSpeller, pos token.Pos, results []ast.Expr) *ast.ReturnStmt {
	ret := &ast.ReturnStmt{Return: pos, Results: append(slices.Clip(results), s.predeclared("true"))}
	fn.finishes[ret] = true
	return ret
}

// gotoBlock returns a goto; emit fills in the label of the block.
func (l *lowerer) gotoBlock(to *block) *ast.BranchStmt {
	s := &ast.BranchStmt{Tok: token.GOTO, Label: ast.NewIdent("L")}
	l.fn.gotos[s] = to
	return s
}

// target returns the block that a branch statement at this point leads to.
func (l *lowerer) target(n *ast.BranchStmt) *block {
	var obj types.Object
	if n.Label != nil {
		obj = l.info.Uses[n.Label]
	}
	if n.Tok == token.GOTO {
		return l.route(l.labelBlock(obj))
	}
	for i := len(l.scopes) - 1; i >= 0; i-- {
		s := l.scopes[i]
		if obj != nil && s.label != obj {
			continue
		}
		switch {
		case n.Tok == token.BREAK && s.brk != nil:
			return l.route(s.brk)
		case n.Tok == token.CONTINUE && s.cont != nil:
			return l.route(s.cont)
		case n.Tok == token.FALLTHROUGH && s.next != nil:
			return s.next
		}
	}
	l.refuse(codeUnsupported, n.Pos(), "cogen does not know where this %s leads", n.Tok)
	return nil
}

// labelBlock returns the block of a label.
func (l *lowerer) labelBlock(obj types.Object) *block {
	b := l.labels[obj]
	if b == nil {
		b = l.fn.newBlock(obj.Name())
		b.loop = l.loopOf(obj)
		l.labels[obj] = b
	}
	return b
}

func (l *lowerer) branchStmt(s *ast.BranchStmt) {
	l.jump(l.target(s))
}
