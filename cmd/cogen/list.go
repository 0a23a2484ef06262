package main

import (
	"context"
	"encoding/json"
	"fmt"
	"go/token"
	"io"
	"path/filepath"
	"text/tabwriter"

	"github.com/cogen-go/cogen/transform"
)

const listUsage = `usage: cogen list [flags] [packages, functions, file:line]

List prints the functions that are compiled: where they are, how often they wait and
how large their frames are. With -json it prints all that is known of them, for other
programs; docs/cli.md describes it.
`

// listVersion is the version of the JSON form. It grows when something is taken away or
// changes its meaning, not when something is added.
const listVersion = 1

// runList is the command list.
func runList(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	q := newQuery("list", listUsage, stdout, stderr)
	asJSON := q.flags.Bool("json", false, "print JSON")
	if code, ok := q.parse(args); !ok {
		return code
	}
	fns, code, ok := q.functions(ctx)
	if !ok {
		return code
	}
	if *asJSON {
		list := jsonList{Version: listVersion, Functions: []jsonFunction{}}
		for _, fn := range fns {
			list.Functions = append(list.Functions, q.json(fn))
		}
		e := json.NewEncoder(stdout)
		e.SetIndent("", "\t")
		e.SetEscapeHTML(false)
		if err := e.Encode(list); err != nil {
			return q.fail(err)
		}
		return exitOK
	}
	w := tabwriter.NewWriter(stdout, 0, 8, 2, ' ', 0)
	for _, fn := range fns {
		size := fmt.Sprintf("%d bytes", fn.Size)
		if fn.Size == 0 {
			size = "size depends on type arguments"
		}
		if fn.Plain != nil {
			size = "plain, " + fn.Plain.Code
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", q.position(fn.Pos), fn.Name, count(len(fn.Awaits), "state"), size)
	}
	w.Flush()
	return exitOK
}

// The JSON form. Its fields are described in docs/cli.md.

type jsonList struct {
	Version   int            `json:"version"`
	Functions []jsonFunction `json:"functions"`
}

type jsonFunction struct {
	Package   string         `json:"package"`
	Name      string         `json:"name"`
	Pos       jsonPos        `json:"pos"`
	EndLine   int            `json:"endLine"`
	Literal   bool           `json:"literal,omitempty"`
	Frame     string         `json:"frame"`
	Companion string         `json:"companion,omitempty"`
	Plain     *jsonPlain     `json:"plain,omitempty"`
	Size      int64          `json:"size,omitempty"`
	Align     int64          `json:"align,omitempty"`
	States    []jsonState    `json:"states"`
	Edges     []jsonEdge     `json:"edges"`
	Calls     []jsonCall     `json:"calls"`
	Spawns    []jsonSpawn    `json:"spawns"`
	Variables []jsonVariable `json:"variables"`
	Boxes     []jsonBox      `json:"boxes"`
	Fields    []jsonField    `json:"fields"`
}

type jsonPos struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

type jsonNote struct {
	Pos  jsonPos `json:"pos"`
	Text string  `json:"text"`
}

type jsonPlain struct {
	Code    string  `json:"code"`
	Pos     jsonPos `json:"pos"`
	Message string  `json:"message"`
}

type jsonState struct {
	State     int        `json:"state"`
	Pos       jsonPos    `json:"pos"`
	Call      string     `json:"call"`
	How       string     `json:"how"`
	Companion string     `json:"companion,omitempty"`
	Deferred  []jsonNote `json:"deferred,omitempty"`
	Live      []int      `json:"live"`
	Child     string     `json:"child,omitempty"`
}

type jsonEdge struct {
	From  int   `json:"from"`
	To    int   `json:"to"`
	Lines []int `json:"lines"`
}

type jsonCall struct {
	Pos     jsonPos    `json:"pos"`
	Call    string     `json:"call"`
	Callee  string     `json:"callee,omitempty"`
	Reason  string     `json:"reason"`
	Effect  string     `json:"effect"`
	Related []jsonNote `json:"related,omitempty"`
}

type jsonSpawn struct {
	Pos  jsonPos `json:"pos"`
	Call string  `json:"call"`
	Task bool    `json:"task"`
}

type jsonVariable struct {
	Name  string  `json:"name"`
	Kind  string  `json:"kind"`
	Pos   jsonPos `json:"pos"`
	Type  string  `json:"type"`
	Field string  `json:"field,omitempty"`
	Size  int64   `json:"size,omitempty"`
	Boxed bool    `json:"boxed,omitempty"`
}

type jsonBox struct {
	Name    string     `json:"name"`
	Pos     jsonPos    `json:"pos"`
	Reasons []jsonNote `json:"reasons"`
}

type jsonField struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Kind   string `json:"kind"`
	Holds  []int  `json:"holds,omitempty"`
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`
}

// json returns the JSON form of a function.
func (q *query) json(fn *transform.Function) jsonFunction {
	out := jsonFunction{
		Package:   fn.Package,
		Name:      fn.Name,
		Pos:       q.jsonPos(fn.Pos),
		EndLine:   fn.To.Line,
		Literal:   fn.Literal,
		Frame:     fn.Frame,
		Companion: fn.Companion,
		Size:      fn.Size,
		Align:     fn.Align,
		States:    []jsonState{},
		Edges:     []jsonEdge{},
		Calls:     []jsonCall{},
		Spawns:    []jsonSpawn{},
		Variables: []jsonVariable{},
		Boxes:     []jsonBox{},
		Fields:    []jsonField{},
	}
	if fn.Plain != nil {
		out.Plain = &jsonPlain{fn.Plain.Code, q.jsonPos(fn.Plain.Pos), fn.Plain.Message}
	}
	index := map[*transform.Variable]int{}
	for i, v := range fn.Variables {
		index[v] = i
		out.Variables = append(out.Variables, jsonVariable{v.Name, v.Kind, q.jsonPos(v.Pos), v.Type, v.Field, v.Size, v.Boxed})
	}
	indexes := func(list []*transform.Variable) []int {
		ids := []int{}
		for _, v := range list {
			ids = append(ids, index[v])
		}
		return ids
	}
	for _, a := range fn.Awaits {
		out.States = append(out.States, jsonState{a.State, q.jsonPos(a.Pos), a.Call, string(a.How), a.Companion, q.jsonNotes(a.Deferred), indexes(a.Live), a.Child})
	}
	for _, e := range fn.Edges {
		out.Edges = append(out.Edges, jsonEdge{e.From, e.To, append([]int{}, e.Lines...)})
	}
	for _, c := range fn.Calls {
		out.Calls = append(out.Calls, jsonCall{q.jsonPos(c.Pos), c.Call, c.Callee, string(c.Reason), string(c.Effect), q.jsonNotes(c.Related)})
	}
	for _, s := range fn.Spawns {
		out.Spawns = append(out.Spawns, jsonSpawn{q.jsonPos(s.Pos), s.Call, s.Task})
	}
	for _, b := range fn.Boxes {
		out.Boxes = append(out.Boxes, jsonBox{b.Name, q.jsonPos(b.Pos), q.jsonNotes(b.Reasons)})
	}
	for _, f := range fn.Fields {
		out.Fields = append(out.Fields, jsonField{f.Name, f.Type, f.Kind, indexes(f.Holds), f.Offset, f.Size})
	}
	return out
}

func (q *query) jsonPos(pos token.Position) jsonPos {
	return jsonPos{filepath.ToSlash(q.relative(pos.Filename)), pos.Line, pos.Column}
}

func (q *query) jsonNotes(list []transform.Related) []jsonNote {
	var out []jsonNote
	for _, r := range list {
		out = append(out, jsonNote{q.jsonPos(r.Pos), r.Message})
	}
	return out
}
