package transform

import (
	"errors"
	"go/importer"
	"strings"
	"testing"
)

// TestInternalError checks that a panic of a pass names the function that was being
// compiled.
func TestInternalError(t *testing.T) {
	prog := checkFiles(Options{}, "example.com/p", map[string]string{"x.go": `package p

//cogen:async
func first() {}

type T struct{}

//cogen:async
func (t *T) second() {}
`}, importer.Default())
	result, err := prog.generate(func(prog *program, p *sourcePackage, diags *diagnostics) []File {
		prog.current = p.files[0].async[1]
		panic("impossible")
	})
	bug, ok := errors.AsType[*InternalError](err)
	if !ok || result != nil {
		t.Fatalf("generate = %v, %v, want an internal error", result, err)
	}
	if want := "internal error while compiling T.second (/src/x.go:9:1): impossible"; bug.Error() != want {
		t.Errorf("error is %q, want %q", bug, want)
	}
	if !strings.Contains(string(bug.Stack), "TestInternalError") {
		t.Errorf("the stack does not show where the panic was:\n%s", bug.Stack)
	}
}
