package transform

// Stubs.
//
// Input: the marked functions of a package, as syntax. Output: for each source
// file the text of a file that declares what will be generated for it, without
// bodies worth the name, so that the package can be type-checked before anything
// is generated:
//
//	type serveFrame struct{}
//	func (*serveFrame) Init(_ *rt.Conn) { for {} }
//	func (*serveFrame) Poll(*cogenrt.Context) bool { for {} }
//	func (*serveFrame) Result() (_ error) { for {} }
//	func (*serveFrame) Step(*cogenrt.Context, _ int32, _ *rt.Conn) (_ error, _ bool) { for {} }
//	func (*serveFrame) Resume(*cogenrt.Context) (_ error, _ bool) { for {} }
//	func serveAsync(_ *rt.Conn) *serveFrame { for {} }
//
// and the dynamic companion of a method (dynamic.go).
//
// Types are copied as text, since they have no meaning yet. A copy has the
// meaning of the original if it stands in a file with the same imports. So the
// stub imports, by the names of the source file, the packages that the copied text
// mentions. The frame of a method of a generic type repeats the constraints of
// the type, and is declared in the stub of the file that declares the type.
//
// What becomes of a parameter that may be a yield parameter (see yield.go) is not known
// yet: Step takes any value for it, and there is a Begin.
//
// An error in a stub repeats one in the source, and is not reported.

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The names by which stubs import package rt and its parts.
const (
	stubRT          = "cogenrt"
	stubPredeclared = "cogenpredeclared"
	stubRangefunc   = "cogenrangefunc"
)

// A stub is the stub of one source file.
type stub struct {
	imports map[string]string // by name
	decls   strings.Builder
}

// stubs makes the stubs of a package.
type stubs struct {
	pkgPath string
	// packageName returns the name of an imported package, "" if unknown.
	packageName func(path string) string
	types       typeDecls
	declared    takenNames // what the package declares
	byFile      map[*parsedFile]*stub
}

// makeStubs returns the text of the stubs, by the source file they stand for.
func makeStubs(pkgPath, pkgName string, packageName func(string) string, files []*parsedFile, marked []*markedFunc) map[*parsedFile]string {
	decls := findTypes(files)
	s := &stubs{
		pkgPath:     pkgPath,
		packageName: packageName,
		types:       decls,
		declared:    declaredNames(files, decls),
		byFile:      make(map[*parsedFile]*stub),
	}
	for _, m := range marked {
		s.declare(m)
	}
	texts := make(map[*parsedFile]string)
	for file, stub := range s.byFile {
		texts[file] = stub.text(pkgName)
	}
	return texts
}

func (s *stubs) in(file *parsedFile) *stub {
	if s.byFile[file] == nil {
		s.byFile[file] = &stub{imports: make(map[string]string)}
	}
	return s.byFile[file]
}

func (st *stub) text(pkgName string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\npackage %s\n", generatedHeader, pkgName)
	for _, name := range slices.Sorted(maps.Keys(st.imports)) {
		fmt.Fprintf(&b, "import %s %q\n", name, st.imports[name])
	}
	b.WriteString(st.decls.String())
	return b.String()
}

// declare adds the frame and the companion of one function.
func (s *stubs) declare(m *markedFunc) {
	st := s.in(m.file)
	context := "Context"
	if s.pkgPath != rtPath {
		st.imports[stubRT] = rtPath
		context = stubRT + ".Context"
	}

	frameArgs, recvType := s.receiver(m)
	params := s.fields(m.file, m.decl.Type.Params)
	if recvType != "" {
		params = append([]string{"_ " + recvType}, params...)
	}
	results := s.fields(m.file, m.decl.Type.Results)
	frame := m.frameName + frameArgs

	w := &st.decls
	fmt.Fprintf(w, "func (*%s) Init(%s) { for {} }\n", frame, strings.Join(params, ", "))
	yes, state := s.predeclared(st, "bool"), s.predeclared(st, "int32")
	stepParams := append([]string{"_ *" + context, "_ " + state}, params...)
	if mayYield(m.decl.Type) {
		body := "_ " + s.predeclared(st, "any")
		stepParams[len(stepParams)-1] = body
		fmt.Fprintf(w, "func (*%s) Begin(%s) { for {} }\n", frame, body)
	}
	if iterator := s.iterator(m); iterator != "" {
		fmt.Fprintf(w, "func (*%s) Iterator() %s { for {} }\n", frame, iterator)
	}
	fmt.Fprintf(w, "func (*%s) Poll(*%s) %s { for {} }\n", frame, context, yes)
	fmt.Fprintf(w, "func (*%s) Result() (%s) { for {} }\n", frame, strings.Join(results, ", "))
	if m.decl.Body != nil && !hasDefer(m.decl.Body) {
		stepResults := strings.Join(append(slices.Clone(results), "_ "+yes), ", ")
		fmt.Fprintf(w, "func (*%s) Step(%s) (%s) { for {} }\n", frame, strings.Join(stepParams, ", "), stepResults)
		fmt.Fprintf(w, "func (*%s) Resume(*%s) (%s) { for {} }\n", frame, context, stepResults)
	}
	if recvType != "" && m.detached {
		fmt.Fprintf(w, "func %s%s(%s) *%s { for {} }\n", m.asyncName, s.recvTypeParams(m), strings.Join(params, ", "), frame)
		return
	}
	if recvType != "" {
		fmt.Fprintf(w, "func (_ %s) %s(%s) *%s { for {} }\n", recvType, m.asyncName, strings.Join(params[1:], ", "), frame)
		if m.dynamic {
			s.dynamic(st, m, recvType, params[1:], results)
		}
		return
	}
	typeParams := s.typeParams(m.file, m.decl.Type.TypeParams)
	fmt.Fprintf(w, "type %s%s struct{}\n", m.frameName, typeParams)
	fmt.Fprintf(w, "func %s%s(%s) *%s { for {} }\n", m.asyncName, typeParams, strings.Join(params, ", "), frame)
}

