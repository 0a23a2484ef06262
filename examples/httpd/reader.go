package main

import (
	"bytes"
	"io"
	"time"

	"github.com/cogen-go/cogen/internal/service"
	"github.com/cogen-go/cogen/rt"
)

// Limits of what a client may send.
const (
	// firstBuffer is what a connection starts with; it grows, up to maxHead, for
	// requests that need it.
	firstBuffer = 1 << 10
	// maxHead bounds the request line and the header fields together.
	maxHead = 16 << 10
	// maxFields bounds the number of header fields.
	maxFields = 100
	// maxBody bounds a request's body.
	maxBody = 1 << 20
)

// A reader is the input of a connection.
type reader struct {
	conn  *rt.Conn
	conns *service.Conns
	// buf[start:next] is what the current head has used, buf[next:end] what
	// was received and not used yet.
	buf              []byte
	start, next, end int
}

func newReader(c *rt.Conn, conns *service.Conns) *reader {
	return &reader{conn: c, conns: conns, buf: make([]byte, firstBuffer)}
}

// holdsRequest reports whether the end of a head has been received already, so
// that the next request can be read without waiting for the client.
func (r *reader) holdsRequest() bool {
	return bytes.Contains(r.buf[r.next:r.end], []byte("\r\n\r\n"))
}

// begin starts a new head: what came before is no longer needed.
func (r *reader) begin() {
	if r.next == r.end {
		r.next, r.end = 0, 0
	}
	r.start = r.next
}

// line returns the next line of the head without its end, which is CRLF or LF
// (RFC 9112, section 2.2). It is good until the next call.
//
//cogen:async
func (r *reader) line() ([]byte, error) {
	searched := 0
	for {
		rest := r.buf[r.next:r.end]
		if i := bytes.IndexByte(rest[searched:], '\n'); i >= 0 {
			line := rest[:searched+i]
			r.next += len(line) + 1
			return bytes.TrimSuffix(line, []byte("\r")), nil
		}
		searched = len(rest)
		if r.end-r.start >= maxHead {
			return nil, &statusError{statusHeaderTooLarge}
		}
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
}

// skip drops n bytes of a body.
//
//cogen:async
func (r *reader) skip(n int64) error {
	for {
		have := int64(r.end - r.next)
		if have >= n {
			r.next += int(n)
			return nil
		}
		n -= have
		r.next = r.end
		r.begin()
		if err := r.fill(); err != nil {
			return err
		}
	}
}

// fill waits for more input. It returns io.ErrUnexpectedEOF if the client has
// ended in the middle of a head.
//
//cogen:async
func (r *reader) fill() error {
	r.makeRoom()
	if err := r.conn.SetReadDeadline(time.Now().Add(idleTimeout)); err != nil {
		return err
	}
	inHead := r.end > r.start
	if r.conns.Stopping() && !inHead {
		return io.EOF
	}
	n, err := r.conn.Read(r.buf[r.end:])
	r.end += n
	if err == io.EOF && inHead {
		return io.ErrUnexpectedEOF
	}
	return err
}

// makeRoom sees to it that there is room for input behind the current head.
func (r *reader) makeRoom() {
	if r.end < len(r.buf) {
		return
	}
	buf := r.buf
	if r.start == 0 {
		buf = make([]byte, 2*len(r.buf))
	}
	r.end = copy(buf, r.buf[r.start:r.end])
	r.next -= r.start
	r.start = 0
	r.buf = buf
}
