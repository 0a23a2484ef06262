package rt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"
)

// Connections come and go all the time, and are closed amidst their reads and
// writes, so that descriptors are used again at once. Every byte carries the
// number of its connection: none may ever arrive at another one.
func TestDescriptorsAreUsedAgain(t *testing.T) {
	const churners, rounds = 24, 60
	netDrivers(t, func(t *testing.T, r *Runtime) {
		// The server sends back the tag that it has read first, on and on.
		address, stop := startServer(t, r, func(c *Conn) {
			Go(plainly(func() {
				defer c.Close()
				tag := make([]byte, 4)
				if _, err := c.ReadFull(tag); err != nil {
					return
				}
				block := bytes.Repeat(tag, 500)
				for {
					if _, err := c.Write(block); err != nil {
						return
					}
				}
			}))
		})
		defer stop()
		var churn sync.WaitGroup
		for i := range churners {
			f := connForms[i%len(connForms)]
			churn.Go(func() {
				for round := range rounds {
					if err := churnOnce(address, f, uint32(i)<<16|uint32(round)); err != nil {
						t.Errorf("%s: %v", f.name, err)
						return
					}
				}
			})
		}
		churn.Wait()
	})
}

func churnOnce(address string, f form, tag uint32) error {
	inner, err := Dial("tcp", address)
	if err != nil {
		return err
	}
	c := f.wrap(inner)
	want := binary.LittleEndian.AppendUint32(nil, tag)
	if _, err := c.Write(want); err != nil {
		c.Close()
		return err
	}
	closed := make(chan error, 1)
	go func() {
		time.Sleep(time.Duration(rand.IntN(1500)) * time.Microsecond)
		closed <- c.Close()
	}()
	b := make([]byte, 999)
	for at := 0; ; {
		n, err := c.Read(b)
		for _, got := range b[:n] {
			if got != want[at%4] {
				return fmt.Errorf("connection %x got a byte that is another's", tag)
			}
			at++
		}
		if err != nil {
			if cerr := <-closed; cerr != nil {
				return cerr
			}
			if !errors.Is(err, net.ErrClosed) {
				return err
			}
			return nil
		}
	}
}
