package transform

// Whole programs.
//
// With Options.All every function with a body is compiled, and every call of one
// runs its frame, also the calls that stay plain: through function values and
// interfaces, from package initialisation, from the go statement of a literal. To
// that end the function's body in the source is replaced:
//
//	func (t T) f(x int) (y int) { cogenF := tFFrameNew(t, x); _ = cogenF.Poll; return cogenrt.Await(cogenF).Result() }
//
// A function that calls recover keeps its own body, for those who defer it: recover
// works only in a function that is deferred itself, and the frame's Poll is not.
// Other frames use its frame where no panic can be pending.
//
// This is for tests of the passes, with programs that were not written for them.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// allRT is the name by which replaced sources import package rt.
const allRT = "cogenrt"

// stressStatements says that the start of every statement is an await point.
func (o *Options) stressStatements() bool { return o.All && o.Stress }

// yield suspends the frame in front of s.
func (l *lowerer) yield(s ast.Stmt) {
	a := &await{pos: s.Pos(), what: "stress"}
	a.child = l.child("stress", l.runtimeType("StressFuture"), false)
	l.suspend(a)
}

// everyFunction returns the functions of a file that can be compiled, or every
// second of them, beginning with the first.
func everyFunction(file *ast.File, mixed bool) []*ast.FuncDecl {
	if importsC(file) {
		return nil
	}
	var out []*ast.FuncDecl
	for _, decl := range file.Decls {
		if decl, ok := decl.(*ast.FuncDecl); ok && decl.Body != nil && decl.Name.Name != "_" && !hasPragma(decl) {
			out = append(out, decl)
		}
	}
	if !mixed {
		return out
	}
	half := out[:0]
	for i := 0; i < len(out); i += 2 {
		half = append(half, out[i])
	}
	return half
}

// callsRecover reports whether the function itself may call recover.
func callsRecover(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "recover" {
			found = true
		}
		return !found && !isFuncLit(n)
	})
	return found
}

// hasPragma reports whether the function has a directive for the compiler that
// its frame could not keep.
func hasPragma(decl *ast.FuncDecl) bool {
	if decl.Doc == nil {
		return false
	}
	return slices.ContainsFunc(decl.Doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:nosplit") || strings.HasPrefix(c.Text, "//go:linkname") ||
			strings.HasPrefix(c.Text, "//go:systemstack") || strings.HasPrefix(c.Text, "//go:uintptr")
	})
}

// markAllFunctions is mark for all functions, with names that nothing else has.
func markAllFunctions(files []*parsedFile, decls typeDecls) []*markedFunc {
	names := newNameSet()
	for _, file := range files {
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				names.reserve(id.Name)
			}
			return true
		})
	}
	var funcs []*markedFunc
	for _, file := range files {
		for _, decl := range file.marked {
			if decl.Recv != nil && decl.Recv.NumFields() != 1 {
				continue // the type checker says what is wrong
			}
			m := &markedFunc{file: file, decl: decl, recv: decls.receiver(decl), name: decl.Name.Name, detached: true}
			m.frameName = names.fresh(lowerFirst(frameTypeName(m.recv.base, m.name)))
			m.asyncName = names.fresh(m.frameName + "New")
			if m.recv.base != "" {
				m.name = m.recv.base + "." + m.name
			}
			funcs = append(funcs, m)
		}
	}
	return funcs
}

// allSources returns the replaced sources.
func (prog *program) allSources() []File {
	var out []File
	for _, p := range prog.packages {
		for _, file := range p.files {
			if file.owned {
				out = append(out, File{Path: file.path, Content: file.replaced()})
			}
		}
	}
	return out
}

// An edit replaces a part of a text.
type edit struct {
	from, to int
	text     string
}

