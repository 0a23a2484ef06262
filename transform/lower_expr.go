package transform

// Expressions, and the order of evaluation.
//
// The plain form is what the gc compiler makes of the source, and within one
// statement gc evaluates in two steps. Some operations happen early, one after
// the other from left to right, each into a temporary; the rest happens late,
// when all of the statement's calls are done. The early ones are those that
// cmd/compile/internal/walk/order.go copies:
//
//  1. calls of functions and methods, and receives
//  2. the built-in functions append, cap, complex, copy, imag, len, make, max,
//     min, new, real, recover
//  3. slicing, and the conversions of a string to []byte and []rune; the bounds of
//     a slice, one by one, unless they are variables
//  4. x.(T), where T is not pointer-shaped and does not depend on a type parameter
//  5. && and ||, as a whole
//  6. map literals with entries that are not static, entry by entry
//  7. m[string(b)] with a slice of bytes b, which shares its memory
//  8. what the compiler needs the address of (lower_copies.go)
//  9. the operands of m[k] in m[k] = append(m[k], ...) (lower_append.go)
//
// Late are variables, *p, p.f, s[i], m[k], arithmetic, other conversions, other
// composite literals, the function value that is called, what package unsafe has, and
// the operands on the left of an assignment. So `x + inc()` sees what inc did to x.
//
// An await is a call, thus early. What comes early before an await moves into a
// temporary in front of it; what is late stays where it is, in what is left of
// the statement behind the await. What an await or another early operation
// consumes as an operand needs no temporary if no await comes in between.

import (
	"go/ast"
	"go/token"
	"go/types"
)

func anyWithin(col *colours, list []ast.Expr) bool {
	for _, x := range list {
		if col.within[x] {
			return true
		}
	}
	return false
}

// exprs lowers the expressions in place. after says whether an await comes
// after them and before they are used.
func (l *lowerer) exprs(list []ast.Expr, after bool) {
	l.exprsTo(list, func(int) types.Type { return nil }, after)
}

// exprsTo is exprs for values that are assigned to places of the given types;
// nil where that does not matter.
func (l *lowerer) exprsTo(list []ast.Expr, to func(int) types.Type, after bool) {
	for i := range list {
		list[i] = l.exprTo(list[i], to(i), after || anyWithin(l.col, list[i+1:]))
	}
}

// expr starts the awaits in x and returns what is left to be evaluated. after
// says whether another await comes before that is used; early operations are
// then done at once.
func (l *lowerer) expr(x ast.Expr, after bool) ast.Expr {
	if x == nil || !after && !l.col.within[x] {
		return x
	}
	tv := l.info.Types[x]
	if tv.Value != nil || tv.IsType() || tv.IsNil() || tv.IsBuiltin() {
		return x
	}
	if inner, ok := x.(*ast.ParenExpr); ok {
		y := l.expr(inner.X, after)
		switch y.(type) {
		case *ast.BinaryExpr, *ast.UnaryExpr, *ast.StarExpr, *ast.FuncLit, *ast.CompositeLit:
			inner.X = y
			return inner
		}
		return y
	}
	if p := l.col.plans[x]; p != nil {
		result := l.await(x, p, l.source(x))[0]
		if p.channel {
			// A receive has two results; here it is used for one.
			obj := l.temp("received", tv.Type, x.Pos())
			l.plain(&ast.AssignStmt{Lhs: []ast.Expr{l.mention(obj), ast.NewIdent("_")}, Tok: token.ASSIGN, Rhs: []ast.Expr{result}})
			return l.mention(obj)
		}
		if after && !p.direct() {
			return l.keep(result, tempName(x), tv.Type)
		}
		return result
	}
	if b, ok := x.(*ast.BinaryExpr); ok && (b.Op == token.LAND || b.Op == token.LOR) && l.col.within[b.Y] {
		return l.shortCircuit(b, tv.Type)
	}
	if n, ok := l.arrayLength(x); ok {
		return n
	}
	early := l.early(x)
	// The operands of an early operation are used by that operation.
	y := l.operands(x, after && !early)
	if early && after && !l.steady(x) {
		return l.keep(y, tempName(x), tv.Type)
	}
	return y
}

// arrayLength lowers len and cap of an array with an await in it. Without the await
// the call would be a constant: its operand would not be evaluated, and what
// uses it might not compile.
func (l *lowerer) arrayLength(x ast.Expr) (ast.Expr, bool) {
	c, ok := x.(*ast.CallExpr)
	if !ok || !l.isBuiltin(c, "len") && !l.isBuiltin(c, "cap") || !l.col.within[c.Args[0]] {
		return nil, false
	}
	t := l.info.TypeOf(c.Args[0])
	array, ok := t.Underlying().(*types.Array)
	if p, isPointer := t.Underlying().(*types.Pointer); isPointer {
		array, ok = p.Elem().Underlying().(*types.Array)
	}
	if !ok {
		return nil, false
	}
	l.discard(l.expr(c.Args[0], false))
	return l.keep(intLit(array.Len()), tempName(x), l.info.TypeOf(x)), true
}

