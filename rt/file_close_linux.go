//go:build !cogen_portable

package rt

import (
	"errors"
	"net"
	"os"
)

// Close closes the file. It returns when the operations that are under way have
// ended and the descriptor is closed; reads and writes of a stream that are
// waiting fail with [os.ErrClosed].
func (f *File) Close() error {
	c := f.CloseAsync()
	c.claim()
	if contextHere() != nil || !c.closing.now() {
		block(c)
	}
	return c.Result()
}

// CloseAsync is the async form of Close.
func (f *File) CloseAsync() *FileCloseFuture {
	c := new(FileCloseFuture)
	c.Init(f)
	return c
}

// FileCloseFuture is a [File.Close] in progress.
type FileCloseFuture struct {
	closing closing
	file    *File
}

// Init makes c the closing of f.
func (c *FileCloseFuture) Init(f *File) {
	c.file = f
	if !f.ok() {
		c.closing.prepare(nil)
		return
	}
	c.closing.prepare(&f.sys.fd)
}

// Poll carries the closing on.
func (c *FileCloseFuture) Poll(cx *Context) bool {
	c.claim()
	return c.closing.Poll(cx)
}

// claim says that the descriptor will be closed, before it is: its number may mean
// another file by the time that f is found to be unreachable.
func (c *FileCloseFuture) claim() {
	if c.closing.fd != nil && c.closing.phase == closingOpen {
		c.file.sys.leak.Stop()
	}
}

// Result returns what [File.Close] returns.
func (c *FileCloseFuture) Result() error {
	if c.closing.fd == nil {
		return os.ErrInvalid
	}
	err := c.closing.Result()
	if err == nil {
		return nil
	}
	// Without what package net would add.
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	var call *os.SyscallError
	if errors.As(err, &call) {
		err = call.Err
	}
	return c.file.wrap("close", osError(err))
}