// replaced returns the source with the bodies of its functions replaced. Lines
// keep their numbers.
func (f *sourceFile) replaced() []byte {
	base := f.syntax.FileStart
	info := f.pkg.pkg.TypesInfo
	var edits []edit
	type span struct{ from, to int }
	var bodies []span
	for _, fn := range f.async {
		if fn.plain || fn.recovers {
			continue
		}
		from, to := int(fn.bodyStart-base), int(fn.bodyEnd-base)
		bodies = append(bodies, span{from, to})
		edits = append(edits, edit{from, to, fn.entryBody(bytes.Count(f.src[from:to], []byte("\n")))})
		edits = append(edits, fn.nameParams(f.src, int(base))...)
	}
	if len(bodies) == 0 {
		return f.src
	}
	name := int(f.syntax.Name.End() - base)
	edits = append(edits, edit{name, name, "; import " + allRT + " " + strconv.Quote(rtPath)})
	// Imports that only the bodies used.
	used := map[string]bool{}
	for id, obj := range info.Uses {
		at := int(id.Pos() - base)
		if at < 0 || at >= len(f.src) || slices.ContainsFunc(bodies, func(s span) bool { return s.from <= at && at < s.to }) {
			continue
		}
		if name, ok := obj.(*types.PkgName); ok {
			used[name.Imported().Path()] = true
		} else if obj.Pkg() != nil {
			used[obj.Pkg().Path()] = true // perhaps from a dot import
		}
	}
	for _, spec := range f.syntax.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if used[path] || spec.Name != nil && spec.Name.Name == "_" {
			continue
		}
		at := int(spec.Path.Pos() - base)
		from := at
		if spec.Name != nil {
			from = int(spec.Name.Pos() - base)
		}
		edits = append(edits, edit{from, at, "_ "})
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(f.src[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(f.src[at:])
	return out.Bytes()
}

// entryBody is the body of a function that runs its frame, with as many line
// ends as the original.
func (fn *asyncFunc) entryBody(lines int) string {
	sig := fn.obj.Signature()
	var args []string
	if recv := sig.Recv(); recv != nil {
		args = append(args, entryParam(recv, 0))
	}
	for i := range sig.Params().Len() {
		arg := entryParam(sig.Params().At(i), i+1)
		if sig.Variadic() && i == sig.Params().Len()-1 {
			arg += "..."
		}
		args = append(args, arg)
	}
	var targs []string
	// Those of a method are inferred from the receiver.
	for i := range sig.TypeParams().Len() {
		targs = append(targs, entryTypeParam(sig.TypeParams().At(i), i))
	}
	inst := ""
	if len(targs) > 0 {
		inst = "[" + strings.Join(targs, ", ") + "]"
	}
	// The order of package initialisation depends on what functions refer to, and
	// Await reaches Poll only through an interface.
	call := fmt.Sprintf("cogenF := %s%s(%s); _ = cogenF.Poll; ", fn.asyncName, inst, strings.Join(args, ", "))
	if sig.Results().Len() > 0 {
		call += "return " + allRT + ".Await(cogenF).Result()"
	} else {
		call += allRT + ".Await(cogenF)"
	}
	return "{ " + call + strings.Repeat("\n", lines) + " }"
}

// entryParam is the name of a parameter in the replaced source.
func entryParam(v *types.Var, i int) string {
	if v.Name() == "" || v.Name() == "_" {
		return "cogenP" + strconv.Itoa(i)
	}
	return v.Name()
}

// entryTypeParam is the name of a type parameter in the replaced source.
func entryTypeParam(p *types.TypeParam, i int) string {
	if p.Obj().Name() == "_" {
		return "cogenT" + strconv.Itoa(i)
	}
	return p.Obj().Name()
}

// nameParams gives names to the parameters that have none.
func (fn *asyncFunc) nameParams(src []byte, base int) []edit {
	var edits []edit
	name := func(fields *ast.FieldList, prefix string, i int) {
		if fields == nil {
			return
		}
		for _, field := range fields.List {
			if len(field.Names) == 0 {
				at := int(field.Type.Pos()) - base
				edits = append(edits, edit{at, at, prefix + strconv.Itoa(i) + " "})
				i++
			}
			for _, id := range field.Names {
				if id.Name == "_" {
					at := int(id.Pos()) - base
					edits = append(edits, edit{at, at + 1, prefix + strconv.Itoa(i)})
				}
				i++
			}
		}
	}
	name(fn.decl.Recv, "cogenP", 0)
	name(fn.decl.Type.TypeParams, "cogenT", 0)
	name(fn.decl.Type.Params, "cogenP", 1)
	return edits
}

// WriteOverlay writes the files of r into dir, and an overlay.json there with
// which go build -overlay reads them in the place of the originals.
func (r *Result) WriteOverlay(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	replace := map[string]string{}
	for i, f := range r.Files {
		path := filepath.Join(dir, fmt.Sprintf("%d_%s", i, filepath.Base(f.Path)))
		if err := os.WriteFile(path, f.Content, 0o666); err != nil {
			return err
		}
		replace[f.Path] = path
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "overlay.json"), append(text, '\n'), 0o666)
}
