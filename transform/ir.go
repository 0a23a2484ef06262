package transform

// The intermediate form: one function as basic blocks of Go statements.
//
// Input and output: the passes lower and blocks build an irFunc from a marked
// function, live and layout annotate it, emit prints it as the frame's Poll.
//
// What a block holds is still Go syntax, the user's own where that was
// possible. Only control flow that crosses an await point has become explicit:
//
//	for i := 0; i < n; i++ {        entry:
//		if err := step(i); err != nil {    i = 0
//			return err              loop: if !(i < n) { goto done }
//		}                               await step(i) -> next
//	}                               next: err = result
//	                                      if err != nil { finish(err) }
//	                                      i++
//	                                      goto loop
//	                                done: ...
//
// Invariants, which verify checks:
//
//  1. No statement of a block contains an await point.
//  2. Every block ends with one terminator; its targets are blocks of the
//     function.
//  3. A statement refers to a variable of the function that is declared
//     outside that statement only through an irVar.
//  4. A jump out of a statement (goto, or the end of the function) is listed
//     with the statement, so that the liveness pass sees the edge.
//  5. The body of a loop over a function (see lower_rangefunc.go) is entered by
//     the iterator's calls only, and left through the terminator iterated: no jump
//     leads into it or out of it.

import (
	"go/ast"
	"go/token"
	"go/types"
)

// varKind says where an irVar comes from.
type varKind uint8

const (
	localVar  varKind = iota // declared in the body
	paramVar                 // a parameter or the receiver
	resultVar                // a named result
	tempVar                  // made by lowering
)

// An irVar is a variable that Poll declares at its top because its life spans
// blocks. Variables declared inside a statement that has no await point are not
// among them: they stay where the user declared them.
type irVar struct {
	obj  *types.Var
	kind varKind
	name string // in Poll
	// boxed: an address of the variable, or a closure over it, exists, so
	// that each execution of its declaration makes a new variable on the heap.
	// The Poll variable and the frame's slot hold the pointer.
	boxed bool
	// resident: the variable lives in the frame all the time. So do named
	// results of functions with defers: a recovered panic returns what they
	// held.
	resident bool
	// as is the type that the variable has in the frame, if it is another one.
	as types.Type
	// reads and writes count the mentions; writes are plain assignments.
	reads, writes int
	index         int // in irFunc.vars, and in live sets
	slot          *slot
}

// typ is the type of the Poll variable and of the frame's slot.
func (v *irVar) typ() types.Type {
	if v.as != nil {
		return v.as
	}
	if v.boxed {
		return types.NewPointer(v.obj.Type())
	}
	return v.obj.Type()
}

// An instr is one statement without await points.
type instr struct {
	stmt ast.Stmt
	// lead are the comments that stand before the statement, trail those
	// behind it on its last line.
	lead, trail []*ast.CommentGroup
	// comments are those inside the statement.
	comments []*ast.CommentGroup
	// targets are the blocks that a goto inside the statement leads to.
	targets []*block
}

// A block is a sequence of instrs that is entered at its top, and a terminator.
type block struct {
	id     int
	hint   string    // what the block is to a reader: "loop", "done", ...
	label  string    // set by emit for blocks that are jumped to
	loop   *funcLoop // the innermost loop over a function that it is part of
	instrs []*instr
	term   terminator
	// lead are comments that stand before the terminator.
	lead []*ast.CommentGroup

	reachable bool
	liveIn    bitset
}

// A terminator ends a block.
type terminator interface{ successors() []*block }

// jump goes to another block.
type jump struct{ to *block }

// branch goes to one of two blocks.
type branch struct {
	cond      ast.Expr
	then, els *block
}

// finish ends the function. In one with defers the results are in the frame by
// now; in others they are returned.
type finish struct{ results []ast.Expr }

// iterated ends an iteration of a loop over a function.
type iterated struct {
	loop *funcLoop
	// next: the loop goes on. Otherwise it is left by an exit, 0 for the one behind
	// it.
	next bool
	exit int
}

// unreachable follows a statement that does not come back.
type unreachable struct{}

