package main

import (
	"context"
	"os"
	"slices"
	"sync"
	"time"
)

// A runner takes programs through all steps, in batches.
type runner struct {
	space  *workspace
	record *recorder
	oracle *oracle

	workers, batch int
	limit          time.Duration
	end            time.Time // start nothing after this, if it is set
}

func newRunner(o *options, space *workspace, record *recorder) *runner {
	r := &runner{
		space:   space,
		record:  record,
		oracle:  newOracle(space.goVersion, o.fresh),
		workers: o.workers,
		batch:   o.batch,
		limit:   o.limit,
	}
	if o.budget > 0 {
		r.end = time.Now().Add(o.budget)
	}
	return r
}

// run runs the programs; every one of them gets a result, unless ctx is cancelled.
func (r *runner) run(ctx context.Context, programs []program) {
	batches := make(chan []program)
	var workers sync.WaitGroup
	for range r.workers {
		workers.Go(func() {
			for batch := range batches {
				r.runBatch(ctx, batch)
			}
		})
	}
	for batch := range slices.Chunk(programs, r.batch) {
		if ctx.Err() != nil {
			break
		}
		batches <- batch
	}
	close(batches)
	workers.Wait()
}

// late reports that the budget is used up.
func (r *runner) late() bool { return !r.end.IsZero() && time.Now().After(r.end) }

// A job is a program on its way.
type job struct {
	program program
	source  []byte
	want    *outcome // what the plain form does
	cached  bool     // want is from an earlier run
	got     *outcome
	coverage
	warnings []string
}

// A batchRun is the programs of a batch that have no result yet. A step that has a
// result for one records and drops it.
type batchRun struct {
	*runner
	jobs []*job
}

// runBatch runs a batch of programs.
func (r *runner) runBatch(ctx context.Context, programs []program) {
	b := &batchRun{runner: r}
	for _, p := range programs {
		b.jobs = append(b.jobs, &job{program: p})
	}
	for _, step := range []func(context.Context) error{b.plain, b.frames, b.compare} {
		if r.late() {
			b.drop(notRun, func(*job) bool { return true }, "the budget is used up", "")
			return
		}
		if len(b.jobs) == 0 {
			return
		}
		if err := step(ctx); err != nil {
			// After an interrupt there is nobody to tell.
			if ctx.Err() == nil {
				b.drop(plainFailed, func(*job) bool { return true }, "the run failed", err.Error())
			}
			return
		}
	}
}

// finish records the result of a job.
func (b *batchRun) finish(j *job, s status, reason, detail string) {
	b.record.add(result{
		Program:  j.program,
		Status:   s,
		Reason:   reason,
		Detail:   detail,
		Plain:    endingOf(j.want),
		Frames:   endingOf(j.got),
		Coverage: j.coverage,
		Warnings: j.warnings,
	})
}

// drop gives the same result to the jobs that which selects.
func (b *batchRun) drop(s status, which func(*job) bool, reason, detail string) {
	b.jobs = slices.DeleteFunc(b.jobs, func(j *job) bool {
		if !which(j) {
			return false
		}
		b.finish(j, s, reason, detail)
		return true
	})
}

// fail gives their results to the jobs that a tool could not do.
func (b *batchRun) fail(s status, failed failures) {
	b.jobs = slices.DeleteFunc(b.jobs, func(j *job) bool {
		f, ok := failed[j.program]
		if ok {
			b.finish(j, s, f.reason, f.detail)
		}
		return ok
	})
}

// programs returns the programs of the jobs that which selects.
func (b *batchRun) programs(which func(*job) bool) []program {
	var programs []program
	for _, j := range b.jobs {
		if which(j) {
			programs = append(programs, j.program)
		}
	}
	return programs
}

