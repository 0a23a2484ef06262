package transform

import (
	"go/ast"
	"go/token"
	"go/types"
	"runtime"

	"golang.org/x/tools/go/packages"
)

// supportPaths are the packages that generated code may import although the source
// does not, besides package rt.
var supportPaths = []string{"unicode/utf8", predeclaredPath, rangefuncPath}

// rtPath is the import path of the runtime.
const rtPath = "github.com/cogen-go/cogen/rt"

// A program is everything that one run compiles.
type program struct {
	opts Options
	fset *token.FileSet
	// packages are those with something to compile, sorted by ID. Imported
	// packages come before their importers.
	packages []*sourcePackage
	// funcs has the marked functions of all packages of the run, by their
	// generic (origin) object. A package and its test variant have different
	// objects for the same declaration; both are here.
	funcs map[*types.Func]*asyncFunc
	// marksInterface has the methods of interfaces that are marked as async.
	marksInterface map[*types.Func]bool
	// rt is package rt, nil if it could not be loaded.
	rt *types.Package
	// rangefunc is package rt/rangefunc, nil if it could not be loaded.
	rangefunc *types.Package
	// support are the packages that generated code may import although the
	// source does not, rt among them.
	support []*types.Package
	sizes   types.Sizes
	diags   *diagnostics
	// stubs are the files that stand for what will be generated.
	stubs map[*token.File]bool
	// outputs are the generated files so far, by path.
	outputs map[string][]byte
	// owned has the source files that a package compiles already.
	owned map[string]bool
	// known has the files of the packages of the run, and dirs their folders.
	known map[string]bool
	dirs  []string
	// sources has the text of the files of the packages, by path.
	sources map[string][]byte
	// colours is what pass colour found, for all marked functions.
	colours map[*asyncFunc]*colours
	// recursive are the plans whose child cannot be part of the frame, because
	// the frame is part of the child.
	recursive map[*plan]bool
	// surveys has the calls of the functions, and analysis what is known of them in the
	// end, if that is asked for.
	surveys  map[*asyncFunc]*survey
	analysis []*Function
	// current is the function that is being compiled, for reports of a panic.
	// A pass that works on one function sets it.
	current *asyncFunc
}

// A sourcePackage is a package with marked functions.
type sourcePackage struct {
	// pkg has Types, TypesInfo, TypesSizes, Fset and Syntax (stubs left out) set.
	pkg *packages.Package
	dir string
	// files are the source files with marked functions, sorted by path.
	files []*sourceFile
	// waits has what waitsIn has found, nil before it was asked.
	waits map[*types.Func]waiting
}

// A sourceFile is a file with marked functions.
type sourceFile struct {
	pkg    *sourcePackage
	syntax *ast.File
	// src is the text that syntax was parsed from.
	src []byte
	// path is absolute, and so is genPath, the path of the generated file.
	path, genPath string
	// goVersion is the language version of the file, such as go1.22.
	goVersion string
	// buildConstraint is the //go:build line to carry over, empty if none.
	buildConstraint string
	// owned is false if another variant of the package compiles this file: the
	// test variant of a package has its files, too, as context for the test files.
	owned bool
	async []*asyncFunc
	// imports has the names of packages in the generated file, by path; made
	// by importNames.
	imports map[string]importName
}

// An asyncFunc is a marked function, or a function literal in one (see
// literal.go).
type asyncFunc struct {
	file *sourceFile
	// decl and obj are nil for a literal.
	decl *ast.FuncDecl
	obj  *types.Func
	lit  *literal
	// name is the function's name for messages: serve, Server.Handle.
	name string
	// frameName is the name of the frame's type, asyncName that of the
	// companion function or method.
	frameName, asyncName string
	// recv is the name of the receiver's base type, empty for a function.
	recv string
	// detached: the companion of a method is a function that takes the receiver
	// as its first parameter.
	detached bool
	// dynamic: the method has a dynamic companion.
	dynamic bool
	// plain: a frame cannot express the function; its frame calls it.
	plain bool
	// literals counts the literals in a declared function that have frames.
	literals int
	// captureInfo is made by captures.
	captureInfo map[*types.Var]*capture
	// yield is the function's yield parameter, nil if it has none, and yieldUse what it
	// does with the one that might be it. iterates: it returns iterators. keptYield is
	// what rules one of the two out. See yield.go.
	yield     *types.Var
	yieldUse  *yieldUse
	iterates  bool
	keptYield ast.Node
	// refusal is the diagnostic that says why the function is plain.
	refusal *Diagnostic
	// recovers: the function itself calls recover.
	recovers bool
	// bodyStart and bodyEnd are where the body was before the passes changed it.
	bodyStart, bodyEnd token.Pos
}

func newProgram(opts Options) *program {
	fset := token.NewFileSet()
	return &program{
		opts:           opts,
		fset:           fset,
		funcs:          make(map[*types.Func]*asyncFunc),
		sizes:          types.SizesFor("gc", runtime.GOARCH),
		diags:          &diagnostics{fset: fset},
		sources:        make(map[string][]byte),
		marksInterface: make(map[*types.Func]bool),
		stubs:          make(map[*token.File]bool),
		owned:          make(map[string]bool),
		outputs:        make(map[string][]byte),
		known:          make(map[string]bool),
		surveys:        make(map[*asyncFunc]*survey),
	}
}

// setSupport sets the packages that generated code may import.
func (prog *program) setSupport(list []*types.Package) {
	prog.support = list
	for _, pkg := range list {
		if pkg.Path() == rangefuncPath && pkg.Scope().Lookup("Body") != nil {
			prog.rangefunc = pkg
		}
	}
}

// isStub reports whether pos is in a stub.
func (prog *program) isStub(pos token.Pos) bool {
	return pos.IsValid() && prog.stubs[prog.fset.File(pos)]
}
