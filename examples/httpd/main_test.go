package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/cogen-go/cogen/internal/load"
)

var server string // the built program

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "httpd")
	if err != nil {
		panic(err)
	}
	server = filepath.Join(dir, "httpd")
	build := exec.Command("go", "build", "-o", server, ".")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	err = build.Run()
	status := 1
	if err == nil {
		status = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(status)
}

// onEveryDriver runs a test with a server on each driver.
func onEveryDriver(t *testing.T, test func(t *testing.T, s *load.Server)) {
	for _, driver := range []string{"uring", "epoll"} {
		t.Run(driver, func(t *testing.T) {
			s, err := load.Start(server, "COGEN_DRIVER="+driver)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Kill()
			test(t, s)
			r, err := s.Stop()
			if err != nil {
				t.Fatal(err)
			}
			if r.Driver != driver || r.Connections != 0 {
				t.Errorf("the server ended with %+v", r)
			}
		})
	}
}

func dial(t *testing.T, s *load.Server) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return c.(*net.TCPConn)
}
