package main

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"testing"
)

var updateDocs = flag.Bool("update-docs", false, "rewrite what docs has from the commands")

// TestDocsGraph keeps the graph and the picture in docs/cli.md as the command prints
// them.
func TestDocsGraph(t *testing.T) {
	graph := func(format string) []byte {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), []string{"graph", "-C", "../../examples/echo", "-format", format, "serve"}, &stdout, &stderr); code != exitOK {
			t.Fatalf("exit code %d: %s", code, &stderr)
		}
		return stdout.Bytes()
	}
	page, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```mermaid\n.*?```\n")
	if !block.Match(page) {
		t.Fatal("docs/cli.md has no graph")
	}
	checkDoc(t, "../../docs/cli.md", block.ReplaceAllLiteral(page, append(append([]byte("```mermaid\n"), graph("mermaid")...), "```\n"...)))
	checkDoc(t, "../../docs/graph.svg", graph("svg"))
}

// checkDoc compares a file with what it is to be, or rewrites it.
func checkDoc(t *testing.T, path string, want []byte) {
	t.Helper()
	if *updateDocs {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the command prints; go test ./cmd/cogen -run %s -update-docs rewrites it", path, t.Name())
	}
}
