// Package portability tests what package rt promises on every system, through its
// exported names only. With the build tag cogen_portable it tests on Linux what other
// systems compile.
package portability

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/cogen-go/cogen/rt"
)

// plainly is a task that calls a function.
type plainly struct{ f func() }

func (p *plainly) Poll(*rt.Context) bool {
	p.f()
	return true
}

// everywhere runs f on a goroutine and in a task.
func everywhere(t *testing.T, f func(t *testing.T)) {
	t.Run("goroutine", f)
	t.Run("task", func(t *testing.T) { rt.Run(&plainly{func() { f(t) }}) })
}

func TestFiles(t *testing.T) {
	everywhere(t, func(t *testing.T) {
		dir := t.TempDir()
		a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		check(rt.WriteFile(a, []byte("hello"), 0o644))
		f, err := rt.OpenFile(a, os.O_RDWR, 0)
		check(err)
		if n, err := f.ReadAt(make([]byte, 10), 2); n != 3 || err != io.EOF {
			t.Errorf("read over the end: %d, %v", n, err)
		}
		if n, err := f.WriteAt([]byte("xyz"), 5); n != 3 || err != nil {
			t.Errorf("write: %d, %v", n, err)
		}
		buf := make([]byte, 4)
		if n, err := f.Read(buf); string(buf[:n]) != "hell" || err != nil {
			t.Errorf("read %q, %v", buf[:n], err)
		}
		if pos, err := f.Seek(1, io.SeekCurrent); pos != 5 || err != nil {
			t.Errorf("seek: %d, %v", pos, err)
		}
		if n, err := f.Write([]byte("!")); n != 1 || err != nil {
			t.Errorf("write: %d, %v", n, err)
		}
		check(f.Sync())
		check(f.Truncate(7))
		if info, err := f.Stat(); err != nil || info.Size() != 7 {
			t.Errorf("stat: %v, %v", info, err)
		}
		check(f.Close())
		if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("second close: %v", err)
		}
		check(rt.Rename(a, b))
		if err := rt.Rename(a, b); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("rename nothing: %v", err)
		}
		if got, err := rt.ReadFile(b); string(got) != "hello!y" || err != nil {
			t.Errorf("content %q, %v", got, err)
		}
		check(rt.MkdirAll(filepath.Join(dir, "c", "d"), 0o755))
		check(rt.Mkdir(filepath.Join(dir, "e"), 0o755))
		check(fstest.TestFS(rt.DirFS(dir), "b", "c/d", "e"))
		if entries, err := rt.ReadDir(dir); len(entries) != 3 || err != nil {
			t.Errorf("%d entries, %v", len(entries), err)
		}
		check(rt.Remove(filepath.Join(dir, "e")))
		if err := rt.Remove(filepath.Join(dir, "e")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("remove nothing: %v", err)
		}
	})
}

func TestConnections(t *testing.T) {
	everywhere(t, func(t *testing.T) {
		l, err := rt.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		server := rt.Go(&plainly{func() {
			for {
				c, err := l.AcceptConn()
				if err != nil {
					return
				}
				rt.Go(&plainly{func() {
					defer c.Close()
					io.Copy(c, c)
				}})
			}
		}})
		c, err := rt.DialTimeout("tcp", l.Addr().String(), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 4)
		c.Write([]byte("ping"))
		if _, err := c.ReadFull(buf); string(buf) != "ping" || err != nil {
			t.Errorf("echo: %q, %v", buf, err)
		}
		if !rt.WithTimeout(5*time.Millisecond, c.ReadAsync(buf)).Canceled() {
			t.Error("a read that waits was not given up")
		}
		// One that is given up while its first bytes come in does not wait for the rest.
		c.Write([]byte("x"))
		partial := &givenUp{ReadFullFuture: c.ReadFullAsync(buf)}
		ended := make(chan struct{})
		go func() {
			rt.Run(partial)
			close(ended)
		}()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			t.Fatal("a read goes on after it was given up")
		}
		n, err := partial.Result()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("given up amidst: %d, %v", n, err)
		}
		if n == 0 {
			c.ReadFull(buf[:1]) // it was given up before
		}
		c.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
		if _, err := c.Read(buf); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("read after the deadline: %v", err)
		}
		c.SetReadDeadline(time.Time{})
		c.Write([]byte("pong"))
		loan, err := c.Borrow()
		if string(loan.Bytes()) != "pong" || err != nil {
			t.Errorf("borrowed %q, %v", loan.Bytes(), err)
		}
		loan.Return()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		server.Wait()
	})
}

// givenUp is given up when its first bytes have certainly come in.
type givenUp struct {
	*rt.ReadFullFuture
	begun bool
}

func (f *givenUp) Poll(cx *rt.Context) bool {
	if !f.begun {
		f.begun = true
		if f.ReadFullFuture.Poll(cx) {
			return true
		}
		time.Sleep(50 * time.Millisecond)
		f.Cancel(cx)
	}
	return f.ReadFullFuture.Poll(cx)
}

// TestStreams moves bytes between connections and files in the ways that there are.
func TestStreams(t *testing.T) {
	everywhere(t, func(t *testing.T) {
		l, err := rt.ListenConfig{}.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		pair := func() (client, server *rt.Conn) {
			t.Helper()
			client, err := rt.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			if server, err = l.AcceptConn(); err != nil {
				t.Fatal(err)
			}
			return client, server
		}
		client, in := pair()
		out, peer := pair()
		v := net.Buffers{[]byte("several "), nil, []byte("buffers, ")}
		if n, err := client.WriteBuffers(&v); n != 17 || err != nil || len(v) != 0 {
			t.Errorf("write of buffers: %d, %v, %d are left", n, err, len(v))
		}
		name := filepath.Join(t.TempDir(), "file")
		if err := rt.WriteFile(name, []byte("and a file"), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := rt.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if n, err := client.ReadFrom(f); n != 10 || err != nil {
			t.Errorf("copy from a file: %d, %v", n, err)
		}
		client.CloseWrite()
		if n, err := io.Copy(out, in); n != 27 || err != nil {
			t.Errorf("copy from a connection: %d, %v", n, err)
		}
		out.CloseWrite()
		if b, err := io.ReadAll(peer); string(b) != "several buffers, and a file" || err != nil {
			t.Errorf("%q, %v", b, err)
		}
		for _, c := range []*rt.Conn{client, in, out, peer} {
			c.Close()
		}
	})
}
