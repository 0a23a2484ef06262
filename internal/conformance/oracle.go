package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// An oracle keeps what the plain programs did. They are run once for each version
// of Go and of the source, since they and their build are half of the work.
//
// What is kept can make a program identical, but never different: before a
// difference is reported, the plain program is run again.
type oracle struct {
	dir     string // empty if nothing is kept
	version string
	fresh   bool
}

// newOracle returns an oracle that keeps results in the user's cache folder if there
// is one.
func newOracle(goVersion string, fresh bool) *oracle {
	o := &oracle{version: goVersion, fresh: fresh}
	if cache, err := os.UserCacheDir(); err == nil {
		o.dir = filepath.Join(cache, "cogen", "conformance")
		if os.MkdirAll(o.dir, 0o755) != nil {
			o.dir = ""
		}
	}
	return o
}

// file returns the name of the file for a program.
func (o *oracle) file(source []byte) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %s\n%s", o.version, runtime.GOOS, runtime.GOARCH, source))
	return filepath.Join(o.dir, fmt.Sprintf("%x.json", sum))
}

// load returns what is known of a program, or nil.
func (o *oracle) load(source []byte) *outcome {
	if o.dir == "" || o.fresh {
		return nil
	}
	text, err := os.ReadFile(o.file(source))
	if err != nil {
		return nil
	}
	var known outcome
	if json.Unmarshal(text, &known) != nil {
		return nil
	}
	return &known
}

// store keeps the outcome of a program. It is a cache: failing to write costs time
// in the next run and nothing else.
func (o *oracle) store(source []byte, known *outcome) {
	if o.dir == "" {
		return
	}
	text, err := json.Marshal(known)
	if err != nil {
		return
	}
	temp, err := os.CreateTemp(o.dir, "new")
	if err != nil {
		return
	}
	_, err = temp.Write(text)
	if cerr := temp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(temp.Name(), o.file(source))
	}
	if err != nil {
		os.Remove(temp.Name())
	}
}
