//go:build !linux || cogen_portable

package rt

// pipeStock is empty where nothing is spliced.
type pipeStock struct{}

func (*pipeStock) closeAll() {}
