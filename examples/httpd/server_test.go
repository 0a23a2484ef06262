package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/cogen-go/cogen/internal/load"
)

const host = "Host: example.com\r\n"

// exchanges are what a client sends on a fresh connection, in one piece, and the
// statuses that must come back; then the connection must be closed or not.
var exchanges = []struct {
	name, send string
	want       []int
	closed     bool
}{
	{"get", "GET / HTTP/1.1\r\n" + host + "\r\n", []int{200}, false},
	{"head", "HEAD /large HTTP/1.1\r\n" + host + "\r\n", []int{200}, false},
	{"query", "GET /json?a=b&c HTTP/1.1\r\n" + host + "\r\n", []int{200}, false},
	{"escaped path", "GET /%6Ason HTTP/1.1\r\n" + host + "\r\n", []int{200}, false},
	{"absolute target", "GET http://example.com/json HTTP/1.1\r\n" + host + "\r\n", []int{200}, false},
	{"absolute target without a path", "GET http://example.com HTTP/1.1\r\n" + host + "\r\n", []int{200}, false},
	{"empty line first", "\r\nGET / HTTP/1.1\r\n" + host + "\r\n", []int{200}, false},
	{"lines without CR", "GET / HTTP/1.1\nHost: x\n\n", []int{200}, false},
	{"field names in any case", "GET / HTTP/1.1\r\nhOsT: x\r\nCONNECTION: Close\r\n\r\n", []int{200}, true},
	{"close", "GET / HTTP/1.1\r\n" + host + "Connection: foo , close\r\n\r\n", []int{200}, true},
	{"HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", []int{200}, true},
	{"HTTP/1.0 kept alive", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", []int{200}, false},
	{"pipelined", strings.Repeat("GET /plaintext HTTP/1.1\r\n"+host+"\r\n", 500), repeat(200, 500), false},
	{"pipelined, then closed", "GET / HTTP/1.1\r\n" + host + "\r\nGET /nothing HTTP/1.1\r\n" + host + "\r\nHEAD / HTTP/1.1\r\n" + host + "Connection: close\r\n\r\nGET / HTTP/1.1\r\n" + host + "\r\n", []int{200, 404, 200}, true},
	{"body", "GET / HTTP/1.1\r\n" + host + "Content-Length: 5\r\n\r\nhelloGET / HTTP/1.1\r\n" + host + "\r\n", []int{200, 200}, false},
	{"large body", "GET / HTTP/1.1\r\n" + host + "Content-Length: 500000\r\n\r\n" + strings.Repeat("x", 500_000) + "GET / HTTP/1.1\r\n" + host + "\r\n", []int{200, 200}, false},
	{"chunked body", "GET / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX-Trailer: 1\r\n\r\nGET / HTTP/1.1\r\n" + host + "\r\n", []int{200, 200}, false},
	{"expect", "GET / HTTP/1.1\r\n" + host + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\nhi", []int{100, 200}, false},

	{"not found", "GET /nothing HTTP/1.1\r\n" + host + "\r\nGET / HTTP/1.1\r\n" + host + "\r\n", []int{404, 200}, false},
	{"method", "DELETE / HTTP/1.1\r\n" + host + "\r\n", []int{405}, false},
	{"post", "POST / HTTP/1.1\r\n" + host + "Content-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\n" + host + "\r\n", []int{405, 200}, false},
	{"refused expectation", "POST / HTTP/1.1\r\n" + host + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n", []int{405}, true},

	{"no version", "GET /\r\n" + host + "\r\n", []int{400}, true},
	{"garbage", "\x16\x03\x01\x02\r\n\r\n", []int{400}, true},
	{"bad method", "GE{T / HTTP/1.1\r\n" + host + "\r\n", []int{400}, true},
	{"bad target", "GET /a b HTTP/1.1\r\n" + host + "\r\n", []int{400}, true},
	{"bad escape", "GET /%zz HTTP/1.1\r\n" + host + "\r\n", []int{400}, true},
	{"no host", "GET / HTTP/1.1\r\n\r\n", []int{400}, true},
	{"two hosts", "GET / HTTP/1.1\r\n" + host + host + "\r\n", []int{400}, true},
	{"space before the colon", "GET / HTTP/1.1\r\n" + host + "A : b\r\n\r\n", []int{400}, true},
	{"folded field", "GET / HTTP/1.1\r\n" + host + "A: b\r\n c\r\n\r\n", []int{400}, true},
	{"no colon", "GET / HTTP/1.1\r\n" + host + "nothing\r\n\r\n", []int{400}, true},
	{"control character", "GET / HTTP/1.1\r\n" + host + "A: \x01\r\n\r\n", []int{400}, true},
	{"bad length", "GET / HTTP/1.1\r\n" + host + "Content-Length: +5\r\n\r\n", []int{400}, true},
	{"two lengths", "GET / HTTP/1.1\r\n" + host + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n", []int{400}, true},
	{"length and chunks", "GET / HTTP/1.1\r\n" + host + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", []int{400}, true},
	{"bad chunk", "GET / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", []int{400}, true},
	{"unknown coding", "GET / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip\r\n\r\n", []int{501}, true},
	{"body too large", "POST / HTTP/1.1\r\n" + host + "Content-Length: 99999999999999999999\r\n\r\n", []int{413}, true},
	{"chunks too large", "GET / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nfffffff\r\n", []int{413}, true},
	{"head too large", "GET / HTTP/1.1\r\n" + host + "A: " + strings.Repeat("x", 20_000) + "\r\n\r\n", []int{431}, true},
	{"line too large", "GET /" + strings.Repeat("x", 20_000) + " HTTP/1.1\r\n" + host + "\r\n", []int{431}, true},
	{"too many fields", "GET / HTTP/1.1\r\n" + host + strings.Repeat("A: b\r\n", 200) + "\r\n", []int{431}, true},
	{"HTTP/2.0", "GET / HTTP/2.0\r\n" + host + "\r\n", []int{505}, true},
	{"bad request after a good one", "GET / HTTP/1.1\r\n" + host + "\r\nnonsense\r\n\r\n", []int{200, 400}, true},
}

func repeat(v, n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = v
	}
	return s
}

func TestExchanges(t *testing.T) {
	onEveryDriver(t, func(t *testing.T, s *load.Server) {
		for _, e := range exchanges {
			t.Run(e.name, func(t *testing.T) {
				c := dial(t, s)
				go io.WriteString(c, e.send)
				in := bufio.NewReader(c)
				method := "GET"
				if strings.HasPrefix(e.send, "HEAD") {
					method = "HEAD"
				}
				for i, want := range e.want {
					if i == 2 && e.name == "pipelined, then closed" {
						method = "HEAD"
					}
					checkResponse(t, in, method, want, e.closed && i == len(e.want)-1)
				}
				if e.closed {
					if b, err := in.ReadByte(); err != io.EOF {
						t.Fatalf("after the last answer: %q, %v", b, err)
					}
					return
				}
				// The connection goes on.
				if _, err := io.WriteString(c, "GET /plaintext HTTP/1.1\r\n"+host+"\r\n"); err != nil {
					t.Fatal(err)
				}
				if body := checkResponse(t, in, "GET", 200, false); body != "Hello, World!" {
					t.Errorf("body %q", body)
				}
			})
		}
	})
}

func checkResponse(t *testing.T, in *bufio.Reader, method string, want int, closed bool) string {
	t.Helper()
	r, err := http.ReadResponse(in, &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	if r.StatusCode != want {
		t.Fatalf("status %s, want %d", r.Status, want)
	}
	if want >= 200 && r.Close != closed {
		t.Errorf("the answer says close: %v, want %v", r.Close, closed)
	}
	if want == 405 && r.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("Allow: %q", r.Header.Get("Allow"))
	}
	if want >= 200 && r.Header.Get("Date") == "" {
		t.Error("no Date")
	}
	return string(body)
}

// TestTrickle sends a request byte by byte.
func TestTrickle(t *testing.T) {
	onEveryDriver(t, func(t *testing.T, s *load.Server) {
		c := dial(t, s)
		if err := c.SetNoDelay(true); err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(c)
		for range 2 {
			for _, b := range []byte("GET /json HTTP/1.1\r\n" + host + "Content-Length: 3\r\n\r\nabc") {
				if _, err := c.Write([]byte{b}); err != nil {
					t.Fatal(err)
				}
			}
			checkResponse(t, in, "GET", 200, false)
		}
	})
}

// TestGoClient uses the client of net/http, with keep-alive.
func TestGoClient(t *testing.T) {
	onEveryDriver(t, func(t *testing.T, s *load.Server) {
		client := &http.Client{Transport: &http.Transport{}}
		defer client.CloseIdleConnections()
		for path, page := range pages {
			for range 3 {
				r, err := client.Get("http://" + s.Addr + path)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(r.Body)
				r.Body.Close()
				if err != nil || string(body) != page.body || r.Header.Get("Content-Type") != page.contentType {
					t.Errorf("%s: %d bytes, %v, %v", path, len(body), err, r.Header)
				}
			}
		}
	})
}

// TestCurl uses curl, when it is installed.
func TestCurl(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("curl is not installed")
	}
	onEveryDriver(t, func(t *testing.T, s *load.Server) {
		url := "http://" + s.Addr
		for _, c := range []struct {
			args []string
			want string
		}{
			{[]string{url + "/plaintext"}, "Hello, World!200 1\n"},
			{[]string{"-0", url + "/plaintext"}, "Hello, World!200 1\n"},
			{[]string{"-I", "-o", "/dev/null", url + "/large"}, "200 1\n"},
			{[]string{"-d", strings.Repeat("x", 5000), "-o", "/dev/null", url + "/json"}, "405 1\n"},
			{[]string{"-T", "-", "-X", "GET", url + "/plaintext"}, "Hello, World!200 1\n"},
			// The second request uses the connection of the first.
			{[]string{url + "/plaintext", url + "/json"}, `Hello, World!200 1` + "\n" + `{"message":"Hello, World!"}200 0` + "\n"},
		} {
			args := append([]string{"-sS", "--max-time", "20", "-w", "%{http_code} %{num_connects}\n"}, c.args...)
			cmd := exec.Command(curl, args...)
			cmd.Stdin = strings.NewReader("uploaded")
			out, err := cmd.CombinedOutput()
			if err != nil || string(out) != c.want {
				t.Errorf("curl %q: %v\n%s", args, err, out)
			}
		}
	})
}

// TestGracefulStop stops the server in the middle of a large answer, which must
// arrive in full.
func TestGracefulStop(t *testing.T) {
	for _, driver := range []string{"uring", "epoll"} {
		t.Run(driver, func(t *testing.T) {
			s, err := load.Start(server, "COGEN_DRIVER="+driver)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Kill()
			idle, busy := dial(t, s), dial(t, s)
			fmt.Fprintf(busy, "GET /large HTTP/1.1\r\n%s\r\n", host)
			in := bufio.NewReader(busy)
			if _, err := in.Peek(1); err != nil {
				t.Fatal(err)
			}
			stopped := make(chan error)
			go func() {
				_, err := s.Stop()
				stopped <- err
			}()
			if n, err := idle.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("the idle connection read %d, %v", n, err)
			}
			r, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := io.Copy(io.Discard, r.Body); err != nil || n != int64(len(pages["/large"].body)) {
				t.Errorf("read %d bytes of the answer: %v", n, err)
			}
			if err := <-stopped; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	onEveryDriver(t, func(t *testing.T, s *load.Server) {
		const requests = 20
		clients := 50
		errs := make(chan error)
		for range clients {
			go func() {
				client := &http.Client{Transport: &http.Transport{}}
				defer client.CloseIdleConnections()
				for range requests {
					r, err := client.Get("http://" + s.Addr + "/plaintext")
					if err != nil {
						errs <- err
						return
					}
					body, err := io.ReadAll(r.Body)
					r.Body.Close()
					if err != nil || string(body) != "Hello, World!" {
						errs <- fmt.Errorf("body %q, %v", body, err)
						return
					}
				}
				errs <- nil
			}()
		}
		for range clients {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
	})
}
