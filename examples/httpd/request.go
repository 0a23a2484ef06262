package main

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"
)

// A request is what the server needs to know of one.
type request struct {
	method string
	// path is the target without the query, and without scheme and authority if
	// the client sent them.
	path string
	// close is set when the connection ends with the answer.
	close bool
	// length is the length of the body, if it is not chunked.
	length  int64
	chunked bool
	// expectContinue says that the client waits for a sign before it sends the
	// body.
	expectContinue bool

	// What has been seen of the header fields.
	minor               byte // of the HTTP version, 1.minor
	fields, hosts       int
	hasLength           bool
	hasCoding           bool // Transfer-Encoding
	sawClose, keepAlive bool // Connection
}

func (r *request) hasBody() bool { return r.chunked || r.length > 0 }

// readRequest reads the head of the next request. A statusError says how to
// answer a bad one; after it, and after any other error, the connection cannot
// go on.
//
//cogen:async
func readRequest(in *reader, req *request) error {
	in.begin()
	req.close = true // until it is known that it can stay open
	line, err := in.line()
	// A client may send an empty line after a body (RFC 9112, section 2.2).
	for err == nil && len(line) == 0 {
		in.begin()
		line, err = in.line()
	}
	if err != nil {
		return err
	}
	if err := req.parseLine(line); err != nil {
		return err
	}
	for {
		line, err := in.line()
		if err != nil {
			return err
		}
		if len(line) == 0 {
			return req.finish()
		}
		if err := req.parseField(line); err != nil {
			return err
		}
	}
}

// discardBody reads the body of a request and forgets it: no page wants one.
//
//cogen:async
func discardBody(in *reader, req *request) error {
	if !req.chunked {
		return in.skip(req.length)
	}
	total := int64(0)
	for {
		in.begin()
		line, err := in.line()
		if err != nil {
			return err
		}
		size, ok := parseChunkSize(line)
		if !ok {
			return &statusError{statusBadRequest}
		}
		if total += size; total > maxBody {
			return &statusError{statusBodyTooLarge}
		}
		if size == 0 {
			break
		}
		if err := in.skip(size); err != nil {
			return err
		}
		in.begin()
		if line, err = in.line(); err != nil {
			return err
		}
		if len(line) != 0 {
			return &statusError{statusBadRequest}
		}
	}
	// The trailer; a head's limits hold for it as well.
	in.begin()
	for {
		line, err := in.line()
		if err != nil || len(line) == 0 {
			return err
		}
	}
}

// parseLine parses `GET /path HTTP/1.1`.
func (r *request) parseLine(line []byte) error {
	method, rest, _ := bytes.Cut(line, []byte(" "))
	target, version, _ := bytes.Cut(rest, []byte(" "))
	if !isToken(method) || len(target) == 0 {
		return &statusError{statusBadRequest}
	}
	for _, b := range target {
		if b <= ' ' || b == 0x7f {
			return &statusError{statusBadRequest}
		}
	}
	if len(version) != len("HTTP/1.1") || string(version[:5]) != "HTTP/" ||
		!isDigit(version[5]) || version[6] != '.' || !isDigit(version[7]) {
		return &statusError{statusBadRequest}
	}
	r.method = internMethod(method)
	if version[5] != '1' {
		return &statusError{statusVersionNotSupported}
	}
	r.minor = version[7] - '0'
	path, ok := pathOf(string(target))
	if !ok {
		return &statusError{statusBadRequest}
	}
	r.path = path
	return nil
}

// parseField parses `Name: value`.
func (r *request) parseField(line []byte) error {
	if r.fields++; r.fields > maxFields {
		return &statusError{statusHeaderTooLarge}
	}
	name, value, ok := bytes.Cut(line, []byte(":"))
	// A space before the colon, or a line that continues the one before it, has
	// been used to smuggle requests past proxies (RFC 9112, sections 5.1, 5.2).
	if !ok || !isToken(name) {
		return &statusError{statusBadRequest}
	}
	value = bytes.Trim(value, " \t")
	for _, b := range value {
		if b < ' ' && b != '\t' || b == 0x7f {
			return &statusError{statusBadRequest}
		}
	}
	switch {
	case isName(name, "host"):
		r.hosts++
	case isName(name, "connection"):
		for option := range bytes.SplitSeq(value, []byte(",")) {
			option = bytes.Trim(option, " \t")
			switch {
			case isName(option, "close"):
				r.sawClose = true
			case isName(option, "keep-alive"):
				r.keepAlive = true
			}
		}
	case isName(name, "content-length"):
		n, ok := parseLength(value)
		if !ok || r.hasLength && n != r.length {
			return &statusError{statusBadRequest}
		}
		r.hasLength, r.length = true, n
	case isName(name, "transfer-encoding"):
		if r.hasCoding {
			return &statusError{statusBadRequest}
		}
		r.hasCoding = true
		r.chunked = isName(value, "chunked")
	case isName(name, "expect"):
		r.expectContinue = isName(value, "100-continue")
	}
	return nil
}

// finish checks what can only be known at the end of the head.
func (r *request) finish() error {
	switch {
	case r.hosts > 1, r.hosts == 0 && r.minor > 0:
		return &statusError{statusBadRequest}
	case r.hasCoding && (r.hasLength || r.minor == 0):
		// Whoever is in front of this server may have taken the other one for
		// the length of the body (RFC 9112, section 6.1).
		return &statusError{statusBadRequest}
	case r.hasCoding && !r.chunked:
		return &statusError{statusNotImplemented}
	case r.length > maxBody:
		return &statusError{statusBodyTooLarge}
	}
	r.close = r.sawClose || r.minor == 0 && !r.keepAlive
	return nil
}

// pathOf returns the path of a request target (RFC 9112, section 3.2).
func pathOf(target string) (string, bool) {
	path, _, _ := strings.Cut(target, "?")
	if _, rest, ok := strings.Cut(path, "://"); ok && !strings.HasPrefix(path, "/") {
		_, path, _ = strings.Cut(rest, "/")
		path = "/" + path
	}
	if !strings.Contains(path, "%") {
		return path, true
	}
	path, err := url.PathUnescape(path)
	return path, err == nil
}

// internMethod returns the method as a string, without allocating for those that
// are used.
func internMethod(b []byte) string {
	switch string(b) {
	case "GET":
		return "GET"
	case "HEAD":
		return "HEAD"
	}
	return string(b)
}

// parseLength parses a Content-Length. A length that does not fit is as good as
// the largest one: both are refused.
func parseLength(b []byte) (int64, bool) {
	if len(b) == 0 {
		return 0, false
	}
	n := int64(0)
	for _, d := range b {
		if !isDigit(d) {
			return 0, false
		}
		if n = n*10 + int64(d-'0'); n > maxBody {
			n = maxBody + 1
		}
	}
	return n, true
}

// parseChunkSize parses the line before a chunk; extensions are ignored.
func parseChunkSize(line []byte) (int64, bool) {
	digits, _, _ := bytes.Cut(line, []byte(";"))
	n, err := strconv.ParseUint(string(bytes.TrimRight(digits, " \t")), 16, 31)
	return int64(n), err == nil
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// isName compares a name without regard to case, and against a lower-case name.
func isName(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// isToken reports whether b is a token (RFC 9110, section 5.6.2).
func isToken(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 || !tokenByte[c] {
			return false
		}
	}
	return len(b) > 0
}

var tokenByte = func() (t [0x80]bool) {
	for c := '0'; c <= '9'; c++ {
		t[c] = true
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = true, true
	}
	for _, c := range "!#$%&'*+-.^_`|~" {
		t[c] = true
	}
	return t
}()
