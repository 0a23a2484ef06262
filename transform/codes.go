package transform

// A code is a kind of diagnostic. Codes are stable: a number is never used for
// something else.
type code struct {
	name     string
	severity Severity
	// doc says when the code is reported and what to do.
	doc string
	// example is the source of a file, or a txtar archive of the files of a
	// package, for which exactly this code is reported. A test sees to it.
	example string
}

// codes has every code; newCode adds to it.
var codes []*code

func newCode(c code) *code {
	codes = append(codes, &c)
	return &c
}

var codeSource = newCode(code{
	name: "C1001",
	doc: `The source does not parse or does not type-check. Names that cogen generates
count as declared.`,
	example: `package p

//cogen:async
func f() int { return "one" }
`,
})
