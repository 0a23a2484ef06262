// Command netecho is the echo server that one writes with package net: a
// goroutine for each connection. It is what examples/echo is measured against,
// receives as much at a time, and can be driven the same way (see internal/load).
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"syscall"
)

// bufferSize is as much as examples/echo receives at a time at most.
const bufferSize = 4096

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "listen at `address`")
	flag.Parse()
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				log.Fatal(err)
			}
			go serve(c)
		}
	}()
	fmt.Printf("listening on %s\n", l.Addr())
	<-signals
	fmt.Println("{}")
}

func serve(c net.Conn) {
	defer c.Close()
	buf := make([]byte, bufferSize)
	for {
		n, err := c.Read(buf)
		if err != nil {
			return
		}
		if _, err := c.Write(buf[:n]); err != nil {
			return
		}
	}
}
