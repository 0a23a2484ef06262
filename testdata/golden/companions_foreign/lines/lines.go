// Package lines has companions for functions of the standard library.
package lines

import (
	"bufio"
	"strings"
	"unicode"

	"github.com/cogen-go/cogen/rt"
)

// ReaderReadStringAsync is the companion of (*bufio.Reader).ReadString.
func ReaderReadStringAsync(r *bufio.Reader, delim byte) *ReadString {
	f := &ReadString{}
	f.Init(r, delim)
	return f
}

// A ReadString waits once, and reads.
type ReadString struct {
	yield rt.YieldFuture
	r     *bufio.Reader
	delim byte
	line  string
	err   error
}

func (f *ReadString) Init(r *bufio.Reader, delim byte) { *f = ReadString{r: r, delim: delim} }

func (f *ReadString) Poll(cx *rt.Context) bool {
	if !f.yield.Poll(cx) {
		return false
	}
	f.line, f.err = f.r.ReadString(f.delim)
	return true
}

func (f *ReadString) Result() (string, error) { return f.line, f.err }

// StringsToUpperAsync is the companion of strings.ToUpper.
func StringsToUpperAsync(s string) rt.Call1[string] { return &upper{s: s} }

type upper struct {
	yield rt.YieldFuture
	s     string
}

func (f *upper) Poll(cx *rt.Context) bool { return f.yield.Poll(cx) }
func (f *upper) Result() string           { return strings.ToUpper(f.s) }

// StringsToLower has a companion of its own, which is not that of
// strings.ToLower.
func StringsToLower(s string) string { return "lower " + s }

func StringsToLowerAsync(s string) rt.Call1[string] { return &upper{s: "lower " + s} }

// UnicodeIsUpperAsync has other results than unicode.IsUpper.
func UnicodeIsUpperAsync(r rune) rt.Call1[rune] { return &toUpper{r: r} }

type toUpper struct {
	yield rt.YieldFuture
	r     rune
}

func (f *toUpper) Poll(cx *rt.Context) bool { return f.yield.Poll(cx) }
func (f *toUpper) Result() rune             { return unicode.ToUpper(f.r) }
