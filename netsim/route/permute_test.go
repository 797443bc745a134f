package route_test

import (
	"math"
	"slices"
	"testing"

	"pintlab/netsim/route"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// kary returns a k-ary fat tree.
func kary(t testing.TB, k int) *topo.Graph {
	c := schema.Default[topo.KAry]()
	c.K, c.HostRate, c.FabricRate, c.Delay = k, unit.Gbps, unit.Gbps, unit.Microsecond
	g, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// orders returns an Order of the n paths of a flow.
func orders(flow uint64, n int) *route.Order {
	o := &route.Order{}
	(&route.Permute{}).Balancer(nil, 7).(route.PathBalancer).Begin(o, flow, n)
	return o
}

// Every round uses each path for one packet.
func TestEveryRoundUsesEachPathOnce(t *testing.T) {
	for _, n := range []int{1, 2, 9, 256, 1000} {
		o := orders(5, n)
		for round := range 20 {
			seen := map[uint8]bool{}
			for range min(n, route.MostPaths) {
				p := o.Next()
				if seen[p] || int(p) >= n {
					t.Fatalf("%d paths, round %d: path %d twice, or none", n, round, p)
				}
				seen[p] = true
			}
		}
	}
}

// All 24 orders of four paths are equally likely, over different flows and over the rounds of one flow. With 24 000
// orders χ² with 23 degrees of freedom exceeds 64 in one of 10^5 tests.
func TestOrdersAreUniform(t *testing.T) {
	const rounds = 24_000
	one := orders(3, 4)
	for name, of := range map[string]func(i int) *route.Order{
		"flows":  func(i int) *route.Order { return orders(uint64(i), 4) },
		"rounds": func(int) *route.Order { return one },
	} {
		count := map[[4]uint8]int{}
		for i := range rounds {
			o := of(i)
			count[[4]uint8{o.Next(), o.Next(), o.Next(), o.Next()}]++
		}
		chi := 0.0
		for _, n := range count {
			chi += math.Pow(float64(n)-rounds/24, 2) / (rounds / 24)
		}
		if len(count) != 24 || chi > 64 {
			t.Errorf("%s: %d of 24 orders, χ² = %v", name, len(count), chi)
		}
	}
}

// A k-ary fat tree has k²/4 paths between pods, k/2 inside a pod and one below a switch. Successive numbers mean
// different paths. Along finds exactly the nodes of a path.
func TestPathsOfAFatTree(t *testing.T) {
	const k, first = 6, 12345
	g := kary(t, k)
	r, err := route.New(g, route.Options{})
	if err != nil {
		t.Fatal(err)
	}
	hosts := g.Hosts()
	for _, tt := range []struct{ dst, want int }{{1, 1}, {k / 2, k / 2}, {len(hosts) - 1, k * k / 4}} {
		src, dst := hosts[0], hosts[tt.dst]
		if got := r.Paths(src, dst); got != tt.want {
			t.Fatalf("%d paths to host %d, want %d", got, dst, tt.want)
		}
		var all [][]route.Port
		for i := range tt.want {
			number := uint(first + i)
			var path []route.Port
			on := map[topo.NodeID]bool{}
			for at := src; at != dst; {
				p, ok := r.Along(at, src, dst, number)
				if !ok || p.From(g) != at {
					t.Fatalf("path %d ends at node %d", number, at)
				}
				on[at] = true
				path = append(path, p)
				at = p.To(g)
			}
			for _, sw := range g.Switches() {
				if _, ok := r.Along(sw, src, dst, number); ok != on[sw] {
					t.Errorf("path %d of %v crosses switch %d: %v", number, path, sw, ok)
				}
			}
			all = append(all, path)
		}
		for i := range all {
			for j := range i {
				if slices.Equal(all[i], all[j]) {
					t.Errorf("paths %d and %d to host %d are the same", i, j, dst)
				}
			}
		}
	}
}

func TestOrdersAllocateNothing(t *testing.T) {
	o := orders(1, 36)
	if n := testing.AllocsPerRun(1000, func() { o.Next() }); n != 0 {
		t.Errorf("%v allocations per packet", n)
	}
}

func BenchmarkPermute(b *testing.B) {
	g := kary(b, 12)
	r, err := route.New(g, route.Options{})
	if err != nil {
		b.Fatal(err)
	}
	hosts := g.Hosts()
	src, dst := hosts[0], hosts[len(hosts)-1]
	o := orders(5, r.Paths(src, dst))
	edge, _ := r.Along(src, src, dst, 0)
	agg, _ := r.Along(edge.To(g), src, dst, 0)
	b.ReportAllocs()
	for range b.N { // both choices of a packet
		path := uint(o.Next())
		r.Along(edge.To(g), src, dst, path)
		r.Along(agg.To(g), src, dst, path)
	}
}
