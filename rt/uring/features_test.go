//go:build linux

package uring

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestProbe compares what was found with what a kernel of this version should have.
func TestProbe(t *testing.T) {
	f := Probe()
	if f.Err != nil {
		t.Skip(f.Err)
	}
	if again := Probe(); again != f && !f.passing() {
		t.Error("the second answer is another one")
	}
	t.Log(f)
	var major, minor int
	if _, err := fmt.Sscanf(f.Kernel, "%d.%d", &major, &minor); err != nil {
		t.Skip(err)
	}
	for x := range numFeatures {
		var since struct{ major, minor int }
		if _, err := fmt.Sscanf(x.Since(), "%d.%d", &since.major, &since.minor); err != nil {
			t.Fatalf("%v: %v", x, err)
		}
		should := major > since.major || major == since.major && minor >= since.minor
		// An older kernel may have been given a feature by whoever built it; a
		// newer one has all, but for limits of this process and device support.
		if err := f.Missing(x); err != nil && should && x != FeatureBusyPoll && errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("Linux %s: %v", f.Kernel, err)
		}
		if !strings.Contains(f.String(), x.String()) {
			t.Errorf("%v is not reported", x)
		}
	}
}

func TestFeaturesWithoutRings(t *testing.T) {
	f := &Features{Kernel: "5.10.0", Err: callError("io_uring_setup", unix.ENOSYS)}
	if f.Has(FeatureBufRing) || !errors.Is(f.Missing(FeatureBufRing), errors.ErrUnsupported) {
		t.Error("a feature of rings that there are not")
	}
	if s := f.String(); !strings.Contains(s, "5.10.0") || !strings.Contains(s, "no io_uring") {
		t.Errorf("%q", s)
	}
	f = &Features{Kernel: "5.15.0"}
	f.missing[FeatureResize] = errLacking
	if err := f.Missing(FeatureResize); err == nil || !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "6.13") {
		t.Error(err)
	}
	if s := f.String(); !strings.Contains(s, "no  resizing") || !strings.Contains(s, "FUTEX_WAIT") {
		t.Errorf("%q", s)
	}
	if f.Has(numFeatures) || numFeatures.String() == "" || numFeatures.Since() != "" {
		t.Error("a feature that there is not")
	}
	f.missing[FeatureResize] = fmt.Errorf("wrapped: %w", unix.ENOMEM)
	if !f.passing() {
		t.Error("a shortage would be remembered")
	}
}
