package hpcc

import (
	"math"
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// wide is a Fields that never wraps.
type wide struct{}

func (wide) TimeSince(now, before unit.Time) unit.Time { return now - before }
func (wide) TxSince(now, before unit.Bytes) unit.Bytes { return now - before }

// Records with rates: on links of 100 Gb/s, rates of 50 and 80 Gb/s are loads of 0.5 and 0.8, and a queue of 12 500 B
// of 125 000 adds 0.1 to the second. After half of T, U is the average of 1 and 0.9, which is 0.95. Records of another
// path only start a measurement.
func TestRatedByHand(t *testing.T) {
	g := &rated{INT: NewINT(func(netsim.PortID) unit.Rate { return lineRate }, wide{})}
	g.Start(transport.FlowInfo{LineRate: lineRate}, roundTrip, bytesOfT)
	for i, c := range []struct {
		hops  []netsim.PortSample
		u     float64
		first bool
	}{
		{[]netsim.PortSample{record(1, 0, 0, 0), record(2, 0, 0, 12_500)}, 0, true},
		{[]netsim.PortSample{record(1, 5, 50e9, 0), record(2, 5, 80e9, 20_000)}, 0.95, false},
		{[]netsim.PortSample{record(1, 15, 50e9, 0), record(2, 15, 80e9, 0)}, 0.8, false},
		{[]netsim.PortSample{record(1, 16, 50e9, 0), record(3, 16, 80e9, 0)}, 0, true},
	} {
		u, first, fresh := g.Utilisation(0, &transport.Ack{Hops: c.hops})
		if math.Abs(u-c.u) > 1e-12 || first != c.first || !fresh {
			t.Errorf("ACK %d: U = %v, first %t, fresh %t; want %v, %t", i, u, first, fresh, c.u, c.first)
		}
	}
	if _, _, fresh := g.Utilisation(0, &transport.Ack{}); fresh {
		t.Error("an ACK without records is fresh")
	}
}

// Records that have the same time on a coarse clock wait for the next step of the clock, so that no bytes between them
// are lost. 125 000 B in 10 us are a load of 1.
func TestCoarseClockLosesNoBytes(t *testing.T) {
	g := NewINT(func(netsim.PortID) unit.Rate { return lineRate }, wide{})
	g.Start(transport.FlowInfo{LineRate: lineRate}, roundTrip, bytesOfT)
	for i, s := range []netsim.PortSample{record(1, 0, 0, 0), record(1, 0, 50_000, 0), record(1, 10, 125_000, 0)} {
		u, _, _ := g.Utilisation(0, &transport.Ack{Hops: []netsim.PortSample{s}})
		if want := []float64{0, 1, 1}[i]; math.Abs(u-want) > 1e-12 || math.Abs(g.last-[]float64{0, 0, 1}[i]) > 1e-12 {
			t.Errorf("record %d: U = %v of %v, want %v", i, u, g.last, want)
		}
	}
}

// at is a gauge whose U is always 2.
type at struct{}

func (at) Start(transport.FlowInfo, unit.Time, unit.Bytes) {}
func (at) Utilisation(unit.Time, *transport.Ack) (float64, bool, bool) {
	return 2, false, true
}

// At a receiver, W^c moves once per T and does not depend on what the sender has sent. With U = 2 and η = 1, W^c halves
// at 10 and 20 us. In between, the window is half of W^c.
func TestReceiverMovesOncePerT(t *testing.T) {
	c := Config{Eta: 1, T: roundTrip, ByTime: true}
	make, err := New(c, func() Gauge { return at{} })
	if err != nil {
		t.Fatal(err)
	}
	s := make().(*Sender)
	s.Start(0, transport.FlowInfo{LineRate: lineRate, Packet: 1})
	for i, us := range []int64{10, 11, 19, 20, 29} {
		s.OnAck(unit.Time(us)*unit.Microsecond, &transport.Ack{Seq: int64(i), Next: 1 << 40})
		if want := []float64{62_500, 31_250, 31_250, 31_250, 15_625}[i]; s.value != want {
			t.Errorf("at %d us: a window of %v, want %v", us, s.value, want)
		}
	}
}

// With probes, each answer moves W^c, and an ACK of data changes nothing. With U = 2 and η = 1, each answer halves W^c.
func TestEachProbeMovesTheWindow(t *testing.T) {
	make, err := New(Config{Eta: 1, T: roundTrip, Probes: true}, func() Gauge { return at{} })
	if err != nil {
		t.Fatal(err)
	}
	s := make().(*Sender)
	s.Start(0, transport.FlowInfo{LineRate: lineRate, Packet: 1})
	for i, probe := range []bool{false, true, false, true} {
		set := s.OnAck(roundTrip, &transport.Ack{Probe: probe, Seq: 1000, Next: 1000})
		if want := []float64{125_000, 62_500, 62_500, 31_250}[i]; s.value != want || set != probe {
			t.Errorf("ACK %d: a window of %v, changed %v, want %v", i, s.value, set, want)
		}
	}
}
