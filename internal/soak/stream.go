//go:build linux

package main

import (
	"bytes"
	"encoding/binary"
)

// A stream of bytes that only its key determines, so that whoever reads a piece of it
// knows whether the bytes are the right ones, in the right place.

// period is the length after which a stream repeats. It is odd, so that pieces whose lengths
// are powers of two never hide that one was lost.
const period = 65_521

// patterns holds the streams of some keys, each twice in a row.
var patterns = func() (p [16][]byte) {
	for i := range p {
		b := make([]byte, 2*period)
		x := uint64(i)*0x9e3779b97f4a7c15 + 1
		for j := range period {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
			b[j] = byte(x >> 32)
		}
		copy(b[period:], b[:period])
		p[i] = b
	}
	return p
}()

// piece returns n bytes of the stream from offset on. They must not be changed.
func piece(key byte, offset int64, n int) []byte {
	at := int(offset % period)
	return patterns[int(key)%len(patterns)][at : at+min(n, period)]
}

// follows reports whether b is in the stream at offset.
func follows(key byte, offset int64, b []byte) bool {
	for len(b) > 0 {
		want := piece(key, offset, len(b))
		if !bytes.Equal(want, b[:len(want)]) {
			return false
		}
		offset += int64(len(want))
		b = b[len(want):]
	}
	return true
}

// A mode is what a client asks of the server.
type mode byte

const (
	modeEcho   mode = iota // send back what comes
	modeSource             // send the stream, until the client has gone
	modeSink               // read the stream, and tell how long it was at its end
	modeRelay              // pass everything on to another server, and back
)

// headerSize is the length of what a client sends first: the mode, the server's way of
// doing it, and the key.
const headerSize = 8

func header(m mode, way, key byte) []byte { return []byte{byte(m), way, key, 0, 0, 0, 0, 0} }

// total encodes the answer of a sink.
func total(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }
