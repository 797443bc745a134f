package route_test

import (
	"math"
	"testing"

	"pintlab/netsim/route"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// uneven returns two leaves with one host each, 0 and 1, linked by three spines. Nodes 2 and 3 are the leaves, and 4, 5
// and 6 the spines. The links of the first leaf to the spines have 100, 40 and 100 Gb/s, and the link from the last
// spine to the second leaf has 20 Gb/s.
func uneven() *topo.Graph {
	g := &topo.Graph{Nodes: []topo.Node{{Kind: topo.Host}, {Kind: topo.Host}, {Kind: topo.Switch}, {Kind: topo.Switch},
		{Kind: topo.Switch}, {Kind: topo.Switch}, {Kind: topo.Switch}}}
	link := func(a, b topo.NodeID, gbps int) {
		g.Links = append(g.Links, topo.Link{A: a, B: b, Rate: unit.Rate(gbps) * unit.Gbps, Delay: unit.Microsecond})
	}
	link(0, 2, 100)
	link(1, 3, 100)
	link(2, 4, 100)
	link(2, 5, 40)
	link(2, 6, 100)
	link(4, 3, 100)
	link(5, 3, 100)
	link(6, 3, 20)
	return g
}

// shares returns how many of n flows from host 0 to 1 cross each spine.
func shares(t *testing.T, r *route.Table, n int) map[topo.NodeID]float64 {
	t.Helper()
	got := map[topo.NodeID]float64{}
	for i := range n {
		p := r.Path(nil, 0, 1, route.FiveTuple{Src: 1, Dst: 2, SrcPort: uint16(i), DstPort: 100})
		got[p[1].To(r.Graph())]++
	}
	return got
}

// Three paths of 100, 40 and 20 Gb/s lead to the destination, so that the shares are 100, 40 and 20 of 160. With 16000
// flows a share deviates by more than 200 flows in one of 10^4 tests (the standard deviation is at most 62). Without
// weights each share is a third.
func TestWeightsFollowWhatPathsCarry(t *testing.T) {
	const n = 16_000
	for _, weighted := range []bool{true, false} {
		r, err := route.New(uneven(), route.Options{Seed: 3, Weighted: weighted})
		if err != nil {
			t.Fatal(err)
		}
		want := map[topo.NodeID]float64{4: 10_000, 5: 4_000, 6: 2_000}
		if !weighted {
			want = map[topo.NodeID]float64{4: n / 3.0, 5: n / 3.0, 6: n / 3.0}
		}
		got := shares(t, r, n)
		for spine, w := range want {
			if math.Abs(got[spine]-w) > 250 {
				t.Errorf("weighted %v: %v flows by spine %d, want about %v", weighted, got[spine], spine, w)
			}
		}
		next, parts := r.Divide(nil, 2, 1, n)
		for i, p := range next {
			if w := want[p.To(r.Graph())]; math.Abs(parts[i]-w) > 1e-9 {
				t.Errorf("weighted %v: %v of %d by spine %d, want %v", weighted, parts[i], n, p.To(r.Graph()), w)
			}
		}
	}
}

// A broken link has no share: without spine 4 the shares are 40 and 20 of 60.
func TestWeightsFollowFailures(t *testing.T) {
	down := make([]bool, 8)
	down[2] = true
	r, err := route.NewExcluding(uneven(), route.Options{Seed: 3, Weighted: true}, down)
	if err != nil {
		t.Fatal(err)
	}
	got := shares(t, r, 9000)
	if got[4] != 0 || math.Abs(got[5]-6000) > 200 {
		t.Errorf("flows by spine: %v, want none, 6000, 3000", got)
	}
}

// balancer returns a balancer with the given parameters for uneven.
func balancer(b route.Balancing) route.Balancer { return b.Balancer(uneven(), 7) }

var three = []route.Port{4, 6, 8}

// A flow keeps its port for packets up to one gap apart. A packet that comes one picosecond later begins a flowlet.
// Over many flowlets, each port gets a third: of 3000 flowlets, the number at a port deviates from 1000 by more than
// 130 in one of 10^5 tests (standard deviation 26).
func TestLetFlowChangesPathsAfterAPause(t *testing.T) {
	const gap = 50 * unit.Microsecond
	b := balancer(&route.LetFlow{Gap: gap, Entries: 1024})
	now := unit.Time(0)
	count := make([]int, 3)
	changed := 0
	last := b.Choose(2, now, three, 99, 0)
	for i := range uint64(3000) {
		for k := range uint64(3) {
			if k > 0 {
				now += gap
			}
			if got := b.Choose(2, now, three, 99, 10*i+k+1); got != last && k > 0 {
				t.Fatalf("the flow moves from port %d to %d within the gap", last, got)
			} else if k == 0 {
				if got != last {
					changed++
				}
				last = got
			}
		}
		count[last]++
		now += gap + 1
	}
	for _, n := range count {
		if n < 870 || n > 1130 {
			t.Errorf("flowlets by port: %v, want a third each", count)
			break
		}
	}
	if changed < 1870 || changed > 2130 {
		t.Errorf("%d of 3000 flowlets changed the path, want two thirds", changed)
	}
}

// If a flow's port is no longer a candidate, the flow leaves it at once. If the table has only one entry, two flows
// share their flowlets.
func TestLetFlowsTable(t *testing.T) {
	b := balancer(&route.LetFlow{Gap: unit.Millisecond, Entries: 1})
	first := b.Choose(2, 0, three, 1, 1)
	if got := b.Choose(2, 1, three, 2, 77); got != first {
		t.Errorf("the second flow takes port %d, want %d with the first", got, first)
	}
	left := []route.Port{three[(first+1)%3]}
	left = append(left, three[(first+2)%3])
	if got := b.Choose(2, 2, left, 1, 2); left[got] == three[first] {
		t.Error("the flow stays on a port that is no candidate")
	}
}

// Round robin distributes packets exactly evenly for any flows. Random spraying is even on average: of 3000 packets,
// each port gets 1000, and the number deviates by more than 130 in one of 10^5 tests.
func TestSpraying(t *testing.T) {
	for _, choice := range []string{"round-robin", "random"} {
		b := balancer(&route.Spray{Choice: choice})
		count := make([]int, 3)
		for i := range uint64(3000) {
			count[b.Choose(2, 0, three, i%7, i)]++
		}
		tolerance := 130
		if choice == "round-robin" {
			tolerance = 0
		}
		for _, n := range count {
			if n < 1000-tolerance || n > 1000+tolerance {
				t.Errorf("%s: packets by port: %v", choice, count)
				break
			}
		}
	}
}

// Decisions of a balancer allocate nothing once a switch has its table.
func TestBalancersAllocateNothing(t *testing.T) {
	for _, b := range []route.Balancer{balancer(&route.LetFlow{Gap: 1, Entries: 64}),
		balancer(&route.Spray{Choice: "random"}), balancer(&route.Spray{Choice: "round-robin"})} {
		now := unit.Time(0)
		step := func() { now++; b.Choose(2, now, three, uint64(now)%5, uint64(now)) }
		step()
		if n := testing.AllocsPerRun(1000, step); n != 0 {
			t.Errorf("%T: %v allocations per packet", b, n)
		}
	}
}

func BenchmarkBalancers(b *testing.B) {
	for name, p := range map[string]route.Balancing{"letflow": &route.LetFlow{Gap: 100, Entries: 65536},
		"random": &route.Spray{Choice: "random"}, "round-robin": &route.Spray{Choice: "round-robin"}} {
		b.Run(name, func(b *testing.B) {
			c := balancer(p)
			for i := range b.N {
				c.Choose(2, unit.Time(i), three, uint64(i%100), uint64(i))
			}
		})
	}
}