// discard evaluates what is left of an expression for its faults.
func (l *lowerer) discard(x ast.Expr) {
	if _, variable := ast.Unparen(x).(*ast.Ident); !variable {
		l.plain(assign(ast.NewIdent("_"), x))
	}
}

// keep evaluates x now, into a temporary.
func (l *lowerer) keep(x ast.Expr, name string, t types.Type) ast.Expr {
	obj := l.temp(name, t, x.Pos())
	l.plain(assign(l.mention(obj), x))
	return l.mention(obj)
}

// tempName suggests a name for the value of x.
func tempName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.CallExpr:
		if id := calleeIdent(x.Fun); id != nil && id.Name != "_" {
			return id.Name + "Value"
		}
	case *ast.TypeAssertExpr:
		return "asserted"
	case *ast.SliceExpr:
		return "sliced"
	case *ast.BinaryExpr:
		return "cond"
	case *ast.CompositeLit:
		return "lit"
	}
	return "value"
}

// early reports whether the operation x is one of those that gc does early.
func (l *lowerer) early(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.CallExpr:
		if tv := l.info.Types[x.Fun]; tv.IsType() {
			return stringToSlice(tv.Type, l.info.TypeOf(x.Args[0]))
		}
		if id, ok := ast.Unparen(x.Fun).(*ast.Ident); ok {
			if b, ok := l.info.Uses[id].(*types.Builtin); ok {
				switch b.Name() {
				case "append", "cap", "complex", "copy", "imag", "len", "make", "max", "min", "new", "real", "recover":
					return true
				}
				return false
			}
		}
		return !l.isUnsafe(x)
	case *ast.UnaryExpr:
		return x.Op == token.ARROW
	case *ast.SliceExpr:
		return true
	case *ast.TypeAssertExpr:
		t := l.info.TypeOf(x.Type)
		return !l.derived(t) && !l.pointerShaped(t)
	case *ast.IndexExpr:
		m, ok := coreType(l.info.TypeOf(x.X)).(*types.Map)
		return ok && l.fromBytes(x.Index, m.Key())
	case *ast.BinaryExpr:
		return x.Op == token.LAND || x.Op == token.LOR
	case *ast.CompositeLit:
		_, ok := coreType(l.info.TypeOf(x)).(*types.Map)
		return ok && len(x.Elts) > 0
	}
	return false
}

// steady reports whether doing x later makes no difference: len and cap of a
// local variable that nothing else can reach.
func (l *lowerer) steady(x ast.Expr) bool {
	c, ok := x.(*ast.CallExpr)
	if !ok || !(l.isBuiltin(c, "len") || l.isBuiltin(c, "cap")) {
		return false
	}
	id, ok := ast.Unparen(c.Args[0]).(*ast.Ident)
	if !ok {
		return false
	}
	v := l.fn.byObj[l.info.Uses[id]]
	if v == nil || v.boxed || v.resident {
		return false
	}
	switch v.obj.Type().Underlying().(type) {
	case *types.Slice, *types.Basic:
		return true
	}
	return false
}

