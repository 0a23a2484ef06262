package rt

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// manyConnections is how many there are at once. Each process has one end of
// each, so that both stay below the usual limit of 20,000 descriptors.
const manyConnections = 10_000

// Ten thousand connections at once, each of which is verified byte for byte. The
// clients are another process, this same test binary. When all is closed
// nothing is left, on either side.
func TestTenThousandConnections(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	n := manyConnections
	if raceEnabled {
		n = 1000
	}
	netDrivers(t, func(t *testing.T, r *Runtime) {
		n := n
		if r.workers[0].drv.Name() == "portable" {
			n = min(n, 4000) // a receive that waits has a second descriptor there
		}
		address, stop := startEcho(t, r)
		defer stop()
		clients := exec.Command(os.Args[0], "-test.run=^TestManyClients$", "-test.v")
		clients.Env = append(os.Environ(), "COGEN_TEST_ADDRESS="+address, "COGEN_TEST_CLIENTS="+strconv.Itoa(n),
			"COGEN_DRIVER="+r.workers[0].drv.Name())
		clients.Stderr = os.Stderr
		in := must(clients.StdinPipe())(t)
		out := must(clients.StdoutPipe())(t)
		if err := clients.Start(); err != nil {
			t.Fatal(err)
		}
		defer clients.Process.Kill()
		lines := bufio.NewScanner(out)
		var said strings.Builder
		await := func(word string) {
			t.Helper()
			for lines.Scan() {
				if strings.HasSuffix(lines.Text(), word) {
					return
				}
				fmt.Fprintln(&said, lines.Text())
			}
			t.Fatalf("the clients never said %q, but\n%s", word, &said)
		}

		await("connected")
		waitFor(t, func() bool { return r.Stats().Tasks() == n+1 }) // and the one that accepts
		for range 2 {
			io.WriteString(in, "exchange\n")
			await("exchanged")
		}
		if tasks := r.Stats().Tasks(); tasks != n+1 {
			t.Errorf("%d tasks are alive, want %d", tasks, n+1)
		}
		io.WriteString(in, "close\n")
		await("closed")
		in.Close()
		io.Copy(io.Discard, out)
		if err := clients.Wait(); err != nil {
			t.Errorf("the clients: %v\n%s", err, &said)
		}
		waitFor(t, func() bool { return r.Stats().Tasks() == 1 })
	})
}

// TestManyClients is the other process of TestTenThousandConnections.
func TestManyClients(t *testing.T) {
	address := os.Getenv("COGEN_TEST_ADDRESS")
	if address == "" {
		t.Skip("runs as a part of TestTenThousandConnections")
	}
	n := must(strconv.Atoi(os.Getenv("COGEN_TEST_CLIENTS")))(t)
	r := Default()
	before := openDescriptors(t)
	crowd := &crowd{dialling: make(chan struct{}, 256)}
	clients := make([]*client, n)
	tasks := make([]Task, n)
	crowd.waiting.Add(n)
	for i := range clients {
		crowd.dialling <- struct{}{}
		clients[i] = &client{crowd: crowd, seed: uint64(i)}
		clients[i].dial.Init("tcp", address)
		tasks[i] = r.Go(clients[i])
	}
	settle := func(word string) {
		crowd.waiting.Wait()
		if err := crowd.err.Load(); err != nil {
			t.Fatal(*err)
		}
		fmt.Println(word)
	}
	settle("connected")

	orders := bufio.NewScanner(os.Stdin)
	for orders.Scan() && orders.Text() == "exchange" {
		crowd.waiting.Add(n)
		for _, c := range clients {
			c.proceed()
		}
		settle("exchanged")
	}
	for _, c := range clients {
		c.leaving.Store(true)
		c.proceed()
	}
	for i, task := range tasks {
		task.Wait()
		if err := clients[i].err; err != nil {
			t.Fatal(err)
		}
	}
	left := func() int {
		n := r.Stats().Tasks()
		for _, w := range r.Stats().Workers {
			n += w.InFlight + w.Timers
		}
		return n
	}
	waitFor(t, func() bool { return openDescriptors(t) <= before && left() == 0 })
	fmt.Println("closed")
}

// A crowd is what clients share.
type crowd struct {
	dialling chan struct{}  // bounds how many connect at the same time
	waiting  sync.WaitGroup // for all to have done what they were told
	err      atomic.Pointer[error]
}

// A client is a frame that connects, and then at each order writes bytes of its own and reads
// them back, until it is told to leave.
type client struct {
	crowd   *crowd
	seed    uint64
	state   int
	orders  atomic.Int32
	leaving atomic.Bool
	waker   Waker
	conn    *Conn
	want    []byte
	got     []byte
	err     error

	dial  DialFuture
	write WriteFuture
	read  ReadFullFuture
	close CloseFuture
}

// proceed gives the order. The client is waiting for it.
func (c *client) proceed() {
	c.orders.Add(1)
	c.waker.Wake()
}

func (c *client) Poll(cx *Context) bool {
	for {
		switch c.state {
		case 0: // connecting
			if !c.dial.Poll(cx) {
				return false
			}
			c.conn, c.err = c.dial.Result()
			<-c.crowd.dialling
			if c.err != nil {
				return c.done()
			}
			c.state = 1
			c.waker = cx.Waker()
			c.crowd.waiting.Done()
			return false
		case 1: // waiting for an order
			if c.orders.Load() == 0 {
				return false
			}
			c.orders.Add(-1)
			if c.leaving.Load() {
				c.close.Init(c.conn)
				c.state = 4
				continue
			}
			c.seed += 1 << 32
			c.want = noise(c.seed, 700)
			c.got = make([]byte, len(c.want))
			c.write.Init(c.conn, c.want)
			c.state = 2
		case 2: // writing
			if !c.write.Poll(cx) {
				return false
			}
			if _, c.err = c.write.Result(); c.err != nil {
				return c.done()
			}
			c.read.Init(c.conn, c.got)
			c.state = 3
		case 3: // reading
			if !c.read.Poll(cx) {
				return false
			}
			if _, c.err = c.read.Result(); c.err != nil {
				return c.done()
			}
			if !bytes.Equal(c.got, c.want) {
				c.err = fmt.Errorf("client %d got back what it did not send", uint32(c.seed))
				return c.done()
			}
			c.want, c.got = nil, nil
			c.state = 1
			c.crowd.waiting.Done()
			return false
		case 4: // closing
			if !c.close.Poll(cx) {
				return false
			}
			c.err = c.close.Result()
			return true
		}
	}
}

// done ends the task after a failure.
func (c *client) done() bool {
	err := c.err
	c.crowd.err.CompareAndSwap(nil, &err)
	c.crowd.waiting.Done()
	return true
}