func (t *jump) successors() []*block        { return []*block{t.to} }
func (t *branch) successors() []*block      { return []*block{t.then, t.els} }
func (t *finish) successors() []*block      { return nil }
func (t *unreachable) successors() []*block { return nil }
func (t *iterated) successors() []*block {
	if t.next {
		return t.loop.await.successors()
	}
	return []*block{t.loop.await.next}
}

// An await starts a child future and polls it, and goes on at next once the
// child has finished.
type await struct {
	number int       // the frame's state while it waits here; from 1
	label  string    // behind it, where a frame that resumes goes on; set by emit
	pos    token.Pos // of the awaited operation
	what   string    // the operation as the user wrote it, for the frame's comment
	// plan is that of the operation, nil for what the user did not write.
	plan *plan
	// child is nil for the await of the deferred calls.
	child *child
	// step: Step of the child is called with args, and its results assigned to
	// results, nil for those that nobody wants. Otherwise the child has been
	// started, and is polled.
	step    bool
	args    *ast.CallExpr // the call of Step, with the operands as its arguments
	results []*irVar
	next    *block
	// yield: this is a call of the yield parameter, and there is no child.
	yield *irVar
	// body is what the child gets for its yield parameter, behind args.
	body ast.Expr
	// noYield is what Init of the child gets in the place of body.
	noYield ast.Expr
	// loop: the child is the iterator of this loop, whose body it may run any number
	// of times before it goes on at next.
	loop *funcLoop
	// within is the innermost loop over a function that it is part of.
	within *funcLoop
	// live are the variables that are kept in the frame while it waits,
	// those of boxed variables included. Set by the live pass.
	live []*irVar
}

func (t *await) successors() []*block {
	if t.loop != nil {
		return []*block{t.next, t.loop.body}
	}
	return []*block{t.next}
}

// A funcLoop is a range over a function whose body is part of the state machine. The
// iterator enters the body at a state of its own, as if the frame resumed there.
type funcLoop struct {
	outer *funcLoop
	// typ is the name of the type by which the iterator knows the frame, field the
	// frame's rangefunc.Loop. Loops share it that are not inside one another.
	typ, field string
	number     int       // the frame's state at the beginning of an iteration
	from, to   token.Pos // of the body
	shape      *yieldShape
	values     []*irVar // what the iterator yields, nil for what nobody wants
	await      *await   // of the iterator
	body       *block   // the beginning of an iteration
	exits      []*loopExit
}

// A loopExit is a way out of a loop over a function: the block from ends the
// iteration, and when the iterator has returned the loop leads to another one.
type loopExit struct {
	from, to *block
}

// A child is the slot of a child future, shared by all awaits of one type.
type child struct {
	name string // the frame's field
	typ  types.Type
	// dynamic is the method of an interface that is called; such a child keeps its
	// memory, for the next call.
	dynamic string
	// pointers: the type may hold pointers, so that a stale child is cleared.
	pointers bool
}

// A slot is a field of the frame that holds one of its variables at a time.
type slot struct {
	name string
	typ  types.Type
	vars []*irVar
	// param is the parameter whose slot it is, which Step gets as an argument.
	param *irVar
	// pinned: no variable may share the slot.
	pinned bool
}

// An irFunc is a function in the intermediate form.
type irFunc struct {
	async *asyncFunc
	info  *types.Info
	sig   *types.Signature

	// plain: the frame calls the function itself, and has no states.
	plain bool

	vars    []*irVar
	byObj   map[types.Object]*irVar
	params  []*param
	results []*result
	decls   []*ast.GenDecl // constants and types of the body
	blocks  []*block       // in order of the source
	awaits  []*await
	loops   []*funcLoop
	loop    *funcLoop // that new blocks are part of
	// loopTypes counts the loops, and loopFields has their fields by depth.
	loopTypes  int
	loopFields []string
	children   []*child
	slots      []*slot

	// defers: the function has defer statements; deferred is then the await
	// of the deferred calls, which every finish leads to.
	defers   bool
	deferred *await
	// exit is the block that ends with deferred. In a function without defers it is the
	// one that returns for the bodies of loops over functions, if they do.
	exit *block
	// yield is the variable of the yield parameter; frames keep a rangefunc.Body in
	// it. iterator: the frame keeps the iterator that the function returns.
	yield    *irVar
	iterator types.Type
	// gotos maps the goto statements that lowering made to their targets.
	gotos map[*ast.BranchStmt]*block
	// finishes has the returns from Poll that lowering made.
	finishes map[*ast.ReturnStmt]bool
	// frameVar and ctxVar are the names of Poll's receiver and parameter.
	frameVar, ctxVar string
	// stateVar and doneVar are names of Step.
	stateVar, doneVar string
	// raw has the identifiers that mean the Poll variable itself, the pointer
	// of a boxed one.
	raw map[*ast.Ident]*irVar
	// renamed has the new names of hoisted constants.
	renamed map[types.Object]string
	// reach has for an await those that may have suspended before.
	reach  map[*await]map[*await]bool
	names  *nameSet // of Poll
	fields *nameSet // of the frame
}

