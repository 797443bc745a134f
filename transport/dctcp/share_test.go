package dctcp_test

import (
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/dctcp"
)

// The paper's §3.3: N synchronised flows keep the queue at no more than K + N packets (equation 8), and K > C·RTT/7
// keeps the link full. At 10 Gb/s with an RTT of 85 us, C·RTT/7 is 15 KB. K is 20 KB or the paper's 65 packets. After
// 40 ms the shares are even.
func TestQueueStaysAtTheThreshold(t *testing.T) {
	g := netsimtest.Star(3)
	for i := range g.Links {
		g.Links[i].Rate, g.Links[i].Delay = 10*unit.Gbps, 20*unit.Microsecond
	}
	tcp := cctest.TCP()
	tcp.Pacing = false
	p := dctcp.Params{Form: "window", Gain: 1.0 / 16, InitialWindow: 10}
	for _, k := range []unit.Bytes{20_000, 97_500} {
		l := cctest.Lab{
			Graph: g, Transport: tcp,
			Network: func(c *netsim.Config) {
				c.ECN = netsim.ECN{Enabled: true, KMin: k, KMax: k, PMax: 1, AtRate: 10 * unit.Gbps, AtHosts: true}
			},
			Control: func(*netsim.Network) transport.Factory {
				f, err := p.New(&transport.Setting{})
				if err != nil {
					t.Fatal(err)
				}
				return f
			},
		}
		c := l.Share(t, 2, 5*unit.Millisecond, 40*unit.Millisecond, 60*unit.Millisecond)
		full := 10e9 * 1460 / 1514
		if c.Queue <= k || c.Queue > k+2*1514 || c.Total < 0.995*full || c.Jain < 0.98 || c.Drops > 0 {
			t.Errorf("K = %d: %+v", k, c)
		}
	}
}
