package rt

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"
)

// Names are looked up off the worker, and all their addresses are tried.
func TestDialByName(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		l := must(Listen("tcp", "127.0.0.1:0"))(t)
		defer l.Close()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		for _, s := range ours {
			c := must(s.dial("tcp", "localhost:"+port))(t)
			p := must(l.Accept())(t)
			c.Close()
			p.Close()
		}
		// The first address refuses, the second answers.
		f := DialAsync("tcp", "127.0.0.1:1")
		f.start()
		f.addrs = append(f.addrs, netip.MustParseAddrPort(l.Addr().String()))
		c := must(Run(f).Result())(t)
		c.Close()
		must(l.Accept())(t).Close()

		_, err := Dial("tcp", "no-such-host.invalid:80")
		var dns *net.DNSError
		if op, ok := err.(*net.OpError); !ok || op.Op != "dial" || !errors.As(err, &dns) {
			t.Errorf("dialling a name that does not exist: %v", err)
		}
	})
}

// Dials that are given up at any moment either connect or fail for the reason
// they were given up for, and leave nothing behind.
func TestDialsGivenUp(t *testing.T) {
	netDrivers(t, func(t *testing.T, r *Runtime) {
		address, stop := startEcho(t, r)
		defer stop()
		deaf, quiet := deafListener(t)
		defer quiet()
		var dials sync.WaitGroup
		for i := range 60 {
			dials.Go(func() {
				for round := range 10 {
					patience := time.Duration(rand.IntN(1000)) * time.Microsecond
					ctx, cancel := context.WithCancel(context.Background())
					reason := context.Canceled
					if i%3 == 0 {
						ctx, cancel = context.WithTimeout(ctx, patience)
						reason = context.DeadlineExceeded
					} else {
						time.AfterFunc(patience, cancel)
					}
					to := address
					if round%2 == 0 {
						to = deaf
					}
					c, err := ours[i%len(ours)].dialContext(ctx, "tcp", to)
					switch {
					case err == nil && to == deaf:
						t.Error("connected to a listener that does not answer")
						c.Close()
					case err == nil:
						if err := echoes(c, uint64(i), 100); err != nil {
							t.Errorf("on a connection whose dial was given up too late: %v", err)
						}
						c.Close()
					case !errors.Is(err, reason):
						t.Errorf("dial failed with %v, want %v", err, reason)
					}
					cancel()
				}
			})
		}
		dials.Wait()
	})
}

// TestSlowResolver has names looked up that take for ever. Meanwhile the only worker goes on with
// other tasks.
func TestSlowResolver(t *testing.T) {
	resolver := net.DefaultResolver
	defer func() { net.DefaultResolver = resolver }()
	netDrivers(t, func(t *testing.T, outer *Runtime) {
		asked, gate := make(chan struct{}, 100), make(chan struct{})
		net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
			asked <- struct{}{}
			<-gate
			return nil, errors.New("no answer")
		}}
		r := newRuntime(t, outer.workers[0].drv.Name(), 1)
		defer r.Close()
		dial := DialAsync("tcp", "cogen-slow.test:80")
		var listening error
		ended := make(chan struct{}, 2)
		for _, f := range []Future{dial, plainly(func() { _, listening = Listen("tcp", "cogen-slow.test:0") })} {
			go func() { r.Run(f); ended <- struct{}{} }()
			<-asked
		}
		client, server := connPair(t)
		r.Go(echoAsync(server, 64))
		for range 10 {
			if err := echoes(client, 1, 64); err != nil {
				t.Error(err)
			}
			r.Run(newSleeper(time.Microsecond))
		}
		client.Close()
		select {
		case <-ended:
			t.Error("a name was found that was not to be")
		default:
		}
		close(gate)
		<-ended
		<-ended
		var dns *net.DNSError
		if _, err := dial.Result(); !errors.As(err, &dns) {
			t.Errorf("dial: %v", err)
		}
		if !errors.As(listening, &dns) {
			t.Errorf("listen: %v", listening)
		}
		waitFor(t, func() bool { return r.Stats().Tasks() == 0 })
	})
}
