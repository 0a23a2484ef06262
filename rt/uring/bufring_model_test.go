//go:build linux

package uring

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// modelKernel plays the kernel's side of a buffer ring (io_uring/kbuf.c): it takes
// buffers at the head, writes into them, and makes completions.
type modelKernel struct {
	b    *BufRing
	head uint16
	rnd  *rand.Rand
	pos  byte // of the pattern
}

func (k *modelKernel) entry() *bufEntry {
	return &k.b.entries[int(k.head)&(len(k.b.entries)-1)]
}

// shown is the tail as the kernel sees it.
func (k *modelKernel) shown() uint16 { return k.b.entries[0].resv }

// fill writes n bytes into the buffer at the head, from where it is used up to.
func (k *modelKernel) fill(n int) (wrote []byte) {
	e := k.entry()
	mem := k.b.bufs[e.bid].mem
	off := int(e.addr - address(mem))
	if off+int(e.len) > len(mem) || n > int(e.len) {
		panic(fmt.Sprintf("entry %+v is not inside its buffer", *e))
	}
	for i := range n {
		mem[off+i] = k.pos
		k.pos++
	}
	return mem[off : off+n]
}

// receive plays a receive of n bytes and returns its completion, with what it has
// written as want. ok is false if there is no buffer.
func (k *modelKernel) receive(n int, bundle bool) (c CQE, want []byte, ok bool) {
	if k.head == k.shown() {
		return c, nil, false
	}
	c.Flags = CQEBuffer | CQEMore | uint32(k.entry().bid)<<cqeBufferShift
	if n == 0 {
		// An error or the end of a stream of a request that has its buffer
		// already.
		k.head++
		return c, nil, true
	}
	for c.Res < int32(n) && k.head != k.shown() {
		e := k.entry()
		m := min(n-int(c.Res), int(e.len))
		want = append(want, k.fill(m)...)
		c.Res += int32(m)
		if k.b.Incremental() && m < int(e.len) {
			e.addr += uint64(m)
			e.len -= uint32(m)
			c.Flags |= CQEBufMore
			break
		}
		k.head++
		if !bundle {
			break
		}
	}
	return c, want, true
}

// TestBufRingModel runs random receives against the model, with completions that come
// late, and where that is allowed in any order, and chunks that are kept. Every chunk has
// the bytes of its completion until it is put back, and every buffer comes back.
func TestBufRingModel(t *testing.T) {
	lock(t)
	r := openRing(t, Config{})
	seeds := 3000
	if testing.Short() {
		seeds = 300
	}
	for seed := range seeds {
		if !testBufRingModel(t, r, uint64(seed)) {
			t.Fatalf("seed %d", seed)
		}
	}
}

func testBufRingModel(t *testing.T, r *Ring, seed uint64) (ok bool) {
	rnd := rand.New(rand.NewPCG(seed, 0))
	cfg := BufRingConfig{
		Size:        1 + rnd.IntN(40),
		Buffers:     1 + rnd.IntN(9),
		Incremental: rnd.IntN(2) == 0,
	}
	cfg.Max = cfg.Buffers + rnd.IntN(9)
	b := openBufRing(t, r, cfg)
	defer b.Close()
	k := &modelKernel{b: b, rnd: rnd}

	type completion struct {
		c    CQE
		want []byte
	}
	type lent struct {
		chunk Chunk
		want  string
	}
	var late []completion
	var held []lent
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("seed %d, %+v: %v", seed, cfg, p)
			ok = false
		}
	}()
	take := func(i int) bool {
		c := late[i]
		late = append(late[:i], late[i+1:]...)
		for _, chunk := range b.Take(nil, c.c) {
			if len(chunk.Data) > len(c.want) || string(chunk.Data) != string(c.want[:len(chunk.Data)]) {
				t.Errorf("%+v: chunk %v, want a part of %v", c.c, chunk, c.want)
				return false
			}
			held = append(held, lent{chunk, string(chunk.Data)})
			c.want = c.want[len(chunk.Data):]
		}
		if len(c.want) > 0 {
			t.Errorf("%+v: %d bytes were not found", c.c, len(c.want))
			return false
		}
		return true
	}
	put := func(i int) bool {
		h := held[i]
		held = append(held[:i], held[i+1:]...)
		if string(h.chunk.Data) != h.want {
			t.Errorf("chunk %+v was written over", h.chunk)
			return false
		}
		b.Put(h.chunk)
		return true
	}
	for range 200 {
		switch rnd.IntN(4) {
		case 0, 1:
			n := rnd.IntN(3 * cfg.Size)
			if cfg.Incremental {
				n++ // a buffer that is used up without a byte is not reported
			}
			if c, want, ok := k.receive(n, rnd.IntN(2) == 0); ok {
				late = append(late, completion{c, want})
			} else if rnd.IntN(3) == 0 {
				b.Grow(1 + rnd.IntN(3))
			}
		case 2:
			if len(late) == 0 {
				break
			}
			i := 0
			if !cfg.Incremental {
				i = rnd.IntN(len(late))
			}
			if !take(i) {
				return false
			}
		case 3:
			if len(held) > 0 && !put(rnd.IntN(len(held))) {
				return false
			}
		}
	}
	for len(late) > 0 {
		if !take(0) {
			return false
		}
	}
	for len(held) > 0 {
		if !put(len(held) - 1) {
			return false
		}
	}
	if n := int(k.shown() - k.head); b.Available() != b.Buffers() || n != b.Buffers() {
		t.Errorf("%d available, %d with the kernel, of %d", b.Available(), n, b.Buffers())
		return false
	}
	return true
}
