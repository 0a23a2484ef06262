// Package interfaces calls through interfaces, function values and fields.
package interfaces

import (
	"fmt"
	"slices"
	"sort"

	"github.com/cogen-go/cogen/rt"
)

type speaker interface{ speak(n int) string }

type dog struct{ name string }

//cogen:async
func (d dog) speak(n int) string { step(n); return d.name }

// cat has no async form.
type cat struct{}

func (cat) speak(n int) string { return fmt.Sprint("cat", n) }

// fish awaits in plain code.
type fish struct{}

func (fish) speak(n int) string { return fmt.Sprint("fish", step(n)) }

type pack struct {
	speaker
	say func(int) string
}

//cogen:async
func work() {
	for i, s := range []speaker{dog{"rex"}, cat{}, &dog{"ptr"}, fish{}} {
		fmt.Println(s.speak(step(i)))
	}
	p := pack{dog{"packed"}, dog{"func"}.speak}
	fmt.Println(p.speak(1), p.say(2))
	f := speaker.speak
	fmt.Println(f(dog{"expr"}, 3))
	fmt.Println(generic(dog{"generic"}), generic[speaker](cat{}))
	var fns = map[string]func(int) int{"step": step, "neg": func(n int) int { return -step(n) }}
	fmt.Println(fns["step"](4), fns["neg"](5))
	fmt.Println(call(step, 6), call(twice, 7))
	sort.Slice(items(), func(i, j int) bool { return step(i) < j })
	s := []int{3, 1, 2}
	slices.SortFunc(s, func(a, b int) int { rt.Yield(); return a - b })
	fmt.Println(s)
	var e error = failure{step(8)}
	fmt.Println(e)
	fmt.Println(fmt.Sprintf("%v", failure{9}))
}

type failure struct{ n int }

// Error is called by fmt, which knows nothing of awaits.
func (f failure) Error() string { return fmt.Sprint("failure ", step(f.n)) }

//cogen:async
func twice(n int) int { return step(n) + step(n) }

//cogen:async
func call(f func(int) int, n int) int { return f(step(n)) }

//cogen:async
func generic[S speaker](s S) string { step(1); return s.speak(2) }

//cogen:async
func items() []int { step(2); return []int{1} }

// step stands for an await point: it prints, suspends once and returns n.
//
//cogen:async
func step(n int) int {
	fmt.Println("step", n)
	rt.Yield()
	return n
}

// Main is the program.
func Main() { work() }
