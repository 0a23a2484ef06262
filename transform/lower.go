package transform

// Pass lower: one marked function into the intermediate form.
//
// Input: the function's syntax and types, and its colours. Output: an irFunc
// whose statements have no await point. This file has the frame of the pass and
// simple statements; lower_expr.go has expressions, and with them the order of
// evaluation; blocks.go has the control statements; lower_defer.go defers.
//
// Statements without an await point are kept as the user wrote them. What they
// do to leave the statement is rewritten: a return stores the results in the
// frame and finishes, a break of an enclosing loop becomes a goto.
//
//	n, err := c.Read(buf)     await c.Read(buf)
//	                          n, err = f.read.Result()
//
//	x := g(h(), await())      t = h()
//	                          await
//	                          x = g(t, f.await.Result())

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"
)

// refused says that a construct cannot be part of a frame; lowerFunc recovers
// it.
type refused struct{}

// A lowerer lowers one function.
type lowerer struct {
	prog     *program
	file     *sourceFile
	info     *types.Info
	fn       *irFunc
	col      *colours
	spell    *typeSpeller
	captures map[*types.Var]*capture
	awaited  map[types.Object]bool // see onlyAwaited

	cur     *block              // where instructions go; nil after a jump
	lead    []*ast.CommentGroup // comments for the next instruction
	last    *instr              // the last instruction of the present statement
	scopes  []*scope            // enclosing statements that break and continue leave
	labels  map[types.Object]*block
	gotos   map[types.Object]bool // labels that a goto names
	recurse map[*plan]bool        // plans whose child cannot be part of the frame
	// funcRanges counts the enclosing ranges over functions that stay plain.
	funcRanges int
}

// A scope is a lowered statement that break, continue or fallthrough refer to.
type scope struct {
	label     types.Object
	brk, cont *block
	next      *block // the body that a fallthrough leads to
}

// lowerFunc returns the intermediate form of fn. A function with a construct that
// a frame cannot express is reported, and keeps its plain form: its frame calls
// it.
func lowerFunc(prog *program, fn *asyncFunc, col *colours, recursive map[*plan]bool) *irFunc {
	l := newLowerer(prog, fn, col, recursive)
	if l.lower() {
		return l.fn
	}
	l = newLowerer(prog, fn, col, recursive)
	l.fn.plain, fn.plain = true, true
	l.chooseNames()
	l.signature()
	l.start(l.fn.newBlock("entry"))
	l.end(&finish{})
	return l.fn
}

// lower lowers the function, and reports false after a diagnostic.
func (l *lowerer) lower() (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, refused := r.(refused); !refused {
				panic(r)
			}
		}
	}()
	l.chooseNames()
	l.scan()
	l.repeatConstants(l.fn.async.body())
	l.signature()
	l.body()
	return true
}

func newLowerer(prog *program, fn *asyncFunc, col *colours, recursive map[*plan]bool) *lowerer {
	info := fn.file.pkg.pkg.TypesInfo
	l := &lowerer{
		prog:    prog,
		file:    fn.file,
		info:    info,
		col:     col,
		spell:   &typeSpeller{pkg: fn.file.pkg.pkg.Types},
		labels:  map[types.Object]*block{},
		gotos:   map[types.Object]bool{},
		recurse: recursive,
		fn: &irFunc{
			async:    fn,
			info:     info,
			sig:      fn.signature(),
			byObj:    map[types.Object]*irVar{},
			gotos:    map[*ast.BranchStmt]*block{},
			finishes: map[*ast.ReturnStmt]bool{},
			raw:      map[*ast.Ident]*irVar{},
			renamed:  map[types.Object]string{},
			names:    newNameSet(),
			fields:   newNameSet(),
		},
	}
	l.spell.params = fn.typeParamNames()
	l.captures = fn.captures()
	l.awaited = l.onlyAwaited()
	return l
}

