package swift_test

import (
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/swift"
)

const us, ms = unit.Microsecond, unit.Millisecond

// full is the goodput of a full link.
const full = 100e9 * 1000 / 1048

// lab returns hosts around a switch at 100 Gb/s with a base RTT of 10 us, and Swift with a target
// of 20 us over one switch. The gains are the defaults of scenarios.
func lab(t *testing.T, hosts int, fsRange unit.Time, initial float64) cctest.Lab {
	t.Helper()
	g := netsimtest.Star(hosts)
	for i := range g.Links {
		g.Links[i].Delay = 2440 * unit.Nanosecond
	}
	p := swift.Params{
		Base: 18 * us, Hop: 2 * us, Range: fsRange, RangeMin: 0.1, RangeMax: 100,
		Increase: 1, Beta: 0.8, MaxDecrease: 0.5, Reset: 4, Least: 0.01, Most: 10_000, Initial: initial,
	}
	return cctest.Lab{Graph: g, Transport: cctest.RDMA(), Control: func(*netsim.Network) transport.Factory {
		f, err := p.New(&transport.Setting{MaxHops: 1, Farthest: func() (unit.Time, unit.Bytes) {
			return 10 * us, 125_000
		}})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}}
}

// The delay stays at the target of 20 us, which includes 10 us without a queue. So 125 000 B wait, and with smaller
// windows flow scaling allows a longer queue. The link is full, and shares are even, both if flows start together and
// if one starts later.
//
// 16 flows together have 250 000 B plus the bytes that flow scaling adds. If each flow has 16 packets, flow scaling
// adds 30 us/(√10 - 1/10)·(1/√16 - 1/10) = 1.47 us, which are 18 000 B.
func TestDelayStaysAtTheTarget(t *testing.T) {
	for _, tt := range []struct {
		flows    int
		gap      unit.Time
		from     unit.Time
		low, top unit.Bytes // bounds of the longest queue
	}{
		{1, 0, 500 * us, 0, 0},
		{2, 0, 500 * us, 120_000, 135_000},
		{2, 100 * us, 200 * us, 120_000, 135_000}, // ten round trips after the second flow began
		{16, 0, 1 * ms, 135_000, 170_000},
	} {
		c := lab(t, tt.flows+1, 30*us, 0).Share(t, tt.flows, tt.gap, tt.from, tt.from+500*us)
		if c.Jain < 0.999 || c.Total < 0.999*full || c.Queue < tt.low || c.Queue > tt.top || c.Drops > 0 {
			t.Errorf("%d flows from %v: %+v", tt.flows, tt.from, c)
		}
	}
}

// 300 flows have less than a packet per round trip each. Pacing enforces such windows, the link is full, and no packet
// is dropped. Flow scaling makes their shares even (§3.5).
func TestWindowsBelowOnePacket(t *testing.T) {
	for _, tt := range []struct {
		fsRange   unit.Time
		low, high float64 // Jain's index
	}{{0, 0, 0.8}, {30 * us, 0.9, 1}, {100 * us, 0.98, 1}} {
		c := lab(t, 301, tt.fsRange, 1).Share(t, 300, 0, 1*ms, 2*ms)
		if c.Jain < tt.low || c.Jain > tt.high || c.Total < 0.999*full || c.Queue > 1*unit.MB || c.Drops > 0 {
			t.Errorf("fs_range = %v: Jain %v, %v, queue %v, %d drops", tt.fsRange, c.Jain, c.Total, c.Queue, c.Drops)
		}
	}
}
