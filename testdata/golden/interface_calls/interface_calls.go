// Package interface_calls awaits methods through interfaces, if the value in the
// interface has them as async methods.
package interface_calls

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cogen-go/cogen/rt"
)

// A source has a method that another package may implement.
type source interface {
	next(n int) (string, error)
}

// words is an async source, by pointer.
type words struct{ list []string }

//cogen:async
func (w *words) next(n int) (string, error) {
	if w == nil {
		return "", errors.New("no words")
	}
	rt.Yield()
	if n >= len(w.list) {
		return "", io.EOF
	}
	return w.list[n], nil
}

// letter is an async source, by value.
type letter byte

//cogen:async
func (l letter) next(n int) (string, error) {
	rt.Yield()
	return string(rune(int(l) + n)), nil
}

// digits is not async.
type digits struct{}

func (digits) next(n int) (string, error) { return fmt.Sprint(n), nil }

// loud embeds an async source and has another method of that name.
type loud struct{ *words }

func (l loud) next(n int) (string, error) {
	s, err := l.words.next(n)
	return strings.ToUpper(s), err
}

// quiet embeds one and has nothing of its own.
type quiet struct{ *words }

// pair has a method of a generic type.
type pair[T any] struct{ first, second T }

//cogen:async
func (p pair[T]) next(n int) (string, error) {
	rt.Yield()
	if n == 0 {
		return fmt.Sprint(p.first), nil
	}
	return fmt.Sprint(p.second), nil
}

// A sink is marked: no type of this package needs to have the method.
type sink interface {
	//cogen:async
	put(format string, args ...any)
	io.Closer
}

type printer struct{ n int }

//cogen:async
func (p *printer) put(format string, args ...any) {
	rt.Yield()
	p.n++
	fmt.Printf(format, args...)
}

func (p *printer) Close() error { fmt.Println("closed after", p.n); return nil }

//cogen:async
func drain(s source, n int) {
	for i := range n {
		v, err := s.next(i)
		fmt.Printf("%q %v, ", v, err)
	}
	fmt.Println()
}

//cogen:async
func order(s source) {
	trace := func(what string, n int) int { fmt.Print(what, " "); return n }
	get := func() source { fmt.Print("get "); return s }
	if v, err := get().next(trace("arg", 1)); err == nil {
		fmt.Println(v, trace("then", 2))
	}
	fmt.Println(first(s.next(0)) + first(get().next(trace("one", 1))))
	errs := make([]error, 1)
	var all []string
	for all = nil; len(all) < 2; all = append(all, first(s.next(len(all)))) {
	}
	_, errs[trace("index", 0)] = s.next(9)
	fmt.Println(all, errs)
}

func first(s string, err error) string { return s }

// replaced changes the variable that holds the interface while an argument is
// evaluated.
//
//cogen:async
func replaced() {
	var s source = letter('a')
	n := func() int { s = digits{}; return 1 }
	v, _ := s.next(n())
	fmt.Println(v)
}

//cogen:async
func nilReceivers() {
	var w *words
	var s source = w
	v, err := s.next(0)
	fmt.Printf("%q %v\n", v, err)

	for _, s := range []source{nil, (*letter)(nil), (*loud)(nil)} {
		caught(func() { s.next(0) })
		fault(s)
	}
}

//cogen:async
func fault(s source) {
	defer func() { fmt.Println("frame:", recover()) }()
	s.next(0)
}

func caught(f func()) {
	defer func() { fmt.Println("plain:", recover()) }()
	f()
}

type holder struct {
	source
	inner struct{ *printer }
}

//cogen:async
func embedded(h *holder) {
	v, _ := h.next(1)
	fmt.Println(v)
	h.inner.put("%s\n", v)
}

//cogen:async
func marked(s sink) {
	s.put("no arguments\n")
	s.put("%v %v\n", 1, "two")
	s.put("%v %v\n", []any{3, nil}...)
	defer s.put("deferred\n")
	s.Close()
}

//cogen:async
func expressions(w *words) {
	v, err := (*words).next(w, 1)
	fmt.Println(v, err)
	v, err = letter.next('c', 2)
	fmt.Println(v, err)
	v, err = source.next(letter('d'), 2)
	fmt.Println(v, err)
	v, err = quiet.next(quiet{w}, 0)
	fmt.Println(v, err)
	v, err = pair[int].next(pair[int]{1, 2}, 1)
	fmt.Println(v, err)
	both := func() (letter, int) { return 'p', 2 }
	v, err = letter.next(both())
	fmt.Println(v, err)
	f := (*words).next
	v, err = f(w, 0)
	fmt.Println(v, err)
	defer (*printer).put(&printer{}, "%s\n", "deferred")
}

//cogen:async
func constrained[S source](s S) string {
	v, _ := s.next(0)
	return v
}

//cogen:async
func work() {
	w := &words{[]string{"one", "two"}}
	for _, s := range []source{w, letter('a'), digits{}, loud{w}, &loud{w}, quiet{w}, &quiet{w}, pair[int]{1, 2}, &pair[string]{"x", "y"}, new(letter)} {
		drain(s, 3)
	}
	order(w)
	order(digits{})
	replaced()
	nilReceivers()
	embedded(&holder{source: w, inner: struct{ *printer }{&printer{}}})
	marked(&printer{})
	expressions(w)
	fmt.Println(constrained(w), constrained(letter('z')))
	var r io.Reader = strings.NewReader("plain reader")
	b := make([]byte, 5)
	n, err := r.Read(b)
	fmt.Println(string(b[:n]), err)
}

func Main() { work() }
