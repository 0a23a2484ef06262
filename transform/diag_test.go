package transform

import (
	"go/token"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFormatDiagnostic(t *testing.T) {
	d := Diagnostic{
		Pos:      token.Position{Filename: "/w/m/a/x.go", Line: 3, Column: 5},
		Severity: Warning,
		Code:     "C9999",
		Message:  "something is odd",
		Related: []Related{
			{token.Position{Filename: "/w/m/b/y.go", Line: 1}, "because of this"},
			{token.Position{Filename: "/elsewhere/z.go"}, "and that"},
		},
	}
	want := "a/x.go:3:5: warning: something is odd [C9999]\n\tb/y.go:1: because of this\n\t/elsewhere/z.go: and that"
	if diff := cmp.Diff(want, d.Format("/w/m")); diff != "" {
		t.Errorf("Format (-want +got):\n%s", diff)
	}
	d.Severity, d.Related = Error, nil
	if got, want := d.Format("/w/m/b"), "../a/x.go:3:5: something is odd [C9999]"; got != want {
		t.Errorf("Format = %q, want %q", got, want)
	}
}

func TestDiagnosticsAreSortedAndUnique(t *testing.T) {
	ds := &diagnostics{fset: token.NewFileSet()}
	at := func(file string, line int, message string) {
		ds.reportAt(codeSource, token.Position{Filename: file, Line: line, Column: 1}, "%s", message)
	}
	at("/b.go", 1, "x")
	at("/a.go", 10, "x")
	at("/a.go", 9, "y")
	at("/a.go", 9, "x")
	at("/a.go", 10, "x")
	var got []string
	for _, d := range ds.sorted() {
		got = append(got, d.Format("/"))
	}
	want := []string{"a.go:9:1: x [C1001]", "a.go:9:1: y [C1001]", "a.go:10:1: x [C1001]", "b.go:1:1: x [C1001]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sorted (-want +got):\n%s", diff)
	}
}