// chooseNames picks the names that Poll's own variables get, away from
// everything that the function mentions.
func (l *lowerer) chooseNames() {
	mentioned := newNameSet()
	identifiers(l.fn.async.root(), func(id *ast.Ident) { mentioned.reserve(id.Name) })
	l.fn.frameVar = mentioned.fresh("f", "fr", "frame")
	l.fn.ctxVar = mentioned.fresh("cx", "pollcx")
	l.fn.stateVar = mentioned.fresh("state", "resumed")
	l.fn.doneVar = mentioned.fresh("done", "finished")
	l.fn.names.avoided = mentioned.taken

	l.fn.names.reserve(l.fn.frameVar, l.fn.ctxVar, l.fn.stateVar, l.fn.doneVar)
	l.fn.names.reserve(types.Universe.Names()...)
	l.fn.names.reserve(typeNames(l.info, l.file.pkg.pkg.Types, l.fn.async.root())...)
	for name := range outerNames(l.info, l.fn.async.root()) {
		l.fn.names.reserve(name)
	}
	for _, name := range l.file.importNames() {
		l.fn.names.reserve(name.name)
	}
	l.fn.fields.reserve("Init", "Poll", "Result", "Step", "Resume", "state", "defers", "step", "Begin", "Yield", "Iterator", "iterator")
}

// scan notes what has to be known before lowering starts.
func (l *lowerer) scan() {
	ast.Inspect(l.fn.async.body(), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			l.fn.defers = true
		case *ast.BranchStmt:
			if n.Tok == token.GOTO {
				l.gotos[l.info.Uses[n.Label]] = true
			}
		}
		return true
	})
}

// signature makes the variables of the parameters and results.
func (l *lowerer) signature() {
	sig := l.fn.sig
	add := func(obj *types.Var) {
		p := &param{obj: obj, arg: "_"}
		if obj.Name() != "" && obj.Name() != "_" {
			p.v = l.declare(obj, paramVar)
			p.field = l.fn.fields.fresh(obj.Name())
			p.arg = p.v.name
			if p.v.boxed {
				p.arg = l.fn.names.fresh(obj.Name() + "Arg")
			}
		} else if l.fn.plain {
			p.field = l.fn.fields.fresh("p")
			p.arg = l.fn.names.fresh(p.field)
		}
		l.fn.params = append(l.fn.params, p)
	}
	if lit := l.fn.async.lit; lit != nil {
		for _, obj := range lit.captured {
			add(obj)
			p := l.fn.params[len(l.fn.params)-1]
			p.passed, p.arg = p.v.boxed, p.v.name
		}
	}
	if recv := sig.Recv(); recv != nil {
		add(recv)
	}
	for i := range sig.Params().Len() {
		add(sig.Params().At(i))
	}
	if v := l.fn.byObj[l.fn.async.yield]; v != nil {
		shape, _ := yieldShapeOf(v.obj.Type())
		v.as = shape.body(l.prog)
		l.fn.yield = v
	}
	if l.fn.async.iterates {
		shape, _ := iteratedShape(sig.Results().At(0).Type())
		l.fn.iterator = shape.iterator(l.prog)
	}
	for i := range sig.Results().Len() {
		obj := sig.Results().At(i)
		r := &result{obj: obj}
		if obj.Name() != "" && obj.Name() != "_" {
			r.v = l.declare(obj, resultVar)
			r.v.resident = l.fn.defers
			r.field = l.fn.fields.fresh(obj.Name())
		} else if sig.Results().Len() == 1 {
			r.field = l.fn.fields.fresh("result")
		} else {
			r.field = l.fn.fields.fresh("result" + string(rune('0'+i%10)))
		}
		if r.v != nil && !r.v.boxed && !r.v.resident {
			r.name = r.v.name
		} else {
			r.name = l.fn.names.fresh(r.field)
		}
		l.fn.results = append(l.fn.results, r)
	}
}

