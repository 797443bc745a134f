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

// Hosts with an elephant send no mice, and the other hosts send about equally many.
func TestMiceSenders(t *testing.T) {
	flows, err := apart(t, miceBenchmark).Flows()
	if err != nil {
		t.Fatal(err)
	}
	sent := make([]int, 20)
	for f, ok := flows.Next(); ok; f, ok = flows.Next() {
		sent[f.Src]++
	}
	total := 0
	for host, n := range sent {
		total += n
		if host < 2 && n != 1 || host >= 2 && host < 19 && (n < 29 || n > 30) || host == 19 && n != 0 {
			t.Errorf("host %d sends %d flows", host, n)
		}
	}
	if total != 502 {
		t.Errorf("%d flows, want 2 elephants and 500 mice", total)
	}
}

// The headroom is 5 % of the window with which HPCC's flows begin in the network of the benchmark.
func TestHeadroom(t *testing.T) {
	_, window := apart(t, joins(joining[0])).Setting.Farthest()
	if want := window * 5 / 100; headroom != want {
		t.Errorf("headroom %d B, want %d B", headroom, want)
	}
}
