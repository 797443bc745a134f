package dcqcn_test

import (
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/dcqcn"
)

// The paper's §5.1 and §6.1: two flows share a port of 40 Gb/s with the paper's marking (5 KB, 200 KB, 1 %). The second
// starts 2 ms after the first. Within 20 ms their shares are even (a Jain index of at least 0.95), they fill the port
// (95 % of the rate without headers), and the queue stays below 200 KB.
func TestTwoFlowsShareEvenly(t *testing.T) {
	g := netsimtest.Star(3)
	for i := range g.Links {
		g.Links[i].Rate = 40 * unit.Gbps
	}
	p := dcqcn.Params{
		Variant: "paper", Gain: 1.0 / 256, CNPInterval: 50 * unit.Microsecond, AlphaTimer: 55 * unit.Microsecond,
		Timer:       55 * unit.Microsecond,
		ByteCounter: 10 * unit.MB, Recovery: 5, RateAI: 40 * unit.Mbps, RateHAI: 400 * unit.Mbps,
		MinRate: 10 * unit.Mbps, Window: "none",
	}
	l := cctest.Lab{
		Graph: g, Transport: cctest.RDMA(),
		Network: func(c *netsim.Config) {
			c.ECN = netsim.ECN{Enabled: true, KMin: 5000, KMax: 200_000, PMax: 0.01, AtRate: 40 * unit.Gbps,
				AtHosts: true}
		},
		Control: func(*netsim.Network) transport.Factory {
			f, err := p.New(&transport.Setting{Slowest: 40 * unit.Gbps})
			if err != nil {
				t.Fatal(err)
			}
			return f
		},
	}
	c := l.Share(t, 2, 2*unit.Millisecond, 20*unit.Millisecond, 40*unit.Millisecond)
	if full := 40e9 * 1000 / 1048; c.Jain < 0.95 || c.Total < 0.95*full || c.Queue > 200_000 || c.Drops > 0 {
		t.Errorf("%+v", c)
	}
}
