package transform

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// fakeRuntime imports the standard library, and in place of package rt one that has
// just what stubs mention.
type fakeRuntime struct {
	types.Importer
	rt *types.Package
}

func newFakeRuntime(t testing.TB) fakeRuntime {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "rt.go", "package rt; type Context struct{}", 0)
	if err != nil {
		t.Fatal(err)
	}
	rt, err := new(types.Config).Check(rtPath, fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return fakeRuntime{importer.Default(), rt}
}

func (imp fakeRuntime) Import(path string) (*types.Package, error) {
	if path == rtPath {
		return imp.rt, nil
	}
	return imp.Importer.Import(path)
}

// TestStubsMatch checks, for many forms of signatures, that the stub of a function has
// its parameters and results.
func TestStubsMatch(t *testing.T) {
	prog := checkFiles(Options{}, "example.com/p", map[string]string{
		"funcs.go": `package p

import (
	"context"
	"io"
	str "strings"
	. "time"
)

const size = 4

type local struct{ b *str.Builder }

//cogen:async
func none() {}

//cogen:async
func unnamed(int, string, ...local) (int, error) { return 0, nil }

//cogen:async
func named(a, b int, _ string, rest ...io.Reader) (n, m int, err error) { return }

//cogen:async
func blank(_, _ int) (_ Duration, _ error) { return }

//cogen:async
func types(
	ctx context.Context,
	a [size]byte, // of a certain size
	f func(a, b int, more ...*str.Builder) (n Duration, err error),
	s struct {
		x, y int
		local
	},
	m map[Month][]chan<- local,
	i interface {
		io.Reader
		Wait(Duration)
	},
) <-chan func() {
	return nil
}

//cogen:async
func generic[K comparable, V interface{ ~int | ~string }, _ any, F func(K) V](k K, f F, m map[K]V) (v V) { return }

//cogen:async
func constrained[T io.Reader, S ~[]T](s S) T { return s[0] }
`,
		"methods.go": `package p

import "context"

//cogen:async
func (local) value(n int) int { return n }

//cogen:async
func (l *local) Pointer() error { return nil }

//cogen:async
func (_ *local) ctx(context.Context) {}

type alias = local

//cogen:async
func (a *alias) viaAlias(l *alias) *alias { return l }

//cogen:async
func (p pair[A, B]) both() (A, B) { return p.a, p.b }

//cogen:async
func (p *pair[K, _]) First(f func(K) []K) (k K) { return p.a }

//cogen:async
func (p *(pair[_, _])) nothing() {}
`,
		// The constraints of pair need an import that methods.go lacks.
		"pair.go": `package p

import cmp "io"

type pair[First comparable, Second cmp.Reader] struct {
	a First
	b Second
}

func (p pair[_, B]) use(q pair[string, B]) {}
`,
	}, newFakeRuntime(t))

	for _, d := range prog.diags.sorted() {
		t.Errorf("%s", d.Format("/src"))
	}
	n := 0
	for _, f := range prog.funcs {
		n++
		testStub(t, f)
	}
	if n != 14 {
		t.Errorf("there are %d functions, want 14", n)
	}
}

func testStub(t *testing.T, f *asyncFunc) {
	pkg := f.obj.Pkg()
	plain := f.obj.Signature()
	var companion types.Object
	if plain.Recv() != nil {
		companion, _, _ = types.LookupFieldOrMethod(plain.Recv().Type(), true, pkg, f.asyncName)
	} else {
		companion = pkg.Scope().Lookup(f.asyncName)
	}
	if companion == nil {
		t.Errorf("%s has no companion", f.name)
		return
	}
	sig := companion.Type().(*types.Signature)
	same := func(what string, a, b *types.Tuple) {
		// Type parameters are other objects in each declaration: compare
		// their names.
		qualifier := types.RelativeTo(pkg)
		if got, want := unnamedTuple(b, qualifier), unnamedTuple(a, qualifier); got != want {
			t.Errorf("%s: the %s of the stub are %s, want %s", f.name, what, got, want)
		}
	}
	same("parameters", plain.Params(), sig.Params())
	if sig.Variadic() != plain.Variadic() {
		t.Errorf("%s: variadic is %v", f.name, sig.Variadic())
	}
	if sig.Results().Len() != 1 {
		t.Errorf("%s: the companion returns %s", f.name, sig.Results())
		return
	}
	frame := sig.Results().At(0).Type()
	if name := frame.(*types.Pointer).Elem().(*types.Named).Obj().Name(); name != f.frameName {
		t.Errorf("%s: the frame is %s, want %s", f.name, name, f.frameName)
	}
	for _, name := range []string{"Init", "Poll", "Result"} {
		method, _, _ := types.LookupFieldOrMethod(frame, true, pkg, name)
		if method == nil {
			t.Errorf("%s: the frame has no method %s", f.name, name)
			continue
		}
		sig := method.Type().(*types.Signature)
		switch name {
		case "Result":
			same("results", plain.Results(), sig.Results())
		case "Init":
			params := plain.Params()
			if recv := plain.Recv(); recv != nil {
				params = types.NewTuple(append([]*types.Var{recv}, tupleVars(params)...)...)
			}
			same("parameters of Init", params, sig.Params())
		}
	}
}

var blankNames = strings.NewReplacer("cogenT0", "_", "cogenT1", "_", "cogenT2", "_")

func tupleVars(tuple *types.Tuple) []*types.Var {
	var vars []*types.Var
	for v := range tuple.Variables() {
		vars = append(vars, v)
	}
	return vars
}

// unnamedTuple prints the types of a tuple. A blank type parameter has a name in stubs.
func unnamedTuple(tuple *types.Tuple, qualifier types.Qualifier) string {
	s := ""
	for v := range tuple.Variables() {
		s += blankNames.Replace(types.TypeString(v.Type(), qualifier)) + "; "
	}
	return s
}
