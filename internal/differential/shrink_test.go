package differential

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cogen-go/cogen/internal/progen"
)

// TestShrink shrinks programs whose difference is that they have a certain text, and
// checks that little else is left. A candidate that has lost it differs in another way,
// which must not lead the shrinker astray.
func TestShrink(t *testing.T) {
	for _, want := range []string{"goto ", "<-closed", "range seq", "recover()"} {
		t.Run(want, func(t *testing.T) {
			p := programWith(t, want)
			names := make(map[string]bool)
			s := &shrinker{
				run: func(list []Program) ([]*Difference, error) {
					out := make([]*Difference, len(list))
					for i, p := range list {
						if names[p.Name] {
							t.Errorf("two candidates are called %s", p.Name)
						}
						names[p.Name] = true
						if _, _, err := progen.Check(p.Source, nil); err != nil {
							t.Errorf("a candidate does not type-check: %v", err)
						}
						out[i] = &Difference{Kind: Oracle}
						if bytes.Contains(p.Source, []byte(want)) {
							out[i] = &Difference{Kind: Traces, Detail: fmt.Sprint(len(p.Source))}
						}
					}
					return out, nil
				},
				program:  p,
				kind:     Traces,
				deadline: time.Now().Add(time.Hour),
			}
			s.shrink()
			src := string(s.program.Source)
			if !strings.Contains(src, want) {
				t.Fatalf("the difference is gone:\n%s", src)
			}
			if !strings.Contains(src, "package "+p.Name+"\n") || !strings.Contains(src, "func Main() { work() }") {
				t.Errorf("it is another program:\n%s", src)
			}
			const most = 50 // lines
			if n := strings.Count(src, "\n"); n > most {
				t.Errorf("%d lines are left of %d:\n%s", n, bytes.Count(p.Source, []byte("\n")), src)
			}
		})
	}
}

// programWith returns a program that contains the text.
func programWith(t *testing.T, text string) Program {
	t.Helper()
	for seed := range uint64(100) {
		if p := FromSeed(seed); bytes.Contains(p.Source, []byte(text)) {
			return p
		}
	}
	t.Fatalf("no program contains %q", text)
	return Program{}
}

// TestRun checks that each kind of difference is told from the others, and from none.
func TestRun(t *testing.T) {
	program := func(name, main, rest string) Program {
		return Program{name, []byte("package " + name + "\n\nimport \"" + modulePath + "/internal/progen/trace\"\n\nfunc Main() { " +
			main + " }\n\n" + directive + "\nfunc work() " + rest + "\n")}
	}
	cases := []struct {
		program Program
		want    Kind
	}{
		{program("same", "work()", "{ trace.Show(trace.Tick(1)) }"), ""},
		// The oracle shows something that frames do not.
		{program("other", "trace.Show(1); work()", "{ trace.Show(2) }"), Traces},
		{program("stops", "", "{ go func() { panic(trace.Tick(1)) }(); <-make(chan int) }"), Stopped},
		{program("crash", "work()", "{ go func() { panic(trace.Tick(1)) }(); <-make(chan int) }"), Oracle},
		{program("wrong", "work()", "{ trace.Undefined() }"), Refused},
		{program("after", "work()", "{ trace.Show(trace.Tick(2)) }"), ""},
	}
	var list []Program
	for _, c := range cases {
		list = append(list, c.program)
	}
	differences, err := newTestRunner(t).Run(list, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		got := Kind("")
		if d := differences[i]; d != nil {
			got = d.Kind
		}
		if got != c.want {
			t.Errorf("program %s: %v, want %q", c.program.Name, differences[i], c.want)
		}
	}
}
