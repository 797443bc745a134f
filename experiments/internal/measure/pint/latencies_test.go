package pint

import (
	"math"
	"slices"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
	"pintlab/pint/approx"
)

func stream() Queues {
	return Queues{Hops: 5, Load: 0.6, MaxBurst: 32, Slot: 84 * unit.Nanosecond, Gap: 10, Length: 1000, Flows: 40,
		Seed: 1}
}

func run(t testing.TB, e LatencyExperiment, s Queues) []LatencyPoint {
	t.Helper()
	traces := s.traces()
	points, err := e.Run(traces)
	if err != nil {
		t.Fatal(err)
	}
	return points
}

func pick(t testing.TB, points []LatencyPoint, row, packets, digests, bits int, phi float64) LatencyPoint {
	t.Helper()
	for _, p := range points {
		if p.Row == row && p.Packets == packets && p.Digests == digests && p.Bits == bits && p.Quantile == phi {
			return p
		}
	}
	t.Fatalf("no point for row %d, %d packets, %d digests, %d bits, φ = %v", row, packets, digests, bits, phi)
	return LatencyPoint{}
}

// The results have the shape of Fig. 9: more packets and larger sketches reduce the error, eight bits have a smaller
// error than four, and a sketch of 100 digests adds little error.
func TestFig9Shape(t *testing.T) {
	points := run(t, Fig9(), stream())
	if len(points) != 4*(2*10+11) {
		t.Fatalf("%d points", len(points))
	}
	for _, phi := range []float64{0.5, 0.99} {
		get := func(row, packets, digests, bits int) LatencyPoint {
			return pick(t, points, row, packets, digests, bits, phi)
		}
		for _, bits := range []int{4, 8} {
			if a, b := get(1, 100, 0, bits), get(1, 1000, 0, bits); !(b.Mean < a.Mean && b.Rank < a.Rank) {
				t.Errorf("φ = %v, %d bits: error %.3f after 100 packets, %.3f after 1000", phi, bits, a.Mean, b.Mean)
			}
			if a, b := get(2, 500, 10, bits), get(2, 500, 300, bits); !(b.Mean < a.Mean) {
				t.Errorf("φ = %v, %d bits: error %.3f with 10 digests, %.3f with 300", phi, bits, a.Mean, b.Mean)
			}
			// 500 packets over 5 hops are 100 samples for each hop, so a sketch of 300 digests contains all samples.
			a, b := get(2, 500, 300, bits), get(2, 500, 0, bits)
			b.Digests = a.Digests
			if a != b {
				t.Errorf("φ = %v, %d bits: a sketch that holds everything differs from no sketch: %+v, %+v",
					phi, bits, a, b)
			}
			if a, b := get(1, 1000, 100, bits), get(1, 1000, 0, bits); a.Mean > b.Mean+0.05 {
				t.Errorf("φ = %v, %d bits: error %.3f with 100 digests, %.3f without a sketch",
					phi, bits, a.Mean, b.Mean)
			}
		}
		if a, b := get(1, 1000, 0, 4), get(1, 1000, 0, 8); !(b.Mean < a.Mean) {
			t.Errorf("φ = %v: error %.3f with 4 bits, %.3f with 8", phi, a.Mean, b.Mean)
		}
	}
	if again := run(t, Fig9(), stream()); !slices.Equal(points, again) {
		t.Error("two runs differ")
	}
}

