package transform

// Companions for the functions of other packages.
//
// A package can declare companions for functions that it did not write, those of
// the standard library for instance, by their names:
//
//	func TimeSleepAsync(d time.Duration) *SleepFuture       of time.Sleep
//	func MutexLockAsync(m *sync.Mutex) *GoLockFuture[*sync.Mutex]   of (*sync.Mutex).Lock
//
// A function FAsync is a foreign companion if
//
//  1. its package has no F, so that it cannot be the companion of that;
//  2. F is, but for upper and lower case, the name of the other function's package
//     or of the receiver's type, and the name of the function or method; and
//  3. it takes the receiver, if any, and then the parameters of the other function,
//     and returns a future whose results are those of the other function.
//
// It is known to the packages that import its package, if only as _; those of
// package rt are known everywhere.

import (
	"go/types"
	"strings"
)

// foreignCompanions are functions that may be foreign companions, by what is left
// of their names, in lower case.
type foreignCompanions map[string][]*types.Func

// findForeign returns the foreign companions that pkgs declare.
func findForeign(pkgs ...*types.Package) foreignCompanions {
	out := foreignCompanions{}
	seen := map[*types.Package]bool{}
	for _, pkg := range pkgs {
		if pkg == nil || seen[pkg] {
			continue
		}
		seen[pkg] = true
		scope := pkg.Scope()
		for _, name := range scope.Names() {
			base, ok := strings.CutSuffix(name, companionName(""))
			fn, isFunc := scope.Lookup(name).(*types.Func)
			if ok && isFunc && fn.Exported() && scope.Lookup(base) == nil && fn.Signature().TypeParams().Len() == 0 {
				key := strings.ToLower(base)
				out[key] = append(out[key], fn)
			}
		}
	}
	return out
}

// foreignCall returns the plan for a call of a function that has a foreign companion,
// or nil.
func (c *colourer) foreignCall(fn *types.Func, sig *types.Signature) *plan {
	if fn.Pkg() == nil || sig.Variadic() {
		return nil
	}
	recv := fn.Signature().Recv()
	of := fn.Pkg().Name()
	if recv != nil {
		obj := receiverName(recv.Type())
		if obj == nil {
			return nil
		}
		of = obj.Name()
	}
	for _, companion := range c.foreign[strings.ToLower(of+fn.Name())] {
		csig := companion.Signature()
		if companion.Pkg() == fn.Pkg() || csig.Variadic() || !takes(csig, recv, sig.Params()) {
			continue
		}
		p := &plan{foreign: true, companion: companion, receiver: recv}
		if c.fit(p, csig, sig.Params(), sig.Results()) {
			return p
		}
	}
	return nil
}

// receiverName returns the name of the type that has a method, given the type of
// the receiver.
func receiverName(t types.Type) *types.TypeName {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	return typeName(types.Unalias(t))
}