// dynamic declares the dynamic companion of a method.
func (s *stubs) dynamic(st *stub, m *markedFunc, recvType string, params, results []string) {
	name := fmt.Sprintf("Call%d", m.decl.Type.Results.NumFields())
	if s.pkgPath != rtPath {
		name = stubRT + "." + name
	}
	if len(results) > 0 {
		types := make([]string, len(results))
		for i, r := range results {
			types[i] = strings.TrimPrefix(r, "_ ")
		}
		name += "[" + strings.Join(types, ", ") + "]"
	}
	any := s.predeclared(st, "any")
	params = append([]string{"_ " + any, "_ " + name}, params...)
	fmt.Fprintf(&st.decls, "func (_ %s) %s(%s) %s { for {} }\n", recvType, dynamicName(m.decl.Name.Name), strings.Join(params, ", "), name)
}

// mayYield reports whether the last parameter of a function is written as a function
// type.
func mayYield(t *ast.FuncType) bool {
	n := len(t.Params.List)
	if n == 0 {
		return false
	}
	_, ok := ast.Unparen(t.Params.List[n-1].Type).(*ast.FuncType)
	return ok
}

// iterator returns the text of the type of iterators that the function returns, empty
// if it returns something else.
func (s *stubs) iterator(m *markedFunc) string {
	fun, values, ok := writtenIterator(m.decl.Type)
	if !ok {
		return ""
	}
	if id, ok := fun.(*ast.Ident); ok {
		if path, ok := s.importOf(m.file, id.Name); !ok || path != "iter" {
			return ""
		}
	}
	st := s.in(m.file)
	st.imports[stubRangefunc] = rangefuncPath
	var args []string
	for _, v := range values {
		args = append(args, s.copyType(m.file, v))
	}
	for len(args) < 2 {
		args = append(args, "struct{}")
	}
	return stubRangefunc + ".Iterator" + typeArgs(args)
}

// writtenIterator returns the types of the values that iterators yield which a function
// returns whose only result is written as iter.Seq[V], iter.Seq2[K, V] or a function
// type. Of the former, fun is the name of the package.
func writtenIterator(t *ast.FuncType) (fun ast.Node, values []ast.Expr, ok bool) {
	if t.Results == nil || len(t.Results.List) != 1 || len(t.Results.List[0].Names) > 0 {
		return nil, nil, false
	}
	x := ast.Unparen(t.Results.List[0].Type)
	var generic ast.Expr
	switch t := x.(type) {
	case *ast.IndexExpr:
		generic, values = t.X, []ast.Expr{t.Index}
	case *ast.IndexListExpr:
		generic, values = t.X, t.Indices
	case *ast.FuncType:
		if t.Params.NumFields() != 1 || t.Results.NumFields() != 0 {
			return nil, nil, false
		}
		yield, ok := ast.Unparen(t.Params.List[0].Type).(*ast.FuncType)
		if !ok || yield.Params.NumFields() > 2 {
			return nil, nil, false
		}
		for _, field := range yield.Params.List {
			for range max(1, len(field.Names)) {
				values = append(values, field.Type)
			}
		}
		return t, values, true
	}
	sel, ok := generic.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Seq" && sel.Sel.Name != "Seq2" {
		return nil, nil, false
	}
	id, ok := sel.X.(*ast.Ident)
	return id, values, ok
}

// predeclared returns the text of a predeclared type.
func (s *stubs) predeclared(st *stub, name string) string {
	if _, ok := s.declared[memberName{"", name}]; !ok {
		return name
	}
	st.imports[stubPredeclared] = predeclaredPath
	return stubPredeclared + "." + exportedName(name)
}

// hasDefer reports whether the function has a defer statement of its own. The
// frame of such a function has no Step and Resume.
func hasDefer(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if _, ok := n.(*ast.DeferStmt); ok {
			found = true
		}
		return !found && !isFuncLit(n)
	})
	return found
}

