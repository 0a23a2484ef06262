package main

import (
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	text := func(s string) output {
		c := newCollector()
		c.Write([]byte(s))
		return c.finish()
	}
	crash := func(trace string) outcome {
		return outcome{Exit: 2, Stderr: text("panic: index out of range [5] with length 3\n\n" + trace)}
	}
	long := strings.Repeat("x", maxText)
	for _, c := range []struct {
		name      string
		want, got outcome
		reason    string // empty if they are the same
		detail    string
	}{
		{"same", outcome{Stdout: text("a\n")}, outcome{Stdout: text("a\n"), Elapsed: 5}, "", ""},
		{"stdout", outcome{Stdout: text("a\nb\n")}, outcome{Stdout: text("a\nc\n")},
			"standard output differs", `line 2: want "b\n", got "c\n"`},
		{"missing end of line", outcome{Stdout: text("a\n")}, outcome{Stdout: text("a")},
			"standard output differs", `line 1: want "a\n", got "a"`},
		{"more", outcome{Stderr: text("a\n")}, outcome{Stderr: text("a\nb\n")},
			"standard error differs", `line 2: want the end, got "b\n"`},
		{"beyond what is kept", outcome{Stdout: text(long + "a")}, outcome{Stdout: text(long + "b")},
			"standard output differs", "after the first part"},
		{"exit", outcome{}, outcome{Exit: 3}, "exit status 3 instead of exit status 0", "got exit status 3"},
		{"signal", outcome{}, outcome{Exit: -1, Signal: "killed"}, "signal: killed instead of exit status 0", ""},
		{"crash", outcome{}, crash("main.main()\n"), "panic: index out of range [N] with length N", "main.main()"},
		{"no crash", crash("main.main()\n"), outcome{}, "exit status 0 instead of exit status 2", ""},
		{"stack", crash("main.main()\n"), crash("main.(*frame).Poll()\n"), "stack text differs", "Poll()"},
	} {
		t.Run(c.name, func(t *testing.T) {
			same, f := compare(&c.want, &c.got)
			if same != (c.reason == "") || f.reason != c.reason || !strings.Contains(f.detail, c.detail) {
				t.Errorf("same %t, reason %q, detail %q; want reason %q, detail with %q", same, f.reason, f.detail, c.reason, c.detail)
			}
		})
	}
}

// TestGeneral checks that messages about the same problem in different programs
// become the same.
func TestGeneral(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"chan-select/select.go:12:3: send is not supported [Unsupported]", "send is not supported [Unsupported]"},
		{"cogen: internal error while compiling main.f[...] (/tmp/x/ken-array/array.go:7:1): no block 12",
			"internal error: no block N"},
		{`./x.go:3: undefined: "strings"`, `undefined: "…"`},
		{"panic: runtime error: invalid memory address 0xc000ab", "panic: runtime error: invalid memory address N"},
	} {
		if got := general(c.line); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.line, got, c.want)
		}
	}
}

func TestBlame(t *testing.T) {
	programs := []program{"chan/select.go", "ken/array.go", "method.go", "print.go"}
	failed := blame(programs, `chan-select/select.go:12:3: send is not supported
	/tmp/w/chan-select/select.go:1:1: because of this
cogen: internal error while compiling f (/tmp/w/method/method.go:3:1): bad
print/print.go:3:1: warning: not why it failed [C2001]
other/print.go:3:1: not one of them
`)
	if len(failed) != 2 {
		t.Errorf("%d programs are blamed: %v", len(failed), failed)
	}
	if f := failed["chan/select.go"]; f.reason != "send is not supported" || !strings.Contains(f.detail, "because of this") {
		t.Errorf("chan/select.go: %+v", f)
	}
	if f := failed["method.go"]; f.reason != "internal error: bad" {
		t.Errorf("method.go: %+v", f)
	}
}

func TestBuildSections(t *testing.T) {
	sections := buildSections("go: loading\n# conformance.example/method\nmethod/method.go:3:1: a\n\tb\n# conformance.example/print\nlink: c\n")
	for folder, want := range map[string]string{
		"":       "go: loading\n",
		"method": "method/method.go:3:1: a\n\tb\n",
		"print":  "link: c\n",
	} {
		if sections[folder] != want {
			t.Errorf("%q: %q, want %q", folder, sections[folder], want)
		}
	}
}
