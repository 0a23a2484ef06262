package transform

// What is generated for loops over functions, and for iterators.

import (
	"fmt"
	"go/ast"

	"github.com/dave/jennifer/jen"
)

// loops writes the types by which iterators know the frame, one for each loop.
func (e *emitter) loops(f *jen.File) {
	for _, loop := range e.fn.loops {
		e.loop(f, loop)
	}
}

func (e *emitter) loop(f *jen.File, loop *funcLoop) {
	fn := e.fn
	line := e.prog.fset.Position(loop.await.pos).Line
	f.Line()
	f.Comment(fmt.Sprintf("// %s is a frame as the body of its loop in line %d.", loop.typ, line))
	f.Add(e.declared(jen.Type().Id(loop.typ))).Add(e.frameType())

	self := jen.Id(loop.typ)
	if len(e.tparams) > 0 {
		var list []jen.Code
		for _, p := range e.tparams {
			list = append(list, jen.Id(e.tparamName(p)))
		}
		self.Types(list...)
	}
	method := func(name string) *jen.Statement {
		return jen.Func().Params(jen.Id(fn.frameVar).Op("*").Add(self)).Id(name)
	}
	names := newNameSet()
	names.reserve(fn.frameVar, fn.ctxVar)
	more := names.fresh("more")
	done := names.fresh("done")
	results := jen.List(jen.Id(more), jen.Id(done)).Add(e.predeclared("bool"))
	state := func() *jen.Statement { return e.self().Dot(loop.field) }

	cx := jen.Id(fn.ctxVar).Op("*").Qual(rtPath, "Context")
	params := []jen.Code{cx}
	body := []jen.Code{state().Dot("Wait").Call(jen.Lit(loop.number))}
	for i := range 2 {
		typ, name := jen.Qual(rangefuncPath, "None"), "_"
		if i < len(loop.values) {
			typ = e.typ(loop.shape.values[i])
			if v := loop.values[i]; v != nil && v.slot != nil {
				name = names.fresh([]string{"k", "v"}[i])
				body = append(body, e.self().Dot(v.slot.name).Op("=").Id(name))
			}
		}
		params = append(params, jen.Id(name).Add(typ))
	}
	if e.prog.opts.Stress {
		body = append(body, jen.If(jen.Id(fn.ctxVar).Dot("Stress").Call()).Block(
			jen.Return(e.predeclared("false"), e.predeclared("false"))))
	}
	body = append(body, jen.Return(e.self().Dot("Resume").Call(jen.Id(fn.ctxVar))))
	f.Line()
	f.Comment("// Yield begins an iteration, and runs it until it waits or has ended.")
	f.Add(method("Yield")).Params(params...).Params(results).Block(body...)

	step := "Step"
	var lhs []jen.Code
	if fn.defers {
		step = "step"
	} else {
		for range fn.results {
			lhs = append(lhs, jen.Id("_"))
		}
	}
	lhs = append(lhs, jen.Id(done))
	frame := jen.Parens(e.pointer()).Call(e.self())
	f.Line()
	f.Comment("// Resume runs an iteration until it waits or has ended.")
	f.Add(method("Resume")).Params(cx).Params(results).Block(
		jen.List(lhs...).Op("=").Add(e.stepFrom(frame, step, state().Dot("At").Call())),
		jen.Return(state().Dot("More").Call(), jen.Id(done)),
	)
}

// iterated writes the end of an iteration.
func (e *emitter) iterated(t *iterated) []jen.Code {
	state := e.self().Dot(t.loop.field)
	if t.next {
		state.Dot("Next").Call()
	} else {
		state.Dot("Leave").Call(jen.Lit(t.exit))
	}
	out := append([]jen.Code{state}, e.stores(t.loop.await)...)
	var results []jen.Code
	if !e.fn.defers {
		for _, r := range e.fn.results {
			results = append(results, jen.Id(r.name))
		}
	}
	return append(out, jen.Return(append(results, e.predeclared("true"))...))
}

// yield calls the yield parameter.
func (e *emitter) yield(a *await) *jen.Statement {
	c := *a.args
	c.Fun = sel(ast.NewIdent(a.yield.name), "Yield")
	c.Args = append([]ast.Expr{ast.NewIdent(e.fn.ctxVar)}, c.Args...)
	shape, _ := yieldShapeOf(a.yield.obj.Type())
	for range 2 - len(shape.values) {
		c.Args = append(c.Args, &ast.CompositeLit{Type: qualified(rangefuncPath, "None")})
	}
	return e.code(e.namer.expr(&c))
}

// iterator writes the methods that loops over the function use.
func (e *emitter) iterator(f *jen.File) {
	fn := e.fn
	if fn.yield != nil {
		var field string
		for _, p := range fn.params {
			if p.v == fn.yield {
				field = p.field
			}
		}
		f.Line()
		f.Comment("// Begin sets the body that the call runs in the place of its yield function.")
		f.Add(e.method("Begin")).Params(jen.Id("body").Add(e.typ(fn.yield.typ()))).Block(
			e.self().Dot(field).Op("=").Id("body"),
		)
	}
	if fn.iterator != nil {
		f.Line()
		f.Comment(fmt.Sprintf("// Iterator returns what %s returned as a call that has not started.", fn.async.name))
		f.Add(e.method("Iterator")).Params().Add(e.typ(fn.iterator)).Block(jen.Return(e.self().Dot("iterator")))
	}
}
