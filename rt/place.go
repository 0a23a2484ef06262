package rt

// GoOn is [Runtime.Go] for a task that runs on the given worker: they are numbered from 0,
// and numbers go round. It is for programs that divide their data among workers, see
// [Config.SharedNothing].
func (r *Runtime) GoOn(worker int, f Future) Task {
	w := r.workers[int(uint(worker)%uint(len(r.workers)))]
	h, ok := w.spawnFrom(f, nil)
	if !ok {
		panic(ErrClosed)
	}
	return h
}
