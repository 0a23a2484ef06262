//go:build !race

package rt

func (w *worker) touch() {}
