package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeCogen makes the test binary stand in for cogen.
const fakeCogen = "CONFORMANCE_TEST_COGEN"

func TestMain(m *testing.M) {
	if os.Getenv(fakeCogen) != "" {
		os.Exit(beCogen(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// replacements are what the stand-in makes of programs; the others it leaves alone.
var replacements = map[string]string{
	"print.go":   "package main\nimport \"fmt\"\nfunc main() { fmt.Println(\"not this\") }\n",
	"cmp.go":     "package main\nfunc main() { panic(\"at the disco 17\") }\n",
	"blank.go":   "package main\nfunc main() { undefined() }\n",
	"const.go":   "package main\nfunc main() { syntax error }\n",
	"clear.go":   "package main\nfunc main() { select {} }\nfunc init() { go func() { for {} }() }\n",
	"recover.go": "package main\nimport \"os\"\nfunc main() { os.Exit(7) }\n",
}

// beCogen does what cogen -all -stress -o folder packages does, as far as a run
// looks at it: like cogen it writes nothing if a program has an error.
func beCogen(args []string) int {
	if len(args) < 5 || strings.Join(args[:3], " ") != "-all -stress -o" {
		fmt.Fprintln(os.Stderr, "usage")
		return 2
	}
	out, folders := args[3], args[4:]
	overlay := overlayFile{Replace: make(map[string]string)}
	status := 0
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(files) != 1 {
			fmt.Fprintln(os.Stderr, "not one file in", folder)
			return 2
		}
		switch name := filepath.Base(files[0]); name {
		case "append.go":
			fmt.Fprintf(os.Stderr, "%s:12:3: this is too hard [Hard]\n", files[0])
			status = 1
		case "bigmap.go":
			if len(folders) > 1 {
				fmt.Fprintln(os.Stderr, "cogen: who knows where")
				return 2
			}
			fmt.Fprintln(os.Stderr, "cogen: internal error")
			return 2
		default:
			if text, ok := replacements[name]; ok {
				path := filepath.Join(out, name)
				os.MkdirAll(out, 0o755)
				os.WriteFile(path, []byte(text), 0o644)
				abs, _ := filepath.Abs(files[0])
				overlay.Replace[abs] = path
			}
		}
	}
	if status != 0 {
		return status
	}
	text, _ := json.Marshal(overlay)
	os.MkdirAll(out, 0o755)
	os.WriteFile(filepath.Join(out, "overlay.json"), text, 0o644)
	return 0
}

// TestRun does a run over a few programs, with a stand-in for cogen that breaks each
// of them in another way.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	t.Setenv(fakeCogen, "1")
	t.Setenv("GOCACHE", goCache(t))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	results := filepath.Join(t.TempDir(), "results.jsonl")
	names := "^(helloworld|print|append|bigmap|blank|const|cmp|clear|recover)\\.go$"
	for _, state := range []string{"first run", "second run, with known plain outcomes"} {
		t.Run(state, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			args := []string{"-cogen", os.Args[0], "-run", names, "-limit", "3s", "-results", results}
			if code := run(t.Context(), args, &stdout, &stderr); code != exitDifferences {
				t.Fatalf("exit code %d, want %d\n%s%s", code, exitDifferences, &stdout, &stderr)
			}
			got := readResults(t, results)
			for p, want := range map[program]result{
				"helloworld.go": {Status: identical},
				"print.go":      {Status: differs, Reason: "standard output differs"},
				"cmp.go":        {Status: differs, Reason: `panic: at the disco N`},
				"recover.go":    {Status: differs, Reason: "exit status 7 instead of exit status 0"},
				"clear.go":      {Status: timedOut, Reason: "the program does not end"},
				"append.go":     {Status: cogenFailed, Reason: "this is too hard [Hard]"},
				"bigmap.go":     {Status: cogenFailed, Reason: "internal error"},
				"blank.go":      {Status: buildFailed, Reason: "undefined: undefined"},
				"const.go":      {Status: buildFailed, Reason: "syntax error: unexpected name error at end of statement"},
			} {
				if g := got[p]; g.Status != want.Status || g.Reason != want.Reason {
					t.Errorf("%s: %s (%s), want %s (%s)\n%s", p, g.Status, g.Reason, want.Status, want.Reason, g.Detail)
				}
			}
			if !strings.Contains(stdout.String(), "9 programs\n     1 identical\n     3 differs\n") {
				t.Errorf("summary:\n%s", &stdout)
			}
		})
	}
}

// TestBudget checks that a run without time left says which programs it has not run,
// and fails.
func TestBudget(t *testing.T) {
	t.Setenv(fakeCogen, "1")
	results := filepath.Join(t.TempDir(), "results.jsonl")
	document := filepath.Join(t.TempDir(), "document.md")
	var stdout, stderr bytes.Buffer
	args := []string{"-cogen", os.Args[0], "-budget", "1ns", "-results", results, "-document", document}
	if code := run(t.Context(), args, &stdout, &stderr); code != exitDifferences {
		t.Fatalf("exit code %d, want %d\n%s%s", code, exitDifferences, &stdout, &stderr)
	}
	got := readResults(t, results)
	if len(got) != len(allPrograms()) {
		t.Errorf("%d results, want one for each of %d programs", len(got), len(allPrograms()))
	}
	for p, res := range got {
		if res.Status != notRun {
			t.Fatalf("%s: %s, want %s", p, res.Status, notRun)
		}
	}
	if _, err := os.Stat(document); err == nil {
		t.Error("a run that was cut short has written the documentation of a whole one")
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{
		{"-nosuchflag"},
		{"helloworld.go"},
		{"-slice", "-1"},
		{"-workers", "0"},
		{"-run", "("},
		{"-run", "^no such program$"},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), args, &stdout, &stderr); code != exitFailure || stderr.Len() == 0 {
			t.Errorf("%q: exit code %d, stderr %q; want %d and a message", args, code, &stderr, exitFailure)
		}
	}
}

func readResults(t *testing.T, path string) map[program]result {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[program]result)
	for line := range strings.Lines(string(text)) {
		var res result
		if err := json.Unmarshal([]byte(line), &res); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all[res.Program] = res
	}
	return all
}

// goCache returns the build cache, which is found through XDG_CACHE_HOME.
func goCache(t *testing.T) string {
	t.Helper()
	w := &workspace{dir: t.TempDir()}
	w.setEnv()
	out, err := w.output(t.Context(), "", "go", "env", "GOCACHE")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
