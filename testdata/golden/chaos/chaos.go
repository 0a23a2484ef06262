// Package chaos defers, panics, loops and closures all at once.
package chaos

import (
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/cogen-go/cogen/rt"
)

type resource struct {
	id   int
	open *[]int
}

//cogen:async
func (r *resource) close() (err error) {
	step(100 + r.id)
	if i := slices.Index(*r.open, r.id); i >= 0 {
		*r.open = slices.Delete(*r.open, i, i+1)
	}
	if r.id == 3 {
		panic(fmt.Sprint("close ", r.id))
	}
	return fmt.Errorf("closed %d", r.id)
}

//cogen:async
func acquire(id int, open *[]int) (r *resource, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("acquire: %w", err)
		}
	}()
	if step(id) == 5 {
		return nil, errors.New("too many")
	}
	*open = append(*open, id)
	return &resource{id, open}, nil
}

//cogen:async
func use(limit int) (done []int, err error) {
	var open []int
	defer func() { fmt.Println("left open", open) }()
	defer func() {
		if e := recover(); e != nil {
			err = errors.Join(err, fmt.Errorf("recovered %v", e))
		}
	}()
outer:
	for i := 1; ; i++ {
		r, err := acquire(i, &open)
		if err != nil {
			return done, err
		}
		defer r.close()
		defer func() {
			if i == 2 {
				fmt.Println("inner recover", recover())
			}
		}()
		for j := range i {
			switch {
			case j == 1 && i == 2:
				continue outer
			case i == limit:
				break outer
			}
			done = append(done, step(i*10+j))
		}
	}
	if limit == 4 {
		panic("limit")
	}
	return done, nil
}

//cogen:async
func work() {
	for limit := 2; limit <= 6; limit++ {
		done, err := use(limit)
		fmt.Println(limit, done, err)
	}
	for i := range 3 {
		fmt.Println(retry(i))
	}
	fmt.Println(stack(3))
	fmt.Println(kept())
	exit()
}

//cogen:async
func retry(n int) (tries int, err error) {
	for {
		tries++
		err = func() (err error) {
			defer func() {
				if e, ok := recover().(error); ok {
					err = e
				}
			}()
			return attempt(n - tries)
		}()
		if err == nil || tries > 4 {
			return
		}
	}
}

//cogen:async
func attempt(n int) error {
	var list []int
	if n == 0 {
		return nil
	}
	if n > 0 {
		_ = list[step(n)]
	}
	return fmt.Errorf("attempt %d", step(-n))
}

//cogen:async
func stack(n int) (s string) {
	defer func() {
		if e := recover(); e != nil {
			s += fmt.Sprint("<", e, ">")
			if n > 1 {
				panic(fmt.Sprint("again ", n))
			}
		}
	}()
	defer step(n)
	if n == 0 {
		panic("bottom")
	}
	return stack(n-1) + fmt.Sprint(step(n))
}

// kept has results that were set before the return statement panicked.
//
//cogen:async
func kept() (a int, b string) {
	defer func() { recover() }()
	a, b = 1, "kept"
	return step(2), fail()
}

//cogen:async
func fail() string { step(3); panic("fail") }

//cogen:async
func exit() {
	defer fmt.Println("exit deferred")
	defer func() {
		defer func() { fmt.Println("recovered", recover()) }()
		panic("in deferred")
	}()
	defer goexit()
	panic("replaced by goexit")
}

//cogen:async
func goexit() { step(4); runtime.Goexit() }

// step stands for an await point: it prints, suspends once and returns n.
//
//cogen:async
func step(n int) int {
	fmt.Println("step", n)
	rt.Yield()
	return n
}

// Main is the program.
func Main() { work() }
