package differential

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/cogen-go/cogen/internal/progen"
)

// The edits that shrinking tries, pass by pass, large ones first.
var passes = []func(Program) []edit{emptyFunctions, removeDeclarations, removeStatements, unwrapStatements, simplifyExpressions, removeAnnotations, removeVariables, removeUses}

// A syntax is a program that has been parsed and checked.
type syntax struct {
	fset *token.FileSet
	file *ast.File
	info *types.Info
	src  string
}

func parse(p Program) *syntax {
	s := &syntax{src: string(p.Source), info: &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue),
		Defs:  make(map[*ast.Ident]types.Object),
		Uses:  make(map[*ast.Ident]types.Object),
	}}
	s.fset, s.file, _ = progen.Check(p.Source, s.info) // a program without errors
	return s
}

func (s *syntax) offset(p token.Pos) int { return s.fset.Position(p).Offset }

func (s *syntax) text(n ast.Node) string { return s.src[s.offset(n.Pos()):s.offset(n.End())] }

func (s *syntax) replace(n ast.Node, text string) edit {
	return edit{s.offset(n.Pos()), s.offset(n.End()), text}
}

// lists calls f for every list of statements, but not for that of Main: without its
// call of work the plain form does nothing, which always differs.
func (s *syntax) lists(f func(list []ast.Stmt)) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return n.Name.Name != "Main"
		case *ast.BlockStmt:
			f(n.List)
		case *ast.CaseClause:
			f(n.Body)
		case *ast.CommClause:
			f(n.Body)
		}
		return true
	})
}

// functions returns the declarations of functions with a body, without Main.
func (s *syntax) functions() []*ast.FuncDecl {
	var out []*ast.FuncDecl
	for _, d := range s.file.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil && d.Name.Name != "Main" {
			out = append(out, d)
		}
	}
	return out
}

// emptyFunctions gives functions a body that only returns.
func emptyFunctions(p Program) []edit {
	s := parse(p)
	var out []edit
	for _, d := range s.functions() {
		if len(d.Body.List) > 1 {
			out = append(out, s.replace(d.Body, s.emptyBody(d.Type)))
		}
	}
	return out
}

func (s *syntax) emptyBody(t *ast.FuncType) string {
	if t.Results == nil {
		return "{ }"
	}
	var values []string
	for _, f := range t.Results.List {
		if len(f.Names) > 0 {
			return "{ return }"
		}
		values = append(values, "zero["+s.text(f.Type)+"]()")
	}
	return "{ return " + strings.Join(values, ", ") + " }"
}

// removeDeclarations removes what nothing refers to at package level.
func removeDeclarations(p Program) []edit {
	s := parse(p)
	var out []edit
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if name := d.Name.Name; name == "work" || name == "Main" {
				continue
			}
			from := d.Pos()
			if d.Doc != nil {
				from = d.Doc.Pos()
			}
			out = append(out, edit{s.offset(from), s.offset(d.End()), ""})
		case *ast.GenDecl:
			if !d.Lparen.IsValid() {
				out = append(out, s.replace(d, ""))
				continue
			}
			for _, spec := range d.Specs {
				out = append(out, s.replace(spec, ""))
			}
		}
	}
	return out
}

// removeStatements removes statements.
func removeStatements(p Program) []edit {
	s := parse(p)
	var out []edit
	s.lists(func(list []ast.Stmt) {
		for _, stmt := range list {
			out = append(out, s.replace(stmt, ""))
		}
	})
	return out
}

