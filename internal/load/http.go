package load

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// HTTP asks for a page on n connections that are kept alive, again when the
// answer is there. Every answer must be a 200 with the wanted body.
func HTTP(ctx context.Context, addr string, n int, path, want string, d time.Duration, progress func(int64)) (Result, error) {
	return run(ctx, addr, n, d, progress, newHTTPClient(path, want))
}

// HTTPAll asks for a page once on every connection, on all of them at once.
func HTTPAll(conns []net.Conn, path, want string) error {
	return all(conns, 1, newHTTPClient(path, want))
}

func newHTTPClient(path, want string) func(net.Conn, int) client {
	request := []byte("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
	return func(c net.Conn, _ int) client {
		return &httpClient{conn: c, in: bufio.NewReaderSize(c, 1024), request: request, want: []byte(want), body: make([]byte, len(want))}
	}
}

type httpClient struct {
	conn          net.Conn
	in            *bufio.Reader
	request, want []byte
	body          []byte
}

func (h *httpClient) exchange() error {
	if _, err := h.conn.Write(h.request); err != nil {
		return err
	}
	line, err := h.in.ReadSlice('\n')
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(line, []byte("HTTP/1.1 200 ")) {
		return fmt.Errorf("answer %q", line)
	}
	length := -1
	for {
		line, err := h.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) <= len("\r\n") {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if bytes.EqualFold(name, []byte("Content-Length")) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return err
			}
		}
	}
	if length != len(h.want) {
		return fmt.Errorf("body of %d bytes, want %d", length, len(h.want))
	}
	if _, err := io.ReadFull(h.in, h.body); err != nil {
		return err
	}
	if !bytes.Equal(h.body, h.want) {
		return fmt.Errorf("body %q", h.body)
	}
	return nil
}
