package main

import "strings"

// A page is something that can be asked for.
type page struct {
	contentType string
	body        string
}

var pages = map[string]*page{
	"/": {"text/html; charset=utf-8", `<!doctype html>
<title>cogen</title>
<p>This page was served by a frame.
`},
	"/plaintext": {"text/plain; charset=utf-8", "Hello, World!"},
	"/json":      {"application/json", `{"message":"Hello, World!"}`},
	// Large enough not to fit into the socket's buffers at once.
	"/large": {"text/plain; charset=utf-8", strings.Repeat("All work and no play makes Jack a dull boy.\n", 200_000)},
}

// lookup returns the page for a request, or the status that says why there is
// none.
func lookup(req *request) (*page, int) {
	p := pages[req.path]
	switch {
	case p == nil:
		return nil, statusNotFound
	case req.method != "GET" && req.method != "HEAD":
		return nil, statusMethodNotAllowed
	}
	return p, statusOK
}
