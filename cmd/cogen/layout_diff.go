package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cogen-go/cogen/transform"
)

// compare prints how frames differ from those in the generated files of a revision. The
// frames of that time are measured with the other files as they are today.
func (q *query) compare(ctx context.Context, fns []*transform.Function, revision string) int {
	opts := transform.Options{Dir: q.dir, Tests: true, BuildFlags: q.buildFlags(), Overlay: map[string][]byte{}}
	var dirs []string
	for _, fn := range fns {
		path := fn.Output
		if _, ok := opts.Overlay[path]; ok {
			continue
		}
		if !slices.Contains(dirs, filepath.Dir(path)) {
			dirs = append(dirs, filepath.Dir(path))
		}
		old, err := gitShow(ctx, revision, path)
		if err != nil {
			return q.fail(err)
		}
		if old == nil { // there was no such file: there were no frames
			old = []byte("package " + fn.PackageName + "\n")
		}
		opts.Overlay[path] = old
	}
	old := map[string]transform.Frame{}
	if len(dirs) > 0 {
		frames, err := transform.Frames(ctx, opts, dirs...)
		if err != nil {
			return q.fail(fmt.Errorf("the generated files of %s: %w", revision, err))
		}
		for _, f := range frames {
			old[f.Package+"."+f.Name] = f
		}
	}
	differences := false
	for _, fn := range fns {
		before, existed := old[fn.Package+"."+fn.Frame]
		lines := fieldChanges(before.Fields, fn.Fields)
		if existed && before.Size == fn.Size && len(lines) == 0 {
			continue
		}
		differences = true
		if !existed {
			fmt.Fprintf(q.stdout, "%s: %s: %s is new, %d bytes\n", q.position(fn.Pos), fn.Name, fn.Frame, fn.Size)
			continue
		}
		fmt.Fprintf(q.stdout, "%s: %s: %s has %d bytes, %d at %s (%+d)\n", q.position(fn.Pos), fn.Name, fn.Frame, fn.Size, before.Size, revision, fn.Size-before.Size)
		for _, line := range lines {
			fmt.Fprintf(q.stdout, "  %s\n", line)
		}
	}
	if !differences {
		fmt.Fprintf(q.stdout, "no frame differs from %s\n", revision)
	}
	return exitOK
}

// fieldChanges says which fields came, went and changed.
func fieldChanges(before, after []transform.Field) []string {
	var out []string
	find := func(list []transform.Field, name string) *transform.Field {
		i := slices.IndexFunc(list, func(f transform.Field) bool { return f.Name == name })
		if i < 0 {
			return nil
		}
		return &list[i]
	}
	for i := range before {
		f := &before[i]
		switch now := find(after, f.Name); {
		case now == nil:
			out = append(out, fmt.Sprintf("- %s %s, %s", f.Name, f.Type, bytesText(f.Size)))
		case now.Type != f.Type || now.Size != f.Size:
			out = append(out, fmt.Sprintf("~ %s %s, %s; was %s, %d", f.Name, now.Type, bytesText(now.Size), f.Type, f.Size))
		}
	}
	for i := range after {
		if f := &after[i]; find(before, f.Name) == nil {
			out = append(out, fmt.Sprintf("+ %s %s, %s", f.Name, f.Type, bytesText(f.Size)))
		}
	}
	return out
}

// gitShow returns a file as it is in a revision, nil if it is not in it.
func gitShow(ctx context.Context, revision, path string) ([]byte, error) {
	dir, base := filepath.Split(path)
	git := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = dir
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if _, ok := errors.AsType[*exec.ExitError](err); ok && stderr.Len() > 0 {
			message, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
			err = errors.New(strings.TrimPrefix(message, "fatal: "))
		}
		return out, err
	}
	commit, err := git("rev-parse", "--verify", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("revision %s cannot be read: %w", revision, err)
	}
	name := strings.TrimSpace(string(commit)) + ":./" + base
	listed, err := git("ls-tree", "--name-only", strings.TrimSpace(string(commit)), "./"+base)
	if err != nil {
		return nil, fmt.Errorf("revision %s cannot be read: %w", revision, err)
	}
	if len(bytes.TrimSpace(listed)) == 0 {
		return nil, nil
	}
	out, err := git("show", name)
	if err != nil {
		return nil, fmt.Errorf("%s at revision %s cannot be read: %w", base, revision, err)
	}
	return out, nil
}