// plain finds out what the plain programs do.
func (b *batchRun) plain(ctx context.Context) error {
	for _, j := range b.jobs {
		var err error
		if j.source, err = os.ReadFile(b.space.path(j.program.folder(), j.program.base())); err != nil {
			return err
		}
		j.want = b.oracle.load(j.source)
		j.cached = j.want != nil
	}
	unknown := b.programs(func(j *job) bool { return j.want == nil })
	if len(unknown) == 0 {
		return nil
	}
	failed, err := b.space.build(ctx, unknown, ".plain", "")
	if err != nil {
		return err
	}
	b.fail(plainFailed, failed)
	for _, j := range b.jobs {
		if j.cached {
			continue
		}
		if j.want, err = b.runPlain(ctx, j.program); err != nil {
			return err
		}
		if !j.want.TimedOut {
			b.oracle.store(j.source, j.want)
		}
	}
	b.drop(plainFailed, func(j *job) bool { return j.want.TimedOut }, "timed out", "")
	return nil
}

func (b *batchRun) runPlain(ctx context.Context, p program) (*outcome, error) {
	return b.space.program(ctx, b.limit, b.space.path(".plain", p.folder()))
}

// frames builds the programs as state machines.
func (b *batchRun) frames(ctx context.Context) error {
	everyone := func(*job) bool { return true }
	g, err := b.space.generate(ctx, b.programs(everyone))
	if err != nil {
		return err
	}
	b.fail(cogenFailed, g.failed)
	for _, j := range b.jobs {
		j.coverage.Functions = countFunctions(j.source)
		j.warnings = g.warnings[j.program]
		// The frame of a function that stayed plain calls it.
		j.coverage.Frames = g.overlay.countFrames(b.space.path(j.program.folder())) - len(j.warnings)
	}
	if len(b.jobs) == 0 {
		return nil
	}
	failed, err := b.space.build(ctx, b.programs(everyone), ".frames", g.path)
	if err != nil {
		return err
	}
	b.fail(buildFailed, failed)
	return nil
}

// compare runs the state machines. It ends the jobs one by one, and leaves those
// for which there is no time.
func (b *batchRun) compare(ctx context.Context) error {
	for len(b.jobs) > 0 && !b.late() {
		j := b.jobs[0]
		s, f, err := b.compareOne(ctx, j)
		if err != nil {
			return err
		}
		b.finish(j, s, f.reason, f.detail)
		b.jobs = b.jobs[1:]
		b.space.discard(j.program)
	}
	b.drop(notRun, func(*job) bool { return true }, "the budget is used up", "")
	return nil
}

func (b *batchRun) compareOne(ctx context.Context, j *job) (status, failure, error) {
	var err error
	if j.got, err = b.space.program(ctx, b.limit, b.space.path(".frames", j.program.folder())); err != nil {
		return "", failure{}, err
	}
	same, f := compare(j.want, j.got)
	if same {
		return identical, f, nil
	}
	if unstable, err := b.confirm(ctx, j); err != nil || unstable != "" {
		return plainFailed, failure{reason: unstable}, err
	}
	if j.got.TimedOut {
		return timedOut, failure{reason: "the program does not end", detail: excerpt(j.got.Stderr.Text)}, nil
	}
	if same, f = compare(j.want, j.got); same {
		return identical, f, nil
	}
	return differs, f, nil
}

// confirm runs the plain program of a job twice more, in case what is known of it is
// out of date, or it does not do the same every time.
func (b *batchRun) confirm(ctx context.Context, j *job) (unstable string, err error) {
	if j.cached {
		failed, err := b.space.build(ctx, []program{j.program}, ".plain", "")
		if err != nil {
			return "", err
		}
		if f, ok := failed[j.program]; ok {
			return f.reason, nil
		}
	}
	first, err := b.runPlain(ctx, j.program)
	if err != nil {
		return "", err
	}
	second, err := b.runPlain(ctx, j.program)
	if err != nil {
		return "", err
	}
	if same, f := compare(first, second); !same {
		return "it does not do the same every time: " + f.reason, nil
	}
	j.want = first
	b.oracle.store(j.source, first)
	return "", nil
}
