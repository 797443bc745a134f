package hpcc

import (
	"math"
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
)

// The path of the examples: T = 10 us at 100 Gb/s, so that B·T is 125 000 B.
const (
	roundTrip = 10 * unit.Microsecond
	lineRate  = 100 * unit.Gbps
	bytesOfT  = 125_000
)

func portsOf(ewma bool) *ports {
	g := newPorts(func(netsim.PortID) unit.Rate { return lineRate }, nil, 2, ewma)
	g.Start(transport.FlowInfo{LineRate: lineRate}, roundTrip, bytesOfT)
	return g
}

// record returns the record of a port: the time in us, the bytes sent so far, and the queue.
func record(port netsim.PortID, us int64, sent unit.Bytes, queue int32) netsim.PortSample {
	return netsim.PortSample{TS: unit.Time(us) * unit.Microsecond, Sent: sent, Queue: queue, Port: port}
}

// Packets alternate between the paths 0-1 and 0-2. Each record is compared with the previous record of the same port,
// even if many packets have crossed other ports meanwhile. 62 500 B in 5 us are a load of 1, 31 250 B of 0.5; a queue
// of 12 500 B adds 0.1 if it was there before.
func TestPortsCompareRecordsOfOnePort(t *testing.T) {
	g := portsOf(false)
	for i, c := range []struct {
		us    int64
		hops  []netsim.PortSample
		u     float64
		fresh bool
	}{
		{0, []netsim.PortSample{record(0, 0, 0, 0), record(1, 0, 0, 12_500)}, 0, false}, // no earlier record
		{5, []netsim.PortSample{record(0, 5, 31_250, 0), record(2, 5, 0, 0)}, 0.5, true},
		{10, []netsim.PortSample{record(0, 10, 31_250, 0), record(1, 10, 62_500, 12_500)}, 0.6, true},
		{15, []netsim.PortSample{record(0, 7, 0, 0), record(2, 15, 125_000, 0)}, 1, true}, // overtaken at port 0
		// T · record_age is 20 us. The record of port 1 is 21 us old, so it is ignored.
		{31, []netsim.PortSample{record(1, 31, 1<<30, 0), record(0, 31, 31_250, 0)}, 0, false},
		{36, []netsim.PortSample{record(1, 36, 1<<30+15_625, 0)}, 0.25, true},
	} {
		u, first, fresh := g.Utilisation(unit.Time(c.us)*unit.Microsecond, &transport.Ack{Hops: c.hops})
		if math.Abs(u-c.u) > 1e-12 || first || fresh != c.fresh {
			t.Errorf("ACK %d: U = %v, first %t, fresh %t; want %v, fresh %t", i, u, first, fresh, c.u, c.fresh)
		}
	}
}

// Each port has an average that begins with 1. After half of T without bytes, the average of port 1 is 0.5. After
// another half of T on a full link, it is 0.25 + 0.5. Port 2 has a separate average.
func TestPortsAverageEachPort(t *testing.T) {
	g := portsOf(true)
	for i, c := range []struct {
		s netsim.PortSample
		u float64
	}{
		{record(1, 0, 0, 0), 0}, {record(2, 1, 0, 0), 0}, {record(1, 5, 0, 0), 0.5}, {record(2, 11, 0, 0), 0},
		{record(1, 10, 62_500, 0), 0.75},
	} {
		u, _, _ := g.Utilisation(c.s.TS, &transport.Ack{Hops: []netsim.PortSample{c.s}})
		if math.Abs(u-c.u) > 1e-12 {
			t.Errorf("record %d: U = %v, want %v", i, u, c.u)
		}
	}
	g.Start(transport.FlowInfo{LineRate: lineRate}, roundTrip, bytesOfT)
	late := record(1, 15, 62_500, 0)
	if _, _, fresh := g.Utilisation(late.TS, &transport.Ack{Hops: []netsim.PortSample{late}}); fresh {
		t.Error("the next flow has a record of the one before")
	}
}

// series is a gauge with given values.
type series []float64

func (*series) Start(transport.FlowInfo, unit.Time, unit.Bytes) {}

func (s *series) Utilisation(unit.Time, *transport.Ack) (u float64, first, fresh bool) {
	u, *s = (*s)[0], (*s)[1:]
	return u, false, !math.IsNaN(u)
}

// The controller reads medians of its gauge's values. The median of 0.5, 2 and 0.5 is 0.5, so the peak of one path has
// no effect. An ACK without feedback is skipped.
func TestPooledUtilisation(t *testing.T) {
	p := Params{Eta: 0.95, Pooling: transport.Pooling{Feedback: "median", Number: "fixed", Most: 3}}
	s := &series{0.5, 2, math.NaN(), 0.5}
	f, err := New(Config{Eta: 0.95, T: roundTrip}, func() Gauge { return &pooled{Gauge: s, pool: p.Pool()} })
	if err != nil {
		t.Fatal(err)
	}
	c := f().(*Sender)
	c.Start(0, transport.FlowInfo{LineRate: lineRate, Packet: 1100, Segment: 1000})
	for i, want := range []float64{0.5, 2, 2, 0.5} { // of two values, the larger
		c.OnAck(0, &transport.Ack{Next: 1000})
		if c.Load() != want {
			t.Errorf("ACK %d: U = %v, want %v", i, c.Load(), want)
		}
	}
}

// A controller with the gauge of ports passes the tests for all controllers.
func TestSuiteOfPorts(t *testing.T) {
	p := Params{Pooling: transport.Pooling{Feedback: "median", Number: "half_window", Most: 4}}
	rates := func(netsim.PortID) unit.Rate { return lineRate }
	f, err := New(Config{Eta: 0.95, T: roundTrip, WAI: 80},
		func() Gauge { return &pooled{Gauge: newPorts(rates, nil, 8, true), pool: p.Pool()} })
	if err != nil {
		t.Fatal(err)
	}
	cctest.Suite(t, f)
}
