// Package rttest runs tasks in a simulated world, for tests: what happens in it is
// determined by a seed.
//
//	func TestEcho(t *testing.T) {
//		rttest.Seeds(t, 1000, func(s *rttest.Sim) {
//			l, err := rt.Listen("tcp", "10.0.0.1:7")
//			if err != nil {
//				s.Fatal(err)
//			}
//			rt.Go(serveAsync(l))
//			c, err := rt.Dial("tcp", "10.0.0.1:7")
//			...
//		})
//	}
//
// The function is a task in a runtime of its own, with one worker. Which of several tasks
// runs next, which case of a Select goes on, how long the network takes for each piece
// of data and how large the pieces are: everything is drawn from the seed, and the
// same each time. Another seed is another order. A test that fails prints the seed and
// how to run it again.
//
// # Time
//
// The world is a bubble of [testing/synctest]: time.Now, time.Sleep, contexts with
// deadlines, timers of package time and of package rt, and deadlines of connections all
// go by a clock of its own, which begins at midnight UTC 2000-01-01 and advances only
// when all tasks and goroutines wait. An hour of sleep takes no time. The rules for goroutines,
// channels and timers in a bubble hold, see there; [synctest.Wait] must not be called, since the
// world does.
//
// # Network
//
// Conn, Listener and PacketConn of package rt are the real ones, over sockets that
// exist in the world only: of "tcp", "udp" and "unix", at any address, none of which
// has to be one of this machine's. Data takes some time. Streams keep their order,
// but transfers are often short; datagrams overtake each other, and can be lost and
// duplicated. Hosts can be cut off, and connections reset; see [Network] and [Sim].
// Socket options have no effect. Names of hosts are not looked up in the world.
//
// On systems other than Linux connections are package net's, and there is no simulated
// network.
//
// # Goroutines and files
//
// What tasks do on goroutines, as by rt.Blocking, in go statements or because a channel of
// the language has to be waited for, is done on real ones in the bubble. Between their start
// and their next wait they run in parallel, and the order among several
// of them is not determined. What they send to tasks is taken in when all of them wait,
// so that one at a time does not make a difference.
//
// Files are real ones.
//
// # End
//
// The world ends when the function has returned and all tasks have finished. It is a
// failure if tasks wait and nothing is going to happen that could end that: a deadlock.
// The message says where each of them waits. Nor may a test go on for longer than
// a day of its time, or run tasks for ever without letting time pass.
package rttest
