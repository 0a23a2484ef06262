package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/cogen-go/cogen/transform"
)

const explainUsage = `usage: cogen explain [flags] [packages, functions, file:line]
       cogen explain CODE

Explain says for each function marked //cogen:async where it waits and what it keeps
meanwhile, which calls stay plain and why, and which variables are allocated. With the
code of a diagnostic, such as C2003, it says what that means.
`

var codeName = regexp.MustCompile(`^[Cc][0-9]{4}$`)

// runExplain is the command explain.
func runExplain(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	q := newQuery("explain", explainUsage, stdout, stderr)
	if code, ok := q.parse(args); !ok {
		return code
	}
	if args := q.flags.Args(); slices.ContainsFunc(args, codeName.MatchString) {
		if len(args) > 1 {
			return q.misused(errors.New("a code stands alone"))
		}
		return q.explainCode(args[0])
	}
	fns, code, ok := q.functions(ctx)
	if !ok {
		return code
	}
	for i, fn := range fns {
		if i > 0 {
			fmt.Fprintln(stdout)
		}
		q.explain(fn)
	}
	return exitOK
}

// explainCode prints the text of a code.
func (q *query) explainCode(name string) int {
	c, ok := transform.LookupCode(strings.ToUpper(name))
	if !ok {
		return q.misused(fmt.Errorf("there is no code %s; docs/diagnostics.md has them all", name))
	}
	severity := "an error: nothing is written"
	if c.Severity == transform.Warning {
		severity = "a warning"
	}
	fmt.Fprintf(q.stdout, "%s (%s)\n\n%s\n", c.Name, severity, c.Doc)
	if c.Example != "" {
		fmt.Fprintf(q.stdout, "\nFor example:\n\n")
		for line := range strings.Lines(strings.TrimSpace(c.Example)) {
			if line = strings.TrimRight(line, "\n"); line != "" {
				line = "\t" + line
			}
			fmt.Fprintln(q.stdout, line)
		}
	}
	return exitOK
}

// explain prints what has become of a function.
func (q *query) explain(fn *transform.Function) {
	fmt.Fprintf(q.stdout, "%s: %s\n", q.position(fn.Pos), fn.Name)
	if fn.Plain != nil {
		fmt.Fprintf(q.stdout, "  keeps its plain form: %s [%s]\n", fn.Plain.Message, fn.Plain.Code)
		fmt.Fprintf(q.stdout, "  because of %s; it can be started as a task and awaited, but sets the task's stack aside when it waits\n", q.position(fn.Plain.Pos))
	} else {
		q.explainAwaits(fn)
	}
	q.explainSpawns(fn)
	q.explainBoxes(fn)
	q.explainCalls(fn)
}

func (q *query) explainAwaits(fn *transform.Function) {
	if len(fn.Awaits) == 0 {
		fmt.Fprintf(q.stdout, "  has no await point: its frame runs it in one go\n")
		return
	}
	size := "a size that depends on type arguments"
	if fn.Size > 0 {
		size = fmt.Sprintf("%d bytes", fn.Size)
	}
	fmt.Fprintf(q.stdout, "  waits in %s, meanwhile kept by %s, %s:\n", count(len(fn.Awaits), "place"), fn.Frame, size)
	w := tabwriter.NewWriter(q.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "    state\twhere\twaits for\tkeeps\thow\n")
	for _, a := range fn.Awaits {
		fmt.Fprintf(w, "    %d\t%s\t%s\t%s\t%s\n", a.State, q.position(a.Pos), a.Call, cmp.Or(names(a.Live), "-"), q.how(fn, a))
	}
	w.Flush()
}

