package driver

// Msg is what a message has besides its bytes. Like Op.Buf it belongs to the
// driver while the operation is in flight, and so does the memory it names.
type Msg struct {
	// Name is a raw socket address: for SendMsg the one to send to, or empty;
	// for RecvMsg room for the sender's.
	Name []byte
	// Control is ancillary data, or room for it.
	Control []byte
	// Bufs are what SendMsg sends if the operation's Buf is nil, one after the
	// other, at most MaxBufs.
	Bufs [][]byte
	// NameLen, ControlLen and Flags are what RecvMsg found: the lengths, and
	// the MSG_* flags.
	NameLen, ControlLen int
	Flags               int

	raw rawMsg
}

// MaxBufs is how many buffers one message may have.
const MaxBufs = 1024
