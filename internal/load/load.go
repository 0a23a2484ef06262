// Package load drives servers over real connections, from another process than
// theirs, and counts. It uses package net and checks every byte that it gets.
package load

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A Result is what came of a run.
type Result struct {
	// Requests were answered rightly.
	Requests int64
	// Errors are connections that ended before their time, and Err is one of
	// the reasons.
	Errors  int64
	Err     error
	Elapsed time.Duration
}

// Rate is in requests per second.
func (r Result) Rate() float64 { return float64(r.Requests) / r.Elapsed.Seconds() }

// A client is one connection's side of a protocol.
type client interface {
	// exchange sends a request and checks the answer.
	exchange() error
}

// run opens n connections and does exchanges on all of them until d has passed.
// progress, if not nil, is called about four times a second with the number of
// requests so far.
func run(ctx context.Context, addr string, n int, d time.Duration, progress func(int64), newClient func(net.Conn, int) client) (Result, error) {
	conns, err := Dial(ctx, addr, n)
	defer CloseAll(conns)
	if err != nil {
		return Result{}, err
	}
	var (
		requests, failures atomic.Int64
		firstErr           atomic.Pointer[error]
		stop               atomic.Bool
		clients            sync.WaitGroup
	)
	started := time.Now()
	for i, conn := range conns {
		c := newClient(conn, i)
		clients.Go(func() {
			for !stop.Load() {
				if err := c.exchange(); err != nil {
					failures.Add(1)
					firstErr.CompareAndSwap(nil, &err)
					return
				}
				requests.Add(1)
			}
		})
	}
	ticker := time.NewTicker(250 * time.Millisecond)
	defer ticker.Stop()
	end := time.After(d)
wait:
	for {
		select {
		case <-ticker.C:
			if progress != nil {
				progress(requests.Load())
			}
		case <-end:
			break wait
		case <-ctx.Done():
			break wait
		}
	}
	stop.Store(true)
	// Every exchange that has begun is to be finished, but a server that does
	// not answer must not hold the run.
	giveUp := time.AfterFunc(5*time.Second, func() {
		for _, c := range conns {
			c.SetDeadline(time.Unix(1, 0))
		}
	})
	clients.Wait()
	giveUp.Stop()
	r := Result{Requests: requests.Load(), Errors: failures.Load(), Elapsed: time.Since(started)}
	if e := firstErr.Load(); e != nil {
		r.Err = *e
	}
	return r, ctx.Err()
}

// all does rounds exchanges on every connection, on all of them at once.
func all(conns []net.Conn, rounds int, newClient func(net.Conn, int) client) error {
	errs := make([]error, len(conns))
	var clients sync.WaitGroup
	for i, conn := range conns {
		c := newClient(conn, i)
		clients.Go(func() {
			errs[i] = conn.SetDeadline(time.Now().Add(patience))
			for n := 0; n < rounds && errs[i] == nil; n++ {
				errs[i] = c.exchange()
			}
		})
	}
	clients.Wait()
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("connection %d of %d: %w", i, len(conns), err)
		}
	}
	return nil
}

// dialers is how many connections are being opened at a time: fewer than the
// shortest accept queue that is in use.
const dialers = 64

// Dial opens n connections. On an error it returns those that it has opened.
func Dial(ctx context.Context, addr string, n int) ([]net.Conn, error) {
	conns := make([]net.Conn, n)
	errs := make([]error, dialers)
	var next atomic.Int64
	var wg sync.WaitGroup
	for worker := range dialers {
		wg.Go(func() {
			var d net.Dialer
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				c, err := d.DialContext(ctx, "tcp", addr)
				if err != nil {
					errs[worker] = err
					next.Store(int64(n))
					return
				}
				conns[i] = c
			}
		})
	}
	wg.Wait()
	open := conns[:0]
	for _, c := range conns {
		if c != nil {
			open = append(open, c)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return open, fmt.Errorf("open connection %d of %d: %w", len(open)+1, n, err)
	}
	return open, nil
}

// CloseAll closes connections.
func CloseAll(conns []net.Conn) {
	for _, c := range conns {
		c.Close()
	}
}
