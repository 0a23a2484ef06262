package transform

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// analyzed has functions whose plain calls and await points are noted on their lines:
//
//	// plain: reason, effect
//	// await: how
//	// spawn: whether that is a task
const analyzed = `package p

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cogen-go/cogen/rt"
)

func sleeps() { time.Sleep(1) }

func readsDeep(c *rt.Conn) { reads(c) }

func reads(c *rt.Conn) {
	if c != nil {
		c.Read(nil)
	}
}

func spawns(c *rt.Conn) {
	go c.Read(nil)
	_ = func() { <-make(chan int) }
}

func even() bool { return !odd() }

func odd() bool { return even() }

func ping(c *rt.Conn) {
	pong(c)
	c.Read(nil)
}

func pong(c *rt.Conn) { ping(c) }

//cogen:async
func callee(n int) int {
	rt.Yield() // await: future
	return n
}

func mismatched(n int) {}

func mismatchedAsync(s string) *calleeFrame { return nil }

//cogen:async
func calls(c *rt.Conn, r io.Reader, f func(), once *sync.Once, file *os.File, ctx context.Context) {
	callee(1)                // await: frame
	c.Read(nil)              // await: future
	time.Sleep(1)            // await: foreign
	r.Read(nil)              // await: dynamic
	rt.Await(calleeAsync(2)) // await: await; plain: no companion, unknown
	f()                      // plain: function value, unknown
	sleeps()                 // plain: unmarked, block
	readsDeep(c)             // plain: unmarked, stack
	spawns(c)                // plain: no companion, unknown
	pong(c)                  // plain: unmarked, stack
	even()                   // plain: no companion, unknown
	once.Do(f)               // plain: blocking, block
	file.Read(nil)           // plain: blocking, block
	mismatched(1)            // plain: companion mismatch, stack
	ctx.Done()
	strings.ToUpper("x")
	fmt.Println(len("x"), int64(callee(3))) // plain: no companion, unknown; await: frame
	go callee(4)                            // spawn: true
	go func() { sleeps() }()                // spawn: false
	go func() { rt.Yield() }()              // spawn: true
	defer callee(5)
	defer time.Sleep(1) // plain: deferred, block
	defer f()           // plain: function value, unknown
} // await: deferred

type closer interface{ Shut() }

//cogen:async
func channels(in <-chan int, out chan<- int, mu *sync.Mutex, x closer) {
	n := <-in // await: channel
	out <- n  // await: channel
	select {  // await: channel
	case <-in:
	case out <- 1:
	}
	select {
	case <-in:
	default:
	}
	for range in { // await: channel
		mu.Lock() // await: foreign
		mu.Unlock()
	}
	x.Shut() // plain: interface, unknown
}

//cogen:async
func generic[T interface{ Wait() }](v T) {
	v.Wait()   // plain: type parameter, unknown
	rt.Yield() // await: future
}

//cogen:async
func literals(c *rt.Conn, in chan int, list []int) {
	slices.SortFunc(list, func(a, b int) int { // plain: no companion, unknown
		c.Read(nil) // plain: literal, stack
		<-in        // plain: literal, block
		select {    // plain: literal, block
		case in <- 1:
		}
		for range in { // plain: literal, block
		}
		sleeps() // plain: unmarked, block
		fmt.Println()
		return a - b
	})
	func() { // await: frame
		rt.Yield()
	}()
	for range slices.Values(list) {
		c.Read(nil) // plain: loop, stack
		even()
	}
	for range each { // await: loop
		callee(1) // await: frame
	}
}

//cogen:async
func each(yield func(int) bool) {
	yield(1) // await: yield
}

func pair() (int, int) { return 1, 2 }

//cogen:async
func kept(c *rt.Conn, done func(int, int)) {
	defer done(pair()) // plain: no companion, unknown; plain: function value, unknown
	c.Read(nil)        // plain: function, stack
	callee(1)          // plain: function, stack
}
`

