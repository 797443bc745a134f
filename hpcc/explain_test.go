package hpcc_test

import (
	"math"
	"slices"
	"testing"

	"pintlab/hpcc"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// One link of 100 Gb/s, T = 10 us, U = 1 at first. The second ACK arrives 5 us after the first.
// Meanwhile the link has sent 31.25 kB, half of its capacity, without a queue: its load is 0.5, and
// U becomes (1 + 0.5)/2 = 0.75. The second ACK begins a round trip; the third, with the same load,
// does not.
func TestExplainINT(t *testing.T) {
	c := hpcc.Config{
		Form: hpcc.Rate, Eta: 0.95, T: 10 * unit.Microsecond,
		RAI: 50 * unit.Mbps, MinRate: unit.Gbps, BDP: 125_000,
	}
	rates := func(netsim.PortID) unit.Rate { return 100 * unit.Gbps }
	factory, err := hpcc.New(c, func() hpcc.Gauge { return hpcc.NewINT(rates, nil) })
	if err != nil {
		t.Fatal(err)
	}
	s := factory()
	s.Start(0, transport.FlowInfo{Packet: 1048, LineRate: 100 * unit.Gbps, PathRate: 100 * unit.Gbps})
	at := unit.Time(0)
	ack := func(seq, next int64, sent unit.Bytes) []transport.Term {
		at += 5 * unit.Microsecond
		s.OnAck(at, &transport.Ack{Seq: seq, Next: next, Hops: []netsim.PortSample{{TS: at, Sent: sent}}})
		return s.(transport.Explainer).Explain(nil)
	}
	ack(1000, 50_000, 0)
	// The new rate would be 100/(0.75/0.95) + 0.05 Gb/s, which exceeds the line rate.
	const full, span = float64(100 * unit.Gbps), float64(5 * unit.Microsecond)
	want := []transport.Term{{Name: "fast", Value: 0}, {Name: "load", Value: 0.75}, {Name: "reference", Value: full},
		{Name: "rate", Value: full}, {Name: "sample", Value: 0.5}, {Name: "span", Value: span}}
	if got := ack(50_001, 90_000, 31_250); !alike(got, want) {
		t.Errorf("second ACK: %+v, want %+v", got, want)
	}
	want[0].Value, want[1].Value = 1, 0.625
	if got := ack(60_001, 95_000, 62_500); !alike(got, want) {
		t.Errorf("third ACK: %+v, want %+v", got, want)
	}
}

// codes decodes U as a number of hundredths.
type codes struct{}

func (codes) Decode(code uint32) float64 { return float64(code) / 100 }

// A digest with U = 1.9 halves the window of 125 kB, and W_AI adds 80 B: 62 580 B in 10 us are 50.064 Gb/s.
func TestExplainDigestAndWindow(t *testing.T) {
	c := defaults()
	c.T = 10 * unit.Microsecond
	factory, err := hpcc.New(c,
		func() hpcc.Gauge { return hpcc.NewDigest(telemetry.Digest{Code: codes{}, Shift: 8, Mask: 0xff}) })
	if err != nil {
		t.Fatal(err)
	}
	s := factory()
	s.Start(0, transport.FlowInfo{Packet: 1048, LineRate: 100 * unit.Gbps, PathRate: 100 * unit.Gbps})
	s.OnAck(unit.Microsecond, &transport.Ack{Seq: 1000, Next: 50_000, Digest: 190<<8 | 7})
	got := s.(transport.Explainer).Explain(nil)
	want := []transport.Term{{Name: "fast", Value: 0}, {Name: "load", Value: 1.9}, {Name: "reference",
		Value: float64(100 * unit.Gbps)}, {Name: "rate", Value: 50_064_000_000}, {Name: "code", Value: 190}}
	if !alike(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// alike reports whether two lists are equal up to rounding.
func alike(a, b []transport.Term) bool {
	return slices.EqualFunc(a, b, func(x, y transport.Term) bool {
		return x.Name == y.Name && math.Abs(x.Value-y.Value) <= 1e-10*math.Abs(y.Value)
	})
}
