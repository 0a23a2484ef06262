package transform

// Output: what is on disk, what differs from it, and writing. This is the only
// place that changes files.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Changed reports whether the file on disk is not as it should be.
func (f *File) Changed() bool {
	if f.Content == nil {
		return f.Exists
	}
	return !f.Exists || !bytes.Equal(f.Content, f.Old)
}

// Diff returns a unified diff from the file on disk to what it should be, with
// names relative to dir, and nothing if they are the same.
func (f *File) Diff(dir string) []byte {
	name := filepath.ToSlash(relativePath(f.Path, dir))
	before, after := "a/"+name, "b/"+name
	if !f.Exists {
		before = "/dev/null"
	}
	if f.Content == nil {
		after = "/dev/null"
	}
	return diff.Diff(before, f.Old, after, f.Content)
}

// compareWithDisk adds to the generated files what is on disk: their present
// contents, and the files that have no source any more.
func (prog *program) compareWithDisk(files []File) ([]File, error) {
	current := make(map[string]bool)
	for i := range files {
		f := &files[i]
		current[f.Path] = true
		old, err := prog.read(f.Path)
		switch {
		case err == nil:
			f.Exists, f.Old = true, old
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	for _, dir := range prog.dirs {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // it may be in the overlay only
			return nil, err
		}
		for _, entry := range entries {
			path := filepath.Join(dir, entry.Name())
			if entry.IsDir() || !strings.HasSuffix(path, ".go") || current[path] {
				continue
			}
			old, err := os.ReadFile(path)
			if err == nil && isGenerated(old) && prog.isStale(path) {
				files = append(files, File{Path: path, Exists: true, Old: old})
			}
		}
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// isStale reports whether a generated file that this run has not generated has no
// source any more. A source that is left out of this build, because of its
// constraints or because it is a test, still has its file.
func (prog *program) isStale(path string) bool {
	source := sourcePath(path)
	if source == "" {
		return false // renamed by hand: not ours any more
	}
	src, err := prog.read(source)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	if prog.known[source] || !mentionsDirective(src) {
		return true
	}
	fset := token.NewFileSet()
	unreported := &diagnostics{fset: fset}
	file := parseFile(fset, source, src, unreported, unreported)
	return file != nil && len(file.marked) == 0
}

// read returns the contents of a file, from the overlay if it is there.
func (prog *program) read(path string) ([]byte, error) {
	if src, ok := prog.opts.Overlay[path]; ok {
		return src, nil
	}
	return os.ReadFile(path)
}

// Write brings the files on disk up to date and returns the paths of those that it
// changed. Everything new is first written to temporary files beside the old ones; if
// that fails anywhere, the reason is added to Diagnostics and no file has changed.
func (r *Result) Write() []string {
	diags := &diagnostics{}
	var writes []*replacement
	for i := range r.Files {
		f := &r.Files[i]
		if !f.Changed() || f.Content == nil {
			continue
		}
		w, err := stage(f)
		if err != nil {
			reportUnwritable(diags, f.Path, err)
			continue
		}
		writes = append(writes, w)
	}
	var changed []string
	for _, w := range writes {
		if len(diags.list) > 0 {
			w.abandon()
		} else if err := w.commit(); err != nil {
			reportUnwritable(diags, w.path, err)
		} else {
			changed = append(changed, w.path)
		}
	}
	for i := range r.Files {
		f := &r.Files[i]
		if f.Content != nil || !f.Exists || len(diags.list) > 0 {
			continue
		}
		if err := os.Remove(f.Path); err != nil {
			reportUnwritable(diags, f.Path, err)
			continue
		}
		changed = append(changed, f.Path)
	}
	r.Diagnostics = append(r.Diagnostics, diags.sorted()...)
	slices.Sort(changed)
	return changed
}

// reportUnwritable reports a generated file that cannot be read or written.
func reportUnwritable(diags *diagnostics, path string, err error) {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = fmt.Errorf("%s: %w", e.Op, e.Err)
	}
	diags.reportAt(codeUnwritable, token.Position{Filename: path}, "the generated file cannot be written (%v): nothing has been changed; make the file and its folder writable", err)
}

// A replacement is a file about to be replaced by a temporary one.
type replacement struct {
	path, target, temp string
}

// stage writes the new contents of f to a temporary file beside it, whose name
// the go command ignores. A file that exists keeps its mode, and a
// symbolic link stays one.
func stage(f *File) (*replacement, error) {
	r := &replacement{path: f.Path, target: f.Path}
	if target, err := filepath.EvalSymlinks(f.Path); err == nil {
		r.target = target
	}
	dir, base := filepath.Split(r.target)
	r.temp = fmt.Sprintf("%s.%s.%d.tmp", dir, base, os.Getpid())

	info, err := os.Stat(r.target)
	if err == nil {
		// Renaming over a file asks for no permission on it. Its owner may
		// have meant something by taking that away.
		old, err := os.OpenFile(r.target, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		old.Close()
	}
	temp, err := os.OpenFile(r.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	if info != nil {
		err = temp.Chmod(info.Mode().Perm())
	}
	if err == nil {
		_, err = temp.Write(f.Content)
	}
	if err = cmp.Or(err, temp.Close()); err != nil {
		r.abandon()
		return nil, err
	}
	return r, nil
}

func (r *replacement) commit() error {
	err := os.Rename(r.temp, r.target)
	if err != nil {
		r.abandon()
	}
	return err
}

// abandon removes the temporary file. What is left behind if that fails is ignored
// by the go command.
func (r *replacement) abandon() { _ = os.Remove(r.temp) }
