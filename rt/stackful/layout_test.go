//go:build go1.26 && !go1.28 && gc && linux && (amd64 || arm64) && !race && !msan && !asan && !valgrind && !cogen_portable

package stackful

import (
	"debug/buildinfo"
	"debug/dwarf"
	"debug/elf"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// The layout of this Go version is what the compiler says it is, field by field.
func TestLayoutIsThatOfTheDebugInformation(t *testing.T) {
	types := debugInformation(t)
	file := "layout_" + strings.Replace(layoutOf, "go1.", "go1", 1) + ".go"
	syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	ast.Inspect(syntax, func(n ast.Node) bool {
		c, ok := n.(*ast.ValueSpec)
		if !ok || c.Comment == nil {
			return true
		}
		want, err := strconv.ParseInt(c.Values[0].(*ast.BasicLit).Value, 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		path := strings.TrimSpace(c.Comment.Text())
		got, ok := types.offset(path)
		if !ok {
			t.Errorf("%s: there is no %s", c.Names[0], path)
		} else if got != want {
			t.Errorf("%s is %d, but %s is at %d", c.Names[0], want, path, got)
		}
		compared++
		return true
	})
	if compared < 30 {
		t.Errorf("only %d fields were compared", compared)
	}
	// E6 looks at all of runtime.g.trace.statusTraced, twelve bytes at the beginning.
	if f := types.field("runtime.g", "trace"); f == nil {
		t.Error("there is no runtime.g.trace")
	} else {
		state := structOf(structOf(f.Type).Field[0].Type).Field[0]
		if state.Name != "statusTraced" || state.Type.Size() != 12 || state.ByteOffset != 0 {
			t.Errorf("runtime.g.trace begins with %s of %d bytes", state.Name, state.Type.Size())
		}
	}
}

// The documentation says of each field of a goroutine what becomes of it.
func TestAllFieldsAreAccountedFor(t *testing.T) {
	doc, err := os.ReadFile("../../docs/stackful.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(doc), "## The fields of g\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := map[string]bool{}
	for _, line := range strings.Split(section, "\n") {
		if cells := strings.Split(line, "|"); len(cells) == 4 {
			for _, name := range strings.Split(cells[1], ", ") {
				rows[strings.Trim(name, " `")] = true
			}
		}
	}
	for _, f := range debugInformation(t)["runtime.g"].Field {
		if !rows[f.Name] {
			t.Errorf("nothing is said of %s", f.Name)
		}
		delete(rows, f.Name)
	}
	delete(rows, "fields")
	delete(rows, "---")
	for name := range rows {
		t.Errorf("there is no field %s", name)
	}
}

// structOf returns the struct that a type with a name is.
func structOf(t dwarf.Type) *dwarf.StructType {
	for {
		def, ok := t.(*dwarf.TypedefType)
		if !ok {
			return t.(*dwarf.StructType)
		}
		t = def.Type
	}
}

type structs map[string]*dwarf.StructType

func (s structs) field(structName, name string) *dwarf.StructField {
	if st := s[structName]; st != nil {
		for _, f := range st.Field {
			if f.Name == name {
				return f
			}
		}
	}
	return nil
}

// offset returns the offset of a field given as package.type.field, or with the
// name of a field in that.
func (s structs) offset(path string) (int64, bool) {
	parts := strings.Split(path, ".")
	f := s.field(parts[0]+"."+parts[1], parts[2])
	if f == nil || len(parts) == 3 {
		if f == nil {
			return 0, false
		}
		return f.ByteOffset, true
	}
	for _, inner := range structOf(f.Type).Field {
		if inner.Name == parts[3] {
			return f.ByteOffset + inner.ByteOffset, true
		}
	}
	return 0, false
}

// debugInformation returns the struct types of the runtime in the debug
// information of this binary, or if go test left it out, of one that is built
// for the purpose.
func debugInformation(t *testing.T) structs {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if s := readStructs(t, self); s != nil {
		return s
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the binary has no debug information, and there is no go command to build one that has")
	}
	folder := t.TempDir()
	source, binary := filepath.Join(folder, "main.go"), filepath.Join(folder, "main")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	build := exec.Command(goTool, "build", "-o", binary, source)
	build.Env = append(os.Environ(), "GOFLAGS=", "GOARCH="+runtime.GOARCH, "GOOS=linux", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("cannot build a binary with debug information: %v\n%s", err, out)
	}
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	if info.GoVersion != runtime.Version() {
		t.Skipf("the go command is %s, this is %s", info.GoVersion, runtime.Version())
	}
	s := readStructs(t, binary)
	if s == nil {
		t.Fatal("a binary built for it has no debug information")
	}
	return s
}

// readStructs returns nil if the binary has no debug information.
func readStructs(t *testing.T, binary string) structs {
	f, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := f.DWARF()
	if err != nil {
		return nil
	}
	s := structs{}
	for r := data.Reader(); ; {
		e, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if e == nil {
			break
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		if e.Tag != dwarf.TagStructType || name != "runtime.g" && name != "runtime.m" && name != "runtime.coro" {
			continue
		}
		typ, err := data.Type(e.Offset)
		if err != nil {
			t.Fatal(err)
		}
		s[name] = typ.(*dwarf.StructType)
	}
	if len(s) == 0 {
		return nil
	}
	return s
}
