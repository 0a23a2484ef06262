package transform

// Which variables need a box.
//
// A variable that moves to the top of Poll becomes one variable for all
// executions of its declaration. That shows only if something can still hold
// an earlier one: its address, or a closure over it. So:
//
//  1. A variable whose address is taken, explicitly or by a call of a pointer
//     method or by slicing an array, is boxed: its declaration allocates it.
//  2. So is one that a function literal captures and that is assigned after
//     its declaration; and a named result that is captured.
//  3. A captured variable that keeps its first value is copied where the
//     literal is evaluated; that is what the compiler does, too.
//  4. Any other variable is a plain local.

import (
	"go/ast"
	"go/token"
	"go/types"
)

// A capture is what the body of a function does with one of its variables.
type capture struct {
	captured  bool // by a function literal
	addressed bool
	assigned  bool // by something besides the declaration
	// Where each is so for the first time.
	capturedAt, addressedAt, assignedAt token.Pos
}

func (c *capture) boxed(result bool) bool {
	return c != nil && (c.addressed || c.captured && (c.assigned || result))
}

// captures analyses the body of decl.
//
// perIteration says whether loop variables are new in each iteration.
func captures(info *types.Info, decl ast.Node, body *ast.BlockStmt, perIteration bool) map[*types.Var]*capture {
	out := map[*types.Var]*capture{}
	get := func(v *types.Var) *capture {
		c := out[v]
		if c == nil {
			c = &capture{}
			out[v] = c
		}
		return c
	}
	first := func(at *token.Pos, n ast.Node) {
		if !at.IsValid() {
			*at = n.Pos()
		}
	}
	assigned := func(x ast.Expr) {
		if v := root(info, x); v != nil {
			c := get(v)
			c.assigned = true
			first(&c.assignedAt, x)
		}
	}
	addressed := func(x ast.Expr) {
		if v := root(info, x); v != nil {
			c := get(v)
			c.addressed = true
			first(&c.addressedAt, x)
		}
	}
	var lits []*ast.FuncLit
	var stack []ast.Node
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil {
			if _, ok := stack[len(stack)-1].(*ast.FuncLit); ok {
				lits = lits[:len(lits)-1]
			}
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		switch n := n.(type) {
		case *ast.FuncLit:
			lits = append(lits, n)
		case *ast.Ident:
			v, ok := info.Uses[n].(*types.Var)
			if ok && len(lits) > 0 && !v.IsField() && inside(v, decl) {
				// The outermost literal that does not contain the declaration.
				if lit := lits[0]; v.Pos() < lit.Pos() || v.Pos() >= lit.End() {
					c := get(v)
					c.captured = true
					first(&c.capturedAt, n)
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				addressed(n.X)
			}
		case *ast.SliceExpr:
			if _, ok := coreType(info.TypeOf(n.X)).(*types.Array); ok {
				addressed(n.X)
			}
		case *ast.SelectorExpr:
			if sel := info.Selections[n]; sel != nil && implicitAddress(sel) {
				addressed(n.X)
			}
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				if id, ok := lhs.(*ast.Ident); ok && n.Tok == token.DEFINE && info.Defs[id] != nil {
					continue
				}
				assigned(lhs)
			}
		case *ast.IncDecStmt:
			assigned(n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN || n.Tok == token.DEFINE && !perIteration {
				assigned(n.Key)
				if n.Value != nil {
					assigned(n.Value)
				}
			}
		}
		return true
	})
	return out
}

// inside reports whether v is declared by decl: a parameter, a result, or a
// variable of the body.
func inside(v *types.Var, decl ast.Node) bool {
	return v.Pos() >= decl.Pos() && v.Pos() < decl.End()
}

// implicitAddress reports whether the selection takes the address of its
// operand: a pointer method of an addressable value, as a call or as a value.
func implicitAddress(sel *types.Selection) bool {
	if sel.Kind() != types.MethodVal {
		return false
	}
	recv := sel.Obj().(*types.Func).Signature().Recv()
	if _, ok := types.Unalias(recv.Type()).(*types.Pointer); !ok {
		return false
	}
	// No pointer on the way from the operand to the receiver.
	t := sel.Recv()
	for _, i := range sel.Index()[:len(sel.Index())-1] {
		if _, ok := t.Underlying().(*types.Pointer); ok {
			return false
		}
		t = t.Underlying().(*types.Struct).Field(i).Type()
	}
	_, ok := t.Underlying().(*types.Pointer)
	return !ok
}

// root returns the variable that holds x: the x of x, x.f and x[i] for arrays,
// not beyond a pointer.
func root(info *types.Info, x ast.Expr) *types.Var {
	for {
		switch e := x.(type) {
		case *ast.ParenExpr:
			x = e.X
		case *ast.Ident:
			v, _ := info.ObjectOf(e).(*types.Var)
			return v
		case *ast.SelectorExpr:
			sel := info.Selections[e]
			if sel == nil || sel.Kind() != types.FieldVal {
				return nil
			}
			t := sel.Recv()
			for _, i := range sel.Index() {
				s, ok := t.Underlying().(*types.Struct)
				if !ok {
					return nil
				}
				t = s.Field(i).Type()
			}
			x = e.X
		case *ast.IndexExpr:
			if _, ok := coreType(info.TypeOf(e.X)).(*types.Array); !ok {
				return nil
			}
			x = e.X
		default:
			return nil
		}
	}
}
