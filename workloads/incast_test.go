package workloads

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

func generate(t testing.TB, hosts []Host, g Generator) []Flow {
	t.Helper()
	flows, err := Workload{Seed: 21, Parts: []Part{{Name: "x", Priority: 3, Generator: g}}}.Generate(hosts)
	if err != nil {
		t.Fatal(err)
	}
	return flows
}

// An event with fixed hosts is fully determined: a 3:1 incast into host 1. The ports of a second event continue the
// count of the first event.
func TestIncastFixed(t *testing.T) {
	g := Incast{FanIn: 3, Sizes: Fixed(500), Start: 7, To: []topo.NodeID{1}, From: []topo.NodeID{5, 0, 3}}
	want := []Flow{
		{0, 0, 1, 10000, 200, 3, ClassIncast, 500, 7, 0, 0},
		{1, 3, 1, 10000, 200, 3, ClassIncast, 500, 7, 0, 0},
		{2, 5, 1, 10000, 200, 3, ClassIncast, 500, 7, 0, 0},
	}
	if diff := cmp.Diff(want, generate(t, someHosts(6), g)); diff != "" {
		t.Error(diff)
	}
	g.Every, g.Duration = 10, 11 // events at 7 and at 17; the end is at 18
	for _, f := range want[:3] {
		f.ID += 3
		f.SrcPort++
		f.Start = 17
		want = append(want, f)
	}
	if diff := cmp.Diff(want, generate(t, someHosts(6), g)); diff != "" {
		t.Error(diff)
	}
	g.Duration = 10 // no event at the end
	if flows := generate(t, someHosts(6), g); len(flows) != 3 {
		t.Errorf("%d flows, want 3", len(flows))
	}
}

// The events are 4:1 incasts among 8 hosts. All flows of an event start at the same time, from four different hosts to
// a fifth host. Receivers and senders are uniform (chi-square with 7 degrees of freedom each, with the bound for 1e-6).
func TestIncastRandom(t *testing.T) {
	const n, fanIn, events = 8, 4, 5000
	flows := generate(t, someHosts(n),
		Incast{FanIn: fanIn, Sizes: Uniform{1, 9}, Every: unit.Microsecond, Duration: events * unit.Microsecond})
	if len(flows) != fanIn*events {
		t.Fatalf("%d flows, want %d", len(flows), fanIn*events)
	}
	receivers, senders, first := make([]int, n), make([]int, n), make([]int, n)
	for event := range slices.Chunk(flows, fanIn) {
		seen := map[topo.NodeID]bool{event[0].Dst: true}
		for _, f := range event {
			if f.Start != event[0].Start || f.Dst != event[0].Dst || seen[f.Src] {
				t.Fatalf("not one event: %+v", event)
			}
			seen[f.Src] = true
			senders[f.Src]++
		}
		receivers[event[0].Dst]++
		first[event[0].Src]++
		if at := event[0].Start; at != unit.Time(event[0].ID/fanIn)*unit.Microsecond {
			t.Fatalf("event of flow %d at %v", event[0].ID, at)
		}
	}
	bound := chiSquareBound(n - 1)
	for what, counts := range map[string][]int{"receivers": receivers, "senders": senders, "first senders": first} {
		if x := chiSquare(counts); x > bound {
			t.Errorf("%s %v: chi-square %.1f, want below %.1f", what, counts, x, bound)
		}
	}
}

// A load of 10 % of 10 links of 100 Gb/s is 12.5 GB/s, so events of 5·2500 B are 1 us apart.
func TestIncastLoad(t *testing.T) {
	g := Incast{FanIn: 5, Sizes: Fixed(2500), Load: 0.1, Duration: 100 * unit.Microsecond}
	flows := generate(t, someHosts(10), g)
	if len(flows) != 500 || flows[5].Start != unit.Microsecond || flows[499].Start != 99*unit.Microsecond {
		t.Errorf("%d flows, second event at %v, last at %v; want 500, 1us, 99us",
			len(flows), flows[5].Start, flows[len(flows)-1].Start)
	}
	// The number of Poisson events is also 5000, within 5 standard errors, but the events are not evenly spaced.
	g.Poisson, g.Duration = true, 5*unit.Millisecond
	flows = generate(t, someHosts(10), g)
	if n := len(flows) / 5; n < 5000-354 || n > 5000+354 ||
		flows[5].Start-flows[0].Start == flows[10].Start-flows[5].Start {
		t.Errorf("%d events, the first at %v, %v, %v", n, flows[0].Start, flows[5].Start, flows[10].Start)
	}
}

// If no receiver is among the senders, each event may use all senders.
func TestIncastGroups(t *testing.T) {
	flows := generate(t, someHosts(10), Incast{
		FanIn: 4, Sizes: Fixed(1), Every: 1000, Duration: 100_000,
		To: []topo.NodeID{8, 9}, From: []topo.NodeID{0, 1, 2, 3},
	})
	to := map[topo.NodeID]int{}
	for i, f := range flows {
		if f.Src != topo.NodeID(i%4) {
			t.Fatalf("flow %d comes from %d", i, f.Src)
		}
		to[f.Dst]++
	}
	if len(flows) != 400 || len(to) != 2 || to[8] == 0 || to[9] == 0 {
		t.Errorf("%d flows to %v", len(flows), to)
	}
}
