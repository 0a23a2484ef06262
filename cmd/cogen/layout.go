package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/cogen-go/cogen/transform"
)

const layoutUsage = `usage: cogen layout [flags] [packages, functions, file:line]

Layout prints the fields of frames, with their offsets and sizes in bytes for the
system that the go command builds for, what each state keeps, and what takes most.
A task that runs a function as its root needs more than the frame; see docs/frames.md.
`

// runLayout is the command layout.
func runLayout(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	q := newQuery("layout", layoutUsage, stdout, stderr)
	revision := q.flags.String("diff", "", "compare with the generated files of git `revision` instead")
	maxBytes := q.flags.Int64("max-bytes", 0, "print only the frames that are larger than `n` bytes, and exit with 1 if there are any")
	if code, ok := q.parse(args); !ok {
		return code
	}
	if *maxBytes < 0 || *maxBytes > 0 && *revision != "" {
		return q.misused(fmt.Errorf("-max-bytes takes a positive number, and excludes -diff"))
	}
	fns, code, ok := q.functions(ctx)
	if !ok {
		return code
	}
	switch {
	case *revision != "":
		return q.compare(ctx, fns, *revision)
	case *maxBytes > 0:
		return q.budget(fns, *maxBytes)
	}
	for i, fn := range fns {
		if i > 0 {
			fmt.Fprintln(stdout)
		}
		q.layout(fn)
	}
	return exitOK
}

// budget prints the functions whose frames are larger than limit.
func (q *query) budget(fns []*transform.Function, limit int64) int {
	code := exitOK
	for _, fn := range fns {
		if fn.Size > limit {
			code = exitFindings
			fmt.Fprintf(q.stdout, "%s: the frame of %s has %d bytes, more than %d; most of it: %s\n",
				q.position(fn.Pos), fn.Name, fn.Size, limit, largest(fn))
		}
	}
	return code
}

// layout prints the frame of a function.
func (q *query) layout(fn *transform.Function) {
	if fn.Size == 0 {
		fmt.Fprintf(q.stdout, "%s: %s: the size of %s depends on type arguments\n", q.position(fn.Pos), fn.Name, fn.Frame)
	} else {
		fmt.Fprintf(q.stdout, "%s: %s: %s has %d bytes\n", q.position(fn.Pos), fn.Name, fn.Frame, fn.Size)
	}
	w := tabwriter.NewWriter(q.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "  offset\tbytes\tfield\tholds\n")
	end := int64(0)
	padding := func(to int64) {
		if fn.Size > 0 && to > end {
			fmt.Fprintf(w, "  %d\t%d\t\tpadding\n", end, to-end)
		}
	}
	for i := range fn.Fields {
		f := &fn.Fields[i]
		padding(f.Offset)
		if offset := fmt.Sprint(f.Offset); fn.Size > 0 {
			fmt.Fprintf(w, "  %s\t%d\t%s\t%s\n", offset, f.Size, f.Name, holds(f))
		} else {
			fmt.Fprintf(w, "  ?\t%s\t%s\t%s\n", unknownSize(f), f.Name, holds(f))
		}
		end = f.Offset + f.Size
	}
	padding(fn.Size)
	w.Flush()
	for _, a := range fn.Awaits {
		bytes := int64(0)
		for _, v := range a.Live {
			bytes += v.Size
		}
		fmt.Fprintf(q.stdout, "  state %d, %s: %s: keeps %s", a.State, q.position(a.Pos), a.Call, bytesText(bytes))
		if len(a.Live) > 0 {
			fmt.Fprintf(q.stdout, " (%s)", names(a.Live))
		}
		if f := field(fn, a.Child); f != nil {
			fmt.Fprintf(q.stdout, ", and %s of %s for what it waits for", f.Name, bytesText(f.Size))
		}
		fmt.Fprintln(q.stdout)
	}
	if fn.Size > 0 {
		fmt.Fprintf(q.stdout, "  most of it: %s\n", largest(fn))
	}
}

func bytesText(n int64) string { return count(int(n), "byte") }

func unknownSize(f *transform.Field) string {
	if f.Size == 0 {
		return "?"
	}
	return fmt.Sprint(f.Size)
}

func field(fn *transform.Function, name string) *transform.Field {
	i := slices.IndexFunc(fn.Fields, func(f transform.Field) bool { return f.Name == name })
	if i < 0 || name == "" {
		return nil
	}
	return &fn.Fields[i]
}

// holds says what a field is for.
func holds(f *transform.Field) string {
	switch f.Kind {
	case "state":
		return "where the frame waits"
	case "child":
		return "what it waits for: " + f.Type
	case "runtime":
		return f.Type
	}
	if len(f.Holds) == 0 {
		return f.Kind + " " + f.Type
	}
	var list []string
	for _, v := range f.Holds {
		boxed := ""
		if v.Boxed {
			boxed = ", allocated"
		}
		list = append(list, fmt.Sprintf("%s %s (line %d%s)", v.Kind, v.Name, v.Pos.Line, boxed))
	}
	return strings.Join(list, " or ") + ": " + f.Type
}

// largest names the fields that take most of a frame.
func largest(fn *transform.Function) string {
	fields := slices.Clone(fn.Fields)
	slices.SortStableFunc(fields, func(a, b transform.Field) int { return cmp.Compare(b.Size, a.Size) })
	var list []string
	for _, f := range fields[:min(len(fields), 3)] {
		list = append(list, fmt.Sprintf("%s %d (%d%%)", f.Name, f.Size, f.Size*100/max(fn.Size, 1)))
	}
	return strings.Join(list, ", ")
}
