//go:build linux

// Package drivertest is the conformance suite that every driver passes. It
// checks the rules of package driver, by subtests named after what they check,
// and knows nothing about how a driver works.
//
//	func TestConformance(t *testing.T) {
//		drivertest.Run(t, func(t *testing.T) driver.Driver {
//			d, err := epoll.NewDriver(epoll.Config{})
//			if err != nil {
//				t.Fatal(err)
//			}
//			return d
//		})
//	}
//
// Besides what a subtest is about, the rig that all of them use (see rig) checks
// rules 1 and 3 at every call: each operation ends once, on the driver's
// thread, from Poll, Wait or Close, and is counted.
//
// Nothing here measures time. Where a driver that breaks a rule would wait for
// ever, the suite waits for patience and then fails.
package drivertest

import (
	"testing"
	"time"

	"github.com/cogen-go/cogen/rt/driver"
)

// patience is how long the suite waits for something that has to happen.
const patience = 30 * time.Second

// Open makes the driver of one subtest. It is called on the thread that will
// own the driver, and fails t if it cannot. The suite closes the driver.
type Open = func(t *testing.T) driver.Driver

// Run runs the suite as subtests of t. None of them runs in parallel.
func Run(t *testing.T, open func(t *testing.T) driver.Driver) {
	for _, c := range []struct {
		name string
		run  func(*rig)
	}{
		{"name", testName},
		{"nop", testNop},
		{"recv waits", testRecvWaits},
		{"recv finds bytes", testRecvFindsBytes},
		{"recv in pieces", testRecvInPieces},
		{"recv ends of stream", testEndOfStream},
		{"recv datagrams", testDatagrams},
		{"recv around urgent data", testUrgentData},
		{"recv several on one socket", testSeveralRecvs},
		{"recv after reset", testReset},
		{"send nothing", testSendNothing},
		{"send to a full socket", testFullSocket},
		{"send several on one socket", testSeveralSends},
		{"send after the peer has gone", testSendPeerGone},
		{"bulk transfer", testBulk},
		{"accept", testAccept},
		{"accept several", testAcceptSeveral},
		{"accept without descriptors", testAcceptNoDescriptors},
		{"accept after shutdown", testAcceptShutdown},
		{"connect", testConnect},
		{"connect refused", testConnectRefused},
		{"connect to no such path", testConnectNoPath},
		{"bad descriptors", testBadDescriptor},
		{"close", testClose},
		{"close with operations in flight", testCloseInFlight},
		{"descriptor number reused", testNumberReused},
		{"descriptor number reused for the same file", testSameFileAgain},
		{"descriptor shared by drivers", func(r *rig) { testShared(r, open) }},
		{"cancel before the start", testCancelBeforeStart},
		{"cancel while waiting", testCancelWaiting},
		{"cancel after bytes have come", testCancelAfterBytes},
		{"cancel against a sender", testCancelRace},
		{"cancel a send", testCancelSend},
		{"cancel an accept", testCancelAccept},
		{"cancel a connect", testCancelConnect},
		{"cancel a close", testCancelClose},
		{"cancel one of several", testCancelOneOfSeveral},
		{"cancel what has ended", testCancelEnded},
		{"cancel from a completion", testCancelFromComplete},
		{"submit from a completion", testSubmitFromComplete},
		{"operation reused", testReuse},
		{"busy descriptor", testBusyDescriptor},
		{"wait with a timeout", testTimeouts},
		{"wait blocks", testWaitBlocks},
		{"wait and signals", testSignals},
		{"wake before wait", testWakeBefore},
		{"wake during wait", testWakeDuring},
		{"wake by turns", testWakeByTurns},
		{"wake by a crowd", testWakeCrowd},
		{"counters", testCounters},
		{"many sockets", testMany},
		{"garbage collection", testCollection},
		{"allocations", testAllocations},
		{"driver closed with operations in flight", testDriverClose},
		{"file read and write", testFileReadWrite},
		{"file of some size", testFileBig},
		{"file stat", testFileStat},
		{"file names", testFileNames},
		{"file allocate", testFileSpace},
		{"file operations in great number", testFileMany},
		{"file call", testFileCall},
		{"file open cancelled", testFileOpenCancelled},
		{"file stream", testFileStream},
		{"file operations in flight when the driver is closed", testFileDriverClose},
		{"lent buffers", testLent},
		{"lent buffers kept", testLentKept},
		{"lent buffers after close", testLentAfterClose},
		{"lent buffers and allocations", testLentAllocations},
		{"recv many", testRecvMany},
		{"recv many and cancel", testRecvManyCancel},
		{"recv many and the end", testRecvManyEnd},
		{"recv many and buffers kept", testRecvManyKept},
		{"recv many on many sockets", testRecvManyStorm},
		{"recv many and allocations", testRecvManyAllocations},
		{"accept many", testAcceptMany},
		{"repeating operations and close", testRepeatDriverClose},
		{"messages", testMessages},
		{"vectors", testVectors},
		{"readiness", testReadiness},
		{"model", testModel},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, open)
			defer r.close()
			c.run(r)
		})
	}
}
