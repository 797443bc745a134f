package hpcc

import (
	"testing"

	"pintlab/experiments/sim"
	"pintlab/netsim/unit"
)

// apart returns the network of a benchmark, and its flows before the first event.
func apart(t *testing.T, b benchmark) *sim.Whole {
	t.Helper()
	sc, err := b.entry(HPCC).Spec(1).Scenario()
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.TakeApart(t.Context(), sc)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Each host, except the sender of the long flow and the receiver, sends one flow of the incast.
func TestIncastSenders(t *testing.T) {
	const n = 16
	flows, err := apart(t, incast(n, 2*unit.Millisecond)).Flows()
	if err != nil {
		t.Fatal(err)
	}
	sent := make([]int, n+2)
	for f, ok := flows.Next(); ok; f, ok = flows.Next() {
		sent[f.Src]++
		if f.Dst != n+1 {
			t.Errorf("a flow to host %d, want host %d", f.Dst, n+1)
		}
	}
	for host, flows := range sent[:n+1] {
		if flows != 1 {
			t.Errorf("host %d sends %d flows, want 1", host, flows)
		}
	}
}

// The headroom is 5 % of the window with which HPCC's flows begin in the network of the benchmark.
func TestHeadroom(t *testing.T) {
	_, window := apart(t, joins(joining[0])).Setting.Farthest()
	if want := window * 5 / 100; headroom != want {
		t.Errorf("headroom %d B, want %d B", headroom, want)
	}
}
