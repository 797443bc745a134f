package tasks

import (
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// ranks returns the given number of hosts.
func ranks(n int) []topo.NodeID {
	hosts := make([]topo.NodeID, n)
	for i := range hosts {
		hosts[i] = topo.NodeID(i)
	}
	return hosts
}

// Computations of a core follow each other in the order in which they are released, a message waits for its core,
// and Ready comes before Done.
func TestCores(t *testing.T) {
	g := New("g", ranks(2))
	core := g.AddCore()
	a := g.Add(Task{Kind: Compute, Core: core, Time: 5})
	b := g.Add(Task{Kind: Compute, Core: core, Time: 7})
	m := g.Add(Task{Kind: Send, Core: core, Peer: 1, Size: 1, Time: 2})
	free := g.Add(Task{Kind: Compute, Time: 3})
	x := g.Add(Task{Kind: Compute, Rank: 1, Time: 1})
	g.Wait(x, m, Arrived)
	y := g.Add(Task{Kind: Compute, Time: 0})
	g.Wait(y, b, Ready)
	r, err := Ideal(g)
	if err != nil {
		t.Fatal(err)
	}
	for task, want := range map[int32]unit.Time{a: 5, b: 12, m: 14, free: 3, x: 15, y: 0} {
		if got := r.State[task].Done; got != want {
			t.Errorf("task %d is done at %d, want %d", task, got, want)
		}
	}
	if s := r.State[x]; s.By != m || s.Ready != 14 || s.Others != 0 {
		t.Errorf("%+v", s)
	}
	if !g.Local() {
		t.Error("every task waits for what happens at its own host")
	}
	g.Wait(a, x, Done)
	if g.Local() {
		t.Error("a task waits for another host")
	}
}

// A gate opens after Count events, and a turnstile releases one task per event.
func TestGates(t *testing.T) {
	g := New("g", ranks(1))
	var delays []int32
	for i := range 4 {
		delays = append(delays, g.Add(Task{Time: unit.Time(10 * (i + 1))}))
	}
	gate := g.Add(Task{Kind: Gate, Count: 3})
	turns := g.Add(Task{Kind: Turnstile})
	for _, d := range delays {
		g.Wait(gate, d, Done)
		g.Wait(turns, d, Done)
	}
	after := g.Add(Task{})
	g.Wait(after, gate, Done)
	first, second := g.Add(Task{}), g.Add(Task{})
	g.Wait(first, turns, Done)
	g.Wait(second, turns, Done)
	r, err := Ideal(g)
	if err != nil {
		t.Fatal(err)
	}
	for task, want := range map[int32]unit.Time{after: 30, first: 10, second: 20} {
		if got := r.State[task].Done; got != want {
			t.Errorf("task %d is done at %d, want %d", task, got, want)
		}
	}
	third, fourth, fifth := g.Add(Task{}), g.Add(Task{}), g.Add(Task{})
	for _, x := range []int32{third, fourth, fifth} {
		g.Wait(x, turns, Done)
	}
	if _, err := Ideal(g); !errtest.Says(err, "computation 11, … never begin … turn … 4 events") {
		t.Error(err)
	}
}

// Receives take the oldest message that fits, from any rank and with any tag if they allow it.
func TestMatching(t *testing.T) {
	g := New("g", ranks(3))
	delay := func(rank int32, d unit.Time) int32 { return g.Add(Task{Rank: rank, Time: d}) }
	send := func(from int32, at unit.Time, tag int32) int32 {
		m := g.Add(Task{Kind: Send, Rank: from, Peer: 0, Size: 1, Tag: tag, Matched: true})
		g.Wait(m, delay(from, at), Done)
		return m
	}
	m1, m2, m3 := send(1, 10, 7), send(2, 20, 7), send(1, 30, 8)
	any7 := g.Add(Task{Kind: Receive, Peer: Any, Tag: 7})
	late := g.Add(Task{Kind: Receive, Peer: 1, Tag: Any})
	g.Wait(late, delay(0, 40), Done)
	from2 := g.Add(Task{Kind: Receive, Peer: 2, Tag: Any})
	r, err := Ideal(g)
	if err != nil {
		t.Fatal(err)
	}
	for task, want := range map[int32]struct {
		done unit.Time
		by   int32
	}{any7: {10, m1}, from2: {20, m2}, late: {40, 8}} {
		if s := r.State[task]; s.Done != want.done || s.By != want.by {
			t.Errorf("receive %d: done at %d by %d, want %+v (%d)", task, s.Done, s.By, want, m3)
		}
	}
	g.Add(Task{Kind: Receive, Peer: Any, Tag: Any})
	if _, err := Ideal(g); !errtest.Says(err, "receive … no rank sends (rank 1, tag any)") {
		t.Error(err)
	}
}
