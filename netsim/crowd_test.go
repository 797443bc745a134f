package netsim_test

import (
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// If many events have the same time, the engine prefetches the memory of the next ones. A PFC frame that waits at a
// switch has not arrived on any port. So its field for the ingress port still has the value of the previous packet in
// the slab entry, which may be the number of a port that the switch does not have.
func TestPauseFramesAreNotFetchedByIngress(t *testing.T) {
	const leaves = 60
	c := schema.Default[topo.LeafSpine]()
	c.Leaves, c.Spines, c.HostsPerLeaf, c.HostRate, c.FabricRate = leaves, 1, 1, 20*unit.Gbps, 10*unit.Gbps
	g, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	hosts := g.Hosts()
	var sends []netsimtest.Send
	for to := range 2 { // packets of many leaves wait at the spine, and its port numbers remain in slab entries
		at := unit.Time(to) * 3 * unit.Millisecond
		for i := 16; i < leaves; i++ {
			for range 20 {
				sends = append(sends, netsimtest.Send{At: at, Src: hosts[i], Dst: hosts[to], Size: 1000})
			}
		}
		at += 2 * unit.Millisecond
		for i := range leaves { // then all leaves pause their hosts at the same times
			for k := range 180 {
				sends = append(sends, netsimtest.Send{At: at, Src: hosts[i],
					Dst: hosts[(i+1+k*7%(leaves-1))%leaves], Size: 1000})
			}
		}
	}
	for _, threshold := range []unit.Bytes{1000, 3000, 5000, 9000} {
		n := netsimtest.New(t, g, netsimtest.Options{Config: func(c *netsim.Config) {
			c.PFC.Threshold, c.PFC.Reserve, c.PFC.Hysteresis, c.PFC.XOff = "static", 1500, 1000, threshold
		}})
		netsimtest.Play(t, n, sends)
		if n.Counters().Pauses == 0 {
			t.Errorf("threshold of %v: no pauses", threshold)
		}
	}
}
