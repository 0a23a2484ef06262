package load

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"time"
)

// Echo sends messages of the given size on n connections to an echo server, each
// when the one before it has come back.
func Echo(ctx context.Context, addr string, n, size int, d time.Duration, progress func(int64)) (Result, error) {
	return run(ctx, addr, n, d, progress, func(c net.Conn, i int) client { return newEchoClient(c, i, size) })
}

// EchoAll sends rounds messages of the given size on every connection, on all of
// them at once, and checks what comes back. Connections without an answer for
// long are an error.
func EchoAll(conns []net.Conn, rounds, size int) error {
	return all(conns, rounds, func(c net.Conn, i int) client { return newEchoClient(c, i, size) })
}

type echoClient struct {
	conn      net.Conn
	random    *rand.PCG
	sent, got []byte
}

// newEchoClient returns a client whose messages differ from those of all others,
// so that an answer on the wrong connection is noticed.
func newEchoClient(c net.Conn, i, size int) *echoClient {
	return &echoClient{conn: c, random: rand.NewPCG(uint64(i), 1), sent: make([]byte, size), got: make([]byte, size)}
}

func (e *echoClient) exchange() error {
	fill(e.sent, e.random)
	if _, err := e.conn.Write(e.sent); err != nil {
		return err
	}
	if _, err := io.ReadFull(e.conn, e.got); err != nil {
		return err
	}
	if !bytes.Equal(e.sent, e.got) {
		return fmt.Errorf("sent %x, got %x", e.sent, e.got)
	}
	return nil
}

func fill(b []byte, random *rand.PCG) {
	for len(b) >= 8 {
		v := random.Uint64()
		for i := range 8 {
			b[i] = byte(v >> (8 * i))
		}
		b = b[8:]
	}
	v := random.Uint64()
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
}
