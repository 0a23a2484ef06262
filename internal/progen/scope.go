package progen

// A variable is something that has a name and a value.
type variable struct {
	name string
	t    *typ
	used bool
	// pinned: the program does not assign to it.
	pinned bool
	// init is the value that a variable of the package starts with.
	init string
}

// A scope holds what one block declares.
type scope struct {
	outer *scope
	vars  []*variable
	// names are other names that the block declares, of constants for example.
	names map[string]bool
	types []*typ
}

func (s *scope) declares(name string) bool {
	if s.names[name] {
		return true
	}
	for _, v := range s.vars {
		if v.name == name {
			return true
		}
	}
	return s.declared(name) != nil
}

// declared returns the type of that name that the block declares, or nil.
func (s *scope) declared(name string) *typ {
	for _, t := range s.types {
		if t.name == name {
			return t
		}
	}
	return nil
}

// hidden reports whether a name of the universe or the package means something
// else here.
func (s *scope) hidden(name string) bool {
	for ; s != nil; s = s.outer {
		if s.declares(name) {
			return true
		}
	}
	return false
}

// visible returns the variables that can be named here, innermost first.
func (s *scope) visible() []*variable {
	var out []*variable
	seen := map[string]bool{}
	for ; s != nil; s = s.outer {
		for i := len(s.vars) - 1; i >= 0; i-- {
			if v := s.vars[i]; !seen[v.name] {
				seen[v.name] = true
				out = append(out, v)
			}
		}
		for name := range s.names {
			seen[name] = true
		}
		for _, t := range s.types {
			seen[t.name] = true
		}
	}
	return out
}

// localNames are the names that local variables get: ordinary ones, those that
// generated code likes, those of the language, and those of the program's own
// functions and types.
var localNames = []string{
	"a", "b", "c", "i", "j", "k", "n", "p", "s", "v", "x", "y", "z", "ok", "err",
	"f", "cx", "fr", "frame", "state", "result", "Result", "Poll", "Init", "defers", "step", "done",
	"t", "t0", "v1", "tmp", "fn", "recv", "arg", "raise", "next", "future", "lit", "cond", "value", "ranged",
	"end", "iter", "child", "awaited", "asserted", "sliced", "key", "pos", "width", "decoded", "received", "tag", "ptr",
	"rt", "trace", "utf8", "len", "cap", "new", "make", "append", "copy", "min", "max", "panic", "recover",
	"int", "string", "bool", "any", "error", "uint8", "rune", "float64", "true", "false", "nil", "iota",
	"same", "tick", "pick", "f0", "f1", "f2", "f3", "S0", "S1", "num", "box",
}

// labelNames are the names of labels, which have a space of their own.
var labelNames = []string{"outer", "loop", "done", "L", "await1", "await2", "exit", "f", "x", "end", "next", "body", "then", "resume", "f0"}
