package pint

import (
	"math"
	"testing"
)

// Every flow counts in one class and in the last line. Wilson's interval for 3 of 4 agrees with the textbook and is
// within [0, 1].
func TestKnownAtEnd(t *testing.T) {
	flow := func(packets int, known bool) *Flow {
		return &Flow{Packets: packets, Tail: []bool{false, known}}
	}
	flows := []*Flow{flow(1, false), flow(2, true), flow(5, true), flow(3, false), flow(4, true), flow(500, true)}
	list := KnownAtEnd(flows, 1)
	want := []Known{{From: 1, To: 1, Flows: 1}, {From: 2, To: 5, Flows: 4, Share: 0.75},
		{From: 101, Flows: 1, Share: 1}, {From: 1, Flows: 6, Share: 4. / 6}}
	if len(list) != len(want) {
		t.Fatalf("%+v, want %+v", list, want)
	}
	for i, k := range list {
		if lo, hi := k.Lo, k.Hi; lo < 0 || hi > 1 || lo > k.Share || hi < k.Share {
			t.Errorf("%+v: the interval does not hold the share or leaves [0, 1]", k)
		}
		k.Lo, k.Hi = 0, 0
		if k != want[i] {
			t.Errorf("class %d: %+v, want %+v", i, k, want[i])
		}
	}
	if lo, hi := list[1].Lo, list[1].Hi; math.Abs(lo-0.3006) > 1e-4 || math.Abs(hi-0.9544) > 1e-4 {
		t.Errorf("3 in 4: %v to %v, want 0.3006 to 0.9544", lo, hi)
	}
	for _, k := range KnownAtEnd(flows, 0) {
		if k.Share != 0 || k.Lo != 0 {
			t.Errorf("plan 0: %+v, want none", k)
		}
	}
}
