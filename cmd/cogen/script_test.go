package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"cogen": main})
}

// TestScripts runs the scripts in testdata/script, each in a module of its own
// that uses this one. Some commands are added to those of testscript:
//
//	module path             writes go.mod and go.sum of a module that uses cogen
//	status n command args   runs a command that must exit with n
//	sizeless file           writes stdout to file, with # for every number of bytes
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	caches := goEnv(t, "GOMODCACHE", "GOCACHE")
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("ROOT", root)
			env.Setenv("GOMODCACHE", caches[0])
			env.Setenv("GOCACHE", caches[1])
			env.Setenv("GOPROXY", "off")
			env.Setenv("GOFLAGS", "-buildvcs=false")
			env.Setenv("GOTOOLCHAIN", "local")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"module":   cmdModule,
			"status":   cmdStatus,
			"sizeless": cmdSizeless,
		},
	})
}

func goEnv(t *testing.T, names ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatalf("go env: %v", err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// cmdModule writes the go.mod of a module that replaces cogen by this very tree. It
// repeats cogen's requirements, with their sums: that is what go mod tidy would
// write if it were allowed to reach the network.
func cmdModule(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: module path")
	}
	root := ts.Getenv("ROOT")
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	ts.Check(err)
	_, requirements, ok := strings.Cut(string(mod), "\n")
	if !ok {
		ts.Fatalf("go.mod has one line")
	}
	text := fmt.Sprintf(`module %s
%s
require github.com/cogen-go/cogen v0.0.0
replace github.com/cogen-go/cogen => %s
tool github.com/cogen-go/cogen/cmd/cogen
`, args[0], requirements, root)
	ts.Check(os.WriteFile(ts.MkAbs("go.mod"), []byte(text), 0o644))
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("go.sum"), sum, 0o644))
}

// cmdStatus runs a command and compares its exit code.
func cmdStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status n command [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%s exits with %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

var sizes = regexp.MustCompile(`\d+ bytes`)

// cmdSizeless makes output comparable that has the sizes of futures of package rt, which
// are none of a script's business.
func cmdSizeless(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sizeless file")
	}
	text := sizes.ReplaceAllString(ts.ReadFile("stdout"), "# bytes")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}
