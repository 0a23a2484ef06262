package transform

// Pass mark.
//
// Input: the parsed files of a package. Output: its marked functions with the
// names of what is generated for them. A function whose names are taken is
// reported and left out. All of this is syntax: types come later, when
// the stubs of these very functions have been declared.

import (
	"go/ast"
	"go/token"
)

// A markedFunc is a marked function before type-checking.
type markedFunc struct {
	file *parsedFile
	decl *ast.FuncDecl
	recv receiver
	// name is the name for messages, such as Server.Handle.
	name                 string
	frameName, asyncName string
	// detached: the companion of a method is a function.
	detached bool
	// dynamic: the method gets a dynamic companion.
	dynamic bool
}

// hasDynamic reports whether m is a method that can be called through an
// interface, and so gets a dynamic companion. Interfaces with an unexported method
// are those of the package.
func (m *markedFunc) hasDynamic(ofInterfaces map[string]bool) bool {
	name := m.decl.Name.Name
	return m.recv.base != "" && m.decl.Type.Results.NumFields() <= maxDynamicResults && (ast.IsExported(name) || ofInterfaces[name])
}

// interfaceMethodNames returns the names of the methods of all interfaces in the
// files.
func interfaceMethodNames(files []*parsedFile) map[string]bool {
	names := make(map[string]bool)
	for _, file := range files {
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			if t, ok := n.(*ast.InterfaceType); ok {
				for _, field := range t.Methods.List {
					for _, id := range field.Names {
						names[id.Name] = true
					}
				}
			}
			return true
		})
	}
	return names
}

// A receiver is the receiver of a method; base is empty for a function.
type receiver struct {
	base    string
	pointer bool
	args    []ast.Expr
}

// A typeDecl is the declaration of a type at package level.
type typeDecl struct {
	file *parsedFile
	spec *ast.TypeSpec
}

type typeDecls map[string]typeDecl

// findTypes returns the types that the files declare.
func findTypes(files []*parsedFile) typeDecls {
	decls := make(typeDecls)
	for _, file := range files {
		for _, decl := range file.syntax.Decls {
			if decl, ok := decl.(*ast.GenDecl); ok {
				for _, spec := range decl.Specs {
					if spec, ok := spec.(*ast.TypeSpec); ok {
						decls[spec.Name.Name] = typeDecl{file, spec}
					}
				}
			}
		}
	}
	return decls
}

// receiver returns the receiver of a declaration. An alias is followed to the type
// that it stands for, which is the one that has the method.
func (types typeDecls) receiver(decl *ast.FuncDecl) receiver {
	var r receiver
	if decl.Recv == nil || len(decl.Recv.List) != 1 {
		return r
	}
	expr := ast.Unparen(decl.Recv.List[0].Type)
	if star, ok := expr.(*ast.StarExpr); ok {
		r.pointer = true
		expr = ast.Unparen(star.X)
	}
	switch x := expr.(type) {
	case *ast.IndexExpr:
		expr, r.args = x.X, []ast.Expr{x.Index}
	case *ast.IndexListExpr:
		expr, r.args = x.X, x.Indices
	}
	id, ok := expr.(*ast.Ident)
	if !ok {
		return r // not a receiver: the type checker says so
	}
	r.base = id.Name
	for range len(types) { // a cycle of aliases is an error found later
		d, ok := types[r.base]
		if !ok || !d.spec.Assign.IsValid() {
			break
		}
		aliased := ast.Unparen(d.spec.Type)
		if star, ok := aliased.(*ast.StarExpr); ok {
			r.pointer = true
			aliased = ast.Unparen(star.X)
		}
		id, ok := aliased.(*ast.Ident)
		if !ok {
			break
		}
		r.base = id.Name
	}
	return r
}

