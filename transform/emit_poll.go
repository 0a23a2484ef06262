package transform

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"
)

// poll writes Poll. In a function with defers it catches panics, and runs the
// deferred calls then.
func (e *emitter) poll(f *jen.File) {
	fn := e.fn
	f.Line()
	f.Comment("// Poll runs the call until it waits or has finished, and reports whether it has.")
	cx := jen.Id(fn.ctxVar).Op("*").Qual(rtPath, "Context")
	decl := f.Add(e.method("Poll")).Params(cx)
	if fn.defers {
		defers := func(name string) *jen.Statement { return e.self().Dot("defers").Dot(name) }
		decl.Params(jen.Id(fn.doneVar).Add(e.predeclared("bool"))).Block(
			jen.Defer().Add(defers("Leave")).Call(jen.Op("&").Id(fn.doneVar)),
			jen.Id(fn.doneVar).Op("=").Add(e.resumed("step")),
			defers("Exit").Call(),
			jen.Return(jen.Id(fn.doneVar)),
		)
		return
	}
	if len(fn.results) == 0 {
		decl.Add(e.predeclared("bool")).Block(jen.Return(e.resumed("Step")))
		return
	}
	decl.Params(jen.Id(fn.doneVar).Add(e.predeclared("bool"))).Block(
		jen.List(append(e.resultFields(), jen.Id(fn.doneVar))...).Op("=").Add(e.resumed("Step")),
		jen.Return(jen.Id(fn.doneVar)),
	)
}

// resultFields are the fields of the results.
func (e *emitter) resultFields() []jen.Code {
	var out []jen.Code
	for _, r := range e.fn.results {
		out = append(out, e.self().Dot(r.field))
	}
	return out
}

// resumed calls the state machine where the frame waits, with the parameters
// that Init or the machine itself have put in the frame.
func (e *emitter) resumed(name string) *jen.Statement {
	state := e.self().Dot("state")
	if e.stateless() {
		state = jen.Lit(0)
	}
	return e.stepFrom(e.self(), name, state)
}

// stepFrom calls the state machine of a frame at a state, with the parameters that are
// in the frame.
func (e *emitter) stepFrom(frame *jen.Statement, name string, state jen.Code) *jen.Statement {
	args := []jen.Code{jen.Id(e.fn.ctxVar), state}
	for i, p := range e.fn.params {
		arg := e.code(e.spell.zero(p.typ()))
		if p.field != "" {
			arg = e.self().Dot(p.field)
		}
		if e.fn.sig.Variadic() && i == len(e.fn.params)-1 {
			arg.Op("...")
		}
		args = append(args, arg)
	}
	return frame.Dot(name).Call(args...)
}

// step writes the state machine, and what resumes it.
func (e *emitter) step(f *jen.File) {
	fn := e.fn
	name, params, results := "Step", e.stepParams(), e.stepResults()
	f.Line()
	if fn.defers {
		name = "step"
		f.Comment("// step is Poll without the handling of panics.")
	} else {
		f.Comment("// Step runs the call from a state, 0 for its start, until it waits or has finished.")
	}
	f.Add(e.method(name)).Params(params...).Params(results...).Block(e.body()...)
	if fn.defers {
		return
	}
	f.Line()
	f.Comment("// Resume runs the call from where it waits.")
	cx := jen.Id(fn.ctxVar).Op("*").Qual(rtPath, "Context")
	var types []jen.Code
	for _, r := range fn.results {
		types = append(types, e.typ(r.obj.Type()))
	}
	types = append(types, e.predeclared("bool"))
	f.Add(e.method("Resume")).Params(cx).Params(types...).Block(jen.Return(e.resumed("Step")))
}

// stepParams are the parameters of the state machine.
func (e *emitter) stepParams() []jen.Code {
	state := e.fn.stateVar
	if e.stateless() {
		state = "_"
	}
	cx := e.fn.ctxVar
	if e.stateless() {
		cx = "_"
	}
	out := []jen.Code{jen.Id(cx).Op("*").Qual(rtPath, "Context"), jen.Id(state).Add(e.predeclared("int32"))}
	for i, p := range e.formals() {
		typ := p.typ
		if p.yields != nil {
			typ = e.typ(e.fn.yield.typ())
		}
		out = append(out, jen.Id(e.fn.params[i].arg).Add(typ))
	}
	return out
}

// stepResults are the results of the state machine.
func (e *emitter) stepResults() []jen.Code {
	var out []jen.Code
	if !e.fn.defers {
		for _, r := range e.fn.results {
			out = append(out, jen.Id(r.name).Add(e.typ(r.obj.Type())))
		}
	}
	return append(out, jen.Id(e.fn.doneVar).Add(e.predeclared("bool")))
}