// declare makes obj a variable of Poll.
func (l *lowerer) declare(obj *types.Var, kind varKind) *irVar {
	if v := l.fn.byObj[obj]; v != nil {
		return v
	}
	if !l.fn.plain && !nameable(obj.Type(), l.file.pkg.pkg.Types) {
		l.refuse(codeUnnameable, obj.Pos(), "the type %s of %s cannot be written in this package, so a frame cannot keep it; give the variable an interface or another type that can be named",
			types.TypeString(obj.Type(), nil), obj.Name())
	}
	v := &irVar{obj: obj, kind: kind, boxed: l.captures[obj].boxed(kind == resultVar), index: len(l.fn.vars)}
	if lit := l.fn.async.lit; lit != nil && slices.Contains(lit.captured, obj) {
		v.boxed = lit.outer.isBoxed(obj)
	}
	v.name = l.fn.names.fresh(obj.Name())
	l.fn.vars = append(l.fn.vars, v)
	l.fn.byObj[obj] = v
	return v
}

// refuse reports why the function keeps its plain form, and gives it up.
func (l *lowerer) refuse(c *code, pos token.Pos, format string, args ...any) {
	l.fn.async.refusal = l.prog.diags.report(c, pos, format, args...)
	panic(refused{})
}

// body lowers the function's body.
func (l *lowerer) body() {
	entry := l.fn.newBlock("entry")
	l.start(entry)
	for _, r := range l.fn.results {
		// Parameters are loaded by Poll; results start as zero.
		if v := r.v; v != nil && v.boxed {
			l.emit(assign(l.pointer(v), l.spell.newOf(v.obj.Type())))
		}
	}
	body := l.fn.async.body()
	if l.fn.defers {
		l.fn.exit = l.fn.newBlock("exit")
	}
	l.stmts(body.List, body.Lbrace, body.Rbrace)
	if l.cur != nil {
		l.returns(nil)
	}
	switch {
	case l.fn.defers:
		l.start(l.fn.exit)
		end := l.fn.newBlock("end")
		l.fn.deferred = &await{what: "deferred calls", pos: body.Rbrace, next: end}
		l.fn.awaits = append(l.fn.awaits, l.fn.deferred)
		l.end(l.fn.deferred)
		l.start(end)
		l.end(&finish{})
	case l.fn.exit != nil:
		l.start(l.fn.exit)
		var results []ast.Expr
		for _, r := range l.fn.results {
			results = append(results, l.resultPlace(r))
		}
		l.end(&finish{results})
	}
	for _, b := range l.fn.blocks {
		if b.term == nil {
			b.term = &unreachable{}
		}
	}
	l.fn.thread()
	l.fn.prune()
}

// pointer returns an identifier that means the Poll variable of v itself, the
// pointer of a boxed one.
func (l *lowerer) pointer(v *irVar) *ast.Ident {
	id := ast.NewIdent(v.name)
	l.fn.raw[id] = v
	return id
}

// mention returns an identifier that refers to obj like one of the source.
func (l *lowerer) mention(obj *types.Var) *ast.Ident {
	id := ast.NewIdent(obj.Name())
	l.info.Uses[id] = obj
	return id
}

// temp makes a temporary variable.
func (l *lowerer) temp(name string, t types.Type, pos token.Pos) *types.Var {
	obj := types.NewVar(pos, l.file.pkg.pkg.Types, name, types.Default(t))
	l.declare(obj, tempVar)
	return obj
}

// Blocks and instructions.

// start places b and makes it the block that instructions go to.
func (l *lowerer) start(b *block) {
	l.fn.place(b)
	l.cur = b
}

// here returns the present block; after a jump it is one that nothing leads to.
func (l *lowerer) here() *block {
	if l.cur == nil {
		l.start(l.fn.newBlock("dead"))
	}
	return l.cur
}

func (l *lowerer) emit(s ast.Stmt, targets ...*block) *instr {
	in := &instr{stmt: s, targets: targets, lead: l.lead}
	l.lead = nil
	b := l.here()
	b.instrs = append(b.instrs, in)
	l.last = in
	return in
}

// end ends the present block.
func (l *lowerer) end(t terminator) {
	b := l.here()
	b.term = t
	b.lead, l.lead = l.lead, nil
	l.cur = nil
}

func (l *lowerer) jump(to *block) { l.end(&jump{to}) }

// Statements.

