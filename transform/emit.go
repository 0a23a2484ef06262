package transform

// Pass emit: the generated file.
//
// Input: the marked functions of a file, laid out. Output: the file's bytes,
// formatted. For a function serve(c *rt.Conn) error it has
//
//	type serveFrame struct { ... }                     the frame
//	func serveAsync(c *rt.Conn) *serveFrame            the companion
//	func (s *T) serveDynamic(self any, ...)            for a method: see dynamic.go
//	func (f *serveFrame) Init(c *rt.Conn)              prepares a call in place
//	func (f *serveFrame) Poll(cx *rt.Context) bool
//	func (f *serveFrame) Result() error
//	func (f *serveFrame) Step(cx, state, c) (error, bool)    the state machine
//	func (f *serveFrame) Resume(cx) (error, bool)            Step where it waits
//
// Poll and Result are for everyone. Another frame calls Step, which takes the
// arguments of the call, and Resume: they return the results, and whether the
// call has finished, so that a call that does not wait never touches the frame.
// A function with defers keeps its results in the frame, since a recovered panic
// returns what they hold; its frame has no Step or Resume.
//
// emit.go writes the declarations, emit_poll.go what runs.

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/dave/jennifer/jen"
)

// An emitter writes the code of one function.
type emitter struct {
	prog  *program
	file  *sourceFile
	fn    *irFunc
	spell *typeSpeller
	namer *namer
	// tparams are the type parameters of the frame.
	tparams []*types.TypeParam
}

// emitFile returns the generated file for the functions of file.
func emitFile(prog *program, file *sourceFile, fns []*irFunc) ([]byte, error) {
	pkg := file.pkg.pkg.Types
	f := jen.NewFilePathName(pkg.Path(), pkg.Name())
	f.NoFormat = true // it is done below, once
	f.HeaderComment(generatedHeader)
	if file.buildConstraint != "" {
		f.HeaderComment("")
		f.HeaderComment(file.buildConstraint)
	}
	for path, name := range file.importNames() {
		if name.alias {
			f.ImportAlias(path, name.name)
		} else {
			f.ImportName(path, name.name)
		}
	}
	for _, fn := range fns {
		e := &emitter{
			prog:  prog,
			file:  file,
			fn:    fn,
			spell: &typeSpeller{pkg: pkg, params: fn.async.typeParamNames()},
			namer: &namer{fn: fn, pkg: pkg},
		}
		e.tparams = fn.async.typeParams()
		e.function(f)
	}
	if !prog.opts.All {
		mentionPlain(f, file)
	}
	var buf bytes.Buffer
	if err := f.Render(&buf); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(file.genPath), err)
	}
	out, err := format.Source(buf.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%s: the generated code does not parse: %w", filepath.Base(file.genPath), err)
	}
	return groupImports(out), nil
}

// groupImports puts the standard library's packages first in the import
// declaration, as goimports does. The source is formatted, and stays so.
func groupImports(src []byte) []byte {
	before, rest, ok := bytes.Cut(src, []byte("\nimport (\n"))
	if !ok {
		return src
	}
	block, after, _ := bytes.Cut(rest, []byte("\n)\n"))
	var standard, others []byte
	for line := range bytes.Lines(append(block, '\n')) {
		_, path, _ := bytes.Cut(line, []byte{'"'})
		first, _, _ := bytes.Cut(path, []byte{'/'})
		if bytes.Contains(first, []byte{'.'}) {
			others = append(others, line...)
		} else {
			standard = append(standard, line...)
		}
	}
	if len(standard) > 0 && len(others) > 0 {
		standard = append(standard, '\n')
	}
	return slices.Concat(before, []byte("\nimport (\n"), standard, others, []byte(")\n"), after)
}

// typeParams returns the type parameters that the frame has: the function's, or
// those of the receiver's type.
func (fn *asyncFunc) typeParams() []*types.TypeParam {
	sig := fn.outermost().signature()
	list := sig.TypeParams()
	if sig.Recv() != nil {
		list = sig.RecvTypeParams()
	}
	out := make([]*types.TypeParam, list.Len())
	for i := range out {
		out[i] = list.At(i)
	}
	return out
}

