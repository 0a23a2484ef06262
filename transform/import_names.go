package transform

import (
	"go/ast"
	"go/types"
	"strconv"
)

// An importName is how a generated file names a package.
type importName struct {
	name string
	// alias: the name is not the package's own, and has to be written down.
	alias bool
}

// importNames returns the names of the packages that the generated file may
// import: those that the source imports, by the names that it has for them, and
// those whose types its variables may have. A name that the package declares
// itself, or that a marked function of the file gives to something local, is
// avoided.
func (f *sourceFile) importNames() map[string]importName {
	if f.imports != nil {
		return f.imports
	}
	pkg := f.pkg.pkg.Types
	names := newNameSet()
	names.scope = pkg.Scope()
	for _, fn := range f.async {
		ast.Inspect(fn.root(), func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				// The name in the head of a type switch is there without an object.
				if _, declares := f.pkg.pkg.TypesInfo.Defs[id]; declares {
					names.reserve(id.Name)
				}
			}
			return true
		})
	}
	f.imports = map[string]importName{}
	add := func(path, own, wanted string) {
		if _, ok := f.imports[path]; !ok {
			name := names.fresh(wanted)
			f.imports[path] = importName{name: name, alias: name != own}
		}
	}
	direct := map[string]*types.Package{}
	for _, p := range pkg.Imports() {
		direct[p.Path()] = p
	}
	for _, spec := range f.syntax.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		p := direct[path]
		if obj := f.pkg.pkg.TypesInfo.PkgNameOf(spec); obj != nil {
			p = obj.Imported()
		}
		switch {
		case p == nil:
		case spec.Name == nil || spec.Name.Name == "_" || spec.Name.Name == ".":
			add(p.Path(), p.Name(), p.Name())
		default:
			add(p.Path(), p.Name(), spec.Name.Name)
		}
	}
	add(rtPath, "rt", "rt")
	add("unicode/utf8", "utf8", "utf8")
	add("unsafe", "unsafe", "unsafe")
	seen := map[*types.Package]bool{}
	var visit func(*types.Package)
	visit = func(p *types.Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		for _, q := range p.Imports() {
			add(q.Path(), q.Name(), q.Name())
		}
		for _, q := range p.Imports() {
			visit(q)
		}
	}
	visit(pkg)
	return f.imports
}
