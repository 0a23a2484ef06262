package transform

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// serverSource returns the files of a package of n pairs of functions, of 50 lines
// each, that read and write.
func serverSource(n int) map[string]string {
	const pair = `
//cogen:async
func handle%[1]d(c *rt.Conn, limit int) (total int, err error) {
	buf := make([]byte, 512)
	for total < limit {
		n, err := c.Read(buf)
		if err != nil {
			return total, fmt.Errorf("read: %%w", err)
		}
		total += n
		for i, b := range buf[:n] {
			if b == '\n' {
				if err := reply%[1]d(c, buf[:i], total); err != nil {
					return total, err
				}
			}
		}
	}
	return total, nil
}

//cogen:async
func reply%[1]d(c *rt.Conn, line []byte, n int) error {
	// An answer for each line.
	switch s := strings.TrimSpace(string(line)); {
	case s == "":
		return nil
	case strings.HasPrefix(s, "sleep"):
		time.Sleep(time.Duration(n) * time.Millisecond)
	case strings.HasPrefix(s, "sum"):
		sum := 0
		for _, f := range strings.Fields(s)[1:] {
			sum += len(f)
		}
		if _, err := c.Write(fmt.Append(nil, sum)); err != nil {
			return err
		}
	default:
		if _, err := c.Write(line); err != nil {
			return err
		}
	}
	_, err := c.Write([]byte("\n"))
	return err
}
`
	const perFile = 20
	files := map[string]string{}
	for first := 0; first < n; first += perFile {
		var b strings.Builder
		b.WriteString("package p\n\nimport (\n\t\"fmt\"\n\t\"strings\"\n\t\"time\"\n\n\t\"github.com/cogen-go/cogen/rt\"\n)\n")
		for i := first; i < min(first+perFile, n); i++ {
			fmt.Fprintf(&b, pair, i)
		}
		files[fmt.Sprintf("f%d.go", first)] = b.String()
	}
	return files
}

func generateServer(tb testing.TB, n int) (lines int) {
	imp, err := fuzzImporter()
	if err != nil {
		tb.Fatal(err)
	}
	files := serverSource(n)
	for _, src := range files {
		lines += strings.Count(src, "\n")
	}
	prog := checkFiles(Options{}, "example.com/p", files, imp)
	out := compilePackage(prog, prog.packages[0], prog.diags)
	if len(out) != len(files) || len(prog.diags.list) > 0 {
		tb.Fatalf("%d files, diagnostics %v", len(out), prog.diags.sorted())
	}
	return lines
}

// TestLinear compares what is allocated for a function in a package of many and of
// few functions: time and memory are to grow with the source, not faster.
func TestLinear(t *testing.T) {
	perFunction := func(n int) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		generateServer(t, n)
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
	}
	perFunction(1) // what is made once
	few, many := perFunction(40), perFunction(320)
	if many > 1.25*few {
		t.Errorf("%.0f KB for each of 320 pairs of functions, %.0f KB for each of 40", many/1024, few/1024)
	}
}

func BenchmarkGenerate(b *testing.B) {
	for _, n := range []int{20, 200, 1000} {
		b.Run(fmt.Sprintf("lines=%d", n*50), func(b *testing.B) {
			lines := 0
			for b.Loop() {
				lines += generateServer(b, n)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(lines), "µs/line")
		})
	}
}
