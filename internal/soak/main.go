//go:build linux

// Soak has everything that package rt does with sockets and files going on at once, for
// as long as one likes, and looks for what is wrong afterwards:
//
//	go run -tags cogen_invariants ./internal/soak -driver epoll -for 30m
//
// A server echoes, sends and takes in streams; clients, in tasks of both forms and on
// goroutines, connect, exchange, reset, cancel, run into deadlines, close what is in use,
// and work with files. All data is checked, byte by byte. This is done in rounds, each with a
// runtime of its own. In some of them descriptors are scarce, signals arrive all the time, or
// the runtime is closed amidst everything. After each round descriptors, goroutines, threads,
// mappings and memory must be what they were before.
//
// The tag cogen_invariants makes the runtime check its own rules as well.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cogen-go/cogen/internal/invariants"
	"github.com/cogen-go/cogen/rt"
)

//go:generate go tool cogen

func main() {
	s := soak{rounds: 1, out: os.Stdout}
	flag.StringVar(&s.driver, "driver", os.Getenv("COGEN_DRIVER"), "the driver: uring, epoll or portable")
	flag.DurationVar(&s.budget, "for", time.Minute, "how long")
	flag.DurationVar(&s.length, "round", 5*time.Second, "the length of a round")
	flag.IntVar(&s.clients, "clients", 200, "the number of clients")
	flag.IntVar(&s.workers, "workers", 0, "the number of workers, 0 for GOMAXPROCS")
	flag.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()), "what the scenes are drawn with")
	flag.Parse()
	os.Setenv("COGEN_DRIVER", s.driver) // also for the default runtime
	if err := s.run(); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

type soak struct {
	driver           string
	budget, length   time.Duration
	rounds           int // at least
	clients, workers int
	seed             uint64
	out              io.Writer
}

func (s *soak) run() error {
	x := rand.New(rand.NewPCG(s.seed, 0))
	fmt.Fprintf(s.out, "driver %s, seed %d, invariants %v\n", s.driver, s.seed, invariants.Enabled)
	if err := warmUp(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "soak")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// What a round leaves is compared with what the first ones have left; descriptors
	// with what there was before all.
	first := measure()
	done := make(map[string]int)
	begin := time.Now()
	for n := 0; n < s.rounds || time.Since(begin) < s.budget; n++ {
		r := &round{
			dir:    dir,
			abrupt: n%3 == 2,
			// The portable driver needs descriptors of its own to wait.
			scarce: n%4 == 1 && s.driver != "portable",
		}
		if err := s.round(r, x, n%2 == 1); err != nil {
			return fmt.Errorf("round %d: %w", n, err)
		}
		for what, n := range r.tally {
			done[what] += n
		}
		if n < 3 {
			open := first.descriptors
			first = measure()
			first.descriptors = open
		}
		use, excess := settle(first)
		fmt.Fprintf(s.out, "%6s round %d%s: %v\n", time.Since(begin).Round(time.Second), n, r.kind(), use)
		if excess != "" {
			showDescriptors()
			report(fmt.Sprintf("after round %d %s: %v, at first %v", n, excess, use, first))
		}
	}
	for _, what := range slices.Sorted(maps.Keys(done)) {
		fmt.Fprintf(s.out, "%10d %s\n", done[what], what)
	}
	return nil
}

// warmUp has everything started that is started once in a process.
func warmUp() error {
	rt.Run(rt.BlockingAsync(func() {}))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	return l.Close()
}

// round runs r.
func (s *soak) round(r *round, x *rand.Rand, signals bool) (err error) {
	r.runtime, err = rt.New(rt.Config{Driver: s.driver, Workers: s.workers})
	if err != nil {
		return err
	}
	r.open, r.tally = make(map[io.Closer]struct{}), make(map[string]int)
	if err := r.listen(); err != nil {
		return errors.Join(err, r.runtime.Close())
	}
	if r.scarce {
		// Enough for some of the clients to get on: each holds a descriptor, and needs
		// one of the server's.
		unlimited, err := limitDescriptors(s.clients + s.clients/2)
		if err != nil {
			return err
		}
		defer unlimited()
	}
	if signals {
		defer signalStorm()()
	}
	r.start(x, s.clients)
	time.Sleep(s.length)
	r.stop()
	return nil
}

// kind describes what is special about r.
func (r *round) kind() string {
	var kinds []string
	if r.scarce {
		kinds = append(kinds, "scarce descriptors")
	}
	if r.abrupt {
		kinds = append(kinds, "closed amidst everything")
	}
	if kinds == nil {
		return ""
	}
	return " (" + strings.Join(kinds, ", ") + ")"
}
