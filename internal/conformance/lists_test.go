package main

import (
	"slices"
	"strings"
	"testing"
)

// TestLists checks what the rest relies on: programs have folders of their own,
// whose names the go command accepts, and none is both run and excluded.
func TestLists(t *testing.T) {
	folders := make(map[string]program)
	all := allPrograms()
	for _, p := range all {
		if !strings.HasSuffix(string(p), ".go") || strings.HasSuffix(string(p), "_test.go") {
			t.Errorf("%s is no program", p)
		}
		folder := p.folder()
		if q, taken := folders[folder]; taken {
			t.Errorf("%s and %s share the folder %s", p, q, folder)
		}
		folders[folder] = p
		if strings.ContainsAny(folder, "/ ") || strings.HasPrefix(folder, "_") || strings.HasPrefix(folder, ".") {
			t.Errorf("%s: the go command ignores the folder %s", p, folder)
		}
	}
	for _, e := range exclusions() {
		if e.reason == "" {
			t.Errorf("%s is excluded without a reason", e.program)
		}
		if slices.Contains(all, e.program) {
			t.Errorf("%s is excluded, but in the list", e.program)
		}
	}
}

func TestChoose(t *testing.T) {
	all := choose(&options{})
	if len(all) != len(allPrograms()) {
		t.Fatalf("%d programs chosen of %d", len(all), len(allPrograms()))
	}
	ten := choose(&options{slice: 10})
	if !slices.Equal(ten, all[:10]) {
		t.Errorf("a slice is not the beginning of the whole run: %q", ten)
	}
	if slices.Equal(ten, choose(&options{slice: 10, seed: "other"})) {
		t.Error("the seed does not matter")
	}
}

func TestKnown(t *testing.T) {
	if _, err := parseKnown(knownText); err != nil {
		t.Errorf("the list that is checked in: %v", err)
	}
	known, err := parseKnown("# comment\n\nhelloworld.go\tline numbers\tprints __LINE__\n")
	if err != nil {
		t.Fatal(err)
	}
	if want := (difference{"helloworld.go", "line numbers", "prints __LINE__"}); known["helloworld.go"] != want {
		t.Errorf("got %v, want %v", known, want)
	}
	var many strings.Builder
	for _, p := range allPrograms()[:len(allPrograms())*maxKnown/100+1] {
		many.WriteString(string(p) + "\tstack text\tprints its stack\n")
	}
	for _, c := range []struct{ text, want string }{
		{"helloworld.go\tline numbers\n", "want program, kind and reason"},
		{"helloworld.go\ttoo hard\tnobody knows why\n", "no kind of difference"},
		{"goodbyeworld.go\tline numbers\tprints them\n", "not one of the programs"},
		{strings.Repeat("helloworld.go\tline numbers\tprints them\n", 2), "known.txt:2: helloworld.go is listed twice"},
		{many.String(), "at most 2% may differ"},
	} {
		if _, err := parseKnown(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: error %v, want one with %q", c.text, err, c.want)
		}
	}
}