// nameLabels gives labels to the blocks that something jumps to other than by
// falling into them.
func (e *emitter) nameLabels() {
	fn := e.fn
	labels := newNameSet()
	ast.Inspect(fn.async.body(), func(n ast.Node) bool {
		// Labels that stay with their statements.
		if s, ok := n.(*ast.LabeledStmt); ok {
			labels.reserve(s.Label.Name)
		}
		return true
	})
	for _, a := range fn.awaits {
		a.label = labels.fresh("await"+strconv.Itoa(a.number), "await"+strconv.Itoa(a.number)+"_")
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
		case *await:
			if t.loop != nil {
				wanted[t.loop.body] = true
			}
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

// body is the state machine.
func (e *emitter) body() []jen.Code {
	if e.fn.plain {
		return e.plainBody()
	}
	e.nameLabels()
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
		arg := jen.Id(p.arg)
		if p.v != nil && p.v == fn.yield {
			shape, _ := yieldShapeOf(p.obj.Type())
			arg = e.code(shape.function(e.spell, "ToFunc")).Call(arg)
		}
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
		results = append(results, jen.Id(r.name))
	}
	call := callee.Call(args...)
	if len(results) > 0 {
		call = jen.List(results...).Op("=").Add(call)
	}
	out := []jen.Code{call}
	if fn.iterator != nil {
		shape, _ := iteratedShape(fn.results[0].obj.Type())
		out = append(out, e.self().Dot("iterator").Op("=").Add(e.code(shape.function(e.spell, "Iterate"))).Call(results...))
	}
	return append(out, jen.Return(append(results, e.predeclared("true"))...))
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
		if v.resident || v.reads+v.writes == 0 || !v.boxed && (v.kind == paramVar || v.kind == resultVar) || e.passed(v) {
			continue // in the frame, not there, or declared by Step's signature
		}
		if v.reads == 0 {
			unused = append(unused, jen.Id("_").Op("=").Id(v.name))
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
	return append(out, unused...)
}

// passed reports whether v is a parameter of Step as the pointer to its box.
func (e *emitter) passed(v *irVar) bool {
	return slices.ContainsFunc(e.fn.params, func(p *param) bool { return p.v == v && p.passed })
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
	if box := e.boxParams(); len(box) > 0 {
		if len(fn.awaits) == 0 {
			return box
		}
		cases = append(cases, jen.Case(jen.Lit(0)).Block(box...))
	}
	for _, a := range fn.awaits {
		body := []jen.Code{e.pending(a, e.resumeChild(a), e.suspended())}
		if a.loop == nil {
			body = append(body, e.loads(a.loaded())...)
		}
		body = append(body, jen.Goto().Id(a.label))
		cases = append(cases, jen.Case(jen.Lit(a.number)).Block(body...))
	}
	for _, loop := range fn.loops {
		body := append(e.loads(loop.entered()), jen.Goto().Id(loop.body.label))
		cases = append(cases, jen.Case(jen.Lit(loop.number)).Block(body...))
	}
	if len(cases) == 0 {
		return nil
	}
	return []jen.Code{jen.Switch(jen.Id(fn.stateVar)).Block(cases...)}
}

// boxParams makes the variables of the parameters that need a box.
func (e *emitter) boxParams() []jen.Code {
	var out []jen.Code
	for _, p := range e.fn.params {
		if v := p.v; v != nil && v.boxed && !p.passed && v.reads+v.writes > 0 {
			out = append(out,
				jen.Id(v.name).Op("=").Add(e.code(e.spell.newOf(v.obj.Type()))),
				jen.Op("*").Id(v.name).Op("=").Id(p.arg))
		}
	}
	return out
}

// loads takes variables out of the frame.
func (e *emitter) loads(vars []*irVar) []jen.Code {
	var out, dst, src []jen.Code
	for _, v := range vars {
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
	for _, v := range a.live {
		dst = append(dst, e.self().Dot(v.slot.name))
		src = append(src, jen.Id(v.name))
	}
	if len(dst) > 0 {
		out = append(out, jen.List(dst...).Op("=").List(src...))
	}
	return out
}

// clears clears what the frame does not need while it waits at a.
func (e *emitter) clears(a *await) []jen.Code {
	var out []jen.Code
	for _, s := range e.fn.cleared(a) {
		out = append(out, e.self().Dot(s.name).Op("=").Add(e.code(e.spell.zero(s.typ))))
	}
	return out
}

// resumeChild polls what the frame waits for at a.
func (e *emitter) resumeChild(a *await) *jen.Statement {
	cx := jen.Id(e.fn.ctxVar)
	switch {
	case a.yield != nil:
		return jen.Id(a.yield.name).Dot("Resume").Call(cx)
	case a.child == nil:
		return e.self().Dot("defers").Dot("Poll").Call(cx)
	case a.step && len(a.results) > 0:
		return e.child(a).Dot("Resume").Call(cx)
	}
	return e.child(a).Dot("Poll").Call(cx)
}

// child mentions what the frame waits for at a.
func (e *emitter) child(a *await) *jen.Statement { return e.code(e.fn.child(a.child, e.spell)) }

// startChild polls what the frame is about to wait for at a for the first time.
func (e *emitter) startChild(a *await) *jen.Statement {
	if !a.step {
		return e.resumeChild(a)
	}
	if a.yield != nil {
		return e.yield(a)
	}
	call := *a.args
	if a.body != nil {
		call.Args = append(slices.Clip(call.Args), a.body)
	}
	call.Fun = sel(e.fn.child(a.child, e.spell), "Step")
	call.Args = append([]ast.Expr{ast.NewIdent(e.fn.ctxVar), intLit(0)}, call.Args...)
	return e.code(e.namer.expr(&call))
}

// pending runs what is to be done if poll, which polls the child of a, says that
// it has to wait.
func (e *emitter) pending(a *await, poll *jen.Statement, wait ...jen.Code) jen.Code {
	if !a.step || len(a.results) == 0 {
		return jen.If(jen.Op("!").Add(poll)).Block(wait...)
	}
	return jen.If(e.taken(a, poll), jen.Op("!").Id(e.fn.doneVar)).Block(wait...)
}

// taken takes what poll, which polls a child with results, returns.
func (e *emitter) taken(a *await, poll *jen.Statement) *jen.Statement {
	var results []jen.Code
	for _, v := range a.results {
		if v == nil || v.reads+v.writes == 0 {
			results = append(results, jen.Id("_"))
		} else {
			results = append(results, jen.Id(v.name))
		}
	}
	results = append(results, jen.Id(e.fn.doneVar))
	return jen.List(results...).Op("=").Add(poll)
}

// stressed is pending for a child that is not polled if the frame has to suspend
// anyway.
func (e *emitter) stressed(a *await, wait []jen.Code) []jen.Code {
	forced := jen.Id(e.fn.ctxVar).Dot("Stress").Call()
	if !a.step || len(a.results) == 0 {
		return []jen.Code{jen.If(forced.Op("||").Op("!").Add(e.resumeChild(a))).Block(wait...)}
	}
	done := e.fn.doneVar
	return []jen.Code{
		jen.If(jen.Id(done).Op("=").Op("!").Add(forced), jen.Id(done)).Block(e.taken(a, e.resumeChild(a))),
		jen.If(jen.Op("!").Id(done)).Block(wait...),
	}
}

// suspended leaves the state machine because it waits.
func (e *emitter) suspended() jen.Code {
	var results []jen.Code
	if !e.fn.defers {
		for _, r := range e.fn.results {
			results = append(results, jen.Id(r.name))
		}
	}
	return jen.Return(append(results, e.predeclared("false"))...)
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
	case *iterated:
		out = append(out, e.iterated(t)...)
	case *finish:
		out = append(out, e.code(e.namer.stmt(e.fn.finished(e.spell, token.NoPos, t.results))))
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

// await writes a suspension. Under Options.Stress the frame asks first whether to
// suspend before the child is polled for the first time.
func (e *emitter) await(a *await) []jen.Code {
	var out []jen.Code
	suspend := []jen.Code{e.waitsAt(a)}
	kept := append(e.stores(a), e.clears(a)...)
	if a.loop != nil {
		out = append(out, kept...) // for the iterations
	} else {
		suspend = append(suspend, kept...)
	}
	suspend = append(suspend, e.suspended())
	if e.prog.opts.Stress && a.yield == nil {
		if a.step {
			child := e.fn.child(a.child, e.spell)
			out = append(out, e.code(e.namer.expr(a.init(child))))
			if a.body != nil {
				out = append(out, e.code(e.namer.expr(call(sel(child, "Begin"), a.body))))
			}
		}
		out = append(out, e.stressed(a, suspend)...)
	} else {
		out = append(out, e.pending(a, e.startChild(a), suspend...))
	}
	out = append(out, jen.Id(a.label).Op(":"))
	if a.loop != nil {
		out = append(out, e.loads(a.left())...)
	}
	return out
}

// waitsAt notes where the frame waits, or the iteration that it is in.
func (e *emitter) waitsAt(a *await) jen.Code {
	if a.within != nil {
		return e.self().Dot(a.within.field).Dot("Wait").Call(jen.Lit(a.number))
	}
	return e.self().Dot("state").Op("=").Lit(a.number)
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
