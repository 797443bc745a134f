package heavy

import (
	"slices"
	"testing"

	"pintlab/internal/errtest"
)

func TestTable(t *testing.T) {
	h, err := NewTable(2, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		key, estimate uint64
		place         int
	}{{1, 9, -1}, {1, 10, 0}, {2, 500, 1}, {3, 11, -1}, {1, 12, 0}, {3, 12, -1}} {
		if got := h.Packet(c.key, c.estimate); got != c.place {
			t.Errorf("flow %d with %d: place %d, want %d", c.key, c.estimate, got, c.place)
		}
	}
	if want := []Flow{{1, 12}, {2, 500}}; !slices.Equal(h.Flows(), want) || h.Dropped() != 2 {
		t.Errorf("%v, %d dropped; want %v, 2", h.Flows(), h.Dropped(), want)
	}
	if n, ok := h.Lookup(1); n != 12 || !ok {
		t.Error(n, ok)
	}
	if _, ok := h.Lookup(3); ok {
		t.Error("flow 3 is in the table")
	}
	h.Reset()
	if _, ok := h.Lookup(1); ok || len(h.Flows()) != 0 || h.Dropped() != 0 {
		t.Error("not empty after Reset")
	}
}

func TestFullTable(t *testing.T) {
	h, _ := NewTable(Capacity, 1)
	for k := range uint64(Capacity) {
		if h.Packet(k<<32, 1) != int(k) {
			t.Fatal(k)
		}
	}
	for k := range uint64(Capacity) {
		if _, ok := h.Lookup(k << 32); !ok {
			t.Fatal(k)
		}
	}
	if n := testing.AllocsPerRun(100, func() { h.Packet(7<<32, 3) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A large table uses memory only for its flows, and keeps these flows as it grows.
func TestLargeTableGrows(t *testing.T) {
	h, err := NewTable(maxCapacity, 1)
	if err != nil {
		t.Fatal(err)
	}
	if cap(h.flows) > roomAtFirst || len(h.slots) > 2*roomAtFirst {
		t.Errorf("room for %d flows in %d slots, empty", cap(h.flows), len(h.slots))
	}
	const flows = 5 * roomAtFirst
	for k := range uint64(flows) {
		if place := h.Packet(k*k, k+1); place != int(k) {
			t.Fatalf("flow %d has place %d", k, place)
		}
	}
	for k := range uint64(flows) {
		if n, ok := h.Lookup(k * k); n != k+1 || !ok {
			t.Fatalf("flow %d: estimate %d, %v", k, n, ok)
		}
	}
	if len(h.slots) < 2*flows {
		t.Errorf("%d slots for %d flows", len(h.slots), flows)
	}
}

func TestChanges(t *testing.T) {
	before := map[uint64]uint64{1: 100, 2: 50, 3: 7, 4: 900}
	after := map[uint64]uint64{1: 350, 2: 0, 3: 8, 5: 1000}
	got := Changes([]uint64{5, 1, 2, 3, 1, 4}, func(k uint64) uint64 { return before[k] },
		func(k uint64) uint64 { return after[k] }, 250)
	want := []Change{{5, 0, 1000}, {4, 900, 0}, {1, 100, 350}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestRefuses(t *testing.T) {
	if _, err := NewTable(0, 1); !errtest.Says(err, "heavy: a table for 0 flows, want 1 to 16777216") {
		t.Error(err)
	}
	if _, err := NewTable(1, 0); !errtest.Says(err, "heavy: threshold 0, … 1") {
		t.Error(err)
	}
}
