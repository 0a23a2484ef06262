package rt

import (
	"bytes"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
)

// What one Write writes is in one piece, whoever else writes.
func TestWritesAreNotInterleaved(t *testing.T) {
	const writers, rounds, size = 9, 10, 150_000
	netDrivers(t, func(t *testing.T, r *Runtime) {
		c, p := connPair(t)
		defer c.Close()
		defer p.Close()
		var writing sync.WaitGroup
		for i := range writers {
			conn := connForms[i%len(connForms)].wrap(c)
			writing.Go(func() {
				block := bytes.Repeat([]byte{byte(i)}, size)
				for range rounds {
					if n, err := conn.Write(block); n != size || err != nil {
						t.Errorf("write: %d, %v", n, err)
					}
				}
			})
		}
		var seen [writers]int
		block := make([]byte, size)
		for range writers * rounds {
			if _, err := p.ReadFull(block); err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(block, block[:1]); n != size {
				t.Fatalf("a block has %d bytes of the same write, want %d", n, size)
			}
			seen[block[0]]++
		}
		writing.Wait()
		for i, n := range seen {
			if n != rounds {
				t.Errorf("writer %d: %d blocks, want %d", i, n, rounds)
			}
		}
	})
}

// Of several that read at once each byte goes to exactly one.
func TestReadsShareTheStream(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		c, p := connPair(t)
		defer c.Close()
		var reading sync.WaitGroup
		var mu sync.Mutex
		var got [256]int
		for i := range 6 {
			conn := connForms[i%len(connForms)].wrap(c)
			reading.Go(func() {
				b := make([]byte, 37)
				for {
					n, err := conn.Read(b)
					mu.Lock()
					for _, v := range b[:n] {
						got[v]++
					}
					mu.Unlock()
					if err != nil {
						if err != io.EOF {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		var want [256]int
		out := noise(4, 50_000)
		for _, v := range out {
			want[v]++
		}
		for len(out) > 0 {
			n := min(len(out), 1+rand.IntN(300))
			if _, err := p.Write(out[:n]); err != nil {
				t.Error(err)
			}
			out = out[n:]
		}
		p.Close()
		reading.Wait()
		if got != want {
			t.Error("what the readers got together is not what was sent")
		}
	})
}
