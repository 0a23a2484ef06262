package rt

import "net"

// ReadDynamic is ReadAsync for calls through an interface, see [Call0].
func (c *Conn) ReadDynamic(self any, spare Call2[int, error], b []byte) Call2[int, error] {
	if _, ok := self.(*Conn); !ok {
		return nil
	}
	f, ok := spare.(*ReadFuture)
	if !ok {
		f = new(ReadFuture)
	}
	f.Init(c, b)
	return f
}

// WriteDynamic is WriteAsync for calls through an interface, see [Call0].
func (c *Conn) WriteDynamic(self any, spare Call2[int, error], b []byte) Call2[int, error] {
	if _, ok := self.(*Conn); !ok {
		return nil
	}
	f, ok := spare.(*WriteFuture)
	if !ok {
		f = new(WriteFuture)
	}
	f.Init(c, b)
	return f
}

// AcceptDynamic is AcceptAsync for calls through an interface, see [Call0].
func (l *Listener) AcceptDynamic(self any, spare Call2[net.Conn, error]) Call2[net.Conn, error] {
	if _, ok := self.(*Listener); !ok {
		return nil
	}
	f, ok := spare.(*AcceptFuture)
	if !ok {
		f = new(AcceptFuture)
	}
	f.Init(l)
	return f
}
