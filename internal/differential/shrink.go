package differential

import (
	"bytes"
	"fmt"
	"go/format"
	"regexp"
	"sort"
	"time"

	"github.com/cogen-go/cogen/internal/progen"
)

// Shrinking a program.
//
// A shrinker tries edits (shrink_edits.go) many at a time, first large groups of
// them and then smaller ones, as delta debugging does. Programs that do not
// type-check any more are dropped at once; the others are run as one batch. Of
// those that still differ in the same way all edits are tried together, and else the
// edits of the smallest program are taken.
//
// See Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input,
// IEEE TSE 28(2), 2002.

// A shrinker makes one program smaller.
type shrinker struct {
	// run runs programs in the round that the difference showed in.
	run      func([]Program) ([]*Difference, error)
	program  Program
	kind     Kind
	deadline time.Time
	// last is the difference that the program shows now.
	last *Difference
	n    int
}

// candidates is how many programs are tried at a time.
const candidates = 12

// Shrink returns a smaller program that differs as p does in the given round, and
// its difference. It begins no batch after the given time.
func (r *Runner) Shrink(p Program, d *Difference, round int, budget time.Duration) (Program, *Difference) {
	s := &shrinker{
		run:      func(list []Program) ([]*Difference, error) { return r.Run(list, round) },
		program:  p,
		kind:     d.Kind,
		deadline: time.Now().Add(budget),
		last:     d,
	}
	s.shrink()
	return s.program, s.last
}

func (s *shrinker) shrink() {
	// A variable that is used where it is declared stays used, whatever else goes.
	if used, ok := s.build(useVariables(s.program)); ok {
		s.try([][]edit{{used}})
	}
	for changed := true; changed && time.Now().Before(s.deadline); {
		changed = false
		for _, find := range passes {
			changed = s.pass(find) || changed
		}
	}
}

// build makes an edit out of several that are needed together.
func (s *shrinker) build(list []edit) (edit, bool) {
	text, ok := apply(s.program.Source, list)
	return edit{0, len(s.program.Source), string(text)}, ok && len(list) > 0
}

// pass tries the edits that find returns, in groups that get smaller. It
// reports whether the program has become smaller.
func (s *shrinker) pass(find func(Program) []edit) bool {
	changed := false
	for size := max(len(find(s.program))/4, 1); ; size /= 2 {
		for from := 0; time.Now().Before(s.deadline); {
			edits := find(s.program)
			groups, next := s.groups(edits, from, size)
			if len(groups) == 0 {
				break
			}
			before := len(edits)
			if s.try(groups) {
				changed = true
				// What is behind has moved up.
				next -= max(before-len(find(s.program)), 0)
			}
			from = max(next, from+1)
			if next >= before {
				break
			}
		}
		if size <= 1 {
			return changed
		}
	}
}

// groups returns the next groups of size edits, from the index given, whose programs
// type-check, and the index behind them.
func (s *shrinker) groups(edits []edit, from, size int) ([][]edit, int) {
	var out [][]edit
	i := from
	for ; i < len(edits) && len(out) < candidates; i += size {
		group := edits[i:min(i+size, len(edits))]
		if s.typeChecks(group) {
			out = append(out, group)
		} else if size > 1 {
			// Some of it may be possible.
			var some []edit
			for _, e := range group {
				if s.typeChecks(append(some[:len(some):len(some)], e)) {
					some = append(some, e)
				}
			}
			if len(some) > 0 {
				out = append(out, some)
			}
		}
	}
	return out, i
}

func (s *shrinker) typeChecks(list []edit) bool {
	text, ok := apply(s.program.Source, list)
	if !ok || bytes.Equal(text, s.program.Source) {
		return false
	}
	_, _, err := progen.Check(text, nil)
	return err == nil
}

// try runs the program with each of the groups, and takes what still differs.
func (s *shrinker) try(groups [][]edit) bool {
	differ := s.differing(groups)
	switch len(differ) {
	case 0:
		return false
	case 1:
	default:
		var all []edit
		for _, i := range differ {
			all = append(all, groups[i]...)
		}
		if s.typeChecks(all) && len(s.differing([][]edit{all})) == 1 {
			s.take(all)
			return true
		}
		sort.SliceStable(differ, func(i, j int) bool { return s.length(groups[differ[i]]) < s.length(groups[differ[j]]) })
	}
	s.take(groups[differ[0]])
	return true
}

func (s *shrinker) length(list []edit) int {
	text, _ := apply(s.program.Source, list)
	return len(text)
}

func (s *shrinker) take(list []edit) {
	s.program.Source, _ = apply(s.program.Source, list)
}

// differing returns the indexes of the groups with which the program still differs.
func (s *shrinker) differing(groups [][]edit) []int {
	var programs []Program
	for _, g := range groups {
		text, _ := apply(s.program.Source, g)
		s.n++
		programs = append(programs, Program{s.program.Name, text}.rename(fmt.Sprintf("%sx%d", s.program.Name, s.n)))
	}
	differences, err := s.run(programs)
	if err != nil {
		return nil // a candidate upset the tools; the program stays as it is
	}
	var out []int
	for i, d := range differences {
		if d != nil && d.Kind == s.kind {
			out = append(out, i)
			s.last = d
		}
	}
	return out
}

// An edit replaces a part of a source.
type edit struct {
	from, to int
	text     string
}

// apply makes the edits, and tidies up. It reports false if the result is no Go
// source.
func apply(src []byte, list []edit) ([]byte, bool) {
	text, err := format.Source(dropImports(merge(src, list)))
	return blankLines.ReplaceAll(text, []byte("\n$1")), err == nil
}

// merge makes the edits; one inside another is left out.
func merge(src []byte, list []edit) []byte {
	list = append([]edit(nil), list...)
	sort.SliceStable(list, func(i, j int) bool {
		if list[i].from != list[j].from {
			return list[i].from < list[j].from
		}
		return list[i].to > list[j].to
	})
	var b bytes.Buffer
	at := 0
	for _, e := range list {
		if e.from < at {
			continue
		}
		b.Write(src[at:e.from])
		b.WriteString(e.text)
		at = e.to
	}
	b.Write(src[at:])
	return b.Bytes()
}

// dropImports removes the imports that nothing mentions any more.
func dropImports(src []byte) []byte {
	for _, m := range importLine.FindAllSubmatch(src, -1) {
		if !bytes.Contains(src, append(m[1], '.')) {
			src = bytes.Replace(src, m[0], nil, 1)
		}
	}
	return emptyGroup.ReplaceAll(src, nil)
}

var (
	importLine = regexp.MustCompile(`\t"\S*/(\w+)"\n`)
	emptyGroup = regexp.MustCompile(`(?m)^(?:import|type) \(\s*\)\n`)
)

// blankLines are those inside declarations.
var blankLines = regexp.MustCompile(`\n(?:[ \t]*\n)+([\t}])`)
