package store

import (
	"strings"
	"testing"
)

func TestWritePFC(t *testing.T) {
	var b strings.Builder
	err := WritePFC(&b, []Frame{
		{At: 2_000_011_412_999, Node: 3, Interface: 1, Pause: true},
		{At: 2_000_015_000_000, Node: 16, Switch: true, Interface: 12},
	})
	if want := "2000011412 3 0 1 1\n2000015000 16 1 12 0\n"; err != nil || b.String() != want {
		t.Errorf("%q, %v, want %q", b.String(), err, want)
	}
}
