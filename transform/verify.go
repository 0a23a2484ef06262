package transform

import (
	"fmt"
	"go/ast"
	"go/types"
)

// verify checks the invariants of the intermediate form (see ir.go).
func verify(fn *irFunc) error {
	placed := map[*block]bool{}
	for i, b := range fn.blocks {
		if b.id != i {
			return fmt.Errorf("block %d stands at %d", b.id, i)
		}
		placed[b] = true
	}
	gotos := map[*ast.BranchStmt]bool{}
	for i, b := range fn.blocks {
		if b.term == nil {
			return fmt.Errorf("block %d has no terminator", i)
		}
		for _, t := range b.term.successors() {
			if !placed[t] {
				return fmt.Errorf("block %d leads to a block that is not in the function", i)
			}
		}
		if err := b.verifyLoop(); err != nil {
			return fmt.Errorf("block %d: %w", i, err)
		}
		if a, ok := b.term.(*await); ok && (i+1 == len(fn.blocks) || fn.blocks[i+1] != a.next) {
			return fmt.Errorf("block %d: the block behind its await is not the next one", i)
		}
		for _, in := range b.instrs {
			if err := fn.verifyInstr(in, placed, gotos); err != nil {
				return fmt.Errorf("block %d: %w", i, err)
			}
		}
	}
	return nil
}

// verifyLoop checks invariant 5.
func (b *block) verifyLoop() error {
	if t, ok := b.term.(*iterated); ok {
		if t.loop != b.loop {
			return fmt.Errorf("it ends an iteration of a loop that it is not part of")
		}
		return nil
	}
	to := b.term.successors()
	if a, ok := b.term.(*await); ok {
		if a.within != b.loop || a.loop != nil && (a.loop.outer != b.loop || a.loop.body.loop != a.loop) {
			return fmt.Errorf("await %d is not part of the loop that it says", a.number)
		}
		to = []*block{a.next}
	}
	for _, in := range b.instrs {
		to = append(to, in.targets...)
	}
	for _, t := range to {
		if t.loop != b.loop {
			return fmt.Errorf("it jumps out of a loop over a function, or into one, to block %d", t.id)
		}
	}
	return nil
}

func (fn *irFunc) verifyInstr(in *instr, placed map[*block]bool, gotos map[*ast.BranchStmt]bool) error {
	listed := map[*block]bool{}
	for _, t := range in.targets {
		if !placed[t] {
			return fmt.Errorf("a statement jumps to a block that is not in the function")
		}
		listed[t] = true
	}
	declared := map[types.Object]bool{}
	var err error
	ast.Inspect(in.stmt, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BranchStmt:
			// Invariant 4.
			if b := fn.gotos[n]; b != nil && !listed[b] {
				err = fmt.Errorf("a jump to block %d is not listed", b.id)
			}
		case *ast.ReturnStmt:
			if !fn.finishes[n] {
				err = fmt.Errorf("a return is left")
			}
		case *ast.DeferStmt:
			err = fmt.Errorf("a defer statement is left")
		case *ast.CaseClause:
			if obj := fn.info.Implicits[n]; obj != nil {
				declared[obj] = true
			}
		case *ast.Ident:
			if obj := fn.info.Defs[n]; obj != nil {
				declared[obj] = true
			}
			// Invariant 3.
			v, ok := fn.info.Uses[n].(*types.Var)
			if ok && !v.IsField() && inside(v, fn.async.root()) && fn.byObj[v] == nil && !declared[v] {
				err = fmt.Errorf("%s is neither declared in the statement nor in the function", v.Name())
			}
		}
		return err == nil
	})
	return err
}
