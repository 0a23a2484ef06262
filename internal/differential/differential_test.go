package differential

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	firstSeed  = flag.Uint64("first", 1, "the seed to begin with")
	seedCount  = flag.Int("seeds", 24, "how many seeds to try")
	batchSize  = flag.Int("batch", 6, "how many programs to build into one binary")
	timeBudget = flag.Duration("budget", 0, "begin no batch after this time; 0 means to try all seeds")
	sourceFile = flag.String("file", "", "run the program in this file")
	round      = flag.Int("round", 0, "how to run the file: 0 frames, 1 stress, 2 and 3 mixed")
	parallel   = flag.Int("parallel", 2, "how many compilers to run at a time")
	shrinkTime = flag.Duration("shrink", 2*time.Minute, "how long to make a program smaller that differs")
	seenFile   = flag.String("seen", "", "a file of the programs that are known to be without a difference; it grows")
	keepFolder = flag.String("keep", "", "a folder for the programs that differ")
)

// TestSeeds runs the programs of the seeds. A difference is reported with its seed and
// the program, made smaller.
func TestSeeds(t *testing.T) {
	r := newTestRunner(t)
	start := time.Now()
	tried := 0
	for tried < *seedCount && (*timeBudget == 0 || time.Since(start) < *timeBudget) {
		var programs []Program
		first := *firstSeed + uint64(tried)
		// A seed is tried in the same round whenever the run has come to it.
		round := int(first / uint64(*batchSize) % rounds)
		for i := range min(*batchSize, *seedCount-tried) {
			programs = append(programs, FromSeed(first+uint64(i)))
		}
		differences, err := r.Run(programs, round)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range differences {
			if d == nil {
				continue
			}
			if d.Kind == Compiler {
				t.Logf("seed %d, round %d: %v", first+uint64(i), round, d)
				continue
			}
			t.Errorf("seed %d, round %d: %v", first+uint64(i), round, d)
			shrinkAndKeep(t, r, programs[i], d, round)
		}
		tried += len(programs)
		t.Logf("%d seeds after %v, %d to be continued with", tried, time.Since(start).Round(time.Second), first+uint64(len(programs)))
	}
}

func newTestRunner(t *testing.T) *Runner {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewRunner(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r.Parallel = *parallel
	if *seenFile != "" {
		if r.Seen, err = OpenSeen(*seenFile); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Seen.Close() })
	}
	return r
}

// shrinkAndKeep makes a program that differs smaller, and puts it where the user wants
// it.
func shrinkAndKeep(t *testing.T, r *Runner, p Program, d *Difference, round int) {
	t.Helper()
	keep(t, p)
	if *shrinkTime > 0 {
		small, d := r.Shrink(p, d, round, *shrinkTime)
		t.Logf("made smaller: %v", d)
		keep(t, Program{small.Name + "_small", small.Source})
	}
}

// keep writes a program into the folder for that, or into the log.
func keep(t *testing.T, p Program) {
	t.Helper()
	if *keepFolder == "" {
		t.Logf("%s", p.Source)
		return
	}
	if err := os.WriteFile(filepath.Join(*keepFolder, p.Name+".go"), p.Source, 0o644); err != nil {
		t.Error(err)
	}
}

// TestFile runs one program, that of the flag -file.
func TestFile(t *testing.T) {
	if *sourceFile == "" {
		t.Skip("no -file")
	}
	src, err := os.ReadFile(*sourceFile)
	if err != nil {
		t.Fatal(err)
	}
	p := Program{packageName(src), src}
	r := newTestRunner(t)
	differences, err := r.Run([]Program{p}, *round)
	if err != nil {
		t.Fatal(err)
	}
	if d := differences[0]; d != nil {
		t.Errorf("%v", d)
		shrinkAndKeep(t, r, p, d, *round)
	}
}

func packageName(src []byte) string {
	for line := range strings.SplitSeq(string(src), "\n") {
		if name, ok := strings.CutPrefix(line, "package "); ok {
			return name
		}
	}
	return ""
}