// unwrapStatements puts the bodies of statements in their place.
func unwrapStatements(p Program) []edit {
	s := parse(p)
	var out []edit
	body := func(b *ast.BlockStmt) string { return s.src[s.offset(b.Lbrace)+1 : s.offset(b.Rbrace)] }
	s.lists(func(list []ast.Stmt) {
		for _, stmt := range list {
			if labeled, ok := stmt.(*ast.LabeledStmt); ok {
				out = append(out, s.replace(stmt, s.text(labeled.Stmt)))
			}
			switch n := stmt.(type) {
			case *ast.BlockStmt:
				out = append(out, s.replace(stmt, body(n)))
			case *ast.IfStmt:
				out = append(out, s.replace(stmt, body(n.Body)))
				if n.Else != nil {
					out = append(out, s.replace(stmt, s.text(n.Else)), edit{s.offset(n.Body.End()), s.offset(n.Else.End()), ""})
				}
				if n.Init != nil {
					out = append(out, s.replace(stmt, "{"+s.text(n.Init)+"\n"+body(n.Body)+"}"))
				}
			case *ast.ForStmt:
				out = append(out, s.replace(stmt, body(n.Body)))
			case *ast.RangeStmt:
				out = append(out, s.replace(stmt, body(n.Body)))
				if n.Tok == token.DEFINE {
					out = append(out, edit{s.offset(n.Key.Pos()), s.offset(n.X.Pos()), "range "})
				}
			case *ast.SwitchStmt:
				out = append(out, s.clauses(stmt, n.Body)...)
			case *ast.TypeSwitchStmt:
				out = append(out, s.clauses(stmt, n.Body)...)
			case *ast.SelectStmt:
				out = append(out, s.clauses(stmt, n.Body)...)
			case *ast.DeferStmt:
				out = append(out, s.replace(stmt, s.text(n.Call)))
			case *ast.GoStmt:
				out = append(out, s.replace(stmt, s.text(n.Call)))
			case *ast.ExprStmt:
				// The arguments without the call.
				if c, ok := n.X.(*ast.CallExpr); ok {
					for _, arg := range c.Args {
						out = append(out, s.replace(stmt, "_ = "+s.text(arg)))
					}
					if lit, ok := c.Fun.(*ast.FuncLit); ok {
						out = append(out, s.replace(stmt, body(lit.Body)))
					}
				}
			case *ast.AssignStmt:
				if len(n.Rhs) == 1 && len(n.Lhs) == 1 && n.Tok == token.DEFINE {
					if t := s.info.TypeOf(n.Rhs[0]); t != nil {
						out = append(out, s.replace(stmt, "var "+s.text(n.Lhs[0])+" "+s.spell(t)))
					}
				}
			}
		}
	})
	return out
}

// clauses returns edits that put one clause in the place of a switch, or remove
// one.
func (s *syntax) clauses(stmt ast.Stmt, b *ast.BlockStmt) []edit {
	var out []edit
	for _, c := range b.List {
		var list []ast.Stmt
		switch c := c.(type) {
		case *ast.CaseClause:
			list = c.Body
		case *ast.CommClause:
			list = c.Body
		}
		if len(list) > 0 {
			out = append(out, s.replace(stmt, s.src[s.offset(list[0].Pos()):s.offset(list[len(list)-1].End())]))
		}
		out = append(out, s.replace(c, ""))
	}
	return out
}

func (s *syntax) spell(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p.Name() == s.file.Name.Name || p.Path() == "program" {
			return ""
		}
		return p.Name()
	})
}

// simplifyExpressions replaces expressions by a part of the same type, or by a zero
// value.
func simplifyExpressions(p Program) []edit {
	s := parse(p)
	var out []edit
	for _, d := range s.functions() {
		ast.Inspect(d.Body, func(n ast.Node) bool {
			x, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			tv, ok := s.info.Types[x]
			if !ok || !tv.IsValue() || tv.Type == nil {
				return true
			}
			if _, tuple := tv.Type.(*types.Tuple); tuple {
				return true
			}
			if lit, ok := x.(*ast.FuncLit); ok {
				if len(lit.Body.List) > 1 {
					out = append(out, s.replace(lit.Body, s.emptyBody(lit.Type)))
				}
				return true
			}
			if text := s.zero(tv.Type); len(text) < len(s.text(x)) {
				out = append(out, s.replace(x, text))
			}
			ast.Inspect(x, func(n ast.Node) bool {
				y, ok := n.(ast.Expr)
				if !ok || y == x {
					return true
				}
				if _, isLit := n.(*ast.FuncLit); isLit {
					return false
				}
				if t := s.info.TypeOf(y); t != nil && s.info.Types[y].IsValue() && types.Identical(t, tv.Type) {
					out = append(out, s.replace(x, s.text(y)))
					return false
				}
				return true
			})
			return true
		})
	}
	return out
}

// zero is a short value of type t.
func (s *syntax) zero(t types.Type) string {
	if b, ok := t.(*types.Basic); ok {
		switch info := b.Info(); {
		case info&types.IsBoolean != 0:
			return "false"
		case b.Kind() == types.Int || info&types.IsUntyped != 0 && info&types.IsNumeric != 0:
			return "1"
		case info&types.IsString != 0:
			return `""`
		}
	}
	return "zero[" + s.spell(t) + "]()"
}

