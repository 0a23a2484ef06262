package progen

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"sync"
)

// What programs import, as far as they use it. So a check needs no other
// package, and takes a millisecond.
var imported = map[string]string{
	"github.com/cogen-go/cogen/rt": `package rt
type Context struct{}
type Future interface { Poll(*Context) bool }
func Yield() {}
func Await[F Future](f F) F { return f }
`,
	"github.com/cogen-go/cogen/internal/progen/trace": `package trace
import "github.com/cogen-go/cogen/rt"
type TickFuture struct{}
func (*TickFuture) Poll(*rt.Context) bool
func (*TickFuture) Result() int
func Wait(int) *TickFuture
func Tick(int) int
func Show(...any)
func Spent() bool
func Sprint(any) string
func Goexit()
func Keys[K ~int | ~string, V any](map[K]V) (k []K) { return }
`,
}

type importer struct {
	mu     sync.Mutex
	loaded map[string]*types.Package
}

var theImporter = &importer{loaded: map[string]*types.Package{}}

// Import implements [types.Importer].
func (imp *importer) Import(path string) (*types.Package, error) {
	imp.mu.Lock()
	pkg := imp.loaded[path]
	imp.mu.Unlock()
	if pkg != nil {
		return pkg, nil
	}
	src, ok := imported[path]
	if !ok {
		return nil, errors.New("programs do not import " + path)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	conf := types.Config{Importer: imp}
	if pkg, err = conf.Check(path, fset, []*ast.File{f}, nil); err != nil {
		return nil, err
	}
	imp.mu.Lock()
	defer imp.mu.Unlock()
	imp.loaded[path] = pkg
	return pkg, nil
}

// Check type-checks the source of a program, or of one that was made from it. info
// may be nil.
func Check(src []byte, info *types.Info) (*token.FileSet, *ast.File, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "program.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	conf := types.Config{Importer: theImporter, Sizes: types.SizesFor("gc", "amd64")}
	_, err = conf.Check("program", fset, []*ast.File{f}, info)
	return fset, f, err
}

func check(src []byte, info *types.Info) error {
	_, _, err := Check(src, info)
	return err
}
