package transform

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"strings"
)

// Changing bytes of Go source hardly ever gives Go source. A mutator changes whole
// statements and expressions instead, so that much of what it makes type-checks
// and reaches the passes:
//
//   - an expression gives way to another one of the same type,
//   - an expression becomes an await of itself,
//   - a statement is put into another statement, doubled or removed,
//   - two statements change places.
type mutator struct {
	rand  *rand.Rand
	imp   types.Importer
	src   string
	base  token.Pos
	stmts []ast.Stmt
	exprs []ast.Expr
	types map[ast.Expr]string
}

// mutantHelper is what the awaits that a mutator makes call.
const mutantHelper = `

func mutantAwait[T any](v T) T { rt.Yield(); return v }
`

// mutate applies up to four changes to a source. It returns the last form that
// parses.
func mutate(src string, seed uint64, imp types.Importer) string {
	if seed == 0 {
		return src
	}
	if strings.Contains(src, `"`+rtPath+`"`) && !strings.Contains(src, "mutantAwait") {
		src += mutantHelper
	}
	m := &mutator{rand: rand.New(rand.NewPCG(seed, 0)), imp: imp}
	for range 1 + m.rand.IntN(4) {
		if !m.read(src) {
			break
		}
		src = m.change()
	}
	return src
}

// read finds the statements and expressions in the bodies of functions.
func (m *mutator) read(src string) bool {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x.go", src, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue)}
	conf := types.Config{Importer: m.imp, Error: func(error) {}}
	pkg, _ := conf.Check("example.com/fuzz", fset, []*ast.File{file}, info) // as far as it goes
	m.src, m.base = src, file.FileStart
	m.stmts, m.exprs, m.types = nil, nil, make(map[ast.Expr]string)
	for _, decl := range file.Decls {
		decl, ok := decl.(*ast.FuncDecl)
		if !ok || decl.Body == nil || decl.Name.Name == "mutantAwait" {
			continue
		}
		for n := range ast.Preorder(decl.Body) {
			switch n := n.(type) {
			case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			case ast.Stmt:
				m.stmts = append(m.stmts, n)
			case ast.Expr:
				if tv := info.Types[n]; tv.IsValue() && tv.Type != nil {
					m.exprs = append(m.exprs, n)
					m.types[n] = types.TypeString(types.Default(tv.Type), types.RelativeTo(pkg))
				}
			}
		}
	}
	return len(m.stmts) > 0 && len(m.exprs) > 0
}

func (m *mutator) text(n ast.Node) string { return m.src[n.Pos()-m.base : n.End()-m.base] }

func (m *mutator) replace(n ast.Node, text string) string {
	return m.src[:n.Pos()-m.base] + text + m.src[n.End()-m.base:]
}

// wrappers are statements to put a statement into.
var wrappers = []string{
	"{\n%s\n}",
	"if mutantAwait(true) {\n%s\n}",
	"if x := mutantAwait(1); x > 1 {\nprintln(x)\n} else {\n%s\n}",
	"for range mutantAwait(2) {\n%s\n}",
	"for i := 0; i < mutantAwait(2); i++ {\n%s\n}",
	"for _, s := range mutantAwait([]string{\"a\", \"b\"}) {\n_ = s\n%s\n}",
	"for {\n%s\nif mutantAwait(true) {\nbreak\n}\n}",
	"switch mutantAwait(1) {\ncase 0, mutantAwait(1):\n%s\nfallthrough\ndefault:\nprintln()\n}",
	"switch v := any(mutantAwait(1)).(type) {\ncase int:\n_ = v\n%s\n}",
	"func() {\n%s\n}()",
	"defer func() {\n%s\n}()",
	"defer func() {\n_ = recover()\nmutantAwait(1)\n%s\n}()",
	"go func() {\n%s\n}()",
	"select {\ndefault:\n%s\n}",
	"outer:\nfor {\nfor {\n%s\nmutantAwait(1)\nbreak outer\n}\n}",
}

// change returns the source with one change.
func (m *mutator) change() string {
	stmt := m.stmts[m.rand.IntN(len(m.stmts))]
	expr := m.exprs[m.rand.IntN(len(m.exprs))]
	switch m.rand.IntN(8) {
	case 0, 1:
		return m.replace(expr, "mutantAwait("+m.text(expr)+")")
	case 2, 3:
		var same []ast.Expr
		for _, other := range m.exprs {
			if m.types[other] == m.types[expr] {
				same = append(same, other)
			}
		}
		return m.replace(expr, "("+m.text(same[m.rand.IntN(len(same))])+")")
	case 4, 5:
		return m.replace(stmt, fmt.Sprintf(wrappers[m.rand.IntN(len(wrappers))], m.text(stmt)))
	case 6:
		if m.rand.IntN(2) == 0 {
			return m.replace(stmt, "")
		}
		return m.replace(stmt, m.text(stmt)+"\n"+m.text(stmt))
	default:
		other := m.stmts[m.rand.IntN(len(m.stmts))]
		if other.Pos() < stmt.Pos() {
			stmt, other = other, stmt
		}
		if stmt.End() > other.Pos() {
			return m.replace(stmt, m.text(other)) // one is inside the other
		}
		first := m.text(stmt)
		return m.src[:stmt.Pos()-m.base] + m.text(other) + m.src[stmt.End()-m.base:other.Pos()-m.base] + first + m.src[other.End()-m.base:]
	}
}
