package transform

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

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
