package differential

import (
	"bytes"
	"fmt"
	"go/format"
	"text/template"
)

// The driver runs programs one after the other in one of the modes, and prints a line
// before and after each. A program that does not end ends the driver.
var driverTemplate = template.Must(template.New("driver").Parse(`package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime/pprof"
	"time"

	"` + modulePath + `/internal/progen/trace"
	"` + modulePath + `/rt"
{{range .}}
	"` + programsPath + `/{{.}}"{{end}}
)

type program struct{ plain, frames func() }

var programs = map[string]program{
{{range .}}	"{{.}}": { {{.}}.Main, {{.}}.Frames},
{{end}}}

// call is a future that calls plain code, once, inside a task.
type call struct{ f func() }

func (c *call) Poll(*rt.Context) bool { c.f(); return true }
func (c *call) Result()               {}

func main() {
	mode := os.Args[1]
	out := json.NewEncoder(os.Stdout)
	for _, name := range os.Args[2:] {
		out.Encode(map[string]string{"begins": name})
		watchdog := time.AfterFunc(` + fmt.Sprint(int64(programTimeout)) + `, func() {
			pprof.Lookup("goroutine").WriteTo(os.Stderr, 2)
			os.Exit(3)
		})
		trace.Begin(` + fmt.Sprint(fuel) + `)
		how := run(programs[name], mode)
		watchdog.Stop()
		out.Encode(map[string]string{"ends": name, "trace": trace.End() + how})
	}
}

// run returns how the program ended.
func run(p program, mode string) (how string) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		how = "goexit"
		defer func() {
			if e := recover(); e != nil {
				how = "panic " + trace.Sprint(e)
			}
		}()
		switch mode {
		case "plain":
			p.plain()
		case "task":
			rt.Run(&call{p.plain})
		case "frames":
			p.frames()
		}
		how = "returned"
	}()
	<-ended
	return how
}

var _ = fmt.Sprint
`))

// driverSource returns the source of a driver for the programs.
func driverSource(names []string) []byte {
	var b bytes.Buffer
	if err := driverTemplate.Execute(&b, names); err != nil {
		panic(err)
	}
	text, err := format.Source(b.Bytes())
	if err != nil {
		panic(fmt.Sprintf("%v\n%s", err, b.Bytes()))
	}
	return text
}