// names lists variables.
func names(list []*transform.Variable) string {
	var out []string
	for _, v := range list {
		name := v.Name
		if v.Kind == "temporary" {
			name += " (temporary)"
		}
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

// how says how an operation is awaited.
func (q *query) how(fn *transform.Function, a *transform.Await) string {
	switch a.How {
	case transform.HowFrame:
		if child := field(fn, a.Child); child != nil && strings.HasPrefix(child.Type, "*") {
			return "a new frame for each call, since it would contain itself"
		}
		return "its frame runs as a part of this one"
	case transform.HowFuture:
		if a.Companion == "" {
			return "a future"
		}
		return "the future of " + a.Companion
	case transform.HowForeign:
		return "the future of " + a.Companion + ", which stands for it"
	case transform.HowDynamic:
		return "if the value in the interface has a dynamic companion; a plain call otherwise"
	case transform.HowChannel:
		return "tried at once, then waited for off the worker"
	case transform.HowAwait:
		return "the future itself"
	case transform.HowLoop:
		return "the iterator runs the loop's body as a part of this frame"
	case transform.HowYield:
		return "the body of the loop over this function"
	case transform.HowDeferred:
		var calls []string
		for _, d := range a.Deferred {
			calls = append(calls, fmt.Sprintf("%s (%s)", d.Message, q.position(d.Pos)))
		}
		if len(calls) == 0 {
			return "at the end; they are plain calls"
		}
		return "at the end: " + strings.Join(calls, ", ")
	}
	return string(a.How)
}

func (q *query) explainSpawns(fn *transform.Function) {
	if len(fn.Spawns) == 0 {
		return
	}
	fmt.Fprintf(q.stdout, "  starts:\n")
	w := tabwriter.NewWriter(q.stdout, 0, 8, 2, ' ', 0)
	for _, s := range fn.Spawns {
		what := "a task"
		switch {
		case s.Task:
		case fn.Plain != nil:
			what = "a goroutine, since the function keeps its plain form"
		default:
			what = "a goroutine, since it has no companion or nothing to await"
		}
		fmt.Fprintf(w, "    %s\t%s\t%s\n", q.position(s.Pos), s.Call, what)
	}
	w.Flush()
}

func (q *query) explainBoxes(fn *transform.Function) {
	if len(fn.Boxes) == 0 {
		return
	}
	fmt.Fprintf(q.stdout, "  allocates, since something may still refer to the variable when its declaration runs again:\n")
	for _, b := range fn.Boxes {
		fmt.Fprintf(q.stdout, "    %s: %s\n", q.position(b.Pos), b.Name)
		q.related(b.Reasons)
	}
}

func (q *query) related(list []transform.Related) {
	for _, r := range list {
		fmt.Fprintf(q.stdout, "      %s: %s\n", q.position(r.Pos), r.Message)
	}
}

// explainCalls prints the plain calls: those that are known to wait, those that go
// who knows where, and the names of the rest.
func (q *query) explainCalls(fn *transform.Function) {
	var waits, may []*transform.PlainCall
	var rest []string
	for i := range fn.Calls {
		switch c := &fn.Calls[i]; {
		case c.Waits():
			waits = append(waits, c)
		case c.Reason == transform.ReasonNoCompanion:
			rest = append(rest, shortName(fn, c.Callee))
		default:
			may = append(may, c)
		}
	}
	if len(waits) > 0 {
		fmt.Fprintf(q.stdout, "  plain calls that wait:\n")
		for _, c := range waits {
			fmt.Fprintf(q.stdout, "    %s: %s: %s\n", q.position(c.Pos), c.Call, effectText(c))
			q.related(c.Related)
			fmt.Fprintf(q.stdout, "      %s\n", advice(c))
		}
	}
	if len(may) > 0 {
		fmt.Fprintf(q.stdout, "  plain calls that set the task's stack aside if what they reach has to wait:\n")
		w := tabwriter.NewWriter(q.stdout, 0, 8, 2, ' ', 0)
		for _, c := range may {
			fmt.Fprintf(w, "    %s\t%s\t%s\n", q.position(c.Pos), c.Call, whyText(c))
		}
		w.Flush()
	}
	if len(rest) > 0 {
		slices.Sort(rest)
		fmt.Fprintf(q.stdout, "  plain calls of functions without a companion: %s\n", strings.Join(slices.Compact(rest), ", "))
	}
}

// packagePath is the path of a package in the full name of a function, but for the last
// element.
var packagePath = regexp.MustCompile(`[^\s(*\[]+/`)

// shortName returns the full name of a function as one writes it in the package of fn.
func shortName(fn *transform.Function, callee string) string {
	callee = packagePath.ReplaceAllString(callee, "")
	return strings.Replace(callee, fn.Package[strings.LastIndexByte(fn.Package, '/')+1:]+".", "", 1)
}

// effectText says what a plain call that waits does meanwhile.
func effectText(c *transform.PlainCall) string {
	if c.Effect == transform.EffectBlock {
		return "blocks its worker while it waits"
	}
	return "sets the task's stack aside while it waits"
}

// advice says what to do about a plain call that waits.
func advice(c *transform.PlainCall) string {
	switch c.Reason {
	case transform.ReasonUnmarked:
		return "mark that function //cogen:async, and it is awaited"
	case transform.ReasonBlocking:
		return "use what package rt has for it, or put it into rt.Blocking"
	case transform.ReasonMismatch:
		return "it cannot be awaited: its companion does not fit, or a type cannot be written down here"
	case transform.ReasonLiteral:
		return "call the literal here, or give it to go or defer, and it gets a frame; or wait outside of it"
	case transform.ReasonPlainLoop:
		return "mark the iterator //cogen:async, or loop over a slice, a map or a channel"
	case transform.ReasonDeferred:
		return "deferred calls are awaited if the method or function itself has a companion; call it before returning to await it"
	case transform.ReasonPlainFunction:
		return "it would be awaited if the function did not keep its plain form"
	}
	return string(c.Reason)
}

// whyText says why nothing is known of a plain call.
func whyText(c *transform.PlainCall) string {
	switch c.Reason {
	case transform.ReasonFunctionValue:
		return "a function value: what it holds is not known"
	case transform.ReasonInterface:
		return "through an interface, and no dynamic companion for the method is known"
	case transform.ReasonTypeParameter:
		return "a method of a type parameter"
	case transform.ReasonDeferred:
		return "deferred, through an interface"
	case transform.ReasonPlainFunction:
		return "the function keeps its plain form"
	}
	return string(c.Reason)
}
