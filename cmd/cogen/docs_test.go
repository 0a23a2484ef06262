package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestDocsGraph keeps the graph in docs/cli.md as the command prints it.
func TestDocsGraph(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"graph", "-C", "../../examples/echo", "serve"}, &stdout, &stderr); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	page, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := "```mermaid\n" + stdout.String() + "```\n"; !strings.Contains(string(page), want) {
		t.Errorf("docs/cli.md does not have what cogen graph -C examples/echo serve prints:\n%s", want)
	}
}
