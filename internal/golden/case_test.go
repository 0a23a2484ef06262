package golden

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// The names that a case is made of.
const (
	modulePath  = "github.com/cogen-go/cogen"
	casesFolder = "testdata/golden"

	generatedSuffix = "_cogen.go"
	diagnosticsFile = "diagnostics.txt"
	outputFile      = "output.txt"
)

// A goldenCase is one folder of testdata/golden. Folders below it are packages
// that it imports; they are generated with it and have no program of their own.
type goldenCase struct {
	name     string
	dir      string // absolute
	packages []*casePackage
}

// A casePackage is one package of a case; the first of a case is its program.
type casePackage struct {
	dir        string // absolute
	importPath string
	name       string // of the package clause
	sources    []*sourceFile
	generated  []string // checked-in generated files, absolute
	hasMain    bool     // declares func Main()
}

// A sourceFile is a file that a person wrote.
type sourceFile struct {
	path string // absolute
	text []byte
}

// program is the package that declares Main, or nil when the case is there for
// its diagnostics only.
func (c *goldenCase) program() *casePackage {
	for _, p := range c.packages {
		if p.hasMain {
			return p
		}
	}
	return nil
}

// path is the absolute path of a file of the case.
func (c *goldenCase) path(name string) string { return filepath.Join(c.dir, name) }

// owns reports whether the file at path, absolute, is below the case's folder.
func (c *goldenCase) owns(path string) bool {
	return strings.HasPrefix(path, c.dir+string(filepath.Separator))
}

// readWanted returns a wanted text of the case; a missing file means the empty
// text.
func (c *goldenCase) readWanted(name string) (string, error) {
	b, err := os.ReadFile(c.path(name))
	if os.IsNotExist(err) {
		return "", nil
	}
	return string(b), err
}

// writeWanted records a wanted text; the empty text removes the file.
func (c *goldenCase) writeWanted(name, text string) error {
	if text != "" {
		return os.WriteFile(c.path(name), []byte(text), 0o644)
	}
	if err := os.Remove(c.path(name)); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

// findModuleRoot returns the folder that holds this module's go.mod.
func findModuleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("no go.mod above the test's folder")
		}
		dir = parent
	}
}

// findCases reads all cases, sorted by name.
func findCases(root string) ([]*goldenCase, error) {
	base := filepath.Join(root, filepath.FromSlash(casesFolder))
	entries, err := os.ReadDir(base)
	if err != nil {
		return nil, err
	}
	var cases []*goldenCase
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		c := &goldenCase{name: e.Name(), dir: filepath.Join(base, e.Name())}
		if err := c.readPackages(root); err != nil {
			return nil, fmt.Errorf("case %s: %w", c.name, err)
		}
		if len(c.packages) > 0 {
			cases = append(cases, c)
		}
	}
	return cases, nil
}

func (c *goldenCase) readPackages(root string) error {
	return filepath.WalkDir(c.dir, func(dir string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		p := &casePackage{dir: dir, importPath: modulePath + "/" + filepath.ToSlash(rel)}
		if err := p.read(); err != nil {
			return err
		}
		if len(p.sources) > 0 {
			c.packages = append(c.packages, p)
		}
		return nil
	})
}

func (p *casePackage) read() error {
	paths, err := filepath.Glob(filepath.Join(p.dir, "*.go"))
	if err != nil {
		return err
	}
	sort.Strings(paths)
	for _, path := range paths {
		if strings.HasSuffix(path, generatedSuffix) {
			p.generated = append(p.generated, path)
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		p.sources = append(p.sources, &sourceFile{path: path, text: text})
		// Cases about bad input need not parse; what can be read is enough.
		f, _ := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if f == nil {
			continue
		}
		p.name = f.Name.Name
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "Main" {
				p.hasMain = true
			}
		}
	}
	return nil
}
