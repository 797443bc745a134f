package md

import (
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Shim and header take 16 B, and each hop takes 24 B.
func TestSizes(t *testing.T) {
	p := Default()
	for i, want := range []unit.Bytes{16, 40, 64, 88, 112, 136} {
		if got := p.Overhead() + p.Growth(i); got != want {
			t.Errorf("%d hops: %v, want %v", i, got, want)
		}
	}
}

// A port measures its rate at most once per microsecond, over the time since the last measurement: 10 001 B in 1 us are
// 80 008 Mb/s, and 10 000 B in the next 2 us are 39 996 Mb/s. Ports are independent.
func TestMeterByHand(t *testing.T) {
	p := Default()
	p.Step = 8 * unit.Mbps
	m := meter{Params: &p, ports: make([]port, 2)}
	for i, c := range []struct {
		ns   int64
		port netsim.PortID
		sent unit.Bytes
		mbps int64
	}{
		{500, 0, 5_000, 0}, {1000, 0, 10_001, 80_008}, {1999, 0, 10_001, 80_008}, {2000, 1, 0, 0},
		{3000, 0, 20_000, 39_992}, {3500, 1, 1_000, 5328},
	} {
		h := netsim.Hop{Now: unit.Time(c.ns) * unit.Nanosecond, Port: c.port, Sent: c.sent, Queue: 7}
		if rate, queue := m.read(&h); int64(rate) != c.mbps*int64(unit.Mbps) || queue != 7 {
			t.Errorf("packet %d: %v bit/s, queue %v; want %d Mb/s", i, int64(rate), queue, c.mbps)
		}
	}
}