// stmts lowers a statement list that stands between two positions, with the
// comments that belong to its statements.
func (l *lowerer) stmts(list []ast.Stmt, begin, end token.Pos) {
	for _, s := range list {
		l.lead = append(l.lead, l.commentsBetween(begin, s.Pos())...)
		l.last = nil
		if l.prog.opts.stressStatements() {
			l.yield(s)
		}
		begin = s.End() // before lowering, which changes s
		line := l.line(begin)
		l.stmt(s)
		if l.last != nil {
			for _, c := range l.commentsBetween(begin, end) {
				if l.line(c.Pos()) != line {
					break
				}
				l.last.trail = append(l.last.trail, c)
				begin = c.End()
			}
		}
	}
	l.lead = append(l.lead, l.commentsBetween(begin, end)...)
}

func (l *lowerer) line(p token.Pos) int { return l.prog.fset.Position(p).Line }

// commentsBetween returns the comments of the file from one position to
// another.
func (l *lowerer) commentsBetween(from, to token.Pos) []*ast.CommentGroup {
	if !from.IsValid() {
		return nil // made by a pass
	}
	all := l.file.syntax.Comments
	i := sort.Search(len(all), func(i int) bool { return all[i].Pos() >= from })
	j := i
	for j < len(all) && all[j].End() <= to {
		j++
	}
	return all[i:j:j]
}

// stmt lowers one statement.
func (l *lowerer) stmt(s ast.Stmt) {
	if l.simple(s) {
		return
	}
	if !l.col.within[s] {
		l.plain(s)
		return
	}
	switch s := s.(type) {
	case *ast.BlockStmt:
		l.stmts(s.List, s.Lbrace, s.Rbrace)
	case *ast.IfStmt:
		l.ifStmt(s)
	case *ast.ForStmt:
		l.forStmt(s, nil)
	case *ast.RangeStmt:
		l.rangeStmt(s, nil)
	case *ast.SwitchStmt:
		l.switchStmt(s, nil)
	case *ast.TypeSwitchStmt:
		l.typeSwitchStmt(s, nil)
	case *ast.SelectStmt:
		l.selectStmt(s, nil)
	default:
		l.refuse(codeUnsupported, s.Pos(), "this %T has an await point where cogen cannot suspend yet", s)
	}
}

// simple lowers the statements that are not made of others. It reports false
// for the rest.
func (l *lowerer) simple(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.EmptyStmt:
	case *ast.ExprStmt:
		l.exprStmt(s)
	case *ast.AssignStmt:
		l.assignStmt(s)
	case *ast.DeclStmt:
		l.declStmt(s)
	case *ast.IncDecStmt:
		if l.col.within[s] {
			s.X = l.lvalue(s.X, false)
		}
		l.plain(s)
	case *ast.SendStmt:
		l.sendStmt(s)
	case *ast.GoStmt:
		l.goStmt(s)
	case *ast.DeferStmt:
		l.deferStmt(s)
	case *ast.ReturnStmt:
		l.returnStmt(s)
	case *ast.BranchStmt:
		l.branchStmt(s)
	case *ast.LabeledStmt:
		l.labeledStmt(s)
	default:
		return false
	}
	return true
}

func (l *lowerer) exprStmt(s *ast.ExprStmt) {
	x := ast.Unparen(s.X)
	if p := l.col.plans[x]; p != nil {
		if p.direct() {
			l.step(x.(*ast.CallExpr), p, l.source(x), make([]*irVar, p.results.Len()))
		} else {
			l.await(x, p, l.source(x))
		}
		return
	}
	if l.col.within[s] {
		l.plain(exprStmt(l.operands(x, false)))
	} else {
		l.plain(s)
	}
}

func (l *lowerer) sendStmt(s *ast.SendStmt) {
	p := l.col.plans[s]
	if p == nil {
		if l.col.within[s] {
			list := []ast.Expr{s.Chan, s.Value}
			l.exprs(list, false)
			s.Chan, s.Value = list[0], list[1]
		}
		l.plain(s)
		return
	}
	l.await(s, p, l.source(s))
}

func (l *lowerer) goStmt(s *ast.GoStmt) {
	l.callOperands(s.Call, false)
	l.plain(s)
}
