package rt_test

import (
	"net"
	"testing"

	"github.com/cogen-go/cogen/rt"
)

type dynamicReader interface {
	ReadDynamic(any, rt.Call2[int, error], []byte) rt.Call2[int, error]
}

// A dynamic companion uses the memory of an earlier call of its own kind, no other,
// and refuses receivers that only embed its own.
func TestDynamicCompanions(t *testing.T) {
	c := new(rt.Conn)
	var conn net.Conn = c
	reader := conn.(dynamicReader)

	first := reader.ReadDynamic(conn, nil, nil)
	if first == nil {
		t.Fatal("the connection itself was refused")
	}
	if again := reader.ReadDynamic(conn, first, nil); again != first {
		t.Error("the memory of a read was not used for the next one")
	}
	if write := c.WriteDynamic(conn, first, nil); write == first || write == nil {
		t.Error("a write was given the memory of a read, or refused")
	}
	if n := testing.AllocsPerRun(100, func() { first = reader.ReadDynamic(conn, first, nil) }); n != 0 {
		t.Errorf("a repeated read allocates %v times, want 0", n)
	}

	wrapped := struct{ *rt.Conn }{c}
	if f := wrapped.ReadDynamic(wrapped, nil, nil); f != nil {
		t.Error("a type that embeds the connection may have a Read of its own, and was not refused")
	}
	l := new(rt.Listener)
	if l.AcceptDynamic(l, nil) == nil || l.AcceptDynamic(struct{ *rt.Listener }{l}, nil) != nil {
		t.Error("want a listener itself, and no wrapper of it, to be accepted")
	}
}

func TestNilReceiver(t *testing.T) {
	var p *int
	var m map[int]int
	var f func()
	var ch chan int
	for _, v := range []any{nil, p, m, f, ch} {
		if !rt.NilReceiver(v) {
			t.Errorf("NilReceiver(%T) = false for a nil", v)
		}
	}
	for _, v := range []any{0, struct{}{}, "", [0]int{}, new(int), []int(nil), any(nil) == nil, func() {}} {
		if rt.NilReceiver(v) {
			t.Errorf("NilReceiver(%T) = true for what is no nil pointer", v)
		}
	}
}