// A param is a parameter of the function, or its receiver.
type param struct {
	obj   *types.Var
	v     *irVar // nil if the body cannot name it
	field string // where Init puts it; empty if v is nil
	arg   string // the parameter of Step
	// passed: the parameter is the pointer to a variable's box.
	passed bool
	slot   *slot
}

// typ is the type of the parameter as Step has it, and Init unless it is the yield
// parameter.
func (p *param) typ() types.Type {
	if p.v != nil && p.v.as != nil {
		return p.v.as
	}
	if p.passed {
		return types.NewPointer(p.obj.Type())
	}
	return p.obj.Type()
}

// A result is a result of the function.
type result struct {
	obj   *types.Var
	v     *irVar // nil if unnamed
	field string
	name  string // the result of Step
	// inLoop is the variable of an unnamed result that the body of a loop over a
	// function returns.
	inLoop *types.Var
}

// newBlock appends an empty block.
func (fn *irFunc) newBlock(hint string) *block {
	return &block{hint: hint, loop: fn.loop}
}

// place appends b to the function's blocks: the order of blocks is the order
// in which they are printed.
func (fn *irFunc) place(b *block) {
	b.id = len(fn.blocks)
	fn.blocks = append(fn.blocks, b)
}

// successors calls f for every block that control can reach from b in one step.
func (b *block) successors(f func(*block)) {
	for _, in := range b.instrs {
		for _, t := range in.targets {
			f(t)
		}
	}
	for _, t := range b.term.successors() {
		f(t)
	}
}

// thread makes jumps to a block that only jumps on go where that goes.
func (fn *irFunc) thread() {
	final := func(b *block) *block {
		for range len(fn.blocks) {
			j, ok := b.term.(*jump)
			if !ok || len(b.instrs) > 0 || len(b.lead) > 0 {
				break
			}
			b = j.to
		}
		return b
	}
	for _, b := range fn.blocks {
		for _, in := range b.instrs {
			for i, t := range in.targets {
				in.targets[i] = final(t)
			}
		}
		switch t := b.term.(type) {
		case *jump:
			t.to = final(t.to)
		case *branch:
			t.then, t.els = final(t.then), final(t.els)
		}
	}
	for s, b := range fn.gotos {
		fn.gotos[s] = final(b)
	}
}

// prune removes the blocks that nothing leads to.
func (fn *irFunc) prune() {
	var visit func(*block)
	visit = func(b *block) {
		if b.reachable {
			return
		}
		b.reachable = true
		b.successors(visit)
	}
	visit(fn.blocks[0])
	kept := fn.blocks[:0]
	for _, b := range fn.blocks {
		if b.reachable {
			b.id = len(kept)
			kept = append(kept, b)
		}
	}
	fn.blocks = kept

	awaits := fn.awaits[:0]
	for _, a := range fn.awaits {
		if a.next.reachable {
			a.number = len(awaits) + 1
			awaits = append(awaits, a)
		}
	}
	fn.awaits = awaits

	loops := fn.loops[:0]
	for _, loop := range fn.loops {
		if loop.body.reachable {
			loops = append(loops, loop)
			loop.number = len(awaits) + len(loops)
		}
	}
	fn.loops = loops
}

// A bitset is a set of irVar indexes.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (s bitset) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }
func (s bitset) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s bitset) remove(i int)   { s[i/64] &^= 1 << (i % 64) }

// union adds t to s and reports whether s has grown.
func (s bitset) union(t bitset) bool {
	grown := false
	for i, w := range t {
		if w&^s[i] != 0 {
			s[i] |= w
			grown = true
		}
	}
	return grown
}
