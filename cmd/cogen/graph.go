package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/cogen-go/cogen/transform"
)

const graphUsage = `usage: cogen graph [flags] [packages, functions, file:line]

Graph prints the states of functions, where they wait, and how they get from one to
another. An arrow has the source lines on the shortest way.
`

// runGraph is the command graph.
func runGraph(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	q := newQuery("graph", graphUsage, stdout, stderr)
	format := q.flags.String("format", "mermaid", "print `mermaid`, dot, or svg; svg takes one function")
	if code, ok := q.parse(args); !ok {
		return code
	}
	print := map[string]func(io.Writer, *graph){"mermaid": mermaid, "dot": dot, "svg": svg}[*format]
	if print == nil {
		return q.misused(fmt.Errorf("-format %s is none of mermaid, dot and svg", *format))
	}
	fns, code, ok := q.functions(ctx)
	if !ok {
		return code
	}
	if *format == "svg" && len(fns) != 1 {
		return q.misused(errors.New("an svg shows one function: name one, and if it has literals with frames, by its line"))
	}
	for i, fn := range fns {
		if i > 0 {
			fmt.Fprintln(stdout)
		}
		print(stdout, newGraph(q, fn))
	}
	return exitOK
}

// A graph is the state machine of a function as it is drawn: nodes from top to bottom,
// the start first and the end last.
type graph struct {
	title string
	nodes []node
	arcs  []arc
}

type node struct {
	id           string
	lines        []string // of text
	start, ended bool
}

// An arc leads from one node to another, by index.
type arc struct {
	from, to int
	label    string
}

func newGraph(q *query, fn *transform.Function) *graph {
	g := &graph{title: fmt.Sprintf("%s (%s)", fn.Name, q.position(fn.Pos))}
	g.nodes = append(g.nodes, node{id: "start", lines: []string{fn.Name + " is called"}, start: true})
	index := map[int]int{transform.StateStart: 0}
	for _, a := range fn.Awaits {
		index[a.State] = len(g.nodes)
		lines := []string{a.Call, fmt.Sprintf("state %d, line %d", a.State, a.Pos.Line)}
		if keeps := names(a.Live); keeps != "" {
			lines = append(lines, "keeps "+keeps)
		}
		g.nodes = append(g.nodes, node{id: "s" + strconv.Itoa(a.State), lines: lines})
	}
	index[transform.StateEnd] = len(g.nodes)
	g.nodes = append(g.nodes, node{id: "finished", lines: []string{"it returns"}, ended: true})
	for _, e := range fn.Edges {
		g.arcs = append(g.arcs, arc{index[e.From], index[e.To], lineRanges(e.Lines)})
	}
	if fn.Plain != nil {
		g.arcs = append(g.arcs, arc{0, index[transform.StateEnd], "in its plain form"})
	}
	return g
}

// lineRanges writes line numbers in order as 3-5, 9. Up to two lines may be missing in a
// range: they are blank, comments, or braces.
func lineRanges(lines []int) string {
	var out []string
	for i := 0; i < len(lines); {
		j := i
		for j+1 < len(lines) && lines[j+1]-lines[j] <= 3 {
			j++
		}
		if lines[i] == lines[j] {
			out = append(out, strconv.Itoa(lines[i]))
		} else {
			out = append(out, fmt.Sprintf("%d-%d", lines[i], lines[j]))
		}
		i = j + 1
	}
	return strings.Join(out, ", ")
}

// mermaid writes a graph for https://mermaid.js.org.
func mermaid(w io.Writer, g *graph) {
	escape := strings.NewReplacer("&", "#amp;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "#", "#35;", "`", "#96;", ";", "#59;")
	fmt.Fprintf(w, "%%%% %s\nflowchart TD\n", g.title)
	for _, n := range g.nodes {
		lines := make([]string, len(n.lines))
		for i, line := range n.lines {
			lines[i] = escape.Replace(line)
		}
		shape := [2]string{"[", "]"}
		if n.start || n.ended {
			shape = [2]string{"([", "])"}
		}
		fmt.Fprintf(w, "\t%s%s\"%s\"%s\n", n.id, shape[0], strings.Join(lines, "<br/>"), shape[1])
	}
	for _, a := range g.arcs {
		label := ""
		if a.label != "" {
			label = fmt.Sprintf("|%q|", a.label)
		}
		fmt.Fprintf(w, "\t%s -->%s %s\n", g.nodes[a.from].id, label, g.nodes[a.to].id)
	}
}

// dot writes a graph for https://graphviz.org.
func dot(w io.Writer, g *graph) {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	fmt.Fprintf(w, "digraph \"%s\" {\n\tnode [shape=box fontname=monospace];\n", escape.Replace(g.title))
	for _, n := range g.nodes {
		lines := make([]string, len(n.lines))
		for i, line := range n.lines {
			lines[i] = escape.Replace(line)
		}
		shape := ""
		if n.start || n.ended {
			shape = " shape=oval"
		}
		fmt.Fprintf(w, "\t%s [label=\"%s\"%s];\n", n.id, strings.Join(lines, `\n`), shape)
	}
	for _, a := range g.arcs {
		fmt.Fprintf(w, "\t%s -> %s [label=\"%s\"];\n", g.nodes[a.from].id, g.nodes[a.to].id, a.label)
	}
	fmt.Fprintf(w, "}\n")
}
