//go:build linux

package uring

// configs are the rings that tests run on: as good as the kernel allows, tiny
// queues that overflow all the time, and what an old kernel would give.
var configs = []struct {
	name string
	cfg  Config
}{
	{"default", Config{}},
	{"tiny", Config{SQEntries: 2, CQEntries: 2}},
	{"deferred", Config{Defer: true}},
	{"old", Config{Without: SetupNoSQArray | SetupCoopTaskrun | SetupSubmitAll, noMsgRing: true}},
}
