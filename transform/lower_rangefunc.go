package transform

// Loops over functions that have frames.
//
// Go makes a function of the loop's body, the yield function, which the iterator
// calls. Here the body is part of the state machine of the function that it stands
// in, with a state of its own at its top, where the iterator enters it:
//
//	for v := range list.each {            f.total = total
//		n, err := fetch(v)                f.loop1.Begin()
//		if err != nil {                   await list.each((*sumLoop1)(f))
//			return 0, err                 total = f.total
//		}                                 switch f.loop1.Exit() { case 1: goto exit }
//		total += n                        goto done
//	}                           body:     v, total = f.v, f.total
//	                                      n, err = await fetch(v)
//	                                      if err != nil { result1 = err; goto leave }
//	                                      total += n
//	                                      f.loop1.Next(); f.total = total; return
//	                            leave:    f.loop1.Leave(1); f.result1 = result1; return
//	                            done:     ...
//
// sumLoop1 is the frame by another name, with the methods of rangefunc.Body: Yield
// puts v into the frame and runs the state machine from body, Resume from where the
// body waits. While the iterator runs, the variables of the function are in the frame
// as if it waited, since every iteration is another call of Step.
//
//  1. Jumps out of the body end the iteration, and go on when the iterator has
//     returned, from one loop to the next one around it (route).
//  2. Deferred calls in the body are on the list of the frame, as is right.
//  3. What the panics and Goexits of the body do is what they do in Go, since the
//     iterator calls the body. So is what the iterator is not allowed to do; see
//     rangefunc.Loop.
//  4. The iterator's child belongs to the loop while it runs; awaits in the body have
//     others (see child).

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// rangeFunc lowers a range over a function.
func (l *lowerer) rangeFunc(s *ast.RangeStmt, label types.Object) {
	p := l.col.plans[s]
	shape, _ := iteratedShape(l.info.TypeOf(s.X))
	what := "range " + l.source(s.X)
	loop := &funcLoop{outer: l.fn.loop, from: s.Body.Pos(), to: s.Body.End(), shape: shape, values: make([]*irVar, len(shape.values))}
	loop.await = &await{pos: s.X.Pos(), what: what, plan: p, loop: loop, step: p.step}
	l.nameLoop(loop)

	a := loop.await
	if p.kind == planIterator {
		x := ast.Unparen(s.X).(*ast.CallExpr)
		l.await(x, l.col.plans[x], l.source(x))
		made := l.fn.awaits[len(l.fn.awaits)-1].child
		a.child = l.child("iterator", p.future, false)
		l.plain(assign(l.field(a.child), call(sel(l.field(made), "Iterator"))))
		l.emit(exprStmt(call(sel(l.field(a.child), "Begin"), l.loopBody(loop))))
	} else {
		c := &ast.CallExpr{Fun: s.X}
		if p.lit == nil {
			l.callOperands(c, false)
		}
		l.startIterator(a, c, p, l.loopBody(loop))
	}
	l.plain(exprStmt(call(sel(l.loopField(loop), "Begin"))))
	done := l.fn.newBlock("done")
	l.suspend(a)
	after := l.cur
	l.cur = nil

	l.fn.loop = loop
	l.fn.loops = append(l.fn.loops, loop)
	loop.body = l.fn.newBlock("body")
	next := l.fn.newBlock("next")
	l.start(loop.body)
	values := make([]ast.Expr, 2)
	for i, x := range []ast.Expr{s.Key, s.Value} {
		if x != nil && !isBlank(x) {
			obj := l.temp("yielded", shape.values[i], s.X.Pos())
			loop.values[i] = l.fn.byObj[obj]
			values[i] = l.mention(obj)
		}
	}
	enter := exprStmt(call(sel(l.loopField(loop), "Enter")))
	if s.Tok == token.ASSIGN {
		// gc assigns one by one, and before it checks that there may be an iteration.
		key, value := *s, *s
		key.Value, value.Key = nil, nil
		l.iterate(&key, values[0], nil)
		l.iterate(&value, nil, values[1])
		l.plain(enter)
	} else {
		l.plain(enter)
		l.iterate(s, values[0], values[1])
	}
	l.loop(label, s.Body, done, next)
	l.start(next)
	l.end(&iterated{loop: loop, next: true})
	l.fn.loop = loop.outer
	l.leaveLoop(loop, after, done)
	l.start(done)
}

