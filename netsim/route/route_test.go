package route

import (
	"slices"
	"testing"

	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

func build320(t testing.TB, o Options) *Table {
	t.Helper()
	tab, err := New(topo.FatTree320(), o)
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

func nodesOf(t *Table, ports []Port) []topo.NodeID {
	var ids []topo.NodeID
	for _, p := range ports {
		ids = append(ids, p.To(t.Graph()))
	}
	return ids
}

func BenchmarkNew(b *testing.B) {
	k32, err := topo.KAry{K: 32, HostRate: unit.Gbps, FabricRate: unit.Gbps}.Build()
	if err != nil {
		b.Fatal(err)
	}
	for _, g := range []*topo.Graph{topo.FatTree320(), k32} {
		b.Run(g.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := New(g, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPath(b *testing.B) {
	for _, h := range []ECMP{Mix, Murmur} {
		b.Run(h.String(), func(b *testing.B) {
			tab := build320(b, Options{Hash: h})
			buf := make([]Port, 0, 8)
			key := FlowKey{SrcIP: HostIP(0), DstIP: HostIP(319), DstPort: 100}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				key.SrcPort = uint16(i)
				buf = tab.Path(buf[:0], 0, 319, key)
			}
		})
	}
}

// MODEL.md of the reference lists this set for the published simulator.
func TestReferenceCandidateOrder(t *testing.T) {
	tab := build320(t, Options{Order: Descending})
	got := nodesOf(tab, tab.NextHops(320, 319))
	if want := []topo.NodeID{343, 342, 341, 340}; !slices.Equal(got, want) {
		t.Errorf("candidates of ToR 320 = %v, want %v", got, want)
	}
}
