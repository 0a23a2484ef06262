package transform

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"strings"
)

// dump prints the intermediate form for people who work on the passes. User
// variables have their names in the source there, since emit renames them.
func (fn *irFunc) dump(fset *token.FileSet) string {
	var b strings.Builder
	text := func(n ast.Node) string {
		var buf bytes.Buffer
		if err := printer.Fprint(&buf, fset, n); err != nil {
			return err.Error()
		}
		return strings.ReplaceAll(placeholders.ReplaceAllString(buf.String(), "pkg.$2"), "\n", "\n\t\t")
	}
	fmt.Fprintf(&b, "func %s\n", fn.async.name)
	for _, v := range fn.vars {
		fmt.Fprintf(&b, "\tvar %s %s", v.name, v.typ())
		for _, flag := range []struct {
			set  bool
			name string
		}{{v.boxed, "boxed"}, {v.resident, "resident"}} {
			if flag.set {
				fmt.Fprintf(&b, " %s", flag.name)
			}
		}
		b.WriteByte('\n')
	}
	for _, blk := range fn.blocks {
		fmt.Fprintf(&b, "b%d: %s\n", blk.id, blk.hint)
		for _, in := range blk.instrs {
			fmt.Fprintf(&b, "\t\t%s\n", text(in.stmt))
		}
		switch t := blk.term.(type) {
		case *jump:
			fmt.Fprintf(&b, "\tgoto b%d\n", t.to.id)
		case *branch:
			fmt.Fprintf(&b, "\tif %s goto b%d else b%d\n", text(t.cond), t.then.id, t.els.id)
		case *await:
			var results []string
			for _, v := range t.results {
				if v == nil {
					results = append(results, "_")
				} else {
					results = append(results, v.name)
				}
			}
			if len(results) > 0 {
				results = []string{strings.Join(results, ", "), " = "}
			}
			fmt.Fprintf(&b, "\t%sawait %d (%s)", strings.Join(results, ""), t.number, t.what)
			if t.loop != nil {
				fmt.Fprintf(&b, " with body b%d", t.loop.body.id)
			}
			fmt.Fprintf(&b, " then b%d\n", t.next.id)
		case *iterated:
			if t.next {
				fmt.Fprintf(&b, "\tnext iteration of b%d\n", t.loop.body.id)
			} else {
				fmt.Fprintf(&b, "\tleave the loop of b%d by exit %d\n", t.loop.body.id, t.exit)
			}
		case *finish:
			b.WriteString("\tfinish")
			for i, x := range t.results {
				fmt.Fprintf(&b, "%s %s", strings.Repeat(",", min(i, 1)), text(x))
			}
			b.WriteByte('\n')
		case *unreachable:
			fmt.Fprintf(&b, "\tunreachable\n")
		default:
			fmt.Fprintf(&b, "\t%T\n", t)
		}
	}
	return b.String()
}