// In a constant stream, the only error is the error of the code: 10 µs is decoded as the nearest code, within ε. The
// rank is right if the truth is also rounded to codes.
func TestFig9ConstantStream(t *testing.T) {
	e := Fig9()
	e.Packets, e.Digests, e.Bits = []int{200}, []int{50}, []int{8}
	flow := LatencyTrace{Key: 1, Hops: 2, Packets: func(yield func(uint64, []unit.Time) bool) {
		for i := range uint64(500) {
			if !yield(i, []unit.Time{10 * unit.Microsecond, 0}) {
				return
			}
		}
	}}
	points, err := e.Run(slices.Values([]LatencyTrace{flow}))
	if err != nil {
		t.Fatal(err)
	}
	code, err := approx.NewLatency(e.Low, e.High, 8, approx.Nearest)
	if err != nil {
		t.Fatal(err)
	}
	// Hop 2 has a latency of 0, which counts as Low and is decoded as Low, so there is no error.
	want := math.Abs(code.Decode(code.Encode(10*unit.Microsecond, 0)).Ratio(10*unit.Microsecond)-1) / 2
	for _, p := range points {
		if math.Abs(p.Mean-want) > 1e-12 || p.Count != 2 || p.Missing != 0 {
			t.Errorf("%+v, want an error of %v", p, want)
		}
	}
}

// A point excludes flows that are too short, and counts hops that no packet reported.
func TestFig9ShortFlows(t *testing.T) {
	e := Fig9()
	e.Packets, e.Digests, e.Bits, e.Quantiles = []int{1, 10}, nil, []int{8}, []float64{0.5}
	s := stream()
	s.Length, s.Flows = 5, 8
	points := run(t, e, s)
	if p := pick(t, points, 1, 1, 0, 8, 0.5); p.Count != 8 || p.Missing != 32 {
		t.Errorf("after one packet: %+v, want 8 estimates and 32 hops without", p)
	}
	if p := pick(t, points, 1, 10, 0, 8, 0.5); p.Count != 0 || p.Missing != 0 {
		t.Errorf("flows of 5 packets entered a point of 10: %+v", p)
	}
}

func TestExperimentRefuses(t *testing.T) {
	bad := LatencyTrace{Key: 3, Hops: 2, Packets: func(yield func(uint64, []unit.Time) bool) {
		yield(1, []unit.Time{5})
	}}
	want := "latencies: flow 3: packet 1 has 1 latency, want one for each of 2 hops"
	if _, err := Fig9().Run(slices.Values([]LatencyTrace{bad})); !errtest.Says(err, want) {
		t.Errorf("Run: %v, want %s", err, want)
	}
}

// meanWait returns the expected backlog in slots. If the number of arrivals per slot is B with mean ρ, the backlog is
// (Var B − ρ(1−ρ)) / (2(1−ρ)). This follows from squaring Lindley's W' = max(0, W + B − 1) in equilibrium.
func meanWait(s Queues) float64 {
	rho := s.Load
	p := rho / s.burstMean()
	// E[burst²] = Σ_j (2j−1)/j = 2·MaxBurst − E[burst].
	second := p * (2*float64(s.MaxBurst) - s.burstMean())
	variance := second - rho*rho
	return (variance - rho*(1-rho)) / (2 * (1 - rho))
}

// The mean backlog agrees with the formula. Successive packets are correlated, so the standard error is computed over
// flows, which are independent. The test allows 4.5 standard errors (false alarm < 1e-5).
func TestSyntheticMeanWait(t *testing.T) {
	for _, load := range []float64{0.3, 0.6, 0.8} {
		s := stream()
		s.Load, s.Hops, s.Length, s.Flows, s.MaxBurst = load, 1, 200, 1500, 8
		tr := s.traces()
		sum, squares, n := 0.0, 0.0, 0.0
		for flow := range tr {
			mean := 0.0
			for _, l := range flow.Packets {
				mean += (l[0].Ratio(s.Slot) - 1) / float64(s.Length)
			}
			sum += mean
			squares += mean * mean
			n++
		}
		mean := sum / n
		dev := math.Sqrt((squares/n - mean*mean) / n)
		if want := meanWait(s); math.Abs(mean-want) > 4.5*dev {
			t.Errorf("load %v: mean backlog %.4f ± %.4f slots, want %.4f", load, mean, dev, want)
		}
	}
}

func BenchmarkFig9(b *testing.B) {
	for b.Loop() {
		run(b, Fig9(), stream())
	}
}