// receiver returns the type arguments that the methods of the frame have, and the
// type of the receiver. It declares the frame of a method.
func (s *stubs) receiver(m *markedFunc) (frameArgs, recvType string) {
	if m.decl.Recv == nil {
		return typeArgs(paramNames(m.decl.Type.TypeParams)), ""
	}
	var names []string
	for i, arg := range m.recv.args {
		name := "_"
		if id, ok := arg.(*ast.Ident); ok {
			name = id.Name
		}
		names = append(names, nameBlank(name, i))
	}
	decl, ok := s.types[m.recv.base]
	if !ok {
		// The receiver's type is not declared, which the type checker reports.
		fmt.Fprintf(&s.in(m.file).decls, "type %s struct{}\n", m.frameName)
	} else {
		fmt.Fprintf(&s.in(decl.file).decls, "type %s%s struct{}\n", m.frameName, s.typeParams(decl.file, decl.spec.TypeParams))
	}
	if len(names) == 0 {
		return "", s.copyType(m.file, m.decl.Recv.List[0].Type)
	}
	recvType = m.recv.base + typeArgs(names)
	if m.recv.pointer {
		recvType = "*" + recvType
	}
	return typeArgs(names), recvType
}

// recvTypeParams returns the type parameters of a function that takes the
// receiver of a method as its parameter.
func (s *stubs) recvTypeParams(m *markedFunc) string {
	decl, ok := s.types[m.recv.base]
	if !ok || len(m.recv.args) == 0 {
		return ""
	}
	return s.typeParams(decl.file, decl.spec.TypeParams)
}

// typeArgs returns names as a list of type arguments.
func typeArgs(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// nameBlank gives a blank type parameter a name.
func nameBlank(name string, i int) string {
	if name == "_" {
		return fmt.Sprintf("cogenT%d", i)
	}
	return name
}

// paramNames returns the names of type parameters.
func paramNames(list *ast.FieldList) []string {
	var names []string
	if list == nil {
		return nil
	}
	for _, field := range list.List {
		for _, name := range field.Names {
			names = append(names, nameBlank(name.Name, len(names)))
		}
	}
	return names
}

// typeParams returns a copy of a declaration of type parameters.
func (s *stubs) typeParams(file *parsedFile, list *ast.FieldList) string {
	if list == nil {
		return ""
	}
	names := paramNames(list)
	var fields []string
	for _, field := range list.List {
		constraint := s.copyType(file, field.Type)
		for range field.Names {
			fields = append(fields, names[len(fields)]+" "+constraint)
		}
	}
	// The comma keeps [P *S] from being the length of an array.
	return "[" + strings.Join(fields, ", ") + ",]"
}

// fields returns a copy of parameters or results, one by one, all blank.
func (s *stubs) fields(file *parsedFile, list *ast.FieldList) []string {
	var fields []string
	if list == nil {
		return nil
	}
	for _, field := range list.List {
		text := "_ " + s.copyType(file, field.Type)
		for range max(1, len(field.Names)) {
			fields = append(fields, text)
		}
	}
	return fields
}

// copyType returns the text of a type of the file, and has the stub of the file
// import what it mentions.
func (s *stubs) copyType(file *parsedFile, expr ast.Expr) string {
	st := s.in(file)
	ast.Inspect(expr, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok {
				if path, ok := s.importOf(file, id.Name); ok {
					st.imports[id.Name] = path
				}
			}
			return true
		case *ast.Ident:
			// It may come from a dot import. An import that turns out
			// unused is an error in the stub, which does not matter.
			for _, spec := range file.syntax.Imports {
				if spec.Name != nil && spec.Name.Name == "." {
					if path, err := strconv.Unquote(spec.Path.Value); err == nil {
						st.dotImport(path)
					}
				}
			}
		}
		return true
	})
	return file.text(expr)
}

// dotImport adds an import into the stub's own scope. The map has one entry for
// each name, and the name of all of these is a dot, so that spaces tell them
// apart.
func (st *stub) dotImport(path string) {
	name := "."
	for st.imports[name] != "" && st.imports[name] != path {
		name += " "
	}
	st.imports[name] = path
}

// importOf returns the path of what the file imports as name.
func (s *stubs) importOf(file *parsedFile, name string) (string, bool) {
	for _, spec := range file.syntax.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		switch {
		case spec.Name != nil:
			if spec.Name.Name == name {
				return path, true
			}
		case s.packageName(path) == name:
			return path, true
		case s.packageName(path) == "" && slices.Contains(likelyNames(path), name):
			return path, true
		}
	}
	return "", false
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// likelyNames returns names that a package which could not be loaded may have.
func likelyNames(importPath string) []string {
	base := path.Base(importPath)
	if majorVersion.MatchString(base) {
		base = path.Base(path.Dir(importPath))
	}
	base, _, _ = strings.Cut(base, ".")
	return []string{base, strings.TrimPrefix(base, "go-"), strings.TrimSuffix(base, "-go")}
}
