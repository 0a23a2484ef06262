package transform

// Liveness inside a statement that has kept its structure, for rule 3 of live.go. The
// head of a select or of a type switch is such a statement, whose branches assign and
// jump:
//
//	select {
//	case received = <-ch:    received is live behind here,
//		goto L1
//	default:
//	}                        but not in front of the statement
//
// What the compiler takes as a loop, or as a jump within the statement, is not followed.

import (
	"go/ast"
	"slices"
)

// instr takes set from behind the instruction to in front of it.
func (l *liveness) instr(in *instr, set bitset) {
	if assign, ok := in.stmt.(*ast.AssignStmt); ok {
		l.assignment(assign, set)
	} else if len(in.targets) == 0 || jumpsInside(l.fn, in.stmt) {
		l.anyPath(in.stmt, set)
	} else {
		l.stmt(in.stmt, set)
	}
}

// stmt is instr for a statement in which all jumps leave it.
func (l *liveness) stmt(s ast.Stmt, set bitset) {
	switch s := s.(type) {
	case nil:
	case *ast.AssignStmt:
		l.assignment(s, set)
	case *ast.BranchStmt:
		if to := l.fn.gotos[s]; to != nil {
			clear(set)
			set.union(to.liveIn)
		}
	case *ast.ReturnStmt:
		clear(set)
		l.uses(s, set)
	case *ast.BlockStmt:
		l.list(s.List, set)
	case *ast.IfStmt:
		then := slices.Clone(set)
		l.stmt(s.Body, then)
		if s.Else != nil {
			l.stmt(s.Else, set)
		}
		set.union(then)
		l.uses(s.Cond, set)
		l.stmt(s.Init, set)
	case *ast.SwitchStmt:
		l.clauses(s.Body, set)
		if s.Tag != nil {
			l.uses(s.Tag, set)
		}
		l.stmt(s.Init, set)
	case *ast.TypeSwitchStmt:
		l.clauses(s.Body, set)
		l.uses(s.Assign, set)
		l.stmt(s.Init, set)
	case *ast.SelectStmt:
		l.clauses(s.Body, set)
	default:
		l.anyPath(s, set)
	}
}

// list is stmt for statements one after the other.
func (l *liveness) list(list []ast.Stmt, set bitset) {
	for _, s := range slices.Backward(list) {
		l.stmt(s, set)
	}
}

// clauses is stmt for the branches of a switch or a select, of which one is taken, or of
// a switch maybe none.
func (l *liveness) clauses(body *ast.BlockStmt, set bitset) {
	behind := slices.Clone(set)
	clear(set)
	all := false
	for _, s := range body.List {
		branch := slices.Clone(behind)
		switch s := s.(type) {
		case *ast.CaseClause:
			all = all || s.List == nil
			l.list(s.Body, branch)
			for _, x := range s.List {
				l.uses(x, branch)
			}
		case *ast.CommClause:
			all = true
			l.list(s.Body, branch)
			l.stmt(s.Comm, branch)
		}
		set.union(branch)
	}
	if !all {
		set.union(behind)
	}
}

// anyPath is stmt for a statement whose parts may run in any order, or not at all.
func (l *liveness) anyPath(s ast.Stmt, set bitset) {
	ast.Inspect(s, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && l.fn.gotos[b] != nil {
			set.union(l.fn.gotos[b].liveIn)
		}
		return true
	})
	l.uses(s, set)
}

// jumpsInside reports whether s has a jump that does not leave it for another block,
// those of loops left out.
func jumpsInside(fn *irFunc, s ast.Stmt) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.ForStmt, *ast.RangeStmt:
			// A jump in there is of a loop, which anyPath takes as a whole, or of another
			// function. If it has a label, that is found around it.
			return false
		case *ast.LabeledStmt:
			found = true
		case *ast.BranchStmt:
			found = found || fn.gotos[n] == nil
		}
		return !found
	})
	return found
}
