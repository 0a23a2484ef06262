package rt

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// Packages that know nothing of tasks wait in the middle of them.

func TestBufioInTasks(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		address, stop := startServer(t, r, func(c *Conn) {
			Go(plainly(func() {
				defer c.Close()
				in, out := bufio.NewReaderSize(c, 16), bufio.NewWriterSize(c, 16)
				for {
					line, err := in.ReadString('\n')
					if err != nil {
						return
					}
					fmt.Fprintf(out, "you said %s", line)
					if err := out.Flush(); err != nil {
						return
					}
				}
			}))
		})
		defer stop()
		var clients sync.WaitGroup
		for i := range 40 {
			clients.Go(func() {
				c := dialNet(t, address)
				defer c.Close()
				in := bufio.NewReader(c)
				for n := range 20 {
					said := strings.Repeat("x", i*n) + "\n"
					// In pieces, so that the server waits inside of a line.
					for rest := said; rest != ""; {
						n := min(len(rest), 1+len(said)/2)
						io.WriteString(c, rest[:n])
						rest = rest[n:]
					}
					if got, err := in.ReadString('\n'); err != nil || got != "you said "+said {
						t.Errorf("got %q, %v", got, err)
						return
					}
				}
			})
		}
		clients.Wait()
	})
}

func TestJSONInTasks(t *testing.T) {
	type message struct {
		N    int
		Text []string
	}
	netDrivers(t, func(t *testing.T, r *Runtime) {
		address, stop := startServer(t, r, func(c *Conn) {
			Go(plainly(func() {
				defer c.Close()
				in, out := json.NewDecoder(c), json.NewEncoder(c)
				for {
					var m message
					if err := in.Decode(&m); err != nil {
						return
					}
					m.N++
					if err := out.Encode(m); err != nil {
						return
					}
				}
			}))
		})
		defer stop()
		var clients sync.WaitGroup
		for range 20 {
			clients.Go(func() {
				inTask(func() {
					c, err := Dial("tcp", address)
					if err != nil {
						t.Error(err)
						return
					}
					defer c.Close()
					in, out := json.NewDecoder(c), json.NewEncoder(c)
					for n := range 30 {
						if err := out.Encode(message{n, strings.Split(strings.Repeat("word ", n), " ")}); err != nil {
							t.Error(err)
							return
						}
						var m message
						if err := in.Decode(&m); err != nil || m.N != n+1 || len(m.Text) != n+1 {
							t.Errorf("message %d came back as %d with %d words, %v", n, m.N, len(m.Text), err)
							return
						}
					}
				})
			})
		}
		clients.Wait()
	})
}

// A proxy in tasks, which io.Copy both ways.
func TestCopyInTasks(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		behind, stopEcho := startEcho(t, r)
		defer stopEcho()
		address, stop := startServer(t, r, func(c *Conn) {
			Go(plainly(func() {
				defer c.Close()
				up, err := Dial("tcp", behind)
				if err != nil {
					t.Error(err)
					return
				}
				defer up.Close()
				back := Go(plainly(func() {
					io.Copy(c, up)
					c.CloseWrite()
				}))
				if _, err := io.Copy(up, c); err != nil {
					t.Error(err)
				}
				up.CloseWrite()
				back.Wait()
			}))
		})
		defer stop()
		var clients sync.WaitGroup
		for i := range 10 {
			clients.Go(func() {
				c := dialNet(t, address)
				defer c.Close()
				want := noise(uint64(i), 500_000)
				go func() {
					c.Write(want)
					c.CloseWrite()
				}()
				got, err := io.ReadAll(c)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%d bytes came back, %v; want %d", len(got), err, len(want))
				}
			})
		}
		clients.Wait()
	})
}

// net/http on both ends: the server on goroutines of its own over a Listener, the
// client over DialContext.
func TestHTTP(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		l := must(Listen("tcp", "127.0.0.1:0"))(t)
		server := &http.Server{
			ReadTimeout: 10 * time.Second,
			Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				if q.URL.Path == "/slow" {
					<-q.Context().Done()
					return
				}
				body, err := io.ReadAll(q.Body)
				if err != nil {
					t.Error(err)
				}
				w.Write(body)
			}),
		}
		serving := later(func() error { return server.Serve(l) })
		transport := &http.Transport{DialContext: DialContext, MaxIdleConnsPerHost: 4}
		client := &http.Client{Transport: transport}
		url := "http://" + l.Addr().String()

		post := func(i int) {
			want := noise(uint64(i), 10_000*(i%5))
			resp, err := client.Post(url, "application/octet-stream", bytes.NewReader(want))
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			got, err := io.ReadAll(resp.Body)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("request %d: %d bytes came back, %v; want %d", i, len(got), err, len(want))
			}
		}
		var clients sync.WaitGroup
		for i := range 8 {
			clients.Go(func() {
				for n := range 20 {
					post(i*20 + n)
				}
			})
		}
		clients.Wait()

		// Giving up a request closes its connection.
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		q := must(http.NewRequestWithContext(ctx, "GET", url+"/slow", nil))(t)
		if _, err := client.Do(q); err == nil {
			t.Error("a request that is never answered succeeded")
		}

		transport.CloseIdleConnections()
		ctx, cancel = context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		if err := serving(); err != http.ErrServerClosed {
			t.Error(err)
		}
	})
}

// HTTP served by tasks: the request is read and the response written by
// net/http's own code, which waits on the task's stack.
func TestHTTPInTasks(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		address, stop := startServer(t, r, func(c *Conn) {
			Go(plainly(func() {
				defer c.Close()
				in := bufio.NewReader(c)
				for {
					q, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					body, err := io.ReadAll(q.Body)
					if err != nil {
						t.Error(err)
						return
					}
					resp := http.Response{
						StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Request: q,
						ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)),
					}
					if err := resp.Write(c); err != nil {
						return
					}
				}
			}))
		})
		defer stop()
		transport := &http.Transport{DialContext: new(net.Dialer).DialContext}
		defer transport.CloseIdleConnections()
		client := &http.Client{Transport: transport}
		for i := range 30 {
			want := noise(uint64(i), i*1000)
			resp := must(client.Post("http://"+address, "x/y", bytes.NewReader(want)))(t)
			got, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("request %d: %d bytes came back, %v; want %d", i, len(got), err, len(want))
			}
		}
	})
}
