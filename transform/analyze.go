package transform

// What is known of a function after the passes, for Result.Analysis.
//
// Input: an irFunc that is laid out, before emit rewrites its statements, and the
// survey of its calls, which was made before lower rewrote those. The sizes of the
// fields come from the types of the generated file, at the end.

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// An analysis makes one Function.
type analysis struct {
	prog *program
	fn   *irFunc
	pkg  *types.Package
	out  *Function
	vars map[*irVar]*Variable
}

// analyze returns the analysis of a function, without sizes.
func (prog *program) analyze(fn *irFunc) *analysis {
	async := fn.async
	pkg := async.file.pkg.pkg.Types
	a := &analysis{prog: prog, fn: fn, pkg: pkg, vars: map[*irVar]*Variable{}}
	from, to, pos := async.root().Pos(), async.root().End(), async.root().Pos()
	if async.decl != nil {
		pos, to = async.decl.Name.Pos(), async.bodyEnd
	}
	survey := prog.surveys[async]
	if async.lit != nil {
		to = survey.end
	}
	a.out = &Function{
		Package:     pkg.Path(),
		PackageName: pkg.Name(),
		Output:      async.file.genPath,
		Name:        async.name,
		Pos:         prog.fset.Position(pos),
		From:        prog.fset.Position(from),
		To:          prog.fset.Position(to),
		Literal:     async.lit != nil,
		Frame:       async.frameName,
		Companion:   async.asyncName,
		Plain:       async.refusal,
		Calls:       slices.Clone(survey.plain),
		Spawns:      slices.Clone(survey.spawns),
	}
	if fn.plain {
		for i := range a.out.Spawns {
			a.out.Spawns[i].Task = false
		}
		for _, c := range survey.awaited {
			c.Reason = ReasonPlainFunction
			a.out.Calls = append(a.out.Calls, c)
		}
		slices.SortStableFunc(a.out.Calls, func(a, b PlainCall) int { return cmp.Compare(a.Pos.Offset, b.Pos.Offset) })
	}
	for _, v := range fn.vars {
		if v.slot != nil || v.resident {
			a.variable(v)
		}
	}
	for _, w := range fn.awaits {
		a.await(w, survey)
	}
	a.boxes()
	a.edges()
	return a
}

// variable adds a variable of the frame.
func (a *analysis) variable(v *irVar) {
	out := &Variable{
		Name:  v.obj.Name(),
		Kind:  [...]string{localVar: "local", paramVar: "parameter", resultVar: "result", tempVar: "temporary"}[v.kind],
		Pos:   a.prog.fset.Position(v.obj.Pos()),
		Type:  a.typ(v.obj.Type()),
		Boxed: v.boxed,
	}
	t := v.typ()
	if v.slot != nil {
		out.Field, t = v.slot.name, v.slot.typ
	} else if i := slices.IndexFunc(a.fn.results, func(r *result) bool { return r.v == v }); i >= 0 {
		out.Field = a.fn.results[i].field
	}
	if fixedSize(t) {
		out.Size = a.prog.sizes.Sizeof(t)
	}
	a.vars[v] = out
	a.out.Variables = append(a.out.Variables, out)
}

func (a *analysis) typ(t types.Type) string { return typeText(t, a.pkg) }

func (a *analysis) await(w *await, survey *survey) {
	out := &Await{
		State: w.number,
		Pos:   a.prog.fset.Position(w.pos),
		Call:  w.what,
		How:   w.how(a.fn),
	}
	if p := w.plan; p != nil && p.companion != nil {
		out.Companion = p.companion.Name()
		if p.companion.Pkg() != a.pkg {
			out.Companion = p.companion.Pkg().Name() + "." + out.Companion
		}
		if recv := p.companion.Signature().Recv(); recv != nil {
			out.Companion = "(" + a.typ(recv.Type()) + ")." + p.companion.Name()
		}
	}
	if out.How == HowDeferred {
		out.Deferred = survey.deferred
	}
	for _, v := range w.kept() {
		if v := a.vars[v]; v != nil {
			out.Live = append(out.Live, v)
		}
	}
	if w.child != nil {
		out.Child = w.child.name
	}
	a.out.Awaits = append(a.out.Awaits, out)
}

// how says how an operation is awaited.
func (w *await) how(fn *irFunc) How {
	p := w.plan
	switch {
	case w == fn.deferred:
		return HowDeferred
	case w.loop != nil:
		return HowLoop
	case p == nil:
		return HowFuture // forced suspensions
	case p.kind == planYield:
		return HowYield
	case p.kind == planAwait:
		return HowAwait
	case p.channel:
		return HowChannel
	case p.dynamic != nil:
		return HowDynamic
	case p.foreign:
		return HowForeign
	case p.step || p.frame != nil:
		return HowFrame
	}
	return HowFuture
}