// typeParamNames returns names for the type parameters that have none.
func (fn *asyncFunc) typeParamNames() map[*types.TypeParam]string {
	names := map[*types.TypeParam]string{}
	used := newNameSet()
	used.scope = fn.file.pkg.pkg.Types.Scope()
	for _, p := range fn.typeParams() {
		used.reserve(p.Obj().Name())
	}
	for _, p := range fn.typeParams() {
		if p.Obj().Name() == "_" {
			names[p] = used.fresh("T")
		}
	}
	return names
}

func (e *emitter) code(n ast.Node) *jen.Statement { return render(e.prog.fset, n, nil) }

func (e *emitter) typ(t types.Type) *jen.Statement { return e.code(e.spell.spell(t)) }

func (e *emitter) predeclared(name string) *jen.Statement { return e.code(e.spell.predeclared(name)) }

// tparamName is the name of a type parameter of the frame.
func (e *emitter) tparamName(p *types.TypeParam) string {
	if name, ok := e.spell.params[p]; ok {
		return name
	}
	return p.Obj().Name()
}

// declared adds the type parameter list of a declaration to s.
func (e *emitter) declared(s *jen.Statement) *jen.Statement {
	if len(e.tparams) == 0 {
		return s
	}
	var list []jen.Code
	for _, p := range e.tparams {
		list = append(list, jen.Id(e.tparamName(p)).Add(e.constraint(p)))
	}
	return s.Types(list...)
}

// constraint returns the constraint of a type parameter.
func (e *emitter) constraint(p *types.TypeParam) *jen.Statement {
	iface, ok := p.Constraint().(*types.Interface)
	if ok && iface.IsImplicit() && iface.NumEmbeddeds() == 1 {
		s := e.typ(iface.EmbeddedType(0)) // ~int | ~string
		if strings.HasPrefix(fmt.Sprintf("%#v", s), "*") {
			// In the declaration of a type, [P *S] would be an array's length.
			return jen.Interface(s)
		}
		return s
	}
	return e.typ(p.Constraint())
}

// frameType returns the frame's type as the method and companion name it.
func (e *emitter) frameType() *jen.Statement {
	s := jen.Id(e.fn.async.frameName)
	if len(e.tparams) == 0 {
		return s
	}
	var list []jen.Code
	for _, p := range e.tparams {
		list = append(list, jen.Id(e.tparamName(p)))
	}
	return s.Types(list...)
}

// pointer returns *frame.
func (e *emitter) pointer() *jen.Statement { return jen.Op("*").Add(e.frameType()) }

// method starts a method of the frame.
func (e *emitter) method(name string) *jen.Statement {
	return jen.Func().Params(jen.Id(e.fn.frameVar).Add(e.pointer())).Id(name)
}

// self is the receiver of the frame's methods.
func (e *emitter) self() *jen.Statement { return jen.Id(e.fn.frameVar) }

func (e *emitter) function(f *jen.File) {
	e.frame(f)
	if e.fn.async.lit == nil {
		e.companion(f)
	}
	if e.fn.async.dynamic {
		e.dynamic(f)
	}
	e.init(f)
	e.poll(f)
	e.result(f)
	e.iterator(f)
	e.step(f)
	e.loops(f)
}

// position is where something stands in the source, for comments.
func (e *emitter) position(fn *asyncFunc) string {
	pos := fn.root().Pos()
	if fn.decl != nil {
		pos = fn.decl.Name.Pos()
	}
	p := e.prog.fset.Position(pos)
	return filepath.Base(p.Filename) + ":" + strconv.Itoa(p.Line)
}

