package transform

import (
	"go/ast"
	"strconv"

	"github.com/dave/jennifer/jen"
)

// poll writes Poll. Functions with defers get it in two parts: Poll catches
// panics and runs the deferred calls then, step is the state machine.
func (e *emitter) poll(f *jen.File) {
	fn := e.fn
	e.nameLabels()
	f.Line()
	f.Comment("// Poll runs the call until it waits or has finished, and reports whether it has.")
	cx := jen.Id(fn.ctxVar).Op("*").Qual(rtPath, "Context")
	if !fn.defers {
		f.Add(e.method("Poll")).Params(cx).Bool().Block(e.body()...)
		return
	}
	defers := func(name string) *jen.Statement { return e.self().Dot("defers").Dot(name) }
	f.Add(e.method("Poll")).Params(cx).Params(jen.Id("done").Bool()).Block(
		jen.Defer().Add(defers("Leave")).Call(jen.Op("&").Id("done")),
		jen.Id("done").Op("=").Add(e.self()).Dot("step").Call(jen.Id(fn.ctxVar)),
		defers("Exit").Call(),
		jen.Return(jen.Id("done")),
	)
	f.Line()
	f.Comment("// step is Poll without the handling of panics.")
	f.Add(e.method("step")).Params(jen.Id(fn.ctxVar).Op("*").Qual(rtPath, "Context")).Bool().Block(e.body()...)
}

// nameLabels gives labels to the blocks that something jumps to other than by
// falling into them.
func (e *emitter) nameLabels() {
	fn := e.fn
	labels := newNameSet()
	ast.Inspect(fn.async.decl.Body, func(n ast.Node) bool {
		// Labels that stay with their statements.
		if s, ok := n.(*ast.LabeledStmt); ok {
			labels.reserve(s.Label.Name)
		}
		return true
	})
	for _, a := range fn.awaits {
		labels.reserve(awaitLabel(a))
	}
	wanted := map[*block]bool{}
	for i, b := range fn.blocks {
		var next *block
		if i+1 < len(fn.blocks) {
			next = fn.blocks[i+1]
		}
		for _, in := range b.instrs {
			for _, t := range in.targets {
				wanted[t] = true
			}
		}
		switch t := b.term.(type) {
		case *jump:
			wanted[t.to] = wanted[t.to] || t.to != next
		case *branch:
			wanted[t.then] = wanted[t.then] || t.then != next
			wanted[t.els] = wanted[t.els] || t.els != next
		}
	}
	for _, b := range fn.blocks {
		if wanted[b] {
			hint := b.hint
			if hint == "" {
				hint = "resume"
			}
			b.label = labels.fresh(hint)
		}
	}
}

// awaitLabel is the label behind an await, where a frame that resumes goes on.
func awaitLabel(a *await) string { return "await" + strconv.Itoa(a.number) }

// body is the state machine.
func (e *emitter) body() []jen.Code {
	if e.fn.plain {
		return e.plainBody()
	}
	var out []jen.Code
	out = append(out, e.declarations()...)
	out = append(out, e.dispatch()...)
	for i, b := range e.fn.blocks {
		var next *block
		if i+1 < len(e.fn.blocks) {
			next = e.fn.blocks[i+1]
		}
		out = append(out, e.block(b, next)...)
	}
	return out
}

// plainBody calls the function in its plain form.
func (e *emitter) plainBody() []jen.Code {
	fn := e.fn
	var args, results []jen.Code
	callee := jen.Id(fn.async.obj.Name())
	for i, p := range fn.params {
		arg := e.self().Dot(p.field)
		if fn.sig.Variadic() && i == len(fn.params)-1 {
			arg.Op("...")
		}
		if i == 0 && fn.sig.Recv() != nil {
			callee = arg.Dot(fn.async.obj.Name())
			continue
		}
		args = append(args, arg)
	}
	if list := fn.sig.TypeParams(); list.Len() > 0 {
		var targs []jen.Code
		for _, p := range e.tparams {
			targs = append(targs, jen.Id(e.tparamName(p)))
		}
		callee.Types(targs...)
	}
	for _, r := range fn.results {
		results = append(results, e.self().Dot(r.field))
	}
	call := callee.Call(args...)
	if len(results) > 0 {
		call = jen.List(results...).Op("=").Add(call)
	}
	return []jen.Code{call, e.self().Dot("state").Op("=").Lit(-1), jen.Return(jen.Lit(true))}
}

