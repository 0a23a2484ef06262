package progen

import "math/rand/v2"

// A random makes the choices.
type random struct{ *rand.Rand }

func newRandom(seed uint64) random {
	return random{rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))}
}

// chance is true in percent of the cases.
func (r random) chance(percent int) bool { return r.IntN(100) < percent }

// between returns a number from low to high, both included.
func (r random) between(low, high int) int { return low + r.IntN(high-low+1) }

// oneOf returns one of the values.
func oneOf[T any](r random, values ...T) T { return values[r.IntN(len(values))] }

// An option is one way to write something. make returns "" if that way is not
// open here.
type option struct {
	weight int
	make   func() string
}

// choose takes options by their weight until one is open. It returns "" if none
// is.
func (r random) choose(options []option) string {
	total := 0
	for _, o := range options {
		total += o.weight
	}
	for total > 0 {
		n := r.IntN(total)
		for i := range options {
			if n -= options[i].weight; n >= 0 {
				continue
			}
			if s := options[i].make(); s != "" {
				return s
			}
			total -= options[i].weight
			options[i].weight = 0
			break
		}
	}
	return ""
}
