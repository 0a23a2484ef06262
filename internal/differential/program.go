package differential

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/cogen-go/cogen/internal/progen"
)

// A Program is the source of a package of one file that declares Main, and work with
// an annotation.
type Program struct {
	// Name is the name of the package; it differs from those of the others of a
	// batch.
	Name   string
	Source []byte
}

// FromSeed returns the program of a seed.
func FromSeed(seed uint64) Program {
	name := fmt.Sprintf("s%d", seed)
	return Program{name, progen.Generate(seed, name)}
}

const directive = "//cogen:async"

// strip takes every second annotation away, but never that of work. parity chooses
// which half stays.
func (p Program) strip(parity int) Program {
	lines := strings.Split(string(p.Source), "\n")
	n := 0
	for i, line := range lines {
		if line != directive || i+1 < len(lines) && strings.HasPrefix(lines[i+1], "func work()") {
			continue
		}
		if n++; n%2 == parity {
			lines[i] = "//"
		}
	}
	return Program{p.Name, []byte(strings.Join(lines, "\n"))}
}

// rename returns the program as a package of another name.
func (p Program) rename(name string) Program {
	src := bytes.Replace(p.Source, []byte("package "+p.Name+"\n"), []byte("package "+name+"\n"), 1)
	return Program{name, src}
}

// A Difference says how a program does something else than its plain form.
type Difference struct {
	Kind Kind
	// Mode is the mode or variant in which it shows.
	Mode string
	// Detail is for a person: the difference of the traces, the error.
	Detail string
}

// A Kind is a kind of difference. Shrinking a program keeps it.
type Kind string

const (
	// Refused: cogen reports an error for a program that compiles.
	Refused Kind = "refused"
	// Internal: cogen fails.
	Internal Kind = "internal error"
	// Uncompilable: what cogen made does not compile.
	Uncompilable Kind = "uncompilable"
	// Traces: what the program recorded is not the same.
	Traces Kind = "traces"
	// Stopped: the program crashed or did not end.
	Stopped Kind = "stopped"
	// Compiler: the Go compiler fails with an internal error, which says nothing about
	// cogen.
	Compiler Kind = "compiler"
	// Oracle: the plain form crashed or did not end, or does not compile: the program is wrong.
	Oracle Kind = "oracle"
)

func (d *Difference) String() string {
	return fmt.Sprintf("%s in mode %s\n%s", d.Kind, d.Mode, d.Detail)
}
