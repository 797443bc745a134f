package topo

import (
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

// The hosts with the same number in their servers are on one leaf of their unit, and links fail and slow down in the order
// of leaf and spine.
func TestRail(t *testing.T) {
	c := Default[Rail]()
	c.Units, c.Servers, c.Rails, c.Spines, c.Failed, c.Degraded, c.ServerRate = 2, 3, 2, 4, 1, 2, 900*unit.Gbps
	g, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Validate(); err != nil {
		t.Fatal(err)
	}
	const hosts, leaf, spine, inside = 12, 12, 16, 20
	on := map[NodeID]NodeID{}
	server := map[NodeID]NodeID{}
	var slow []Link
	uplinks := 0
	for _, l := range g.Links {
		switch {
		case l.A < hosts && l.B < spine:
			on[l.A] = l.B
		case l.A < hosts:
			server[l.A] = l.B
			if l.Rate != 900*unit.Gbps {
				t.Errorf("%+v", l)
			}
		default:
			uplinks++
			if l.Rate < c.FabricRate {
				slow = append(slow, l)
			}
		}
	}
	for h := NodeID(0); h < hosts; h++ {
		if want := leaf + h/6*2 + h%2; on[h] != want || server[h] != inside+h/2 {
			t.Errorf("host %d is on leaf %d and in server %d, want %d and %d", h, on[h], server[h], want, inside+h/2)
		}
	}
	if uplinks != 15 || len(slow) != 2 || slow[0].A != leaf || slow[0].B != spine+1 || slow[1].B != spine+2 || slow[0].Rate != 100*unit.Gbps {
		t.Errorf("%d links between switches, slow ones %+v", uplinks, slow)
	}
	c.Failed, c.Degraded = 4, 13
	if _, err := c.Build(); !errtest.Says(err, "… failed + degraded = 17, want at most the 16 links …") || !errtest.Says(err, "… failed = 4, want fewer than the 4 spines …") {
		t.Error(err)
	}
}
