//go:build !linux

package rt

import "errors"

func bindThread(int) (release func(), err error) {
	return nil, errors.New("threads cannot be bound to CPUs on this system")
}