// boxes says why variables are allocated.
func (a *analysis) boxes() {
	at := func(pos token.Pos, message string) Related {
		return Related{Pos: a.prog.fset.Position(pos), Message: message}
	}
	for _, v := range a.fn.vars {
		if !v.boxed {
			continue
		}
		if a.fn.async.lit != nil && !inside(v.obj, a.fn.async.root()) {
			continue // the function around it does
		}
		box := Box{Name: v.obj.Name(), Pos: a.prog.fset.Position(v.obj.Pos())}
		if c := a.fn.async.captures()[v.obj]; c != nil {
			if c.addressed {
				box.Reasons = append(box.Reasons, at(c.addressedAt, "its address is taken"))
			} else {
				box.Reasons = append(box.Reasons, at(c.capturedAt, "a function literal captures it"))
				if c.assigned {
					box.Reasons = append(box.Reasons, at(c.assignedAt, "it is assigned after its declaration"))
				} else {
					box.Reasons = append(box.Reasons, at(v.obj.Pos(), "it is a result, which return statements assign"))
				}
			}
		}
		a.out.Boxes = append(a.out.Boxes, box)
	}
	slices.SortFunc(a.out.Boxes, func(a, b Box) int { return cmp.Compare(a.Pos.Offset, b.Pos.Offset) })
}

// edges finds the transitions: from each state, the awaits that can be reached without
// one between, by the shortest ways over the blocks.
func (a *analysis) edges() {
	if a.fn.plain {
		return
	}
	a.edgesFrom(StateStart, a.fn.blocks[:1])
	for _, w := range a.fn.awaits {
		a.edgesFrom(w.number, w.successors())
	}
}

func (a *analysis) edgesFrom(state int, starts []*block) {
	parent := map[*block]*block{}
	seen := map[*block]bool{}
	reached := map[int]bool{}
	queue := slices.Clone(starts)
	for _, b := range starts {
		seen[b] = true
	}
	// The last block on the way is passed up to where lines ends.
	add := func(to int, b *block, lines []int) {
		if reached[to] {
			return
		}
		reached[to] = true
		for b = parent[b]; b != nil; b = parent[b] {
			lines = append(lines, a.lines(b)...)
		}
		slices.Sort(lines)
		a.out.Edges = append(a.out.Edges, Edge{From: state, To: to, Lines: slices.Compact(lines)})
	}
	for len(queue) > 0 {
		b := queue[0]
		queue = queue[1:]
		if lines := a.returns(b); lines != nil {
			add(StateEnd, b, lines)
		}
		follow := func(to *block) {
			if !seen[to] {
				seen[to] = true
				parent[to] = b
				queue = append(queue, to)
			}
		}
		for _, in := range b.instrs {
			for _, to := range in.targets {
				follow(to)
			}
		}
		switch t := b.term.(type) {
		case *await:
			add(t.number, b, a.lines(b))
		case *iterated:
			add(t.loop.await.number, b, a.lines(b))
		case *finish:
			add(StateEnd, b, a.lines(b))
		default:
			for _, to := range b.term.successors() {
				follow(to)
			}
		}
	}
}

// returns returns the lines of a block up to a return statement inside one of its
// statements, nil if there is none.
func (a *analysis) returns(b *block) []int {
	lines := []int{}
	for _, in := range b.instrs {
		lines = a.line(lines, in.stmt.Pos())
		var ret *ast.ReturnStmt
		ast.Inspect(in.stmt, func(n ast.Node) bool {
			if n, ok := n.(*ast.ReturnStmt); ok && ret == nil && a.fn.finishes[n] {
				ret = n
			}
			return ret == nil && !isFuncLit(n)
		})
		if ret != nil {
			return a.line(lines, ret.Pos())
		}
	}
	return nil
}

// lines are the source lines where the statements of a block begin.
func (a *analysis) lines(b *block) []int {
	var out []int
	for _, in := range b.instrs {
		out = a.line(out, in.stmt.Pos())
	}
	switch t := b.term.(type) {
	case *branch:
		out = a.line(out, t.cond.Pos())
	case *await:
		out = a.line(out, t.pos)
	case *finish:
		for _, x := range t.results {
			out = a.line(out, x.Pos())
		}
	}
	return out
}

// line appends the line of a position, if it is one of the source.
func (a *analysis) line(lines []int, pos token.Pos) []int {
	if !pos.IsValid() || a.prog.isStub(pos) {
		return lines
	}
	return append(lines, a.prog.fset.Position(pos).Line)
}

// measure takes the sizes of the frame from the package as it was checked with its
// generated files.
func (a *analysis) measure(checked *types.Package) {
	named, ok := checked.Scope().Lookup(a.out.Frame).(*types.TypeName)
	if !ok {
		return
	}
	frame, ok := named.Type().Underlying().(*types.Struct)
	if !ok {
		return
	}
	a.out.Size, a.out.Align, a.out.Fields = frameFields(checked, a.prog.sizes, frame)
	for i := range a.out.Fields {
		field := &a.out.Fields[i]
		field.Kind = a.kind(field.Name)
		for _, v := range a.out.Variables {
			if v.Field == field.Name {
				field.Holds = append(field.Holds, v)
			}
		}
	}
}

// kind says what a field of the frame is for.
func (a *analysis) kind(name string) string {
	switch {
	case name == "state":
		return "state"
	case slices.ContainsFunc(a.fn.slots, func(s *slot) bool { return s.name == name }):
		return "variable"
	case slices.ContainsFunc(a.fn.results, func(r *result) bool { return r.field == name }):
		return "result"
	case slices.ContainsFunc(a.fn.children, func(c *child) bool { return c.name == name }):
		return "child"
	}
	return "runtime" // deferred calls, loops over functions, iterators
}

// fixedSize reports whether the size of a value of type t depends on no type
// parameter.
func fixedSize(t types.Type) bool {
	if isTypeParam(t) {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Array:
		return fixedSize(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if !fixedSize(f.Type()) {
				return false
			}
		}
	}
	return true
}