// leaveLoop completes the block behind the iterator's return.
func (l *lowerer) leaveLoop(loop *funcLoop, after, done *block) {
	exit := call(sel(l.loopField(loop), "Exit"))
	l.cur = after
	var cases []ast.Stmt
	var targets []*block
	for i, e := range loop.exits {
		t := &iterated{loop: loop, exit: i + 1}
		if e.to == done {
			t.exit = 0
		} else {
			to := l.route(e.to)
			targets = append(targets, to)
			cases = append(cases, &ast.CaseClause{List: []ast.Expr{intLit(int64(t.exit))}, Body: []ast.Stmt{l.gotoBlock(to)}})
		}
		e.from.term = t
	}
	if len(cases) == 0 {
		l.emit(exprStmt(exit))
	} else {
		l.emit(&ast.SwitchStmt{Tag: exit, Body: &ast.BlockStmt{List: cases}}, targets...)
	}
	l.jump(done)
	for _, e := range loop.exits {
		l.fn.place(e.from)
	}
}

// route returns the block to jump to in order to get to another one, which may be
// outside the loop over a function that the jump is in.
func (l *lowerer) route(to *block) *block {
	loop := l.fn.loop
	if to.loop == loop {
		return to
	}
	for _, e := range loop.exits {
		if e.to == to {
			return e.from
		}
	}
	e := &loopExit{from: l.fn.newBlock("leave"), to: to}
	loop.exits = append(loop.exits, e)
	return e.from
}

// loopOf returns the innermost of the loops over functions that are being lowered that
// the label is part of.
func (l *lowerer) loopOf(label types.Object) *funcLoop {
	loop := l.fn.loop
	for loop != nil && (label.Pos() < loop.from || label.Pos() >= loop.to) {
		loop = loop.outer
	}
	return loop
}

// nameLoop chooses the names of what is generated for a loop.
func (l *lowerer) nameLoop(loop *funcLoop) {
	depth := 1
	for outer := loop.outer; outer != nil; outer = outer.outer {
		depth++
	}
	for len(l.fn.loopFields) < depth {
		l.fn.loopFields = append(l.fn.loopFields, l.fn.fields.fresh("loop"+strconv.Itoa(len(l.fn.loopFields)+1)))
	}
	loop.field = l.fn.loopFields[depth-1]
	base := strings.TrimSuffix(l.fn.async.frameName, "Frame") + "Loop"
	scope := l.file.pkg.pkg.Types.Scope()
	for {
		l.fn.loopTypes++
		loop.typ = base + strconv.Itoa(l.fn.loopTypes)
		if scope.Lookup(loop.typ) == nil && !l.fn.names.avoided[loop.typ] {
			return
		}
	}
}

func (l *lowerer) loopField(loop *funcLoop) ast.Expr {
	return sel(ast.NewIdent(l.fn.frameVar), loop.field)
}

// loopBody is the frame as the body of a loop.
func (l *lowerer) loopBody(loop *funcLoop) ast.Expr {
	var targs []types.Type
	for _, p := range l.fn.async.typeParams() {
		targs = append(targs, p)
	}
	typ := l.spell.instance(ast.NewIdent(loop.typ), targs)
	return call(&ast.ParenExpr{X: &ast.StarExpr{X: typ}}, ast.NewIdent(l.fn.frameVar))
}

// startIterator prepares the child of a for a call of an iterator; c has what it takes
// besides the body.
func (l *lowerer) startIterator(a *await, c *ast.CallExpr, p *plan, body ast.Expr) {
	name := "lit"
	args := c.Args
	if p.lit != nil {
		args = l.literalArgs(p.lit, args)
	} else {
		recv, _ := l.receiver(c, p)
		if recv != nil {
			args = append([]ast.Expr{recv}, args...)
		}
		name = calleeIdent(c.Fun).Name
	}
	a.child = l.childOf(p, name)
	iterator := coreType(l.info.TypeOf(c.Fun)).(*types.Signature)
	a.args, a.body, a.noYield = &ast.CallExpr{Args: args}, body, l.spell.nilOf(iterator.Params().At(0).Type())
	if !p.step {
		l.initChild(a)
	}
}
