package rt

import (
	"bytes"
	"net"
	"runtime"
	"testing"

	"golang.org/x/net/nettest"
)

// The conformance tests of package nettest, with each end of the connection
// used from goroutines, from tasks in async form, and from tasks in plain form.
func TestNetTest(t *testing.T) {
	forms := []struct {
		name string
		wrap func(*Conn) net.Conn
	}{
		{"goroutine", func(c *Conn) net.Conn { return c }},
		{"async", func(c *Conn) net.Conn { return asyncConn{c} }},
		{"nested", func(c *Conn) net.Conn { return nestedConn{c} }},
		{"borrowed", func(c *Conn) net.Conn { return &borrowingConn{Conn: c} }},
	}
	netDrivers(t, func(t *testing.T, r *Runtime) {
		test := func(name, network string, one, other func(*Conn) net.Conn) {
			t.Run(name, func(t *testing.T) {
				nettest.TestConn(t, func() (c1, c2 net.Conn, stop func(), err error) {
					client, server, err := newConnPairOn(network)
					if err != nil {
						return nil, nil, nil, err
					}
					return one(client), other(server), func() {
						client.Close()
						server.Close()
					}, nil
				})
			})
		}
		for i, one := range forms {
			for _, other := range forms[i:] {
				test(one.name+"-"+other.name, "tcp", one.wrap, other.wrap)
			}
			test("unix-"+one.name, "unix", one.wrap, one.wrap)
		}
		// Package nettest leaves goroutines behind, which end by themselves.
		waitFor(t, func() bool {
			stacks := make([]byte, 1<<20)
			stacks = stacks[:runtime.Stack(stacks, true)]
			return !bytes.Contains(stacks, []byte("nettest.chunkedCopy"))
		})
	})
}
