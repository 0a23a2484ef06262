// Package files uses files in async functions.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cogen-go/cogen/rt"
)

func Main() { work() }

//cogen:async
func work() {
	dir, err := os.MkdirTemp("", "golden")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "file")
	if err := write(name, "one", "two", "three"); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(count(name, 'e'))
	fmt.Println(tail(name, 5))
	_, err = rt.Open(filepath.Join(dir, "nothing"))
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	if err := rt.Rename(name, filepath.Join(dir, "other")); err != nil {
		fmt.Println(err)
	}
	entries, err := rt.ReadDir(dir)
	for _, e := range entries {
		info, err := rt.Stat(filepath.Join(dir, e.Name()))
		fmt.Println(e.Name(), info.Size(), err)
	}
	fmt.Println(len(entries), err)
}

// write writes words into a new file, each in its line.
//
//cogen:async
func write(name string, words ...string) (err error) {
	f, err := rt.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for _, w := range words {
		if _, err := f.Write([]byte(w + "\n")); err != nil {
			return err
		}
	}
	return f.Sync()
}

// count counts a byte, reading a little at a time.
//
//cogen:async
func count(name string, b byte) (n int, err error) {
	f, err := rt.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	buf := make([]byte, 4)
	for {
		m, err := f.Read(buf)
		for _, c := range buf[:m] {
			if c == b {
				n++
			}
		}
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// tail returns the last n bytes.
//
//cogen:async
func tail(name string, n int64) (string, error) {
	f, err := rt.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	buf := make([]byte, n)
	if _, err := f.ReadAt(buf, info.Size()-n); err != nil {
		return "", err
	}
	return string(buf), nil
}
