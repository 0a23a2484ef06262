package trace

import (
	"errors"
	"strings"
	"testing"
)

type point struct {
	x int
	p *point
}

// TestSprint checks that values are shown with their types and without anything that
// changes from run to run.
func TestSprint(t *testing.T) {
	var nilMap map[string]int
	for _, c := range []struct {
		v    any
		want string
	}{
		{nil, "nil"},
		{1, "1"},
		{uint8(1), "uint8(1)"},
		{"a\xff", `"a\xff"`},
		{strings.Repeat("a", 50), `"` + strings.Repeat("a", 40) + `"+10#c5394ba7`},
		{point{1, &point{2, nil}}, "trace.point{1 &trace.point{2 (*trace.point)(nil)}}"},
		{[]any{1, nil}, "[]interface {}[1 nil]2"},
		{map[string]int{"b": 1, "a": 2}, `map[string]int["a":2 "b":1]`},
		{nilMap, "map[string]int(nil)"},
		{func() {}, "func()"},
		{(func())(nil), "nil func()"},
		{make(chan int, 1), "chan int(0)"},
		{errors.New("e"), `&errors.errorString{"e"}`},
		{caught(func() { var s []int; _ = s[1] }), "runtime.boundsError(runtime error: index out of range [1] with length 0)"},
		{caught(func() { _ = any(1).(string) }), "*runtime.TypeAssertionError(interface conversion: interface {} is int, not string)"},
	} {
		if got := Sprint(c.v); got != c.want {
			t.Errorf("Sprint gives %s, want %s", got, c.want)
		}
	}
}

func caught(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// TestFuel checks that a program gets as many steps as it was promised.
func TestFuel(t *testing.T) {
	Begin(2)
	for range 2 {
		if Spent() {
			t.Error("spent too early")
		}
	}
	if !Spent() {
		t.Error("never spent")
	}
	Show("x", 1)
	if got, want := End(), "\"x\" 1\nfuel 0\n"; got != want {
		t.Errorf("the trace is %q, want %q", got, want)
	}
}
