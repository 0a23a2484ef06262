package driver

// The codes of operations on files. They have their arguments, as far as these
// are not FD and Buf, in Op.File.
//
// Reads and writes of regular files, and everything that concerns names, may take
// as long as a disk takes, and most of it cannot be interrupted: Cancel ends
// such an operation if it has not been started, and otherwise it ends by itself.
const (
	// Read reads at most len(Buf) bytes from FD at File.Off, or with
	// CurrentPosition at the position of the open file, which moves. The result
	// is the number of bytes, 0 at the end of the file.
	Read Code = 64 + iota
	// Write writes Buf, like Read. The result may be short.
	Write
	// Open opens File.Path with the flags (O_*) File.Flags, to which O_CLOEXEC is
	// added, and the permissions File.Mode. The result is the descriptor. One
	// that is cancelled and ends with a descriptor all the same hands it over.
	Open
	// Stat writes a struct statx, as much as is known cheaply (STATX_BASIC_STATS),
	// to the first StatSize bytes of Buf. It describes FD, or File.Path if that is
	// set, without following a symbolic link at its end if File.Flags has NoFollow.
	Stat
	// Sync brings what was written to FD to stable storage; with DataOnly in
	// File.Flags without attributes that reading it back does not need.
	Sync
	// Truncate sets the size of FD to File.Len.
	Truncate
	// Allocate makes room for File.Len bytes at File.Off in FD; File.Mode is the
	// mode of fallocate(2).
	Allocate
	// Rename gives what File.Path names the name File.NewPath.
	Rename
	// Unlink removes the name File.Path, of a directory if File.Flags has
	// Directory and of something else otherwise.
	Unlink
	// Mkdir makes the directory File.Path with the permissions File.Mode.
	Mkdir
	// Call calls File.Func, which may block, on a goroutine. It must not panic.
	// The result is 0.
	Call
)

// CurrentPosition as FileArgs.Off stands for the position of the open file.
// Operations with it must not overlap with others on the same open file that
// use or change the position.
const CurrentPosition = -1

// StatSize is the size of a struct statx.
const StatSize = 256

// The bits of FileArgs.Flags, other than of Open.
const (
	// NoFollow, of Stat.
	NoFollow = 1 << iota
	// DataOnly, of Sync.
	DataOnly
	// Directory, of Unlink.
	Directory
	// Stream, of Read and Write at the current position: FD is non-blocking and
	// stands for something that can be waited for, such as a pipe. The operation
	// can be cancelled at any time, like Recv and Send.
	Stream
	// Append, of Write at the current position: FD is open for appending.
	Append
	// Direct, of Read: FD has O_DIRECT, so that there is nothing in memory to be had.
	Direct
)

// FileArgs are the arguments of an operation on a file. They live as long as
// the Op does.
type FileArgs struct {
	// Path and NewPath are names, each with a 0 byte at its end.
	Path, NewPath string
	Off, Len      int64
	Func          func()
	Flags, Mode   uint32
}
