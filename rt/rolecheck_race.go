//go:build race

package rt

// touch panics if code of users is running on w's thread, which then could be robbed
// while it is at w's state: somebody has forgotten to call enter (H1). It is
// called by what changes that state, and checks under the race detector only.
func (w *worker) touch() {
	if th := w.holder.Load(); th != nil && th.gate.get() != 0 {
		panic("rt: a worker's state was touched with the gate of its thread open")
	}
}
