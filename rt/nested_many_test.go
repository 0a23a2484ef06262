package rt

import (
	"bufio"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/cogen-go/cogen/rt/stackful"
)

// Tasks by the thousand that wait inside of encoding/json, inside of bufio, inside
// of crypto/tls, on both ends of connections. Every one holds its stack, while all
// are connected at once. The other engine is tried by another process.
func TestThousandsNested(t *testing.T) {
	clients := 1000
	if testing.Short() || raceEnabled {
		clients = 100
	}
	type message struct {
		N    int
		Text []string
	}
	server, client := tlsConfigs(t)
	netDrivers(t, func(t *testing.T, r *Runtime) {
		address, stop := startServer(t, r, func(c *Conn) {
			Go(plainly(func() {
				secure := tls.Server(c, server)
				defer secure.Close()
				in, out := json.NewDecoder(bufio.NewReader(secure)), json.NewEncoder(secure)
				for {
					var m message
					if err := in.Decode(&m); err != nil {
						return
					}
					m.N++
					if err := out.Encode(m); err != nil {
						t.Error(err)
						return
					}
				}
			}))
		})
		defer stop()
		var connected, gate WaitGroup
		connected.Add(clients)
		gate.Add(1)
		var tasks []Task
		for i := range clients {
			tasks = append(tasks, r.Go(plainly(func() {
				inner, err := Dial("tcp", address)
				if err != nil {
					t.Error(err)
					connected.Done()
					return
				}
				c := tls.Client(inner, client)
				defer c.Close()
				if err := c.Handshake(); err != nil {
					t.Error(err)
				}
				connected.Done()
				gate.Wait()
				in, out := json.NewDecoder(bufio.NewReader(c)), json.NewEncoder(c)
				for n := range 3 {
					words := strings.Split(strings.Repeat("word ", i%50), " ")
					if err := out.Encode(message{n, words}); err != nil {
						t.Error(err)
						return
					}
					var m message
					if err := in.Decode(&m); err != nil || m.N != n+1 || len(m.Text) != len(words) {
						t.Errorf("message %d came back as %d with %d words, %v", n, m.N, len(m.Text), err)
						return
					}
				}
			})))
		}
		connected.Wait()
		if !t.Failed() {
			waitFor(t, func() bool { return r.Stats().Tasks() >= 2*clients })
		}
		gate.Done()
		for _, task := range tasks {
			task.Wait()
		}
	})
	if stackful.EngineName() == "exchange" && !t.Failed() {
		portable := exec.Command(os.Args[0], "-test.run=^TestThousandsNested$", fmt.Sprint("-test.short=", testing.Short()))
		portable.Env = append(os.Environ(), "COGEN_STACKFUL=portable")
		if out, err := portable.CombinedOutput(); err != nil {
			t.Errorf("on the portable engine: %v\n%s", err, out)
		}
	}
}

// tlsConfigs returns those of a server with a fresh certificate and of a client
// that trusts it.
func tlsConfigs(t *testing.T) (server, client *tls.Config) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotAfter:     time.Now().Add(time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der := must(x509.CreateCertificate(rand.Reader, template, template, public, private))(t)
	trusted := x509.NewCertPool()
	trusted.AddCert(must(x509.ParseCertificate(der))(t))
	server = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: private}}}
	return server, &tls.Config{RootCAs: trusted, ServerName: "127.0.0.1"}
}
