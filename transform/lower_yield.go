package transform

// What is particular about iterators: calls of the yield parameter, and the return
// statements of functions that return iterators.
//
// A function that returns iterators keeps in its frame, besides the function that it
// returns, a call of that as a future that has not started:
//
//	return func(yield func(int) bool) { ... }      f.iterator = &allFunc1Frame{...}
//	                                               return func(yield func(int) bool) { ... }, true
//
//	return l.reversed()                            await l.reversed()
//	                                               f.iterator = f.reversed.Iterator()
//
//	return other                                   f.iterator = rangefunc.Iterate1(other)

import (
	"go/ast"
	"go/token"
	"go/types"
)

// yieldFunc is the yield parameter as a function, for plain code.
func (l *lowerer) yieldFunc() ast.Expr {
	shape, _ := yieldShapeOf(l.fn.yield.obj.Type())
	return call(shape.function(l.spell, "ToFunc"), l.pointer(l.fn.yield))
}

// passYield moves the last argument of a, which is the yield parameter, to where the
// child expects it.
func (l *lowerer) passYield(a *await, t types.Type) {
	n := len(a.args.Args) - 1
	a.args.Args = a.args.Args[:n:n]
	a.body = l.pointer(l.fn.yield)
	a.noYield = l.spell.nilOf(t)
}

// keepIterator returns the statements that keep the iterator that a function of this
// kind returns, and the values to return.
func (l *lowerer) keepIterator(values []ast.Expr) ([]ast.Stmt, []ast.Expr) {
	if l.fn.iterator == nil || len(values) != 1 {
		return nil, values
	}
	place := sel(ast.NewIdent(l.fn.frameVar), "iterator")
	if lit := returnedLiteral(l.info, values[0]); lit != nil {
		if sub := l.col.lits[lit]; sub != nil && sub.yield != nil {
			name := l.fn.names.made("iter")
			list := l.literalFuture(name, sub, &ast.CallExpr{Args: []ast.Expr{l.spell.nilOf(sub.yield.Type())}})
			delete(l.fn.names.taken, name)
			return []ast.Stmt{&ast.BlockStmt{List: append(list, assign(place, ast.NewIdent(name)))}}, values
		}
	}
	t := l.fn.sig.Results().At(0).Type()
	shape, _ := iteratedShape(t)
	seq := l.temp("seq", t, token.NoPos)
	return []ast.Stmt{
		assign(l.mention(seq), values[0]),
		assign(place, call(shape.function(l.spell, "Iterate"), l.mention(seq))),
	}, []ast.Expr{l.mention(seq)}
}

// returnIterator lowers a return statement that returns what another function of this
// kind returns. It reports false if s is another statement.
func (l *lowerer) returnIterator(s *ast.ReturnStmt) bool {
	if l.fn.iterator == nil || len(s.Results) != 1 {
		return false
	}
	x := ast.Unparen(s.Results[0])
	p := l.col.plans[x]
	if p == nil || !p.iterates || !types.Identical(coreType(l.info.TypeOf(x)), coreType(l.fn.sig.Results().At(0).Type())) {
		return false
	}
	values := l.await(x, p, l.source(x))
	made := l.fn.awaits[len(l.fn.awaits)-1].child
	l.plain(assign(sel(ast.NewIdent(l.fn.frameVar), "iterator"), call(sel(l.field(made), "Iterator"))))
	l.returns(values)
	return true
}
