package prefetch

import (
	"testing"
	"unsafe"
)

// Neither reads nor writes, wherever the address points.
func TestChangesNothing(t *testing.T) {
	x := [64]byte{1, 2, 3}
	for _, p := range []unsafe.Pointer{unsafe.Pointer(&x), nil} {
		Read(p)
		Write(p)
		WriteLines(p, 3)
	}
	if x != [64]byte{1, 2, 3} {
		t.Error(x)
	}
}
