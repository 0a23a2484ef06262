package transform

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// passesOf compiles source, which has one marked function f, up to layout.
func passesOf(t *testing.T, source string) *irFunc {
	t.Helper()
	imp, err := fuzzImporter()
	if err != nil {
		t.Fatal(err)
	}
	src := "package p\n\nimport (\n\t\"fmt\"\n\t\"github.com/cogen-go/cogen/rt\"\n)\n\nvar _ = fmt.Sprint\nvar _ rt.Future\n\n//cogen:async\n" + source
	prog := checkFiles(Options{}, "example.com/p", map[string]string{"x.go": src}, imp)
	for _, d := range prog.diags.sorted() {
		t.Fatal(d.Format(""))
	}
	prog.colourAll()
	for _, fn := range prog.packages[0].files[0].async {
		if fn.name == "f" {
			return prog.compileFunc(fn)
		}
	}
	t.Fatal("the source has no function f")
	return nil
}

// TestKept checks what the frame keeps at each await.
func TestKept(t *testing.T) {
	for _, test := range []struct {
		name, source string
		kept         []string // by await
	}{
		{"nothing", `func f(a int) { fmt.Println(a); rt.Yield() }`, []string{""}},
		{"parameter", `func f(a int) { rt.Yield(); fmt.Println(a) }`, []string{"a"}},
		{"until its last use", `func f(a, b int) { rt.Yield(); fmt.Println(a); rt.Yield(); fmt.Println(b) }`, []string{"a, b", "b"}},
		{"not what is assigned before it is read", `func f(a int) { rt.Yield(); a = 1; rt.Yield(); fmt.Println(a) }`, []string{"", "a"}},
		{"around a loop", `func f(n int) {
			for i := 0; i < n; i++ {
				x := i
				rt.Yield()
				fmt.Println(x)
				rt.Yield()
			}
		}`, []string{"n, i, x", "n, i"}},
		{"through a branch", `func f(a, b int) {
			rt.Yield()
			if a > 0 {
				b = 2
			}
			rt.Yield()
			fmt.Println(b)
		}`, []string{"a, b", "b"}},
		{"what a jump out of a statement needs", `func f(a, b int) {
			for {
				rt.Yield()
				for i := range 3 {
					if i == a {
						b = 1
						goto out
					}
				}
			}
		out:
			rt.Yield()
			fmt.Println(b)
		}`, []string{"a, b", "b"}},
		{"not what a select receives", `func f(c chan int, a int) {
			rt.Yield()
			for {
				rt.Yield()
				select {
				case x := <-c:
					rt.Yield()
					fmt.Println(x)
				case a = <-c:
					return
				}
			}
		}`, []string{"c", "c", "c", "c, x"}},
		{"not what a case of a type switch holds", `func f(a any) {
			for {
				rt.Yield()
				switch x := a.(type) {
				case int:
					rt.Yield()
					fmt.Println(x)
				case string, bool:
					rt.Yield()
					fmt.Println("other", x)
				}
			}
		}`, []string{"a", "a, x", "a, x2"}},
		{"what only some branches assign", `func f(a, b int) {
			rt.Yield()
			for {
				rt.Yield()
				if a > 0 {
					b = 1
					continue
				}
				rt.Yield()
				fmt.Println(b)
			}
		}`, []string{"a, b", "a, b", "a, b"}},
		{"a box", `func f() {
			x := 1
			g := func() { x++ }
			rt.Yield()
			g()
			rt.Yield()
			fmt.Println(x)
		}`, []string{"x, g", "x"}},
		{"what the iterations and the way out of a loop over a function need", `func f(a, b, c int) {
			for v := range each {
				fmt.Println(a, v)
				rt.Yield()
				c = v
			}
			fmt.Println(b, c)
		}

		//cogen:async
		func each(yield func(int) bool) { yield(1) }`, []string{"a, b, c", "a, b, v"}},
		{"a result that the body of a loop over a function returns", `func f(a int) int {
			for v := range each {
				rt.Yield()
				if v == a {
					return v
				}
			}
			return 0
		}

		//cogen:async
		func each(yield func(int) bool) { yield(1) }`, []string{"a, returned", "a, v, returned"}},
		{"the yield function", `func f(yield func(int, int) bool) { rt.Yield(); yield(1, 2); rt.Yield() }`,
			[]string{"yield", "yield", ""}},
	} {
		t.Run(test.name, func(t *testing.T) {
			fn := passesOf(t, test.source)
			var kept []string
			for _, a := range fn.awaits {
				var names []string
				for _, v := range a.live {
					names = append(names, v.name)
				}
				kept = append(kept, strings.Join(names, ", "))
			}
			if diff := cmp.Diff(test.kept, kept); diff != "" {
				t.Errorf("kept (-want +got):\n%s\n%s", diff, fn.dump(token.NewFileSet()))
			}
		})
	}
}

