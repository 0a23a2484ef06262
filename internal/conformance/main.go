// Command conformance runs Go's own test programs as state machines and compares
// them with what they do as plain Go. `make conformance` runs it.
//
// Usage:
//
//	conformance [flags]
//
// The programs are the ones of $(go env GOROOT)/test that programs.txt names. For
// each of them:
//
//  1. The program is built as it is and run: whatever it prints and its exit
//     status are what is wanted.
//  2. cogen -all -stress makes state machines of all of its functions, which are
//     suspended at every statement, as a build overlay. With -mixed it does so of every
//     second function of a file, so that there is plain code between them, whose
//     stack has to be set aside.
//  3. The program is built with the overlay, run, and compared: standard output,
//     standard error and exit status must be the same, byte for byte.
//
// known.txt lists the programs that are allowed to differ, each with a reason from a
// closed set of what a tool that rewrites source cannot preserve.
//
// Exit status: 0 if all programs that were asked for are identical or known
// differences, 1 if not, 2 if the run itself failed.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Exit codes.
const (
	exitOK          = 0
	exitDifferences = 1
	exitFailure     = 2
)

// options are the command line.
type options struct {
	slice    int            // number of programs, 0 for all
	seed     string         // varies which programs a slice has
	match    *regexp.Regexp // only programs whose names match; nil for all
	budget   time.Duration  // start nothing new after this; 0 for no limit
	limit    time.Duration  // for one program
	workers  int
	batch    int    // programs per go command
	cogen    string // path of the program cogen; built if empty
	work     string // folder to work in, which is kept; temporary if empty
	results  string // file for the results, as JSON lines
	document string // file for the documentation of a whole run
	mixed    bool   // leave every second function plain
	fresh    bool   // run all plain programs, whatever the cache has
}

// whole says that nothing is left out.
func (o *options) whole() bool { return o.slice == 0 && o.match == nil && !o.mixed }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o options
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.slice, "slice", 0, "run only `n` of the programs, chosen by hash; 0 runs all")
	flags.StringVar(&o.seed, "seed", "", "`text` that varies the choice of -slice")
	match := flags.String("run", "", "run only programs whose names match `regexp`")
	flags.DurationVar(&o.budget, "budget", 0, "start no more programs after this `time`; 0 is no limit")
	flags.DurationVar(&o.limit, "limit", 5*time.Minute, "`time` that one program may take")
	flags.IntVar(&o.workers, "workers", 2, "`number` of programs that are built or run at once")
	flags.IntVar(&o.batch, "batch", 12, "`number` of programs that are built by one go command")
	flags.BoolVar(&o.mixed, "mixed", false, "leave every second function plain")
	flags.StringVar(&o.cogen, "cogen", "", "`program` to use as cogen, instead of one built from this module")
	flags.StringVar(&o.work, "work", "", "work in `folder` and keep it, instead of a temporary one")
	flags.StringVar(&o.results, "results", "", "write the results as JSON lines to `file`")
	flags.StringVar(&o.document, "document", "", "after a whole run, write its documentation to `file`")
	flags.BoolVar(&o.fresh, "fresh", false, "run every plain program again, even if its result is known from an earlier run")
	if err := flags.Parse(args); err != nil {
		return exitFailure
	}
	if err := o.check(flags.Args(), *match); err != nil {
		fmt.Fprintf(stderr, "conformance: %v\n", err)
		return exitFailure
	}
	ok, err := conform(ctx, &o, stdout, stderr)
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "conformance: %v\n", err)
		return exitFailure
	case !ok:
		return exitDifferences
	}
	return exitOK
}

// check completes the options.
func (o *options) check(args []string, match string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %s", args[0])
	}
	if o.slice < 0 || o.budget < 0 || o.workers < 1 || o.batch < 1 || o.limit <= 0 {
		return fmt.Errorf("a number is too small")
	}
	if match == "" {
		return nil
	}
	re, err := regexp.Compile(match)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	o.match = re
	return nil
}

// conform does the run. It reports whether all is as it should be; the error is
// for a run that could not be done.
func conform(ctx context.Context, o *options, stdout, stderr io.Writer) (bool, error) {
	known, err := parseKnown(knownText)
	if err != nil {
		return false, err
	}
	programs := choose(o)
	if len(programs) == 0 {
		return false, fmt.Errorf("no program matches")
	}
	space, err := newWorkspace(ctx, o, programs)
	if err != nil {
		return false, err
	}
	defer space.remove()
	record, err := newRecorder(o, known, len(programs), stderr)
	if err != nil {
		return false, err
	}
	newRunner(o, space, record).run(ctx, programs)
	if err := record.close(); err != nil {
		return false, err
	}
	if ctx.Err() != nil {
		return false, fmt.Errorf("interrupted after %d of %d programs", len(record.results), len(programs))
	}
	writeSummary(stdout, record.results)
	if o.document != "" && o.whole() && len(record.results) == len(programs) && !record.has(notRun) {
		if err := os.WriteFile(o.document, document(record.results, space.goVersion), 0o644); err != nil {
			return false, err
		}
	}
	return record.ok(), nil
}
