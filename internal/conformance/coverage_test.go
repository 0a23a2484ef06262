package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCoverage(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	source := "package p\nfunc a() { func() {}(); _ = func() {} }\nfunc (t) Poll() {}\nfunc external()\nvar _ = func() {}\n"
	overlay := &overlayFile{Replace: map[string]string{
		// A replaced source may have methods of that name too.
		write("x.go", source):               write("0_x.go", source),
		filepath.Join(dir, "x_cogen.go"):    write("1_x.go", "package p\nfunc (f *aFrame[T]) Poll(cx *rt.Context) (done bool) {\n}\nfunc (f *bFrame) Poll(_ *rt.Context) bool {\n"),
		filepath.Join(dir, "y", "cogen.go"): write("2_x.go", "package p\nfunc (f *cFrame) Poll() {}\n"),
	}}
	if got := (coverage{countFunctions([]byte(source)), overlay.countFrames(dir)}); got != (coverage{5, 2}) {
		t.Errorf("got %+v, want 5 functions and 2 frames", got)
	}
}
