package transform

// Return statements.

import (
	"go/ast"
	"go/token"
	"go/types"
)

func (l *lowerer) returnStmt(s *ast.ReturnStmt) {
	if l.returnIterator(s) {
		return
	}
	if len(s.Results) == 1 && len(l.fn.results) > 1 {
		if l.col.within[s.Results[0]] {
			s.Results = l.rhs(s.Results[0], len(l.fn.results))
		}
	} else {
		l.exprsTo(s.Results, func(i int) types.Type { return l.fn.results[i].obj.Type() }, false)
	}
	kept, values := l.keepIterator(s.Results)
	for _, s := range kept {
		l.plain(s)
	}
	l.returns(values)
}

// returns ends the body as `return values` does.
func (l *lowerer) returns(values []ast.Expr) {
	before, results := l.returned(values)
	for _, s := range before {
		l.plain(s)
	}
	if l.exits() {
		l.jump(l.route(l.fn.exit))
	} else {
		l.end(&finish{results})
	}
}

// exits reports whether a return leads to the exit block, which is where results are
// returned that are variables now. In a loop over a function it does, also in one that
// stays plain: before the function returns, the iterator does, and it may have a
// pointer to a result.
func (l *lowerer) exits() bool {
	inLoop := l.fn.loop != nil || l.funcRanges > 0
	if inLoop && l.fn.exit == nil {
		l.fn.exit = &block{hint: "exit"}
	}
	return inLoop || l.fn.defers
}

// returned returns what `return values` does: the statements that assign to
// results that are variables in memory, and, in a function without defers, the
// values to return then.
//
// In a function with defers all results are in the frame, where a deferred call
// and Result find them. In the body of a loop over a function they are variables.
func (l *lowerer) returned(values []ast.Expr) (before []ast.Stmt, results []ast.Expr) {
	n := len(l.fn.results)
	inMemory := l.exits()
	for _, r := range l.fn.results {
		inMemory = inMemory || r.v != nil && r.v.boxed
	}
	spread := len(values) == 1 && n > 1
	if len(values) > 0 && !spread && !inMemory {
		return nil, values
	}
	s := &ast.AssignStmt{Tok: token.ASSIGN}
	var placeTypes []types.Type
	for i, r := range l.fn.results {
		place := l.resultPlace(r)
		results = append(results, l.resultPlace(r))
		if len(values) == 0 || !spread && r.v != nil && l.isVariable(values[i], r.obj) {
			continue // it is where it belongs
		}
		s.Lhs = append(s.Lhs, place)
		placeTypes = append(placeTypes, r.obj.Type())
		if !spread {
			s.Rhs = append(s.Rhs, values[i])
		}
	}
	if spread {
		s.Rhs = values
	}
	if len(s.Lhs) > 0 {
		l.afterOperands(s, placeTypes)
		before = append(before, s)
	}
	if l.exits() {
		return before, nil
	}
	return before, results
}

// resultPlace is the variable of a result.
func (l *lowerer) resultPlace(r *result) ast.Expr {
	switch {
	case r.v != nil:
		return l.mention(r.obj)
	case l.fn.defers:
		return sel(ast.NewIdent(l.fn.frameVar), r.field)
	case r.inLoop == nil && (l.fn.loop != nil || l.funcRanges > 0):
		r.inLoop = l.temp("returned", r.obj.Type(), token.NoPos)
	}
	if r.inLoop != nil {
		return l.mention(r.inLoop)
	}
	return ast.NewIdent(r.name)
}

// isVariable reports whether x is just the variable obj.
func (l *lowerer) isVariable(x ast.Expr, obj types.Object) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	return ok && l.info.Uses[id] == obj
}
