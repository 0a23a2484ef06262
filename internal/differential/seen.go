package differential

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"sync"
)

// Seen is what has been run without a difference. Nearly all of the time goes to the
// compiler; after a change of cogen most programs have the same frames as before, and
// what they do is known.
type Seen struct {
	mu   sync.Mutex
	file *os.File
	keys map[key]bool
}

// A key stands for everything that decides what a program does: the packages that it is
// linked with, its source, and what was generated for it.
type key string

func newKey(packages []string, variant string, source, generated []byte) key {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q", packages, variant, source, generated)
	return key(hex.EncodeToString(h.Sum(nil)[:16]))
}

// OpenSeen reads the file, if it exists, and adds to it from then on.
func OpenSeen(name string) (*Seen, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	s := &Seen{file: f, keys: make(map[key]bool)}
	in := bufio.NewScanner(f)
	for in.Scan() {
		s.keys[key(in.Text())] = true
	}
	if err := in.Err(); err != nil {
		f.Close()
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return s, nil
}

// Close closes the file.
func (s *Seen) Close() error { return s.file.Close() }

func (s *Seen) has(k key) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys[k]
}

func (s *Seen) add(k key) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys[k] = true
	_, err := fmt.Fprintln(s.file, k)
	return err
}