// frame writes the frame's type.
func (e *emitter) frame(f *jen.File) {
	fn := e.fn
	f.Line()
	f.Comment(fmt.Sprintf("// %s is a call of %s (%s) that can be polled.", fn.async.frameName, fn.async.name, e.position(fn.async)))
	for _, line := range e.states() {
		f.Comment("//" + line)
	}
	var fields []jen.Code
	if !e.stateless() {
		fields = append(fields, jen.Id("state").Add(e.predeclared("int32")))
	}
	for _, s := range fn.slots {
		field := jen.Id(s.name).Add(e.typ(s.typ))
		if note := slotNote(s); note != "" {
			field.Comment("// " + note)
		}
		fields = append(fields, field)
	}
	for _, r := range fn.results {
		t := r.obj.Type()
		if r.v != nil && r.v.resident && r.v.boxed {
			t = types.NewPointer(t)
		}
		fields = append(fields, jen.Id(r.field).Add(e.typ(t)))
	}
	if fn.defers {
		fields = append(fields, jen.Id("defers").Qual(rtPath, "Defers"))
	}
	if fn.iterator != nil {
		fields = append(fields, jen.Id("iterator").Add(e.typ(fn.iterator)))
	}
	for i, name := range fn.loopFields {
		if slices.ContainsFunc(fn.loops, func(loop *funcLoop) bool { return loop.field == name }) {
			fields = append(fields, jen.Id(fn.loopFields[i]).Qual(rangefuncPath, "Loop"))
		}
	}
	for _, c := range fn.children {
		typ := e.typ(c.typ)
		if local(c.typ) {
			typ = jen.Qual(rtPath, "Future")
		}
		fields = append(fields, jen.Id(c.name).Add(typ))
	}
	f.Add(e.declared(jen.Type().Id(fn.async.frameName))).Struct(fields...)
}

// slotNote names the variables of a slot, if its own name does not say it all.
func slotNote(s *slot) string {
	if len(s.vars) < 2 {
		return ""
	}
	names := make([]string, len(s.vars))
	for i, v := range s.vars {
		names[i] = v.name
	}
	return strings.Join(names, ", ")
}

// states describes the frame's states: where it waits, and what it keeps.
func (e *emitter) states() []string {
	if len(e.fn.awaits) == 0 {
		return nil
	}
	var buf bytes.Buffer
	w := tabwriter.NewWriter(&buf, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "state\tline\twaits for\tkeeps\n")
	for _, a := range e.fn.awaits {
		var names []string
		for _, v := range a.live {
			names = append(names, v.name)
		}
		keeps := strings.Join(names, ", ")
		if keeps == "" {
			keeps = "-"
		}
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\n", a.number, e.prog.fset.Position(a.pos).Line, a.what, keeps)
	}
	for _, loop := range e.fn.loops {
		fmt.Fprintf(w, "%d\t%d\tan iteration\t-\n", loop.number, e.prog.fset.Position(loop.from).Line)
	}
	w.Flush()
	out := []string{""}
	for line := range strings.Lines(buf.String()) {
		out = append(out, "\t"+strings.TrimRight(line, " \n"))
	}
	return out
}

// A formal is a parameter as the companion and Init declare it.
type formal struct {
	name     string
	typ      jen.Code
	variadic bool
	// yields is the shape of the yield parameter, nil for another one.
	yields *yieldShape
}

// stateless reports whether the call never waits.
func (e *emitter) stateless() bool { return len(e.fn.awaits) == 0 }

// formals returns the parameters, the receiver first. They have the names of the
// source, unless those would hide something that generated code mentions.
func (e *emitter) formals() []formal {
	names := newNameSet()
	names.reserve(e.fn.frameVar)
	for _, p := range e.fn.params {
		names.reserve(p.obj.Name())
	}
	hides := func(name string) bool {
		_, isType := e.file.pkg.pkg.Types.Scope().Lookup(name).(*types.TypeName)
		return isType || types.Universe.Lookup(name) != nil
	}
	var out []formal
	for i, p := range e.fn.params {
		name := p.obj.Name()
		switch {
		case p.v == nil:
			name = names.fresh("p")
		case hides(name):
			name = p.v.name
		}
		variadic := e.fn.sig.Variadic() && i == len(e.fn.params)-1
		typ := e.spell.spell(p.typ())
		var yields *yieldShape
		if p.v != nil && p.v == e.fn.yield {
			typ = e.spell.spell(p.obj.Type())
			yields, _ = yieldShapeOf(p.obj.Type())
		}
		if variadic {
			typ = variadicType(typ)
		}
		out = append(out, formal{name: name, typ: e.code(typ), variadic: variadic, yields: yields})
	}
	return out
}

