package transform

import (
	"context"
	"errors"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A Frame is a frame that a generated file declares.
type Frame struct {
	// Package is the import path, Name the name of the type.
	Package, Name string
	// Size is in bytes, 0 if it depends on type arguments.
	Size int64
	// Fields have names, types, offsets and sizes only.
	Fields []Field
}

// Frames returns the frames of the generated files in the packages that match the
// patterns, as they are on disk or in Options.Overlay. Nothing is generated. Files
// that do not fit together are measured as far as that is possible; a field of
// a type that does not exist has size 0.
func Frames(ctx context.Context, opts Options, patterns ...string) ([]Frame, error) {
	config := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedTypesSizes,
		Context:    ctx,
		Dir:        opts.Dir,
		Env:        opts.Env,
		BuildFlags: opts.BuildFlags,
		Overlay:    opts.Overlay,
		Tests:      opts.Tests,
	}
	pkgs, err := packages.Load(config, patterns...)
	if err != nil {
		return nil, goCommandError(err)
	}
	var out []Frame
	seen := map[string]bool{}
	for _, p := range pkgs {
		if len(p.GoFiles) == 0 && len(p.Errors) > 0 {
			return nil, errors.New(p.Errors[0].Msg)
		}
		for _, file := range p.Syntax {
			path := p.Fset.File(file.FileStart).Name()
			if !ast.IsGenerated(file) || seen[path] || sourcePath(path) == "" {
				continue
			}
			seen[path] = true
			out = append(out, framesIn(p, file)...)
		}
	}
	return out, nil
}

// framesIn returns the frames of a file.
func framesIn(p *packages.Package, file *ast.File) []Frame {
	var out []Frame
	for _, decl := range file.Decls {
		decl, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range decl.Specs {
			spec, ok := spec.(*ast.TypeSpec)
			if !ok || !strings.HasSuffix(spec.Name.Name, "Frame") {
				continue
			}
			obj := p.Types.Scope().Lookup(spec.Name.Name)
			if obj == nil {
				continue
			}
			if frame, ok := obj.Type().Underlying().(*types.Struct); ok {
				f := Frame{Package: p.PkgPath, Name: spec.Name.Name}
				f.Size, _, f.Fields = frameFields(p.Types, p.TypesSizes, frame)
				out = append(out, f)
			}
		}
	}
	return out
}

// frameFields returns the size of a frame, its alignment, and its fields.
func frameFields(pkg *types.Package, sizes types.Sizes, frame *types.Struct) (size, align int64, fields []Field) {
	fixed := fixedSize(frame)
	var offsets []int64
	if fixed {
		vars := make([]*types.Var, frame.NumFields())
		for i := range vars {
			vars[i] = frame.Field(i)
		}
		offsets = sizes.Offsetsof(vars)
		size, align = sizes.Sizeof(frame), sizes.Alignof(frame)
	}
	for i := range frame.NumFields() {
		v := frame.Field(i)
		field := Field{Name: v.Name(), Type: typeText(v.Type(), pkg)}
		if fixedSize(v.Type()) {
			field.Size = sizes.Sizeof(v.Type())
		}
		if fixed {
			field.Offset = offsets[i]
		}
		fields = append(fields, field)
	}
	return size, align, fields
}

// typeText returns a type as users write it in pkg.
func typeText(t types.Type, pkg *types.Package) string {
	return types.TypeString(t, func(other *types.Package) string {
		if other == pkg {
			return ""
		}
		return other.Name()
	})
}
