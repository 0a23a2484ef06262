package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/cogen-go/cogen/transform"
)

// Exit codes.
const (
	exitOK       = 0
	exitFindings = 1 // diagnostics, stale files, differences
	exitFailure  = 2 // usage, packages that cannot be loaded, bugs in cogen
)

const usageText = `usage: cogen [flags] [packages]
       cogen explain|layout|list|graph [flags] [packages, functions or file:line]

Cogen compiles the functions that are marked with a comment //cogen:async, in the
packages named, into state machines. For a source file x.go it writes
x_cogen.go beside it. Without arguments it does the package in the current
directory. Packages are named as for go build; see go help packages.

In a module that uses cogen, get it once with

	go get -tool github.com/cogen-go/cogen/cmd/cogen

and run it by go generate, from a line in a file of the package:

	//go:generate go tool cogen

Commands that write no file, each with a -h of its own:

	explain   where functions wait, which calls stay plain, and why; what a code means
	layout    what is in a frame, and how large it is
	list      the functions that are compiled, also as JSON
	graph     the states of a function as a picture

Flags:

`

const exitText = `
Exit status: 0 if all is well, 1 if the source has errors or, with -check and
-diff, files are not up to date, 2 if cogen could not run.
`

// subcommands are the commands besides generating.
var subcommands = map[string]func(ctx context.Context, args []string, stdout, stderr io.Writer) int{
	"explain": runExplain,
	"layout":  runLayout,
	"list":    runList,
	"graph":   runGraph,
}

// command is one invocation.
type command struct {
	stdout, stderr io.Writer
	check, diff    bool
	verbose        bool
	dir            string // absolute; messages are relative to it
	overlay        string // where -all writes
}

// run runs the command line and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		if subcommand := subcommands[args[0]]; subcommand != nil {
			return subcommand(ctx, args[1:], stdout, stderr)
		}
	}
	c := &command{stdout: stdout, stderr: stderr}
	flags := flag.NewFlagSet("cogen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&c.check, "check", false, "write nothing; list the files that are not up to date")
	flags.BoolVar(&c.diff, "diff", false, "write nothing; print what would change as a unified diff")
	flags.BoolVar(&c.verbose, "v", false, "say what is done")
	dir := flags.String("C", "", "change to `dir` first")
	tags := flags.String("tags", "", "build `tags`, separated by commas, to apply as in go build")
	all := flags.Bool("all", false, "compile every function, not only the marked ones; needs -o")
	stress := flags.Bool("stress", false, "suspend wherever that is possible, for tests; needs -all")
	mixed := flags.Bool("mixed", false, "leave every second function as it is, for tests; needs -all")
	out := flags.String("o", "", "write an overlay for go build into `dir`, and nothing else; needs -all")
	version := flags.Bool("version", false, "print the version and exit")
	flags.Usage = func() {
		fmt.Fprint(stderr, usageText)
		flags.PrintDefaults()
		fmt.Fprint(stderr, exitText)
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitOK
		}
		return exitFailure
	}
	if *version {
		fmt.Fprintln(stdout, versionText())
		return exitOK
	}
	patterns := flags.Args()
	c.overlay = *out
	if err := validate(c, patterns, *all, *stress, *mixed); err != nil {
		fmt.Fprintf(stderr, "cogen: %v\nrun cogen -h for usage\n", err)
		return exitFailure
	}
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	var err error
	if c.dir, err = workingDirectory(*dir); err != nil {
		fmt.Fprintf(stderr, "cogen: %v\n", err)
		return exitFailure
	}

	opts := transform.Options{Dir: c.dir, Tests: !*all, All: *all, Stress: *stress, Mixed: *mixed}
	if *tags != "" {
		opts.BuildFlags = []string{"-tags=" + *tags}
	}
	result, err := transform.Generate(ctx, opts, patterns...)
	if err != nil {
		return c.fail(err)
	}
	return c.finish(result)
}

// validate finds what is wrong with the command line beyond its syntax.
func validate(c *command, patterns []string, all, stress, mixed bool) error {
	switch {
	case c.check && c.diff:
		return errors.New("-check and -diff exclude each other")
	case all != (c.overlay != ""):
		return errors.New("-all and -o go together")
	case stress && !all:
		return errors.New("-stress needs -all")
	case mixed && !all:
		return errors.New("-mixed needs -all")
	case all && (c.check || c.diff):
		return errors.New("-all writes an overlay: it excludes -check and -diff")
	}
	for _, p := range patterns {
		switch {
		case strings.HasPrefix(p, "-"):
			return fmt.Errorf("flag %s must come before the packages", p)
		case strings.HasSuffix(p, ".go"):
			return fmt.Errorf("%s is a file: name the package that it belongs to", p)
		}
	}
	return nil
}

// workingDirectory returns the absolute path of dir, which must be a directory.
func workingDirectory(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a directory", dir)
	}
	return abs, nil
}

// fail reports that there is no result.
func (c *command) fail(err error) int {
	fmt.Fprintf(c.stderr, "cogen: %v\n", err)
	if bug, ok := errors.AsType[*transform.InternalError](err); ok {
		fmt.Fprintf(c.stderr, "this is a bug in cogen %s; nothing has been written\n\n%s", versionText(), bug.Stack)
	}
	return exitFailure
}

// finish does with a result what the flags say.
func (c *command) finish(result *transform.Result) int {
	c.logf("%s, %s", count(result.Functions, "function"), count(result.Packages, "package"))
	stale := 0
	if c.overlay != "" {
		if !result.Failed() {
			if err := result.WriteOverlay(c.overlay); err != nil {
				return c.fail(err)
			}
		}
	} else if !c.check && !c.diff && !result.Failed() {
		for _, path := range result.Write() {
			c.logf("wrote %s", c.relative(path))
		}
	} else {
		for i := range result.Files {
			if f := &result.Files[i]; f.Changed() {
				stale++
				c.show(f)
			}
		}
	}
	for i := range result.Diagnostics {
		fmt.Fprintln(c.stderr, result.Diagnostics[i].Format(c.dir))
	}
	if stale > 0 || result.Failed() {
		return exitFindings
	}
	return exitOK
}

// show prints a file that is not up to date.
func (c *command) show(f *transform.File) {
	if c.diff {
		c.stdout.Write(f.Diff(c.dir))
		return
	}
	what := "out of date"
	switch {
	case f.Content == nil:
		what = "left over: its source has no marked function"
	case !f.Exists:
		what = "missing"
	}
	fmt.Fprintf(c.stdout, "%s: %s\n", c.relative(f.Path), what)
}

func (c *command) relative(path string) string {
	if rel, err := filepath.Rel(c.dir, path); err == nil {
		return rel
	}
	return path
}

func (c *command) logf(format string, args ...any) {
	if c.verbose {
		fmt.Fprintf(c.stderr, "cogen: "+format+"\n", args...)
	}
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// versionText returns the version of cogen's module, and that of Go, which decides
// what source cogen understands.
func versionText() string {
	version := "(unknown)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	return fmt.Sprintf("cogen %s %s %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