// declarations are the variables of Poll.
func (e *emitter) declarations() []jen.Code {
	fn := e.fn
	var out []jen.Code
	for _, d := range fn.decls {
		holder := &ast.DeclStmt{Decl: d}
		e.namer.apply(holder)
		for _, spec := range d.Specs {
			e.renameDeclared(spec)
		}
		out = append(out, e.code(holder))
	}
	var vars, unused []jen.Code
	for _, v := range fn.vars {
		if v.resident || v.reads+v.writes == 0 {
			continue
		}
		if v.reads == 0 {
			unused = append(unused, jen.Id("_").Op("=").Id(v.name))
		}
		if v.slot != nil && v.slot.pinned {
			continue
		}
		vars = append(vars, jen.Id(v.name).Add(e.typ(v.typ())))
	}
	switch len(vars) {
	case 0:
	case 1:
		out = append(out, jen.Var().Add(vars...))
	default:
		out = append(out, jen.Var().Defs(vars...))
	}
	for _, p := range fn.params {
		if v := p.v; v != nil && v.slot != nil && v.slot.pinned && v.reads+v.writes > 0 {
			out = append(out, jen.Id(v.name).Op(":=").Add(e.self()).Dot(v.slot.name))
		}
	}
	return append(out, unused...)
}

// renameDeclared renames what a hoisted declaration declares.
func (e *emitter) renameDeclared(spec ast.Spec) {
	if spec, ok := spec.(*ast.ValueSpec); ok {
		for _, id := range spec.Names {
			if name, ok := e.fn.renamed[e.fn.info.Defs[id]]; ok {
				id.Name = name
			}
		}
	}
}

// dispatch goes to where the frame waits.
func (e *emitter) dispatch() []jen.Code {
	fn := e.fn
	var cases []jen.Code
	if load := e.loadParams(); len(load) > 0 {
		cases = append(cases, jen.Case(jen.Lit(0)).Block(load...))
	}
	for _, a := range fn.awaits {
		body := []jen.Code{jen.If(jen.Op("!").Add(e.pollChild(a))).Block(jen.Return(jen.Lit(false)))}
		body = append(body, e.loads(a)...)
		body = append(body, jen.Goto().Id(awaitLabel(a)))
		cases = append(cases, jen.Case(jen.Lit(a.number)).Block(body...))
	}
	if len(cases) == 0 {
		return nil
	}
	return []jen.Code{jen.Switch(e.self().Dot("state")).Block(cases...)}
}

// loadParams takes the parameters out of the frame for the first time.
func (e *emitter) loadParams() []jen.Code {
	var out []jen.Code
	var dst, src []jen.Code
	for _, p := range e.fn.params {
		v := p.v
		switch {
		case v == nil || v.reads+v.writes == 0:
		case v.boxed:
			out = append(out,
				jen.Id(v.name).Op("=").New(e.typ(v.obj.Type())),
				jen.Op("*").Id(v.name).Op("=").Add(e.self()).Dot(p.field))
		case !v.slot.pinned && e.fn.blocks[0].liveIn.has(v.index):
			dst = append(dst, jen.Id(v.name))
			src = append(src, e.self().Dot(p.field))
		}
	}
	if len(dst) > 0 {
		out = append(out, jen.List(dst...).Op("=").List(src...))
	}
	return out
}

// loads takes the live variables out of the frame.
func (e *emitter) loads(a *await) []jen.Code {
	var out, dst, src []jen.Code
	for _, v := range a.stored() {
		field := e.self().Dot(v.slot.name)
		if local(v.typ()) {
			out = append(out, jen.List(jen.Id(v.name), jen.Id("_")).Op("=").Add(field).Assert(e.typ(v.typ())))
			continue
		}
		dst = append(dst, jen.Id(v.name))
		src = append(src, field)
	}
	if len(dst) > 0 {
		out = append(out, jen.List(dst...).Op("=").List(src...))
	}
	return out
}

