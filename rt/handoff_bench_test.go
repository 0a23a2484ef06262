//go:build linux

package rt

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

// How long an exchange with a task takes whose worker is held by a poll that stays
// away: its pending read was submitted by the thread that is lost.
func BenchmarkHandOff(b *testing.B) {
	for _, m := range driverMakers {
		for _, name := range []string{"system call", "channel", "endless loop"} {
			b.Run(m.name+"/"+name, func(b *testing.B) {
				r := newRuntime(b, m.name, 1)
				defer r.Close()
				standIn.Store(r)
				defer standIn.Store(nil)
				client, server, err := newConnPair()
				if err != nil {
					b.Fatal(err)
				}
				echo := r.Go(echoAsync(server, 64))
				var took []time.Duration
				for b.Loop() {
					stay, release := away[name](b)
					staying := make(chan bool)
					gone := r.Go(plainly(func() { close(staying); stay() }))
					<-staying
					begin := time.Now()
					exchange(b, client)
					took = append(took, time.Since(begin))
					release()
					gone.Wait()
					r.Run(plainly(func() { Sleep(time.Millisecond) }))
				}
				client.Close()
				echo.Wait()
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1e3, "ms/median")
				b.ReportMetric(float64(took[len(took)-1].Microseconds())/1e3, "ms/most")
				b.ReportMetric(float64(runtime.GOMAXPROCS(0)), "procs")
			})
		}
	}
}
