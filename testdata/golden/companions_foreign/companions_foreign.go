// Package companions_foreign awaits functions of the standard library for which
// another package has companions.
package companions_foreign

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

	_ "github.com/cogen-go/cogen/testdata/golden/companions_foreign/lines"
)

//cogen:async
func read(r *bufio.Reader) error {
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return err
		}
		fmt.Print(strings.ToUpper(line), strings.ToLower(line), unicode.IsUpper(rune(line[0])), "\n")
	}
}

// A wrapper promotes the method.
type wrapper struct{ *bufio.Reader }

//cogen:async
func last(w wrapper) string {
	line, err := w.ReadString('.')
	return fmt.Sprintf("%q %v", strings.ToUpper(line), err)
}

//cogen:async
func work() {
	fmt.Println(read(bufio.NewReader(strings.NewReader("one\nTwo\n"))) == io.EOF)
	fmt.Println(last(wrapper{bufio.NewReader(strings.NewReader("a.b"))}))
}

func Main() { work() }