// TestPlainCalls checks for each call how it is awaited, or why it is not.
func TestPlainCalls(t *testing.T) {
	imp, err := fuzzImporter()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"p.go": analyzed}
	prog := checkFiles(Options{Analyze: true}, "example.com/p", files, imp)
	result, err := prog.generate(compilePackage)
	if err != nil {
		t.Fatal(err)
	}
	unasked, err := checkFiles(Options{}, "example.com/p", files, imp).generate(compilePackage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(unasked.Files, result.Files); diff != "" || len(unasked.Analysis) > 0 {
		t.Errorf("the analysis changes what is generated:\n%s", diff)
	}
	for _, d := range prog.diags.sorted() {
		if d.Severity == Error {
			t.Fatal(d.Format(""))
		}
	}
	got := map[int][]string{}
	for _, fn := range prog.analysis {
		if fn.Literal {
			continue
		}
		for _, a := range fn.Awaits {
			got[a.Pos.Line] = append(got[a.Pos.Line], "await: "+string(a.How))
		}
		for _, s := range fn.Spawns {
			got[s.Pos.Line] = append(got[s.Pos.Line], fmt.Sprintf("spawn: %t", s.Task))
		}
		for _, c := range fn.Calls {
			got[c.Pos.Line] = append(got[c.Pos.Line], fmt.Sprintf("plain: %s, %s", c.Reason, c.Effect))
		}
	}
	for i, line := range strings.Split(analyzed, "\n") {
		var want []string
		if _, notes, ok := strings.Cut(line, "// "); ok {
			want = strings.Split(notes, "; ")
		}
		slices.Sort(want)
		slices.Sort(got[i+1])
		if diff := cmp.Diff(want, got[i+1]); diff != "" {
			t.Errorf("line %d: %s (-want +got):\n%s", i+1, strings.TrimSpace(line), diff)
		}
	}
}

// TestAnalysisHolds checks what must be true of the analysis of any function, for the
// golden cases.
func TestAnalysisHolds(t *testing.T) {
	imp, err := fuzzImporter()
	if err != nil {
		t.Fatal(err)
	}
	functions := 0
	for path, src := range goldenSources(t) {
		files := map[string]string{filepath.Base(path): src}
		prog := checkFiles(Options{Analyze: true}, "example.com/p", files, imp)
		res, err := prog.generate(compilePackage)
		if err != nil {
			t.Fatal(err)
		}
		if res.Failed() && len(res.Analysis) > 0 {
			t.Errorf("%s: there is an analysis although the source has errors", path)
		}
		for _, fn := range res.Analysis {
			functions++
			for _, problem := range problemsOf(fn) {
				t.Errorf("%s: %s: %s", path, fn.Name, problem)
			}
		}
	}
	if functions < 500 {
		t.Errorf("only %d functions were analyzed", functions)
	}
}

// problemsOf returns what cannot be true of a function.
func problemsOf(fn *Function) []string {
	var out []string
	problem := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	end := int64(0)
	fields := map[string]bool{}
	for _, f := range fn.Fields {
		fields[f.Name] = true
		if fn.Size > 0 && (f.Offset < end || f.Offset+f.Size > fn.Size) {
			problem("field %s overlaps another, or the end", f.Name)
		}
		end = f.Offset + f.Size
	}
	next := map[int][]int{}
	for _, e := range fn.Edges {
		if e.From < StateStart || e.To < StateEnd || e.To == StateStart || e.From > len(fn.Awaits) || e.To > len(fn.Awaits) {
			problem("an edge from %d to %d", e.From, e.To)
		}
		next[e.From] = append(next[e.From], e.To)
	}
	reached := map[int]bool{}
	var visit func(int)
	visit = func(state int) {
		if !reached[state] {
			reached[state] = true
			for _, to := range next[state] {
				visit(to)
			}
		}
	}
	visit(StateStart)
	for i, a := range fn.Awaits {
		if a.State != i+1 || !reached[a.State] {
			problem("state %d is number %d, and reached: %t", a.State, i+1, reached[a.State])
		}
		if a.Pos.Line < fn.From.Line || a.Pos.Line > fn.To.Line {
			problem("state %d is at %s, outside of the function", a.State, a.Pos)
		}
		used := map[string]bool{}
		for _, v := range a.Live {
			if !fields[v.Field] || used[v.Field] {
				problem("at state %d, %s is in field %q", a.State, v.Name, v.Field)
			}
			used[v.Field] = true
		}
		for _, c := range fn.Calls {
			if c.Pos == a.Pos && c.Call == a.Call && !strings.HasSuffix(c.Call, "...") {
				problem("%s is awaited and plain", c.Call)
			}
		}
	}
	for _, c := range fn.Calls {
		if c.Pos.Line < fn.From.Line || c.Pos.Line > fn.To.Line || c.Reason == "" || c.Effect == "" {
			problem("a call %+v", c)
		}
	}
	for _, b := range fn.Boxes {
		if len(b.Reasons) == 0 || !b.Pos.IsValid() || !b.Reasons[0].Pos.IsValid() {
			problem("%s has a box without a reason", b.Name)
		}
	}
	return out
}
