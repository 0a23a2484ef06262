package rt_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"

	"github.com/cogen-go/cogen/rt"
)

// A Listener and a Conn serve wherever package net's do. Here net/http serves
// over them, and its client connects with DialContext.
func ExampleListen() {
	l, err := rt.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		fmt.Fprintf(w, "hello from %s", q.URL.Path)
	})}
	go server.Serve(l)
	defer server.Close()

	client := &http.Client{Transport: &http.Transport{DialContext: rt.DialContext}}
	resp, err := client.Get("http://" + l.Addr().String() + "/here")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	fmt.Println(string(body), err)
	// Output: hello from /here <nil>
}

// Await waits for an operation in async form, here on an ordinary goroutine.
func ExampleConn_ReadFullAsync() {
	l, err := rt.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		line, _ := bufio.NewReader(c).ReadString('\n')
		io.WriteString(c, "got "+line)
	}()

	c, err := rt.Dial("tcp", l.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	io.WriteString(c, "this\n")
	buf := make([]byte, 8)
	read := c.ReadFullAsync(buf)
	n, err := rt.Await(read).Result()
	fmt.Println(string(buf[:n]), err)
	// Output: got this <nil>
}
