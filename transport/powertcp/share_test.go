package powertcp_test

import (
	"testing"

	inband "pintlab/int"
	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/powertcp"
)

// lab returns hosts around a switch, at 100 Gb/s, τ = 10 us.
func lab(t *testing.T, hosts int, variant string) cctest.Lab {
	t.Helper()
	g := netsimtest.Star(hosts)
	for i := range g.Links {
		g.Links[i].Delay = 2 * unit.Microsecond
	}
	l := cctest.Lab{Graph: g, Transport: cctest.RDMA()}
	l.Control = func(n *netsim.Network) transport.Factory {
		p := powertcp.Params{Power: variant, Gamma: 0.9, Flows: 10, RTT: "path"}
		f, err := p.New(&transport.Setting{PortRate: n.PortRate})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if variant == "telemetry" {
		l.Transport.Telemetry, l.Transport.Echo = 42, true
		l.Network = func(c *netsim.Config) { c.StackDepth = 1 }
		l.Taps = func(n *netsim.Network) []netsim.Tap {
			q, err := inband.NewQuantizer(inband.Exact())
			if err != nil {
				t.Fatal(err)
			}
			return []netsim.Tap{inband.NewStamper(q, nil)}
		}
	}
	return l
}

// Theorem 1: in equilibrium the queue contains the sum of all β, each 12 500 B here. §3.2 and Theorem 3: flows with the
// same β have the same share and fill the link. Theorem 2: after five update intervals, here round trips, 0.7 % of a
// disturbance remains.
//
// All flows start at line rate, so that at first n flows have (n-1)·125 000 B in the queue, which takes (n-1)·10 us to
// drain. θ-PowerTCP takes longer, because it updates once per round trip and cannot measure a power below that of an
// idle path.
func TestEquilibriumOfManyFlows(t *testing.T) {
	us := unit.Microsecond
	const beta = 12_500
	for _, tt := range []struct {
		variant  string
		flows    int
		gap      unit.Time
		from     unit.Time
		low, top float64 // bounds of the longest queue, in multiples of the sum of all β
		jain     float64
	}{
		{"telemetry", 1, 0, 100 * us, 0, 1, 1},
		{"telemetry", 2, 100 * us, 150 * us, 0, 4, 0.99}, // five round trips after the second flow began
		{"telemetry", 2, 100 * us, 250 * us, 0.8, 1.2, 0.999},
		{"telemetry", 4, 0, 200 * us, 0.8, 1.2, 0.999},
		{"telemetry", 16, 0, 300 * us, 0.8, 1.25, 0.99},
		{"theta", 1, 0, 100 * us, 0, 1, 1},
		{"theta", 2, 100 * us, 150 * us, 0, 4, 0.99},
		{"theta", 2, 100 * us, 250 * us, 0.7, 1.2, 0.99},
		{"theta", 4, 0, 200 * us, 0.7, 1.2, 0.999},
		{"theta", 16, 0, 500 * us, 0.7, 1.25, 0.99},
	} {
		l := lab(t, tt.flows+1, tt.variant)
		c := l.Share(t, tt.flows, tt.gap, tt.from, tt.from+50*us)
		full := 100e9 * 1000 / float64(l.Transport.PacketSize(1000))
		q := float64(c.Queue) / float64(tt.flows*beta)
		if c.Jain < tt.jain || c.Total < 0.98*full || q < tt.low || q > tt.top || c.Drops > 0 {
			t.Errorf("%s, %d flows, from %v: %+v, a queue of %.2f times the sum of all β",
				tt.variant, tt.flows, tt.from, c, q)
		}
	}
}
