package transform

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// files returns the names and contents of a directory's files.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got[e.Name()] = string(text)
	}
	return got
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	write(t, path("changed"), "old")
	write(t, path("same"), "same")
	write(t, path("stale"), "old")
	if err := os.Chmod(path("changed"), 0o640); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path("same"))
	if err != nil {
		t.Fatal(err)
	}
	r := &Result{Files: []File{
		{Path: path("changed"), Content: []byte("new"), Exists: true, Old: []byte("old")},
		{Path: path("empty"), Content: []byte{}},
		{Path: path("new"), Content: []byte("new")},
		{Path: path("same"), Content: []byte("same"), Exists: true, Old: []byte("same")},
		{Path: path("stale"), Exists: true, Old: []byte("old")},
	}}
	changed := r.Write()
	if r.Failed() {
		t.Fatalf("diagnostics: %v", r.Diagnostics)
	}
	if diff := cmp.Diff([]string{path("changed"), path("empty"), path("new"), path("stale")}, changed); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	want := map[string]string{"changed": "new", "empty": "", "new": "new", "same": "same"}
	if diff := cmp.Diff(want, files(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if info, err := os.Stat(path("changed")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode of a changed file is not kept: %v, %v", info.Mode(), err)
	}
	if after, err := os.Stat(path("same")); err != nil || !os.SameFile(before, after) {
		t.Errorf("an unchanged file was replaced (%v)", err)
	}
}

func TestWriteKeepsSymbolicLink(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	target, link := filepath.Join(elsewhere, "f"), filepath.Join(dir, "f")
	write(t, target, "old")
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	r := &Result{Files: []File{{Path: link, Content: []byte("new"), Exists: true, Old: []byte("old")}}}
	r.Write()
	if dest, err := os.Readlink(link); err != nil || dest != target {
		t.Errorf("the link is gone: %v", err)
	}
	if diff := cmp.Diff(map[string]string{"f": "new"}, files(t, elsewhere)); diff != "" {
		t.Errorf("target (-want +got):\n%s", diff)
	}
}

// TestWriteFailure checks that one file that cannot be written keeps all others as
// they are, whether they come before it or after.
func TestWriteFailure(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	write(t, path("a"), "old")
	write(t, path("stale"), "old")
	before := files(t, dir)
	r := &Result{Files: []File{
		{Path: path("a"), Content: []byte("new"), Exists: true, Old: []byte("old")},
		{Path: path("none/b"), Content: []byte("new")},
		{Path: path("c"), Content: []byte("new")},
		{Path: path("stale"), Exists: true, Old: []byte("old")},
	}}
	if changed := r.Write(); len(changed) > 0 {
		t.Errorf("changed %v", changed)
	}
	if diff := cmp.Diff(before, files(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if len(r.Diagnostics) != 1 || r.Diagnostics[0].Code != codeUnwritable.name || r.Diagnostics[0].Pos.Filename != path("none/b") {
		t.Errorf("diagnostics: %v", r.Diagnostics)
	}
}

func TestDiff(t *testing.T) {
	f := File{Path: "/w/a/x_cogen.go", Content: []byte("one\ntwo\n"), Exists: true, Old: []byte("one\nzwei\n")}
	want := "diff a/a/x_cogen.go b/a/x_cogen.go\n--- a/a/x_cogen.go\n+++ b/a/x_cogen.go\n@@ -1,2 +1,2 @@\n one\n-zwei\n+two\n"
	if diff := cmp.Diff(want, string(f.Diff("/w"))); diff != "" {
		t.Errorf("Diff (-want +got):\n%s", diff)
	}
	f.Old = f.Content
	if got := f.Diff("/w"); len(got) > 0 {
		t.Errorf("Diff of equal files:\n%s", got)
	}
}
