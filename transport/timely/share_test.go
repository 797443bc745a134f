package timely_test

import (
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/timely"
)

// CoNEXT 2016 §4 shows that TIMELY has no fixed point: two flows fill the link together, but their shares differ
// widely. With patched TIMELY shares become even and the queue is stable. The link has 10 Gb/s, and the second flow
// starts 5 ms after the first.
func TestPatchMakesSharesEven(t *testing.T) {
	g := netsimtest.Star(3)
	for i := range g.Links {
		g.Links[i].Rate = 10 * unit.Gbps
	}
	us, ms := unit.Microsecond, unit.Millisecond
	contest := func(variant string, beta float64) cctest.Contest {
		p := timely.Params{
			Variant: variant, Alpha: 0.875, Beta: beta, Low: 50 * us, High: 500 * us, MinRTT: 20 * us,
			Reference: 50 * us,
			Segment:   16 * unit.KB, HyperAfter: 5, RateAI: 10 * unit.Mbps, MinRate: 10 * unit.Mbps, Window: "none",
		}
		l := cctest.Lab{Graph: g, Transport: cctest.RDMA(), Control: func(*netsim.Network) transport.Factory {
			f, err := p.New(&transport.Setting{Slowest: 10 * unit.Gbps})
			if err != nil {
				t.Fatal(err)
			}
			return f
		}}
		return l.Share(t, 2, 5*ms, 200*ms, 220*ms)
	}
	full := 10e9 * 1000 / 1048
	if c := contest("paper", 0.8); c.Jain > 0.9 || c.Total < 0.9*full {
		t.Errorf("TIMELY: %+v", c)
	}
	// RTT_ref is 50 us, including some 6 us without a queue. The other 44 us are 55 KB at 10 Gb/s. The queue settles
	// above this, because each flow always adds δ.
	if c := contest("patched", 0.008); c.Jain < 0.999 || c.Total < 0.99*full || c.Queue < 45_000 || c.Queue > 110_000 {
		t.Errorf("patched TIMELY: %+v", c)
	}
}
