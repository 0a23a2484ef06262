package transform

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"
)

// fuzzImports are the packages that fuzzed source can import. Their types are
// loaded once; an input costs no go command.
var fuzzImports = []string{
	"bufio", "bytes", "cmp", "context", "encoding/binary", "encoding/json", "errors", "fmt", "io", "iter", "maps", "math", "net", "os", "reflect",
	"runtime", "slices", "sort", "strconv", "strings", "sync", "sync/atomic", "time", "unicode", "unicode/utf8", rtPath, predeclaredPath, rangefuncPath,
}

// loadedImporter finds packages among those that were loaded.
type loadedImporter map[string]*types.Package

func (imp loadedImporter) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := imp[path]; pkg != nil {
		return pkg, nil
	}
	return nil, fmt.Errorf("package %s is not loaded", path)
}

var fuzzImporter = sync.OnceValues(func() (loadedImporter, error) {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedExportFile,
	}, fuzzImports...)
	if err != nil {
		return nil, err
	}
	imp := make(loadedImporter)
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, p.Errors[0]
		}
		imp[p.PkgPath] = p.Types
	}
	return imp, nil
})

// FuzzGenerate compiles the source of one file, with every function marked and with
// changes that follow from seed. Whatever the source is, the passes must not panic; and what is generated must be
// gofmt-clean, type-check together with the source, and be the same the
// next time.
func FuzzGenerate(f *testing.F) {
	addSeeds(f)
	imp, err := fuzzImporter()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, src string, seed uint64) {
		if len(src) > 32<<10 {
			t.Skip("too long to be quick")
		}
		src, ok := markAll(mutate(src, seed, imp))
		if !ok {
			t.Skip("no Go source")
		}
		files := generateSource(t, src, imp)
		if len(files) == 0 {
			return // with diagnostics
		}
		checkGenerated(t, src, files, imp)
		again := generateSource(t, src, imp)
		for i := range files {
			if i >= len(again) || !bytes.Equal(files[i].Content, again[i].Content) {
				t.Errorf("generating twice gives different files:\n%s", src)
			}
		}
	})
}

// addSeeds adds the sources of the golden cases and the examples of the codes.
func addSeeds(f *testing.F) {
	for _, src := range goldenSources(f) {
		for seed := range uint64(3) {
			f.Add(src, seed)
		}
	}
	for _, c := range codes {
		if strings.HasPrefix(c.example, "package") {
			f.Add(c.example, uint64(0))
		}
	}
}

// goldenSources returns the sources of the golden cases, by path.
func goldenSources(t testing.TB) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("../testdata/golden/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	sources := make(map[string]string)
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !isGenerated(src) {
			sources[path] = string(src)
		}
	}
	return sources
}

// TestSeedsAreCompiled checks that FuzzGenerate starts from sources that reach the last
// pass: one that is refused teaches it little. Those of several files are.
func TestSeedsAreCompiled(t *testing.T) {
	imp, err := fuzzImporter()
	if err != nil {
		t.Fatal(err)
	}
	sources := goldenSources(t)
	compiled := 0
	for path, src := range sources {
		if strings.Contains(path, "/diag_") {
			delete(sources, path) // not meant to be
			continue
		}
		src, ok := markAll(src)
		if !ok {
			t.Errorf("%s has no functions", path)
			continue
		}
		prog := checkFiles(Options{}, "example.com/fuzz", map[string]string{"x.go": src}, imp)
		if result, err := prog.generate(compilePackage); err == nil && !result.Failed() {
			compiled++
		} else if err == nil {
			t.Logf("%s: %s", path, result.Diagnostics[0].Format("/src"))
		}
	}
	if compiled < len(sources)*9/10 {
		t.Errorf("only %d of %d seeds are compiled", compiled, len(sources))
	}
}

// markAll marks all functions of a file that can be marked.
func markAll(src string) (string, bool) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return "", false
	}
	declared := make(map[string]bool)
	for n := range ast.Preorder(file) {
		switch n := n.(type) {
		case *ast.FuncDecl:
			declared[n.Name.Name] = true
		case *ast.TypeSpec:
			declared[n.Name.Name] = true
		}
	}
	var b strings.Builder
	last, marked := 0, false
	for _, decl := range file.Decls {
		decl, ok := decl.(*ast.FuncDecl)
		if !ok || decl.Body == nil || slices.Contains([]string{"_", "init", "main"}, decl.Name.Name) || declared[companionName(decl.Name.Name)] {
			continue
		}
		marked = true
		if isMarked(decl) {
			continue
		}
		at := int(decl.Type.Func - file.FileStart)
		b.WriteString(src[last:at])
		if at > 0 && src[at-1] != '\n' {
			b.WriteString("\n")
		}
		b.WriteString(asyncDirective + "\n")
		last = at
	}
	b.WriteString(src[last:])
	return b.String(), marked
}

func isMarked(decl *ast.FuncDecl) bool {
	return decl.Doc != nil && slices.ContainsFunc(decl.Doc.List, func(c *ast.Comment) bool { return c.Text == asyncDirective })
}

// generateSource compiles one file. It returns nothing if there are diagnostics.
func generateSource(t *testing.T, src string, imp types.Importer) []File {
	t.Helper()
	prog := checkFiles(Options{}, "example.com/fuzz", map[string]string{"x.go": src}, imp)
	result, err := prog.generate(compilePackage)
	if bug, ok := err.(*InternalError); ok {
		t.Fatalf("%v\n%s\n%s", err, bug.Stack, src)
	} else if err != nil {
		t.Fatal(err)
	}
	return result.Files
}

// checkGenerated checks what was generated for a source.
func checkGenerated(t *testing.T, src string, generated []File, imp types.Importer) {
	t.Helper()
	fset := token.NewFileSet()
	source, err := parser.ParseFile(fset, "x.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	files := []*ast.File{source}
	for _, g := range generated {
		formatted, err := format.Source(g.Content)
		if err != nil {
			t.Fatalf("the generated file does not parse: %v\n%s\nsource:\n%s", err, g.Content, src)
		}
		if !bytes.Equal(formatted, g.Content) {
			t.Errorf("the generated file is not as gofmt has it:\n%s\nsource:\n%s", g.Content, src)
		}
		file, err := parser.ParseFile(fset, filepath.Base(g.Path), g.Content, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	var problems []string
	conf := types.Config{
		Importer:  imp,
		GoVersion: toolchainVersion,
		Error:     func(err error) { problems = append(problems, err.Error()) },
	}
	_, _ = conf.Check("example.com/fuzz", fset, files, nil) // the errors are in problems
	if len(problems) > 0 {
		t.Errorf("the generated file does not type-check:\n%s\n%s\nsource:\n%s", strings.Join(problems, "\n"), generated[0].Content, src)
	}
}
