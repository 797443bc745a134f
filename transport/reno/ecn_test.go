package reno_test

import (
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/reno"
)

// Two flows share 10 Gb/s with an RTT of 85 us, a bandwidth-delay product of 106 KB, and marks above 120 KB. Half of a
// window of 226 KB still fills the link, so that the link is never idle. Each window grows by a segment in the round
// trip between reaching the threshold and the arrival of the mark. So the queue ends slightly above the threshold, and
// no packet is dropped.
func TestMarksKeepTheQueueShortAndTheLinkFull(t *testing.T) {
	g := netsimtest.Star(3)
	for i := range g.Links {
		g.Links[i].Rate, g.Links[i].Delay = 10*unit.Gbps, 20*unit.Microsecond
	}
	tcp := cctest.TCP()
	tcp.Pacing, tcp.MarkEcho = false, transport.EchoLatch
	const k = 120_000
	l := cctest.Lab{
		Graph: g, Transport: tcp,
		Network: func(c *netsim.Config) {
			c.ECN = netsim.ECN{Enabled: true, KMin: k, KMax: k, PMax: 1, AtRate: 10 * unit.Gbps, AtHosts: true}
		},
		Control: func(*netsim.Network) transport.Factory {
			f, err := (&reno.Params{InitialWindow: 10, ECN: true}).New(nil)
			if err != nil {
				t.Fatal(err)
			}
			return f
		},
	}
	c := l.Share(t, 2, 5*unit.Millisecond, 40*unit.Millisecond, 80*unit.Millisecond)
	full := 10e9 * 1460 / 1514
	if c.Queue <= k || c.Queue > k+4*1514 || c.Total < 0.995*full || c.Jain < 0.9 || c.Drops > 0 {
		t.Errorf("%+v", c)
	}
}