func stringToSlice(to, from types.Type) bool {
	if _, ok := coreType(to).(*types.Slice); !ok {
		return false
	}
	b, ok := coreType(from).(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// pointerShaped reports whether an interface holds a t as its data word (IsDirectIface
// in cmd/compile/internal/types/type.go).
func (l *lowerer) pointerShaped(t types.Type) bool {
	return mayHavePointers(t) && l.prog.sizes.Sizeof(t) == l.prog.sizes.Sizeof(types.Typ[types.Uintptr])
}

// derived reports whether t depends on a type parameter of the function: a local type of
// a generic function is another one for each instance.
func (l *lowerer) derived(t types.Type) bool {
	generic := len(l.fn.async.outermost().typeParams()) > 0
	return anyType(t, func(t types.Type) bool {
		switch t := t.(type) {
		case *types.TypeParam:
			return true
		case *types.Named:
			obj := t.Obj()
			return generic && obj.Pkg() != nil && obj.Parent() != obj.Pkg().Scope()
		}
		return false
	})
}

// fromBytes reports whether x, the key of a map, is made of a string that is converted
// from a slice of bytes (mapKeyReplaceStrConv in cmd/compile/internal/walk/order.go). to
// is the type that x is assigned to.
func (l *lowerer) fromBytes(x ast.Expr, to types.Type) bool {
	if types.IsInterface(to) {
		return false
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.CallExpr:
		if !l.info.Types[x.Fun].IsType() || l.info.Types[x].Value != nil {
			return false
		}
		s, ok := coreType(l.info.TypeOf(x)).(*types.Basic)
		bytes, isSlice := coreType(l.info.TypeOf(x.Args[0])).(*types.Slice)
		if !ok || s.Info()&types.IsString == 0 || !isSlice {
			return false
		}
		b, ok := bytes.Elem().Underlying().(*types.Basic)
		return ok && b.Kind() == types.Byte
	case *ast.CompositeLit:
		t := coreType(l.info.TypeOf(x))
		for i, elt := range x.Elts {
			var key ast.Expr
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				key, elt = kv.Key, kv.Value
			}
			if l.fromBytes(elt, elementType(t, i, key)) {
				return true
			}
		}
	}
	return false
}

// isUnsafe reports whether c calls one of the functions of package unsafe.
func (l *lowerer) isUnsafe(c *ast.CallExpr) bool {
	fun, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	_, ok = l.info.Uses[fun.Sel].(*types.Builtin)
	return ok
}

func (l *lowerer) isBuiltin(c *ast.CallExpr, name string) bool {
	id, ok := ast.Unparen(c.Fun).(*ast.Ident)
	if !ok {
		return false
	}
	b, ok := l.info.Uses[id].(*types.Builtin)
	return ok && b.Name() == name
}

// operands lowers the operands of the operation x in place and returns x.
func (l *lowerer) operands(x ast.Expr, after bool) ast.Expr {
	switch x := x.(type) {
	case *ast.Ident, *ast.BasicLit, *ast.FuncLit:
	case *ast.ParenExpr:
		x.X = l.expr(x.X, after)
	case *ast.SelectorExpr:
		if l.info.Selections[x] != nil {
			x.X = l.expr(x.X, after)
		}
	case *ast.IndexExpr:
		if l.info.Types[x.Index].IsType() {
			x.X = l.operands(x.X, after) // F[T]
			break
		}
		m, isMap := coreType(l.info.TypeOf(x.X)).(*types.Map)
		x.X = l.expr(x.X, after || l.col.within[x.Index])
		if isMap {
			x.Index = l.mapKey(x.Index, m, after)
		} else {
			x.Index = l.expr(x.Index, after)
		}
	case *ast.IndexListExpr:
		x.X = l.operands(x.X, after)
	case *ast.SliceExpr:
		l.slice(x)
	case *ast.TypeAssertExpr:
		x.X = l.expr(x.X, after)
	case *ast.StarExpr:
		x.X = l.expr(x.X, after)
	case *ast.UnaryExpr:
		y := l.expr(x.X, after)
		if id, ok := y.(*ast.Ident); ok && x.Op == token.AND && isComposite(x.X) {
			return l.addressOf(id, l.info.TypeOf(x.X))
		}
		x.X = y
	case *ast.BinaryExpr:
		if x.Op == token.EQL || x.Op == token.NEQ {
			l.comparison(x, after)
			break
		}
		list := []ast.Expr{x.X, x.Y}
		l.exprs(list, after)
		x.X, x.Y = list[0], list[1]
	case *ast.CallExpr:
		l.callOperands(x, after)
	case *ast.CompositeLit:
		return l.composite(x, after)
	case *ast.KeyValueExpr:
		x.Value = l.expr(x.Value, after)
	default:
		l.refuse(codeUnsupported, x.Pos(), "cogen does not know how to suspend in a %T", x)
	}
	return x
}

// slice lowers the operands of x.
func (l *lowerer) slice(x *ast.SliceExpr) {
	var bounds []*ast.Expr
	within := false
	for _, b := range []*ast.Expr{&x.Low, &x.High, &x.Max} {
		if *b != nil {
			bounds = append(bounds, b)
			within = within || l.col.within[*b]
		}
	}
	x.X = l.expr(x.X, within)
	for i, b := range bounds {
		after := false
		for _, c := range bounds[i+1:] {
			after = after || l.col.within[*c]
		}
		// A bound with an await loses its type, which emit may ask for.
		t, cheap := l.info.TypeOf(*b), l.cheap(*b) || l.steady(*b) || !after && !l.col.within[*b]
		if *b = l.expr(*b, after); !cheap {
			*b = l.keep(*b, "bound", t)
		}
	}
}

// cheap reports whether x is a variable or a constant, which gc does not copy when it
// makes an expression cheap (cheapExpr in cmd/compile/internal/walk/order.go).
func (l *lowerer) cheap(x ast.Expr) bool {
	_, variable := ast.Unparen(x).(*ast.Ident)
	return variable || l.info.Types[x].Value != nil
}

// callOperands lowers the callee and the arguments of a call.
func (l *lowerer) callOperands(c *ast.CallExpr, after bool) {
	argsWithin := anyWithin(l.col, c.Args)
	results := l.spreadResults(c)
	argsWithin = argsWithin || results != nil
	if !l.info.Types[c.Fun].IsType() {
		switch fun := ast.Unparen(c.Fun).(type) {
		case *ast.Ident:
		case *ast.SelectorExpr:
			if s := l.info.Selections[fun]; s != nil && s.Kind() != types.MethodExpr {
				fun.X = l.expr(fun.X, after || argsWithin)
			}
		default:
			c.Fun = l.expr(c.Fun, after || argsWithin)
		}
	}
	if results != nil {
		values := l.rhs(c.Args[0], results.Len())
		if len(values) == results.Len() {
			c.Args = values
			return
		}
		list := make([]ast.Expr, results.Len())
		lhs := make([]ast.Expr, results.Len())
		for i := range list {
			obj := l.temp("arg", results.At(i).Type(), c.Pos())
			lhs[i], list[i] = l.mention(obj), l.mention(obj)
		}
		l.plain(&ast.AssignStmt{Lhs: lhs, Tok: token.ASSIGN, Rhs: values})
		c.Args = list
		return
	}
	l.exprsTo(c.Args, l.paramTypes(c), after)
}

// spreadResults returns the results of g in a call f(g()) whose arguments have to
// be told apart: because g is awaited, or because f is, and its receiver or the frame's
// context becomes an argument of the same call.
func (l *lowerer) spreadResults(c *ast.CallExpr) *types.Tuple {
	t := l.spread(c)
	if t == nil || !l.col.within[c.Args[0]] && l.col.plans[c] == nil {
		return nil
	}
	return t
}

// spread returns the results of g in a call f(g()), nil if c is another call.
func (l *lowerer) spread(c *ast.CallExpr) *types.Tuple {
	if len(c.Args) != 1 {
		return nil
	}
	if t, ok := l.info.TypeOf(c.Args[0]).(*types.Tuple); ok && t.Len() != 1 {
		return t
	}
	return nil
}

// paramTypes returns the types that the arguments of a call are converted to.
func (l *lowerer) paramTypes(c *ast.CallExpr) func(int) types.Type {
	fun := l.info.Types[c.Fun]
	if fun.IsType() {
		return func(int) types.Type { return fun.Type }
	}
	sig, ok := coreType(fun.Type).(*types.Signature)
	if !ok {
		return func(int) types.Type { return nil }
	}
	return func(i int) types.Type {
		n := sig.Params().Len()
		if !sig.Variadic() || i < n-1 {
			return sig.Params().At(i).Type()
		}
		last := sig.Params().At(n - 1).Type()
		if slice, ok := last.Underlying().(*types.Slice); ok && !c.Ellipsis.IsValid() {
			return slice.Elem()
		}
		return last
	}
}

// lvalue lowers the operands of an expression that is assigned to. The
// assignment itself, with its faults, stays behind the awaits.
func (l *lowerer) lvalue(x ast.Expr, after bool) ast.Expr {
	switch e := x.(type) {
	case *ast.Ident:
		return x
	case *ast.ParenExpr:
		return l.lvalue(e.X, after)
	}
	return l.operands(x, after)
}

// shortCircuit lowers x && y and x || y with an await in y.
func (l *lowerer) shortCircuit(b *ast.BinaryExpr, t types.Type) ast.Expr {
	v := l.temp("cond", t, b.Pos())
	l.plain(assign(l.mention(v), l.expr(b.X, false)))
	right, done := l.fn.newBlock("right"), l.fn.newBlock("joined")
	if b.Op == token.LAND {
		l.end(&branch{l.mention(v), right, done})
	} else {
		l.end(&branch{l.mention(v), done, right})
	}
	l.start(right)
	l.plain(assign(l.mention(v), l.expr(b.Y, false)))
	l.jump(done)
	l.start(done)
	return l.mention(v)
}

// cond branches on x without keeping its value.
func (l *lowerer) cond(x ast.Expr, then, els *block) {
	t := l.info.TypeOf(x)
	if l.col.within[x] {
		switch e := x.(type) {
		case *ast.ParenExpr:
			l.cond(e.X, then, els)
			return
		case *ast.UnaryExpr:
			if e.Op == token.NOT {
				l.cond(e.X, els, then)
				return
			}
		case *ast.BinaryExpr:
			if (e.Op == token.LAND || e.Op == token.LOR) && l.col.within[e.Y] {
				right := l.fn.newBlock("right")
				if e.Op == token.LAND {
					l.cond(e.X, right, els)
				} else {
					l.cond(e.X, then, right)
				}
				l.start(right)
				l.cond(e.Y, then, els)
				return
			}
		}
	}
	x = l.expr(x, false)
	if containsFuncLit(x) {
		// A literal that captures variables needs a statement of its own.
		x = l.keep(x, "cond", t)
	}
	l.end(&branch{x, then, els})
}

func containsFuncLit(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		found = found || isFuncLit(n)
		return !found
	})
	return found
}
