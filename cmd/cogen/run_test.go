package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cogen-go/cogen/transform"
)

// TestInternalError checks what is printed for a bug in cogen, which no script can
// bring about.
func TestInternalError(t *testing.T) {
	var stderr bytes.Buffer
	c := &command{stderr: &stderr}
	code := c.fail(&transform.InternalError{Func: "serve (x.go:3:1)", Value: "impossible", Stack: []byte("the stack\n")})
	if code != exitFailure {
		t.Errorf("exit code %d, want %d", code, exitFailure)
	}
	for _, want := range []string{
		"cogen: internal error while compiling serve (x.go:3:1): impossible\n",
		"this is a bug in cogen",
		"\nthe stack\n",
	} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("stderr does not have %q:\n%s", want, &stderr)
		}
	}
}