// stores puts the live variables into the frame.
func (e *emitter) stores(a *await) []jen.Code {
	var out, dst, src []jen.Code
	for _, v := range a.stored() {
		dst = append(dst, e.self().Dot(v.slot.name))
		src = append(src, jen.Id(v.name))
	}
	if len(dst) > 0 {
		out = append(out, jen.List(dst...).Op("=").List(src...))
	}
	for _, s := range e.fn.cleared(a) {
		out = append(out, e.self().Dot(s.name).Op("=").Add(e.code(e.spell.zero(s.typ))))
	}
	return out
}

// pollChild polls what the frame waits for at a.
func (e *emitter) pollChild(a *await) *jen.Statement {
	field := "defers"
	if a.child != nil {
		field = a.child.name
	}
	return e.self().Dot(field).Dot("Poll").Call(jen.Id(e.fn.ctxVar))
}

// block writes a block; next is the one behind it.
func (e *emitter) block(b, next *block) []jen.Code {
	var out []jen.Code
	if b.label != "" {
		out = append(out, jen.Id(b.label).Op(":"))
	}
	for _, in := range b.instrs {
		out = append(out, e.instr(in)...)
	}
	out = append(out, comments(b.lead)...)
	switch t := b.term.(type) {
	case *jump:
		if t.to != next {
			out = append(out, jen.Goto().Id(t.to.label))
		}
	case *branch:
		out = append(out, e.branch(t, next)...)
	case *await:
		out = append(out, e.await(t)...)
	case *finish:
		out = append(out, e.self().Dot("state").Op("=").Lit(-1), jen.Return(jen.Lit(true)))
	case *unreachable:
	}
	return out
}

func (e *emitter) branch(t *branch, next *block) []jen.Code {
	if t.then == t.els {
		// Both ways lead to the same place; the condition may still fault.
		out := []jen.Code{e.code(assign(ast.NewIdent("_"), e.namer.expr(t.cond)))}
		if t.then != next {
			out = append(out, jen.Goto().Id(t.then.label))
		}
		return out
	}
	jumpIf := func(cond ast.Expr, to *block) jen.Code {
		return jen.If(e.code(cond)).Block(jen.Goto().Id(to.label))
	}
	cond := e.namer.expr(t.cond)
	switch next {
	case t.then:
		return []jen.Code{jumpIf(not(cond), t.els)}
	case t.els:
		return []jen.Code{jumpIf(cond, t.then)}
	}
	return []jen.Code{jumpIf(cond, t.then), jen.Goto().Id(t.els.label)}
}

// await writes a suspension. Under Options.Stress every await suspends before
// the child is polled for the first time.
func (e *emitter) await(a *await) []jen.Code {
	suspend := []jen.Code{e.self().Dot("state").Op("=").Lit(a.number)}
	suspend = append(suspend, e.stores(a)...)
	suspend = append(suspend, jen.Return(jen.Lit(false)))
	var out []jen.Code
	if e.prog.opts.Stress {
		out = append(out, jen.Id(e.fn.ctxVar).Dot("Wake").Call())
		out = append(out, suspend...)
	} else {
		out = append(out, jen.If(jen.Op("!").Add(e.pollChild(a))).Block(suspend...))
	}
	return append(out, jen.Id(awaitLabel(a)).Op(":"))
}

// instr writes a statement with its comments.
func (e *emitter) instr(in *instr) []jen.Code {
	out := comments(in.lead)
	s := e.namer.stmt(in.stmt)
	if in.stmt != s {
		in.comments = nil // positions of the copies would draw them in
	}
	text := render(e.prog.fset, s, in.comments)
	if len(in.trail) > 0 {
		text.Op(commentText(in.trail))
	}
	return append(out, text)
}

// comments writes comment groups on lines of their own.
func comments(groups []*ast.CommentGroup) []jen.Code {
	var out []jen.Code
	for _, g := range groups {
		for _, c := range g.List {
			out = append(out, jen.Op(c.Text))
		}
	}
	return out
}
