package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cogen-go/cogen/transform"
)

const targetText = `
What it is about:

	./x, example.com/x, ./...   packages, as for go build; the one in the current
	                            directory if none is named
	serve, Server.Handle        functions in those packages
	serve.func1                 a function literal in serve that has a frame of its own
	x.go, x.go:12               the functions of a file, or the one at a line
`

// A query is a command that looks at functions and writes no file.
type query struct {
	command
	name  string
	flags *flag.FlagSet
	chdir *string
	tags  *string
}

func newQuery(name, usage string, stdout, stderr io.Writer) *query {
	q := &query{command: command{stdout: stdout, stderr: stderr}, name: name, flags: flag.NewFlagSet("cogen "+name, flag.ContinueOnError)}
	q.flags.SetOutput(stderr)
	q.chdir = q.flags.String("C", "", "change to `dir` first")
	q.tags = q.flags.String("tags", "", "build `tags`, separated by commas, to apply as in go build")
	q.flags.Usage = func() {
		fmt.Fprint(stderr, usage, targetText, "\nFlags:\n\n")
		q.flags.PrintDefaults()
	}
	return q
}

// parse parses the command line. It reports false, and the exit code, if that is all
// there is to do.
func (q *query) parse(args []string) (code int, ok bool) {
	if err := q.flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitOK, false
		}
		return exitFailure, false
	}
	for _, arg := range q.flags.Args() {
		if strings.HasPrefix(arg, "-") {
			return q.misused(fmt.Errorf("flag %s must come before what it is about", arg)), false
		}
	}
	var err error
	if q.dir, err = workingDirectory(*q.chdir); err != nil {
		return q.fail(err), false
	}
	return exitOK, true
}

// misused reports what is wrong with the command line.
func (q *query) misused(err error) int {
	fmt.Fprintf(q.stderr, "cogen: %v\nrun cogen %s -h for usage\n", err, q.name)
	return exitFailure
}

// A target is one argument: a package, a file, a line of one, or a function.
type target struct {
	text string
	// pattern is the package; for a function it is empty.
	pattern string
	file    string // absolute
	line    int
	name    string
}

var (
	functionName = regexp.MustCompile(`^[\pL_][\pL\pN_]*(\.[\pL_][\pL\pN_]*)*$`)
	filePosition = regexp.MustCompile(`^(.+\.go)(?::(\d+))?(?::\d+)?$`)
)

// targets reads the arguments.
func (q *query) targets(args []string) ([]target, error) {
	var out []target
	for _, arg := range args {
		t := target{text: arg}
		switch m := filePosition.FindStringSubmatch(arg); {
		case m != nil:
			t.file = m[1]
			if !filepath.IsAbs(t.file) {
				t.file = filepath.Join(q.dir, t.file)
			}
			if _, err := os.Stat(t.file); err != nil {
				return nil, err
			}
			t.line, _ = strconv.Atoi(m[2])
			t.pattern = filepath.Dir(t.file)
		case functionName.MatchString(arg):
			t.name = arg
		default:
			t.pattern = arg
		}
		out = append(out, t)
	}
	return out, nil
}

// functions returns the functions that the arguments ask for, in order. It reports
// false, and the exit code, if there is no answer.
func (q *query) functions(ctx context.Context) (fns []*transform.Function, code int, ok bool) {
	targets, err := q.targets(q.flags.Args())
	if err != nil {
		return nil, q.fail(err), false
	}
	var patterns []string
	for _, t := range targets {
		if t.pattern != "" && !slices.Contains(patterns, t.pattern) {
			patterns = append(patterns, t.pattern)
		}
	}
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	opts := transform.Options{Dir: q.dir, Tests: true, Analyze: true, BuildFlags: q.buildFlags()}
	result, err := transform.Generate(ctx, opts, patterns...)
	if err != nil {
		return nil, q.fail(err), false
	}
	if result.Failed() {
		for i := range result.Diagnostics {
			fmt.Fprintln(q.stderr, result.Diagnostics[i].Format(q.dir))
		}
		return nil, exitFindings, false
	}
	all := result.Analysis
	if len(all) == 0 {
		fmt.Fprintf(q.stderr, "cogen: no marked functions in %s\n", strings.Join(patterns, " "))
	}
	chosen := map[*transform.Function]bool{}
	for _, t := range targets {
		found := t.choose(all)
		if len(found) == 0 && (t.name != "" || t.file != "") {
			fmt.Fprintf(q.stderr, "%s\n", q.nothing(t, all, patterns))
			return nil, exitFailure, false
		}
		for _, fn := range found {
			chosen[fn] = true
		}
	}
	if slices.ContainsFunc(targets, func(t target) bool { return t.name != "" || t.file != "" }) {
		all = slices.DeleteFunc(all, func(fn *transform.Function) bool { return !chosen[fn] })
	}
	return all, exitOK, true
}

func (q *query) buildFlags() []string {
	if *q.tags == "" {
		return nil
	}
	return []string{"-tags=" + *q.tags}
}

// choose returns those of the functions that the target means, none for a package.
func (t *target) choose(all []*transform.Function) []*transform.Function {
	var out []*transform.Function
	for _, fn := range all {
		switch {
		case t.name != "":
			if fn.Name == t.name || fn.Literal && strings.HasPrefix(fn.Name, t.name+".func") {
				out = append(out, fn)
			}
		case t.line != 0:
			if fn.From.Filename == t.file && fn.From.Line <= t.line && t.line <= fn.To.Line {
				out = []*transform.Function{fn} // the innermost comes last
			}
		case t.file != "":
			if fn.From.Filename == t.file {
				out = append(out, fn)
			}
		}
	}
	return out
}

// nothing says that there is no function where the target looks.
func (q *query) nothing(t target, all []*transform.Function, patterns []string) string {
	if text := q.unmarked(t, all, patterns); text != "" {
		return text
	}
	var names []string
	for _, fn := range all {
		if t.file == "" || fn.From.Filename == t.file {
			names = append(names, fmt.Sprintf("%s (%s)", fn.Name, q.position(fn.Pos)))
		}
	}
	there := "there are none"
	if len(names) > 0 {
		there = "there are " + strings.Join(names, ", ")
	}
	if t.file != "" {
		return fmt.Sprintf("%s: no function marked //cogen:async stands here; %s", t.text, there)
	}
	return fmt.Sprintf("cogen: no function %s is marked //cogen:async; %s\n(a package is named with a slash: ./%s)", t.name, there, t.name)
}

// position formats a position relative to the working directory.
func (q *query) position(pos token.Position) string {
	pos.Filename = q.relative(pos.Filename)
	return pos.String()
}