// mark returns the functions to compile. If that is all of them, names are
// chosen so that they are free, and no type gets another method.
func mark(files []*parsedFile, all bool, diags *diagnostics) []*markedFunc {
	types := findTypes(files)
	taken := declaredNames(files, types)
	if all {
		return markAllFunctions(files, types)
	}
	ofInterfaces := interfaceMethodNames(files)
	var funcs []*markedFunc
	for _, file := range files {
		for _, decl := range file.marked {
			if decl.Recv != nil && decl.Recv.NumFields() != 1 {
				continue // the type checker says what is wrong
			}
			m := &markedFunc{file: file, decl: decl, recv: types.receiver(decl), name: decl.Name.Name}
			m.asyncName = companionName(decl.Name.Name)
			m.frameName = frameTypeName(m.recv.base, decl.Name.Name)
			companion := memberName{"", m.asyncName}
			if m.recv.base != "" {
				m.name = m.recv.base + "." + m.name
				companion.recv = m.recv.base
			}
			free := taken.take(companion, "companion", m, diags)
			free = taken.take(memberName{"", m.frameName}, "frame", m, diags) && free
			if m.dynamic = m.hasDynamic(ofInterfaces); m.dynamic {
				free = taken.take(memberName{m.recv.base, dynamicName(decl.Name.Name)}, "dynamic companion", m, diags) && free
			}
			if free {
				funcs = append(funcs, m)
			}
		}
	}
	return funcs
}

// A memberName is a name at package level, or that of a field or method of a type.
type memberName struct{ recv, name string }

// A declaration says where and as what a name is declared.
type declaration struct {
	pos  token.Pos
	what string
	// marked names the function that the name will be generated for.
	marked string
}

type takenNames map[memberName]declaration

// take reserves a name for what is generated for m, or reports that it is taken.
func (taken takenNames) take(name memberName, role string, m *markedFunc, diags *diagnostics) bool {
	other, ok := taken[name]
	if !ok {
		taken[name] = declaration{m.decl.Name.Pos(), "the " + role + " of " + m.name + " has that name", m.name}
		return true
	}
	if other.marked == m.name {
		return false // declared twice, as the type checker will say
	}
	text := name.name
	if name.recv != "" {
		text = name.recv + "." + text
	}
	d := diags.report(codeNameTaken, m.decl.Name.Pos(), "the %s of %s would be named %s, which is taken: rename one of the two", role, m.name, text)
	diags.relate(d, other.pos, "%s", other.what)
	return false
}

// declaredNames returns what the files declare at package level, their imports
// (which must not have the name of anything at package level), and the fields
// and methods of their types.
func declaredNames(files []*parsedFile, types typeDecls) takenNames {
	names := make(takenNames)
	add := func(recv string, id *ast.Ident) {
		name := memberName{recv, id.Name}
		if _, ok := names[name]; !ok && id.Name != "_" {
			names[name] = declaration{pos: id.Pos(), what: id.Name + " is declared here"}
		}
	}
	for _, file := range files {
		for _, decl := range file.syntax.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil {
					add("", decl.Name)
				} else if r := types.receiver(decl); r.base != "" {
					add(r.base, decl.Name)
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.ImportSpec:
						if spec.Name != nil && spec.Name.Name != "." {
							add("", spec.Name)
						}
					case *ast.ValueSpec:
						for _, id := range spec.Names {
							add("", id)
						}
					case *ast.TypeSpec:
						add("", spec.Name)
						for _, id := range fieldNames(types, spec.Type, len(types)) {
							add(spec.Name.Name, id)
						}
					}
				}
			}
		}
	}
	return names
}

// fieldNames returns the names of the fields of a struct type, following the
// names of other types of the package, of which there are at most depth.
func fieldNames(types typeDecls, expr ast.Expr, depth int) []*ast.Ident {
	switch t := ast.Unparen(expr).(type) {
	case *ast.StructType:
		var ids []*ast.Ident
		for _, field := range t.Fields.List {
			ids = append(ids, field.Names...)
			if len(field.Names) == 0 {
				if id := embeddedName(field.Type); id != nil {
					ids = append(ids, id)
				}
			}
		}
		return ids
	case *ast.Ident:
		if d, ok := types[t.Name]; ok && depth > 0 {
			return fieldNames(types, d.spec.Type, depth-1)
		}
	}
	return nil
}

// embeddedName returns the name of an embedded field.
func embeddedName(expr ast.Expr) *ast.Ident {
	switch t := ast.Unparen(expr).(type) {
	case *ast.Ident:
		return t
	case *ast.StarExpr:
		return embeddedName(t.X)
	case *ast.SelectorExpr:
		return t.Sel
	case *ast.IndexExpr:
		return embeddedName(t.X)
	case *ast.IndexListExpr:
		return embeddedName(t.X)
	}
	return nil
}
