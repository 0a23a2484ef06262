package transform

import (
	"go/types"

	"github.com/dave/jennifer/jen"
)

// mentionPlain writes a declaration that mentions the functions and methods that
// the file's companions stand for:
//
//	var (
//		_ = serve
//		_ = (*server).handle
//	)
//
// Where only companions are called, linters would find the source unused. They do not
// ask that of what is exported. What is generic cannot be mentioned without
// type arguments, which only its users know. A blank variable costs nothing: the
// compiler leaves it out, and the initialization of no other one depends on it.
func mentionPlain(f *jen.File, file *sourceFile) {
	var mentions []jen.Code
	for _, fn := range file.async {
		if m := plainForm(fn); m != nil {
			mentions = append(mentions, jen.Id("_").Op("=").Add(m))
		}
	}
	if len(mentions) == 0 {
		return
	}
	f.Line()
	f.Comment("// Calls of companions are calls of these, which linters cannot know.")
	if len(mentions) == 1 {
		f.Var().Add(mentions[0])
		return
	}
	f.Var().Defs(mentions...)
}

// plainForm returns the function that fn was made from as an expression, or nil if
// that needs no mention or has no such expression.
func plainForm(fn *asyncFunc) *jen.Statement {
	name := fn.obj.Name()
	if fn.obj.Exported() || len(fn.typeParams()) > 0 {
		return nil
	}
	recv := fn.obj.Signature().Recv()
	if recv == nil {
		return jen.Id(name)
	}
	t, pointer := types.Unalias(recv.Type()), false
	if p, ok := t.(*types.Pointer); ok {
		t, pointer = types.Unalias(p.Elem()), true
	}
	named, ok := t.(*types.Named)
	if !ok {
		return nil
	}
	typ := jen.Id(named.Obj().Name())
	if pointer {
		typ = jen.Parens(jen.Op("*").Add(typ))
	}
	return typ.Dot(name)
}
