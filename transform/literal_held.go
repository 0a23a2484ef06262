package transform

// Variables that hold a literal and are only called.
//
// If every use of such a variable is a call or a loop that awaits the literal's frame, or
// starts it as a task, nobody needs the variable, nor the function that it holds:
//
//	read := func() int { return step(1) }
//	return read() + read()                    return f.read.Step(...) + f.read.Step(...)

import (
	"go/ast"
	"go/types"
)

// onlyAwaited returns the variables of the function that hold a literal whose frame
// stands for them wherever they are used.
func (l *lowerer) onlyAwaited() map[types.Object]bool {
	out := map[types.Object]bool{}
	for v, lit := range l.col.holders {
		if l.col.lits[lit] != nil {
			out[v] = true
		}
	}
	if len(out) == 0 {
		return nil
	}
	awaited := map[*ast.Ident]bool{}
	uses := func(p *plan, x ast.Expr) {
		if id, ok := ast.Unparen(x).(*ast.Ident); ok && p != nil && p.lit != nil {
			awaited[id] = true
		}
	}
	ast.Inspect(l.fn.async.body(), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			uses(l.col.plans[n], n.Fun)
		case *ast.GoStmt:
			uses(l.col.spawns[n.Call], n.Call.Fun)
		case *ast.RangeStmt:
			uses(l.col.plans[n], n.X)
		case *ast.Ident:
			if !awaited[n] {
				delete(out, l.info.Uses[n])
			}
		}
		return true
	})
	return out
}

// withoutAwaited takes those variables out of a declaration; names and values may be what
// is left of it.
func (l *lowerer) withoutAwaited(names, values []ast.Expr) (_, _ []ast.Expr) {
	if len(l.awaited) == 0 || len(names) != len(values) {
		return names, values
	}
	var outNames, outValues []ast.Expr
	for i, x := range names {
		if id, ok := x.(*ast.Ident); ok && l.awaited[l.info.Defs[id]] {
			continue
		}
		outNames, outValues = append(outNames, x), append(outValues, values[i])
	}
	return outNames, outValues
}
