package approx

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

func mustLink(t testing.TB, rate unit.Rate, horizon unit.Time) Link {
	t.Helper()
	l, err := NewLink(rate, horizon)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// updateByFormula implements §4.3's formula as printed, with the clip.
func updateByFormula(rate unit.Rate, horizon unit.Time, u float64, tau unit.Time, qlen, size unit.Bytes) float64 {
	T, x := horizon.Seconds(), math.Min(tau.Seconds(), horizon.Seconds())
	B := rate.BytesPerSecond()
	return (T-x)/T*u + float64(qlen)*x/(B*T*T) + float64(size)/(B*T)
}

// At 100 Gb/s and T = 8 µs, B·T is 100 kB.
func TestUpdateByHand(t *testing.T) {
	l := mustLink(t, 100*unit.Gbps, 8*unit.Microsecond)
	tests := []struct {
		name       string
		u          float64
		tau        unit.Time
		qlen, size unit.Bytes
		want       float64
	}{
		{"first packet: size/(B·T)", 0, unit.Never, 0, 1000, 0.01},
		{"first packet with a queue: the queue counts in full", 0, 8 * unit.Microsecond, 50_000, 1000, 0.51},
		{"a quarter of T later", 1, 2 * unit.Microsecond, 0, 1000, 0.76},
		{"the queue counts a quarter", 1, 2 * unit.Microsecond, 100_000, 1000, 1.01},
		{"at once: only the size counts", 0.5, 0, 100_000, 1000, 0.51},
		{"idle for T: history is gone", 7, 8 * unit.Microsecond, 0, 1000, 0.01},
		{"idle for longer than T: the same, not negative", 7, 80 * unit.Microsecond, 0, 1000, 0.01},
	}
	for _, tt := range tests {
		if got := l.Update(tt.u, tt.tau, tt.qlen, tt.size); math.Abs(got-tt.want) > 1e-15 {
			t.Errorf("%s: U = %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Under a constant load, U converges to the load, and a standing queue of q bytes adds q/(B·T).
func TestUpdateConvergesToTheLoad(t *testing.T) {
	const rate, horizon, size = 100 * unit.Gbps, 13 * unit.Microsecond, 1049
	l := mustLink(t, rate, horizon)
	for _, tt := range []struct {
		name string
		gap  unit.Time // start to start
		qlen unit.Bytes
		want float64
	}{
		{"back to back", rate.TxTime(size), 0, 1},
		{"back to back with a queue of B·T", rate.TxTime(size), rate.In(horizon), 2},
		{"every other slot", 2 * rate.TxTime(size), 0, 0.5},
		{"one in ten", 10 * rate.TxTime(size), 0, 0.1},
	} {
		u := l.Update(0, unit.Never, 0, size)
		for range 5000 {
			u = l.Update(u, tt.gap, tt.qlen, size)
		}
		// The fixed point is exact up to a few roundings of 2^-53.
		if math.Abs(u/tt.want-1) > 1e-13 {
			t.Errorf("%s: U = %v, want %v", tt.name, u, tt.want)
		}
	}
}

// After a time T with a new load, the share of the old load is (1-τ/T)^(T/τ), slightly below 1/e.
func TestUpdateForgetsWithinT(t *testing.T) {
	l := mustLink(t, 100*unit.Gbps, 8*unit.Microsecond)
	u := 1.0
	for range 100 { // empty frames, each a hundredth of T after the last one
		u = l.Update(u, 80*unit.Nanosecond, 0, 0)
	}
	if want := math.Pow(0.99, 100); math.Abs(u-want) > 1e-14 {
		t.Errorf("after T of silence U = %v, want %v", u, want)
	}
}

func TestUpdateAgainstFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := unit.Rate(rapid.Int64Range(int64(unit.Mbps), int64(unit.Tbps)).Draw(t, "rate"))
		horizon := unit.Time(rapid.Int64Range(1000, int64(unit.Millisecond)).Draw(t, "T"))
		l, err := NewLink(rate, horizon)
		if err != nil {
			t.Fatal(err)
		}
		u := rapid.Float64Range(0, 100).Draw(t, "u")
		tau := unit.Time(rapid.Int64Range(0, 2*int64(horizon)).Draw(t, "tau"))
		qlen := unit.Bytes(rapid.Int64Range(0, 32<<20).Draw(t, "qlen"))
		size := unit.Bytes(rapid.Int64Range(0, 9000).Draw(t, "size"))
		got, want := l.Update(u, tau, qlen, size), updateByFormula(rate, horizon, u, tau, qlen, size)
		if got < 0 || math.Abs(got-want) > 1e-14*want {
			t.Fatalf("U = %v, want %v", got, want)
		}
	})
}

func TestNewLinkErrors(t *testing.T) {
	for _, tt := range []struct {
		rate    unit.Rate
		horizon unit.Time
		want    string
	}{
		{0, unit.Microsecond, "approx: utilisation … link: rate 0bps, … 0bps"},
		{unit.Gbps, 0, "approx: utilisation of a link: T = 0s, want a positive time"},
		{unit.Gbps, unit.Never, "approx: utilisation of a link: T = never, want a positive time"},
	} {
		if _, err := NewLink(tt.rate, tt.horizon); !errtest.Says(err, tt.want) {
			t.Errorf("NewLink(%v, %v): %v, want %s", tt.rate, tt.horizon, err, tt.want)
		}
	}
}

func BenchmarkUpdate(b *testing.B) {
	l := mustLink(b, 100*unit.Gbps, 13*unit.Microsecond)
	b.ReportAllocs()
	u := 0.0
	for i := range b.N {
		u = l.Update(u, unit.Time(83_840+i&0xffff), unit.Bytes(i&0xfffff), 1048)
	}
	if u < 0 {
		b.Fatal(u)
	}
}

// A switch stores U per egress link. A packet carries the code of U.
func ExampleLink_Update() {
	link, _ := NewLink(100*unit.Gbps, 13*unit.Microsecond)
	code, _ := New(Utilization())
	u := link.Update(0, unit.Never, 0, 1049) // first packet
	for range 1000 {
		u = link.Update(u, 2*(100*unit.Gbps).TxTime(1049), 0, 1049) // every other slot
	}
	digest := code.Encode(u, 0x9e3779b97f4a7c15)
	fmt.Printf("U = %.3f, digest %d, read as %.3f\n", u, digest, code.Decode(digest))
	// Output: U = 0.500, digest 112, read as 0.493
}
