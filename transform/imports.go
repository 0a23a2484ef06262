package transform

import (
	"errors"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/packages"
)

// loadExternal loads the types of what the units import and that is no unit
// itself, and of package rt.
func (l *loader) loadExternal(order []*unit) error {
	paths := make(map[string]bool)
	isUnit := false
	for _, u := range order {
		isUnit = isUnit || u.meta.PkgPath == rtPath
		for path, dep := range u.meta.Imports {
			if l.units[dep] == nil && path != "C" && path != "unsafe" && dep.Name != "" {
				paths[dep.PkgPath] = true
			}
		}
	}
	if !isUnit {
		paths[rtPath] = true
	}
	for _, path := range supportPaths {
		paths[path] = true
	}
	config := l.config
	config.Overlay = nil // export data is of no use with an overlay
	config.Mode = packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedExportFile
	loaded, err := packages.Load(&config, slices.Sorted(maps.Keys(paths))...)
	if err != nil {
		return goCommandError(err)
	}
	for _, p := range loaded {
		if p.Types != nil && p.Name != "" {
			l.external[p.PkgPath] = p.Types
		}
		if p.PkgPath == rtPath && len(p.Errors) > 0 {
			l.reportNoRuntime(order, p.Errors[0])
		}
	}
	return nil
}

// reportNoRuntime reports, once for each package, that what will be generated
// cannot import package rt.
func (l *loader) reportNoRuntime(order []*unit, e packages.Error) {
	for _, u := range order {
		if u.root && len(u.marked) > 0 {
			l.prog.diags.report(codeNoRuntime, u.marked[0].decl.Name.Pos(),
				"generated code imports %s, which cannot be loaded: %s; if the module does not have it yet, run go get %s", rtPath, firstLine(e.Msg), rtPath)
		}
	}
}

// A unitImporter finds what one unit imports.
type unitImporter struct {
	*loader
	unit *unit
}

func (im unitImporter) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	dep := im.unit.meta.Imports[path]
	if dep == nil {
		if path == rtPath { // by a stub
			return im.runtime()
		}
		return nil, errors.New("the go command does not list it")
	}
	if u := im.units[dep]; u != nil {
		return dep.Types, nil
	}
	if pkg := im.external[dep.PkgPath]; pkg != nil {
		return pkg, nil
	}
	if len(dep.Errors) > 0 {
		return nil, errors.New(firstLine(dep.Errors[0].Msg))
	}
	return nil, errors.New("it cannot be loaded")
}

// support returns the packages that generated code may import although the source does
// not.
func (l *loader) support() []*types.Package {
	var list []*types.Package
	if rt, err := l.runtime(); err == nil {
		list = append(list, rt)
	}
	for _, path := range supportPaths {
		if pkg := l.external[path]; pkg != nil {
			list = append(list, pkg)
		}
	}
	return list
}

// runtime returns package rt for a package that does not import it itself.
func (l *loader) runtime() (*types.Package, error) {
	for p, u := range l.units {
		if u.meta.PkgPath == rtPath && p.ForTest == "" {
			return p.Types, nil
		}
	}
	if pkg := l.external[rtPath]; pkg != nil {
		return pkg, nil
	}
	return nil, errors.New("it cannot be loaded")
}
