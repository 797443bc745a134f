package mem

import (
	"testing"
	"unsafe"
)

// Prefetching changes nothing, wherever the address points.
func TestChangesNothing(t *testing.T) {
	x := [64]byte{1, 2, 3}
	for _, p := range []unsafe.Pointer{unsafe.Pointer(&x), nil} {
		Prefetch(p)
		PrefetchWrite(p)
		PrefetchLines(p, 3)
		PrefetchThree(Address(x[:], -9), uintptr(p), Address(x[:], 1<<40))
	}
	if x != [64]byte{1, 2, 3} {
		t.Error(x)
	}
}