// TestSlots checks which variables share a slot, and what is cleared.
func TestSlots(t *testing.T) {
	for _, test := range []struct {
		name, source string
		slots        []string
		cleared      []string // by await
	}{
		{
			name:    "one after the other",
			source:  `func f() { a := 1; rt.Yield(); b := a; rt.Yield(); fmt.Println(b) }`,
			slots:   []string{"a, b"},
			cleared: []string{"", ""},
		},
		{
			name:    "at the same time",
			source:  `func f() { a, b := 1, 2; rt.Yield(); fmt.Println(a, b) }`,
			slots:   []string{"a", "b"},
			cleared: []string{""},
		},
		{
			name:    "types differ",
			source:  `func f() { a := 1; rt.Yield(); b := uint(a); rt.Yield(); fmt.Println(b) }`,
			slots:   []string{"a", "b"},
			cleared: []string{"", ""},
		},
		{
			name:    "a pointer that is dead",
			source:  `func f(p *int) { rt.Yield(); fmt.Println(p); rt.Yield() }`,
			slots:   []string{"p"},
			cleared: []string{"", "p"},
		},
		{
			name:    "an integer that is dead",
			source:  `func f(n int) { rt.Yield(); fmt.Println(n); rt.Yield() }`,
			slots:   []string{"n"},
			cleared: []string{"", ""},
		},
		{
			name: "a pointer of an earlier iteration",
			source: `func f() {
				for {
					rt.Yield()
					p := new(int)
					rt.Yield()
					fmt.Println(p)
				}
			}`,
			slots:   []string{"p"},
			cleared: []string{"p", ""},
		},
		{
			name:    "a pointer that no earlier await has kept",
			source:  `func f() { rt.Yield(); p := new(int); rt.Yield(); fmt.Println(p) }`,
			slots:   []string{"p"},
			cleared: []string{"", ""},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			fn := passesOf(t, test.source)
			var slots []string
			for _, s := range fn.slots {
				var names []string
				for _, v := range s.vars {
					names = append(names, v.name)
				}
				slots = append(slots, strings.Join(names, ", "))
			}
			if diff := cmp.Diff(test.slots, slots); diff != "" {
				t.Errorf("slots (-want +got):\n%s", diff)
			}
			var cleared []string
			for _, a := range fn.awaits {
				var names []string
				for _, s := range fn.cleared(a) {
					names = append(names, s.name)
				}
				cleared = append(cleared, strings.Join(names, ", "))
			}
			if diff := cmp.Diff(test.cleared, cleared); diff != "" {
				t.Errorf("cleared (-want +got):\n%s", diff)
			}
		})
	}
}

// TestVerify breaks the invariants of the intermediate form one by one.
func TestVerify(t *testing.T) {
	const source = `func f(n int) int {
		for i := range n {
			if i == 3 {
				break
			}
			rt.Yield()
		}
		return n
	}`
	// jumping returns the instruction that jumps out of itself.
	jumping := func(fn *irFunc) *instr {
		for _, b := range fn.blocks {
			for _, in := range b.instrs {
				if len(in.targets) > 0 {
					return in
				}
			}
		}
		return nil
	}
	for _, test := range []struct {
		name   string
		break_ func(fn *irFunc)
		want   string
	}{
		{"as it is", func(*irFunc) {}, ""},
		{"no terminator", func(fn *irFunc) { fn.blocks[0].term = nil }, "has no terminator"},
		{"a target elsewhere", func(fn *irFunc) { fn.blocks[0].term = &jump{&block{}} }, "not in the function"},
		{"an await out of order", func(fn *irFunc) { fn.awaits[0].next = fn.blocks[0] }, "is not the next one"},
		{"a jump that is not listed", func(fn *irFunc) { jumping(fn).targets = nil }, "is not listed"},
		{"a listed jump elsewhere", func(fn *irFunc) { jumping(fn).targets[0] = &block{} }, "not in the function"},
		{"a return", func(fn *irFunc) { fn.blocks[0].instrs[0].stmt = &ast.ReturnStmt{} }, "a return is left"},
		{"a defer", func(fn *irFunc) { fn.blocks[0].instrs[0].stmt = &ast.DeferStmt{Call: call(ast.NewIdent("g"))} }, "a defer statement is left"},
		{"a lost variable", func(fn *irFunc) {
			v := fn.vars[slices.IndexFunc(fn.vars, func(v *irVar) bool { return v.name == "i" })]
			delete(fn.byObj, v.obj)
		}, "i is neither declared"},
	} {
		t.Run(test.name, func(t *testing.T) {
			fn := passesOf(t, source)
			test.break_(fn)
			err := verify(fn)
			switch {
			case test.want == "" && err != nil:
				t.Errorf("%v\n%s", err, fn.dump(token.NewFileSet()))
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got error %v, want one that says %q", err, test.want)
			}
		})
	}
}

// TestDump checks the printed intermediate form of a small function.
func TestDump(t *testing.T) {
	fn := passesOf(t, `func f(n int) (s string) {
		for n > 0 && ready(n) {
			n--
		}
		return fmt.Sprint(n, ready(n))
	}

	//cogen:async
	func ready(n int) bool { rt.Yield(); return n > 1 }
	`)
	const want = `func f
	var n int
	var s string
	var readyValue bool
	var readyValue2 bool
b0: entry
	goto b1
b1: loop
	if n > 0 goto b2 else b5
b2: right
	readyValue = await 1 (ready(n)) then b3
b3:
	if readyValue goto b4 else b5
b4: body
		n--
	goto b1
b5: done
	readyValue2 = await 2 (ready(n)) then b6
b6:
	finish fmt.Sprint(n, readyValue)
`
	got := strings.ReplaceAll(fn.dump(token.NewFileSet()), ": \n", ":\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dump (-want +got):\n%s", diff)
	}
}
