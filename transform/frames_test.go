package transform

import (
	"fmt"
	"go/types"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// typical are functions as users write them, whose frames docs/frames.md shows
// next to those of the examples.
const typical = `package typical

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"time"

	"github.com/cogen-go/cogen/rt"
)

// wait waits, and has nothing else.
//
//cogen:async
func wait() { rt.Yield() }

// retry sleeps between attempts.
//
//cogen:async
func retry(attempts int, pause time.Duration, f func() error) (err error) {
	for range attempts {
		if err = f(); err == nil {
			return nil
		}
		time.Sleep(pause)
		pause *= 2
	}
	return err
}

// readMessage reads a length and as many bytes.
//
//cogen:async
func readMessage(c *rt.Conn, max int) ([]byte, error) {
	var head [4]byte
	if _, err := c.ReadFull(head[:]); err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint32(head[:]))
	if n > max {
		return nil, io.ErrShortBuffer
	}
	body := make([]byte, n)
	_, err := c.ReadFull(body)
	return body, err
}

// call sends a request and waits for the reply: two calls of each kind, one frame
// for each kind.
//
//cogen:async
func call(c *rt.Conn, request []byte) ([]byte, error) {
	var head [4]byte
	binary.BigEndian.PutUint32(head[:], uint32(len(request)))
	if _, err := c.Write(head[:]); err != nil {
		return nil, err
	}
	if _, err := c.Write(request); err != nil {
		return nil, err
	}
	return readMessage(c, 1<<20)
}

// copyAll works on any connection.
//
//cogen:async
func copyAll(dst, src net.Conn, buf []byte) (total int64, err error) {
	for {
		n, err := src.Read(buf)
		if n > 0 {
			if _, err := dst.Write(buf[:n]); err != nil {
				return total, err
			}
			total += int64(n)
		}
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

// consume takes from a channel until it is told to stop.
//
//cogen:async
func consume(ctx context.Context, work <-chan int, sum *int) error {
	for {
		select {
		case n, ok := <-work:
			if !ok {
				return nil
			}
			*sum += n
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// update holds a lock, which a deferred call releases.
//
//cogen:async
func update(mu *sync.Mutex, c *rt.Conn, count *int, b []byte) error {
	mu.Lock()
	defer mu.Unlock()
	*count++
	_, err := c.Write(b)
	return err
}

type node struct {
	value       int
	left, right *node
}

// walk awaits itself; each call in progress has a frame of its own.
//
//cogen:async
func (n *node) walk(visit func(int)) {
	if n == nil {
		return
	}
	n.left.walk(visit)
	rt.Yield()
	visit(n.value)
	n.right.walk(visit)
}
`

// A frameRow is what docs/frames.md says of one function.
type frameRow struct {
	name                          string
	awaits                        int
	params, live, children, frame int64
}

// frameRows measures the frames of a package, for amd64.
func frameRows(prog *program, p *sourcePackage) ([]frameRow, []File) {
	var rows []frameRow
	var files []File
	if prog.colours == nil {
		prog.colourAll()
	}
	irs := map[string][]*irFunc{}
	for _, file := range p.files {
		var fns []*irFunc
		for _, fn := range file.async {
			fns = append(fns, prog.compileWithLiterals(fn)...)
		}
		content, err := emitFile(prog, file, fns)
		if err != nil {
			panic(err)
		}
		files = append(files, File{Path: file.genPath, Content: content})
		irs[file.genPath] = fns
	}
	checked := prog.recheck(p, files)
	size := func(t types.Type) int64 { return prog.sizes.Sizeof(t) }
	for _, file := range p.files {
		for _, fn := range irs[file.genPath] {
			frame := checked.Scope().Lookup(fn.async.frameName).Type().Underlying().(*types.Struct)
			row := frameRow{name: fn.async.name, awaits: len(fn.awaits), frame: size(frame)}
			for _, p := range fn.params {
				row.params += size(p.typ())
			}
			for _, a := range fn.awaits {
				live := int64(0)
				for _, v := range a.live {
					live += size(v.typ())
				}
				row.live = max(row.live, live)
			}
			for i := range frame.NumFields() {
				if slices.ContainsFunc(fn.children, func(c *child) bool { return c.name == frame.Field(i).Name() }) {
					row.children += size(frame.Field(i).Type())
				}
			}
			rows = append(rows, row)
		}
	}
	return rows, files
}

// TestFramesPage keeps docs/frames.md as the frames are.
func TestFramesPage(t *testing.T) {
	if runtime.GOOS != "linux" || strconv.IntSize != 64 {
		t.Skip("futures of package rt have other sizes here")
	}
	checkPage(t, "../docs/frames.md", framesPage(t))
}

func framesPage(t *testing.T) string {
	var b strings.Builder
	b.WriteString(`# The size of frames

Bytes on a 64-bit machine, made by a test of package transform. *Kept* is the sum of the variables that are live at that await which keeps most; *children* are
the futures that the function awaits, which are part of its frame, one for each type; what is left of the *frame* is its state, parameters that are no longer
live, results, and padding. A task that runs the function as its root adds 72 bytes to the frame.

The functions of examples/echo and examples/httpd:

`)
	write := func(rows []frameRow) {
		b.WriteString("| function | awaits | parameters | kept | children | frame |\n| --- | ---: | ---: | ---: | ---: | ---: |\n")
		for _, r := range rows {
			fmt.Fprintf(&b, "| `%s` | %d | %d | %d | %d | %d |\n", r.name, r.awaits, r.params, r.live, r.children, r.frame)
		}
	}
	var rows []frameRow
	_, err := generate(t.Context(), Options{Dir: ".."}, []string{"./examples/echo", "./examples/httpd"}, func(prog *program, p *sourcePackage, _ *diagnostics) []File {
		more, files := frameRows(prog, p)
		for i := range more {
			more[i].name = p.pkg.Types.Path()[strings.LastIndex(p.pkg.Types.Path(), "/")+1:] + ": " + more[i].name
		}
		rows = append(rows, more...)
		return files
	})
	if err != nil {
		t.Fatal(err)
	}
	write(rows)
	imp, err := fuzzImporter()
	if err != nil {
		t.Fatal(err)
	}
	prog := checkFiles(Options{}, "example.com/typical", map[string]string{"typical.go": typical}, imp)
	for _, d := range prog.diags.sorted() {
		t.Fatal(d.Format(""))
	}
	b.WriteString("\nTypical functions:\n\n")
	rows, _ = frameRows(prog, prog.packages[0])
	write(rows)
	fmt.Fprintf(&b, "\n```go\n%s```\n", typical[strings.Index(typical, "// wait waits"):])
	return b.String()
}
