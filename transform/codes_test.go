package transform

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var updateDocs = flag.Bool("update-docs", false, "rewrite the pages of docs that are made from the code")

// TestCodeExamples runs the example of every code, each a package of its own, in one
// go: it exists in the overlay only.
func TestCodeExamples(t *testing.T) {
	root, err := filepath.Abs("testdata/codes")
	if err != nil {
		t.Fatal(err)
	}
	overlay := make(map[string][]byte)
	for _, c := range codes {
		if c.example == "" {
			continue
		}
		archive := txtar.Parse([]byte(c.example))
		if len(archive.Files) == 0 {
			archive.Files = []txtar.File{{Name: "x.go", Data: []byte(c.example)}}
		}
		for _, f := range archive.Files {
			overlay[filepath.Join(root, c.name, f.Name)] = f.Data
		}
	}
	opts := Options{Overlay: overlay, Env: append(os.Environ(), "CGO_ENABLED=1")}
	result, err := Generate(context.Background(), opts, "./testdata/codes/...")
	if err != nil {
		t.Fatal(err)
	}
	reported := make(map[string][]Diagnostic)
	for _, d := range result.Diagnostics {
		name := filepath.Base(filepath.Dir(d.Pos.Filename))
		reported[name] = append(reported[name], d)
	}
	for _, c := range codes {
		if c.example == "" {
			continue
		}
		if len(reported[c.name]) == 0 {
			t.Errorf("%s: nothing is reported for the example", c.name)
		}
		for _, d := range reported[c.name] {
			if d.Code != c.name || d.Severity != c.severity {
				t.Errorf("%s: the example reports %s", c.name, d.Format(root))
			}
		}
	}
}

// TestCodesAreDocumented checks what the examples do not: each code has one entry,
// with a text and an example or a script that has the code in it.
func TestCodesAreDocumented(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range codes {
		if !regexp.MustCompile(`^C[0-9]{4}$`).MatchString(c.name) || seen[c.name] {
			t.Errorf("%q is not a new code", c.name)
		}
		seen[c.name] = true
		if !strings.HasSuffix(c.doc, ".") {
			t.Errorf("%s: the doc is not made of sentences: %q", c.name, c.doc)
		}
		if (c.example == "") == (c.script == "") {
			t.Errorf("%s: there must be an example or a script", c.name)
		}
		if c.script != "" {
			text, err := os.ReadFile(filepath.Join("../cmd/cogen/testdata/script", c.script))
			if err != nil || !strings.Contains(string(text), c.name) {
				t.Errorf("%s: script %s does not have the code (%v)", c.name, c.script, err)
			}
		}
	}
}

// TestDiagnosticsPage keeps docs/diagnostics.md, which users look codes up in, as the
// table of codes has it.
func TestDiagnosticsPage(t *testing.T) {
	checkPage(t, "../docs/diagnostics.md", diagnosticsPage())
}

// checkPage compares a page of the documentation with what it is to be, or rewrites
// it.
func checkPage(t *testing.T, path, page string) {
	t.Helper()
	if *updateDocs {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(page, string(got)); diff != "" {
		t.Errorf("%s is not up to date; go test ./transform -run %s -update-docs rewrites it (-want +got):\n%s", path, t.Name(), diff)
	}
}

func diagnosticsPage() string {
	var b strings.Builder
	b.WriteString(`# Diagnostics

Cogen prints what is wrong with a source as

    file:line:column: message [CODE]

with related positions on indented lines below. It reports all that it finds, and if one of
them is an error, it writes nothing and exits with 1. A warning does not stop it.

` + "`cogen explain C2003`" + ` prints an entry of this page, which is made from transform/codes.go; a test
runs every example.
`)
	for _, c := range codes {
		severity := ""
		if c.severity == Warning {
			severity = " (warning)"
		}
		fmt.Fprintf(&b, "\n## %s%s\n\n%s\n", c.name, severity, c.doc)
		if c.example != "" {
			fmt.Fprintf(&b, "\n```go\n%s\n```\n", strings.TrimSpace(c.example))
		}
	}
	return b.String()
}
