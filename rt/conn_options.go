//go:build linux && !cogen_portable

package rt

import (
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// setOption sets a socket option that is an integer.
func (d *netFD) setOption(level, name, value int) error {
	err := d.acquire()
	if err == nil {
		err = os.NewSyscallError("setsockopt", setSocketOption(d.sys.Sysfd, level, name, value))
		d.drop()
	}
	return err
}

// SetNoDelay chooses whether small writes are sent at once (true, as set from the
// beginning) or gathered for a moment (Nagle's algorithm).
func (c *Conn) SetNoDelay(noDelay bool) error {
	return c.setting(unix.IPPROTO_TCP, unix.TCP_NODELAY, flag(noDelay))
}

// SetKeepAlive chooses whether probes are sent on an idle connection to find out
// whether the other end is still there. They are from the beginning.
func (c *Conn) SetKeepAlive(keepalive bool) error {
	return c.setting(unix.SOL_SOCKET, unix.SO_KEEPALIVE, flag(keepalive))
}

// SetKeepAlivePeriod sets how long a connection is idle before the first probe.
// It is rounded up to seconds.
func (c *Conn) SetKeepAlivePeriod(d time.Duration) error {
	return c.setting(unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, keepAliveSeconds(d, keepAliveIdle))
}

// SetKeepAliveConfig sets everything about probes, with the meaning that
// [net.KeepAliveConfig] gives to zero and negative fields.
func (c *Conn) SetKeepAliveConfig(config net.KeepAliveConfig) error {
	if err := c.SetKeepAlive(config.Enable); err != nil {
		return err
	}
	for _, o := range [...]struct{ name, value int }{
		{unix.TCP_KEEPIDLE, keepAliveSeconds(config.Idle, keepAliveIdle)},
		{unix.TCP_KEEPINTVL, keepAliveSeconds(config.Interval, keepAliveInterval)},
		{unix.TCP_KEEPCNT, keepAliveProbes(config.Count)},
	} {
		if o.value < 0 {
			continue // leave it as it is
		}
		if err := c.setting(unix.IPPROTO_TCP, o.name, o.value); err != nil {
			return err
		}
	}
	return nil
}

// keepAliveSeconds rounds a setting up to the seconds that the kernel has. Zero
// means standard; a negative one is returned as it is.
func keepAliveSeconds(d time.Duration, standard int) int {
	switch {
	case d == 0:
		return standard
	case d < 0:
		return -1
	}
	return int((d + time.Second - 1) / time.Second)
}

func keepAliveProbes(n int) int {
	if n == 0 {
		return keepAliveCount
	}
	return n
}

// SetLinger sets what Close does with data that has not been sent or
// acknowledged: sec < 0, as set from the beginning, sends it in the background; 0 discards it and
// resets the connection; sec > 0 gives it that many seconds.
func (c *Conn) SetLinger(sec int) error {
	if !c.ok() {
		return syscall.EINVAL
	}
	l := unix.Linger{Onoff: 1, Linger: int32(sec)}
	if sec < 0 {
		l = unix.Linger{}
	}
	err := c.fd.acquire()
	if err == nil {
		err = os.NewSyscallError("setsockopt", unix.SetsockoptLinger(int(c.fd.sys.Sysfd), unix.SOL_SOCKET, unix.SO_LINGER, &l))
		c.fd.drop()
	}
	return c.set(err)
}

// SetReadBuffer sets the size of the kernel's receive buffer, in bytes.
func (c *Conn) SetReadBuffer(bytes int) error {
	return c.ownSetting(unix.SOL_SOCKET, unix.SO_RCVBUF, bytes)
}

// SetWriteBuffer sets the size of the kernel's send buffer, in bytes.
func (c *Conn) SetWriteBuffer(bytes int) error {
	return c.ownSetting(unix.SOL_SOCKET, unix.SO_SNDBUF, bytes)
}

func (c *Conn) setting(level, name, value int) error {
	if !c.ok() {
		return syscall.EINVAL
	}
	return c.set(c.fd.setOption(level, name, value))
}

func (c *Conn) ownSetting(level, name, value int) error {
	if !c.ok() {
		return syscall.EINVAL
	}
	if err := c.fd.setOption(level, name, value); err != nil {
		return c.fd.ownError("set", err)
	}
	return nil
}

// set wraps the error of setting an option.
func (c *Conn) set(err error) error {
	if err != nil {
		return c.fd.opError("set", err)
	}
	return nil
}

func flag(on bool) int {
	if on {
		return 1
	}
	return 0
}