// companion writes the companion.
func (e *emitter) companion(f *jen.File) {
	fn := e.fn
	var params, args []jen.Code
	var recv *formal
	for i, p := range e.formals() {
		arg := jen.Id(p.name)
		if p.variadic {
			arg.Op("...")
		}
		args = append(args, arg)
		if i == 0 && fn.sig.Recv() != nil {
			recv = &p
			continue
		}
		params = append(params, jen.Id(p.name).Add(p.typ))
	}
	f.Line()
	f.Comment(fmt.Sprintf("// %s returns a call of %s as a future.", fn.async.asyncName, fn.async.name))
	decl := jen.Func()
	if fn.async.detached {
		if recv != nil {
			params = append([]jen.Code{jen.Id(recv.name).Add(recv.typ)}, params...)
		}
		decl = e.declared(decl.Id(fn.async.asyncName))
	} else if recv != nil {
		decl.Params(jen.Id(recv.name).Add(recv.typ)).Id(fn.async.asyncName)
	} else {
		decl = e.declared(decl.Id(fn.async.asyncName))
	}
	f.Add(decl.Params(params...).Add(e.pointer())).Block(
		e.self().Op(":=").Op("&").Add(e.frameType()).Values(),
		e.self().Dot("Init").Call(args...),
		jen.Return(e.self()),
	)
}

// init writes Init. It may be called again for a frame that has finished, so
// it sets all that Poll does not set before reading.
func (e *emitter) init(f *jen.File) {
	fn := e.fn
	var params []jen.Code
	body := []jen.Code{e.self().Dot("state").Op("=").Lit(0)}
	if e.stateless() {
		body = nil
	}
	for i, p := range e.formals() {
		name := p.name
		if fn.params[i].field == "" {
			name = "_"
		} else {
			value := jen.Id(p.name)
			if p.yields != nil {
				value = e.code(p.yields.function(e.spell, "FromFunc")).Call(value)
			}
			body = append(body, e.self().Dot(fn.params[i].field).Op("=").Add(value))
		}
		params = append(params, jen.Id(name).Add(p.typ))
	}
	if fn.defers {
		for _, r := range fn.results {
			zero := e.spell.zero(r.obj.Type())
			if r.v != nil && r.v.boxed {
				continue // Poll makes the variable
			}
			body = append(body, e.self().Dot(r.field).Op("=").Add(e.code(zero)))
		}
		if fn.iterator != nil {
			body = append(body, e.self().Dot("iterator").Op("=").Add(e.code(e.spell.zero(fn.iterator))))
		}
	}
	f.Line()
	f.Comment(fmt.Sprintf("// Init makes %s a call of %s that has not started.", fn.frameVar, fn.async.name))
	f.Add(e.method("Init")).Params(params...).Block(body...)
}

// result writes Result.
func (e *emitter) result(f *jen.File) {
	fn := e.fn
	var typs, values []jen.Code
	for _, r := range fn.results {
		typs = append(typs, e.typ(r.obj.Type()))
		v := e.self().Dot(r.field)
		if r.v != nil && r.v.resident && r.v.boxed {
			v = jen.Op("*").Add(v)
		}
		values = append(values, v)
	}
	f.Line()
	f.Comment(fmt.Sprintf("// Result returns what %s returned. Poll must have returned true.", fn.async.name))
	decl := f.Add(e.method("Result")).Params()
	switch len(typs) {
	case 0:
		decl.Block()
		return
	case 1:
		decl.Add(typs...)
	default:
		decl.Params(typs...)
	}
	decl.Block(jen.Return(values...))
}