// removeAnnotations makes functions plain.
func removeAnnotations(p Program) []edit {
	s := parse(p)
	var out []edit
	for _, d := range s.functions() {
		if d.Doc != nil && d.Name.Name != "work" {
			out = append(out, s.replace(d.Doc, ""))
		}
	}
	return out
}

// useVariables returns edits that use every local variable where it is declared.
func useVariables(p Program) []edit {
	s := parse(p)
	var out []edit
	names := func(list []ast.Expr) string {
		var b strings.Builder
		for _, x := range list {
			if id, ok := x.(*ast.Ident); ok && id.Name != "_" && s.info.Defs[id] != nil {
				b.WriteString("\n_ = " + id.Name)
			}
		}
		return b.String()
	}
	after := func(p token.Pos, text string) {
		if text != "" {
			out = append(out, edit{s.offset(p), s.offset(p), text + "\n"})
		}
	}
	into := func(b *ast.BlockStmt, stmt ast.Stmt) {
		if a, ok := stmt.(*ast.AssignStmt); ok && a.Tok == token.DEFINE {
			after(b.Lbrace+1, names(a.Lhs))
		}
	}
	s.lists(func(list []ast.Stmt) {
		for _, stmt := range list {
			if labeled, ok := stmt.(*ast.LabeledStmt); ok {
				stmt = labeled.Stmt
			}
			switch n := stmt.(type) {
			case *ast.AssignStmt:
				if n.Tok == token.DEFINE {
					after(n.End(), names(n.Lhs))
				}
			case *ast.DeclStmt:
				for _, spec := range n.Decl.(*ast.GenDecl).Specs {
					if v, ok := spec.(*ast.ValueSpec); ok && n.Decl.(*ast.GenDecl).Tok == token.VAR {
						var ids []ast.Expr
						for _, id := range v.Names {
							ids = append(ids, id)
						}
						after(n.End(), names(ids))
					}
				}
			case *ast.IfStmt:
				into(n.Body, n.Init)
			case *ast.ForStmt:
				into(n.Body, n.Init)
			case *ast.RangeStmt:
				if n.Tok == token.DEFINE {
					after(n.Body.Lbrace+1, names([]ast.Expr{n.Key, n.Value}))
				}
			}
		}
	})
	return out
}

// removeVariables removes the statements that mention a local variable, all at once.
// Each edit is of everything between the first and the last.
func removeVariables(p Program) []edit {
	s := parse(p)
	innermost := make(map[*ast.Ident]ast.Stmt)
	var order []*ast.Ident
	s.lists(func(list []ast.Stmt) {
		for _, stmt := range list {
			ast.Inspect(stmt, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					if innermost[id] == nil {
						order = append(order, id)
					}
					innermost[id] = stmt // after those around it
				}
				return true
			})
		}
	})
	removed := make(map[types.Object][]edit)
	var variables []types.Object
	for _, id := range order {
		v, ok := s.info.ObjectOf(id).(*types.Var)
		if !ok || v.IsField() || v.Parent() == nil || v.Parent() == v.Pkg().Scope() {
			continue
		}
		if removed[v] == nil {
			variables = append(variables, v)
		}
		removed[v] = append(removed[v], s.replace(innermost[id], ""))
	}
	var out []edit
	for _, v := range variables {
		from, to := len(s.src), 0
		for _, e := range removed[v] {
			from, to = min(from, e.from), max(to, e.to)
		}
		text := merge([]byte(s.src), removed[v])
		out = append(out, edit{from, to, string(text[from : len(text)-(len(s.src)-to)])})
	}
	return out
}

// removeUses removes the uses again that useVariables made.
func removeUses(p Program) []edit {
	s := parse(p)
	var out []edit
	s.lists(func(list []ast.Stmt) {
		for _, stmt := range list {
			if a, ok := stmt.(*ast.AssignStmt); ok && len(a.Lhs) == 1 && a.Tok == token.ASSIGN {
				if id, ok := a.Lhs[0].(*ast.Ident); ok && id.Name == "_" {
					out = append(out, s.replace(stmt, ""))
				}
			}
		}
	})
	return out
}
