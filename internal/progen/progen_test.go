package progen

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"testing"
)

// TestGenerate checks that programs type-check, and that a seed gives the same program
// each time.
func TestGenerate(t *testing.T) {
	for seed := range uint64(50) {
		src := Generate(seed, "p")
		if err := check(src, nil); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, src)
		}
		if !bytes.Equal(src, Generate(seed, "p")) {
			t.Errorf("seed %d gives different programs", seed)
		}
	}
}

// TestDiscarded checks that few functions are made in vain: what keeps failing is never
// tested.
func TestDiscarded(t *testing.T) {
	functions, discarded := 0, 0
	for seed := range uint64(50) {
		g := newGenerator(seed, "p")
		g.program()
		functions += len(g.allFunctions())
		discarded += g.discarded
	}
	if discarded > functions/8 {
		t.Errorf("%d functions took %d more attempts", functions, discarded)
	}
}

// TestForms checks that programs have the forms that they are there for.
func TestForms(t *testing.T) {
	found := make(map[string]int)
	for seed := range uint64(150) {
		info := &types.Info{
			Types:      make(map[ast.Expr]types.TypeAndValue),
			Uses:       make(map[*ast.Ident]types.Object),
			Selections: make(map[*ast.SelectorExpr]*types.Selection),
		}
		_, file, err := Check(Generate(seed, "p"), info)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range forms(file, info) {
			found[form]++
		}
	}
	for _, form := range []string{
		"*ast.IfStmt", "*ast.ForStmt", "*ast.SwitchStmt", "*ast.TypeSwitchStmt", "*ast.SelectStmt", "*ast.BlockStmt",
		"*ast.LabeledStmt", "*ast.DeferStmt", "*ast.GoStmt", "*ast.SendStmt", "*ast.IncDecStmt", "*ast.FuncLit", "*ast.CompositeLit",
		"*ast.SliceExpr", "*ast.TypeAssertExpr", "*ast.StarExpr", "*ast.TypeSpec", "*ast.KeyValueExpr",
		"break", "continue", "goto", "fallthrough", "break label", "continue label", "defer in loop", "defer literal",
		"range int", "range string", "range slice", "range array", "range pointer", "range map", "range chan", "range func",
		"assign =", "assign :=", "assign +=", "assign several", "assign comma ok", "assign results", "assign to map",
		"&&", "||", "==", "<", "/", "%", "<<", ">>", "<-", "!", "&", "^",
		"append", "cap", "clear", "complex", "copy", "delete", "imag", "len", "make", "max", "min", "new", "panic", "real", "recover", "slice 3",
		"append to entry", "goto out", "select without default", "rt.Await", "rt.Yield",
		"call method", "call interface", "call promoted", "call value", "call spread", "call ...", "call method expression", "method value",
	} {
		if found[form] == 0 {
			t.Errorf("no program has %q", form)
		}
	}
}

// forms names the forms that a file has.
func forms(file *ast.File, info *types.Info) []string {
	var out []string
	add := func(form string) { out = append(out, form) }
	loops := 0
	called := make(map[ast.Expr]bool)
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		if n != nil {
			add(fmt.Sprintf("%T", n))
		}
		switch n := n.(type) {
		case *ast.ForStmt:
			loops++
			ast.Inspect(n.Body, visit)
			loops--
			return false
		case *ast.BranchStmt:
			form := n.Tok.String()
			if n.Tok == token.GOTO && loops > 0 {
				add("goto out")
			}
			if n.Label != nil && n.Tok != token.GOTO {
				form += " label"
			}
			add(form)
		case *ast.SliceExpr:
			if n.Slice3 {
				add("slice 3")
			}
		case *ast.SelectStmt:
			if !slices.ContainsFunc(n.Body.List, func(s ast.Stmt) bool { return s.(*ast.CommClause).Comm == nil }) {
				add("select without default")
			}
		case *ast.DeferStmt:
			if loops > 0 {
				add("defer in loop")
			}
			if _, ok := n.Call.Fun.(*ast.FuncLit); ok {
				add("defer literal")
			}
		case *ast.RangeStmt:
			add("range " + rangeForm(info.TypeOf(n.X)))
		case *ast.AssignStmt:
			add("assign " + n.Tok.String())
			if len(n.Lhs) > 1 && len(n.Rhs) > 1 {
				add("assign several")
			}
			if _, ok := n.Rhs[0].(*ast.CallExpr); ok && len(n.Lhs) > 1 && len(n.Rhs) == 1 {
				add("assign results")
			} else if len(n.Lhs) == 2 && len(n.Rhs) == 1 {
				add("assign comma ok")
			}
			for _, x := range n.Lhs {
				if i, ok := x.(*ast.IndexExpr); ok && rangeForm(info.TypeOf(i.X)) == "map" {
					add("assign to map")
					if c, ok := n.Rhs[0].(*ast.CallExpr); ok && callForm(c, info) == "append" {
						add("append to entry")
					}
				}
			}
		case *ast.BinaryExpr:
			add(n.Op.String())
		case *ast.UnaryExpr:
			add(n.Op.String())
		case *ast.CallExpr:
			called[ast.Unparen(n.Fun)] = true
			if n.Ellipsis.IsValid() {
				add("call ...")
			}
			if len(n.Args) == 1 {
				if _, ok := info.TypeOf(n.Args[0]).(*types.Tuple); ok {
					add("call spread")
				}
			}
			add(callForm(n, info))
		case *ast.SelectorExpr:
			if s := info.Selections[n]; s != nil && s.Kind() == types.MethodVal && !called[n] {
				add("method value")
			}
		}
		return true
	}
	ast.Inspect(file, visit)
	return out
}

func rangeForm(t types.Type) string {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		if t.Info()&types.IsString != 0 {
			return "string"
		}
		return "int"
	case *types.Slice:
		return "slice"
	case *types.Array:
		return "array"
	case *types.Pointer:
		return "pointer"
	case *types.Map:
		return "map"
	case *types.Chan:
		return "chan"
	case *types.Signature:
		return "func"
	}
	return ""
}

func callForm(c *ast.CallExpr, info *types.Info) string {
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		switch obj := info.Uses[fun].(type) {
		case *types.Builtin:
			return obj.Name()
		case *types.Var:
			return "call value"
		}
	case *ast.SelectorExpr:
		s := info.Selections[fun]
		switch {
		case s == nil:
			return fmt.Sprint(info.Uses[fun.Sel].Pkg().Name(), ".", fun.Sel.Name)
		case s.Kind() == types.MethodExpr:
			return "call method expression"
		case s.Kind() == types.FieldVal:
			return "call value"
		case types.IsInterface(s.Recv()):
			return "call interface"
		case len(s.Index()) > 1:
			return "call promoted"
		}
		return "call method"
	}
	return ""
}
