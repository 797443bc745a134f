package hpcc

import (
	"testing"

	"pintlab/experiments/sim"
	"pintlab/netsim/unit"
)

// Each host, except the sender of the long flow and the receiver, sends one flow of the incast.
func TestIncastSenders(t *testing.T) {
	const n = 16
	b := incast(n, 2*unit.Millisecond)
	sc, err := b.entry(HPCC).Spec(1).Scenario()
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.TakeApart(t.Context(), sc)
	if err != nil {
		t.Fatal(err)
	}
	flows, err := w.Flows()
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
