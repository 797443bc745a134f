package hash

import "testing"

func TestStreamsAreNamed(t *testing.T) {
	first := func(seed uint64, name string, index ...uint64) uint64 { return Stream(seed, name, index...).Uint64() }
	base := first(1, "arrivals", 3)
	if first(1, "arrivals", 3) != base {
		t.Error("the same stream differs between calls")
	}
	for _, other := range []uint64{first(2, "arrivals", 3), first(1, "sizes", 3), first(1, "arrivals", 4),
		first(1, "arrivals")} {
		if other == base {
			t.Error("two streams start alike")
		}
	}
}
