package transform

import (
	"cmp"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// Severity says what a diagnostic means for the run.
type Severity uint8

const (
	// Error stops the run: nothing is written.
	Error Severity = iota
	// Warning does not.
	Warning
)

// A Diagnostic is something the user should know about the source.
type Diagnostic struct {
	Pos      token.Position
	Severity Severity
	// Code is stable, such as C1001.
	Code string
	// Message says what is wrong, in terms of the user's source, and what to
	// do about it.
	Message string
	Related []Related
}

// Related is another position that explains a diagnostic.
type Related struct {
	Pos     token.Position
	Message string
}

// Format returns the diagnostic as `file:line:col: message [CODE]`, with the
// related positions on indented lines of their own and file names relative to
// dir where that is shorter.
func (d *Diagnostic) Format(dir string) string {
	var b strings.Builder
	severity := ""
	if d.Severity == Warning {
		severity = "warning: "
	}
	fmt.Fprintf(&b, "%s: %s%s [%s]", formatPosition(d.Pos, dir), severity, d.Message, d.Code)
	for _, r := range d.Related {
		fmt.Fprintf(&b, "\n\t%s: %s", formatPosition(r.Pos, dir), r.Message)
	}
	return b.String()
}

func formatPosition(pos token.Position, dir string) string {
	pos.Filename = relativePath(pos.Filename, dir)
	return pos.String()
}

// relativePath returns path relative to dir, unless that climbs further than it
// is worth.
func relativePath(path, dir string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil || strings.HasPrefix(rel, filepath.Join("..", "..", "..")) || len(rel) > len(path) {
		return path
	}
	return rel
}

// diagnostics collects what the passes report.
type diagnostics struct {
	fset *token.FileSet
	list []*Diagnostic
}

// report adds a diagnostic and returns it, so that related positions can be
// added.
func (ds *diagnostics) report(c *code, pos token.Pos, format string, args ...any) *Diagnostic {
	return ds.reportAt(c, ds.fset.Position(pos), format, args...)
}

// reportAt is report for a position that is not in the file set, such as one
// that the go command printed.
func (ds *diagnostics) reportAt(c *code, pos token.Position, format string, args ...any) *Diagnostic {
	d := &Diagnostic{Pos: pos, Severity: c.severity, Code: c.name, Message: fmt.Sprintf(format, args...)}
	ds.list = append(ds.list, d)
	return d
}

// relate adds a position that explains d.
func (ds *diagnostics) relate(d *Diagnostic, pos token.Pos, format string, args ...any) {
	d.Related = append(d.Related, Related{Pos: ds.fset.Position(pos), Message: fmt.Sprintf(format, args...)})
}

// failedIn reports whether there is an error in a file of the directory.
func (ds *diagnostics) failedIn(dir string) bool {
	return slices.ContainsFunc(ds.list, func(d *Diagnostic) bool {
		return d.Severity == Error && filepath.Dir(d.Pos.Filename) == dir
	})
}

// sorted returns the diagnostics in order of position. A file that belongs to a
// package and to its test variant is looked at twice, so what is the same is
// reported once.
func (ds *diagnostics) sorted() []Diagnostic {
	list := make([]Diagnostic, 0, len(ds.list))
	for _, d := range ds.list {
		list = append(list, *d)
	}
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Pos.Filename, b.Pos.Filename),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column),
			cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Message, b.Message),
		)
	})
	return slices.CompactFunc(list, func(a, b Diagnostic) bool {
		return a.Pos == b.Pos && a.Code == b.Code && a.Message == b.Message
	})
}
