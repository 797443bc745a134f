package deploy_test

import (
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/pint/deploy"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/powertcp"
)

// powerLab returns a lab of hosts around a switch at 100 Gb/s. The congestion control is PowerTCP over PINT, with
// τ = 10 us.
func powerLab(t *testing.T, hosts int, arithmetic string) cctest.Lab {
	t.Helper()
	const tau = 10 * unit.Microsecond
	p := deploy.Params{Plan: "powertcp", WireBytes: 1, Bits: 8, Base: 1.033, Rounding: "log", P: 1,
		Arithmetic: arithmetic, TableBits: 6}
	g := netsimtest.Star(hosts)
	for i := range g.Links {
		g.Links[i].Delay = 2440 * unit.Nanosecond
	}
	var parts *telemetry.Parts
	l := cctest.Lab{Graph: g, Transport: cctest.RDMA()}
	l.Transport.Telemetry, l.Transport.Echo = 1, true
	l.Taps = func(n *netsim.Network) []netsim.Tap {
		var err error
		parts, err = p.Attach(&telemetry.Site{
			Graph: g, Net: n, MaxHops: 1, Horizon: func() (unit.Time, error) { return tau, nil }})
		if err != nil {
			t.Fatal(err)
		}
		return []netsim.Tap{parts.Tap}
	}
	l.Control = func(n *netsim.Network) transport.Factory {
		c := powertcp.Params{Power: "telemetry", Gamma: 0.9, Flows: 10, RTT: "given", T: tau}
		f, err := c.New(&transport.Setting{PortRate: n.PortRate, Feedback: parts.Feedback})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	return l
}

// PowerTCP over PINT reaches the same equilibrium as over INT (package powertcp): the queue contains the sum of all β,
// 12 500 B each, and flows have even shares of a full link. This also holds after an incast, whose first windows of 125
// 000 B take 150 us to drain. Codes are 3.3 % apart, which corresponds to a queue of 4 100 B.
func TestPowerTCPOverPINT(t *testing.T) {
	us := unit.Microsecond
	for _, arithmetic := range []string{"float", "fixed"} {
		for _, tt := range []struct {
			flows    int
			gap      unit.Time
			from     unit.Time
			low, top unit.Bytes // bounds of the longest queue
			jain     float64
		}{
			{1, 0, 100 * us, 0, 0, 1},
			{2, 100 * us, 150 * us, 0, 60_000, 0.99},
			{2, 100 * us, 300 * us, 20_000, 45_000, 0.99},
			{4, 0, 300 * us, 40_000, 90_000, 0.99},
			{16, 0, 300 * us, 160_000, 260_000, 0.98},
		} {
			l := powerLab(t, tt.flows+1, arithmetic)
			c := l.Share(t, tt.flows, tt.gap, tt.from, tt.from+50*us)
			full := 100e9 * 1000 / float64(l.Transport.PacketSize(1000))
			t.Logf("%s %d %+v", arithmetic, tt.flows, c)
			if c.Jain < tt.jain || c.Total < 0.95*full || c.Queue < tt.low || c.Queue > tt.top || c.Drops > 0 {
				t.Errorf("%s, %d flows, from %v: %+v", arithmetic, tt.flows, tt.from, c)
			}
		}
	}
}
