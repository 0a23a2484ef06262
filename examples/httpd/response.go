package main

import (
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	// maxPending is how much output may be collected for pipelined requests
	// before it is written.
	maxPending = 64 << 10
	// keepPending is the largest output buffer that an idle connection keeps.
	keepPending = 4 << 10
)

// The statuses that the server answers with.
const (
	statusOK                  = 200
	statusBadRequest          = 400
	statusNotFound            = 404
	statusMethodNotAllowed    = 405
	statusBodyTooLarge        = 413
	statusHeaderTooLarge      = 431
	statusNotImplemented      = 501
	statusVersionNotSupported = 505
)

// A statusError says that a request is answered with an error and the connection
// then closed.
type statusError struct{ status int }

func (e *statusError) Error() string {
	return fmt.Sprintf("bad request: %d %s", e.status, http.StatusText(e.status))
}

// appendPage appends the answer with a page.
func appendPage(out []byte, req *request, p *page) []byte {
	out = appendHead(out, req, statusOK, p.contentType, len(p.body))
	if req.method == "HEAD" {
		return out
	}
	return append(out, p.body...)
}

// appendError appends an answer with another status than 200.
func appendError(out []byte, req *request, status int) []byte {
	text := strconv.Itoa(status) + " " + http.StatusText(status) + "\n"
	out = appendHead(out, req, status, "text/plain; charset=utf-8", len(text))
	if req.method == "HEAD" {
		return out
	}
	return append(out, text...)
}

func appendHead(out []byte, req *request, status int, contentType string, length int) []byte {
	if status == statusOK {
		out = append(out, "HTTP/1.1 200 OK\r\n"...)
	} else {
		out = append(out, "HTTP/1.1 "...)
		out = strconv.AppendInt(out, int64(status), 10)
		out = append(out, ' ')
		out = append(out, http.StatusText(status)...)
		out = append(out, "\r\n"...)
	}
	out = append(out, "Server: cogen\r\nDate: "...)
	out = append(out, currentDate()...)
	out = append(out, "\r\nContent-Type: "...)
	out = append(out, contentType...)
	out = append(out, "\r\nContent-Length: "...)
	out = strconv.AppendInt(out, int64(length), 10)
	if status == statusMethodNotAllowed {
		out = append(out, "\r\nAllow: GET, HEAD"...)
	}
	switch {
	case req.close:
		out = append(out, "\r\nConnection: close"...)
	case req.minor == 0:
		out = append(out, "\r\nConnection: keep-alive"...)
	}
	return append(out, "\r\n\r\n"...)
}

// A stamp is the Date field's value for one second.
type stamp struct {
	second int64
	text   string
}

var lastStamp atomic.Pointer[stamp]

// currentDate returns the value of the Date field. It formats the time once a
// second.
func currentDate() string {
	now := time.Now()
	s := lastStamp.Load()
	if s == nil || s.second != now.Unix() {
		s = &stamp{now.Unix(), now.UTC().Format(http.TimeFormat)}
		lastStamp.Store(s)
	}
	return s.text
}
