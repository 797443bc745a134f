package query

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
	"pintlab/pint/approx"
)

// codeOf compiles one query alone.
func codeOf(t testing.TB, q Query, hops int) *Code {
	t.Helper()
	q.Name = "q"
	s := Spec{Bits: q.Bits, Hops: hops, Queries: []Query{q}}
	s.Defaults()
	if q.Aggregation.Class() == Dynamic {
		s.Queries[0].Space = 1000
	}
	return mustCompile(t, s).Codes[0]
}

// The test checks the values of the first and the last code, for the default range of each value.
func TestDefaultCodes(t *testing.T) {
	tests := []struct {
		q           Query
		first, last float64
	}{
		{Query{Value: HopLatency, Aggregation: Max, Bits: 8}, 1e3, 60e6},
		{Query{Value: HopLatency, Aggregation: Quantiles, Bits: 4}, 1e3, 60e6},
		{Query{Value: TxUtilization, Aggregation: Min, Bits: 6}, 0, 1},
		{Query{Value: QueueCongestion, Aggregation: Frequent, Bits: 3}, 0, 1},
		{Query{Value: QueueOccupancy, Aggregation: Max, Bits: 8}, 64, 32 << 20},
		{Query{Value: Load, Aggregation: Max, Bits: 8}, 1. / 512, 575.0},
		{Query{Value: Load, Aggregation: Max, Bits: 6}, 1. / 512, 16},
		{Query{Value: HopLatency, Aggregation: Max, Bits: 5, Step: 500e3}, 0, 31 * 500e3},
		{Query{Value: HopLatency, Aggregation: Max, Bits: 5, Low: 1e6, High: 9e6}, 1e6, 9e6},
		{Query{Value: HopLatency, Aggregation: Sum, Bits: 8}, 0, 5 * 60e6},
		{Query{Value: QueueOccupancy, Aggregation: Sum, Bits: 10, Low: 64, High: 1 << 20}, 0, 5 << 20},
		{Query{Value: TxUtilization, Aggregation: Product, Bits: 10, Low: 0.5, High: 1}, 1, 1. / 32},
		{Query{Value: SwitchID, Aggregation: Frequent, Bits: 10}, 0, 1023},
	}
	for _, tt := range tests {
		c := codeOf(t, tt.q, 5)
		first, last := c.Decode(0), c.Decode(uint32(c.Codes()-1))
		// The last code of a counter is the first code that reaches the end of the range.
		if math.Abs(first-tt.first) > 1e-9*tt.first || math.Abs(last/tt.last-1) > 2e-3 {
			t.Errorf("%v of %v in %d bits: %v to %v, want %v to %v",
				tt.q.Aggregation, tt.q.Value, tt.q.Bits, first, last, tt.first, tt.last)
		}
		if c.Codes() > 1<<tt.q.Bits {
			t.Errorf("%v of %v: %d codes in %d bits", tt.q.Aggregation, tt.q.Value, c.Codes(), tt.q.Bits)
		}
	}
}

// HPCC's code is the paper's: 8 bits, ε = 0.025, 1/512 for code 0.
func TestHPCCCode(t *testing.T) {
	c := codeOf(t, HPCCQuery(), 5)
	if got, want := c.Decode(127), math.Pow(1.025, 254)/512; math.Abs(got/want-1) > 1e-12 {
		t.Errorf("code 127 stands for %v, want %v", got, want)
	}
	if c.multiplicative.Config() != approx.Utilization() {
		t.Errorf("%+v, want %+v", c.multiplicative.Config(), approx.Utilization())
	}
}

// Ranges without a code are refused, with the name of the query.
func TestUncodable(t *testing.T) {
	tests := []struct {
		q    Query
		want string
	}{
		{Query{Value: TxUtilization, Aggregation: Product, Bits: 8, Low: 1e-200, High: 1},
			`query "q": the product over 5 hops: approx: range 1 to +Inf: want 0 < low < high`},
		{Query{Value: HopLatency, Aggregation: Sum, Bits: 1},
			`query "q": approx: … sum … to 300000 … 1 bit: … 2 bits`},
		{Query{Value: HopLatency, Aggregation: Sum, Bits: 8, Low: 1e-9, High: 1e9},
			`query "q": the sum over 5 hops can exceed 2^53 units of 1e-09`},
		{Query{Value: TxUtilization, Aggregation: Max, Bits: 8, Rounding: approx.UnbiasedLog},
			`query "q": approx: bad additive code: rounding = log, want nearest or value`},
	}
	for _, tt := range tests {
		tt.q.Name = "q"
		if _, err := Compile(Spec{Bits: 8, Hops: 5, HashBits: 16, Queries: []Query{tt.q}}); !errtest.Says(err,
			tt.want) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}

// The values are outside any range: not a number, infinite or negative.
func TestStrangeValues(t *testing.T) {
	for _, q := range []Query{
		{Value: HopLatency, Aggregation: Max, Bits: 8},
		{Value: TxUtilization, Aggregation: Max, Bits: 8},
		{Value: HopLatency, Aggregation: Sum, Bits: 8},
		{Value: TxUtilization, Aggregation: Product, Bits: 8, Low: 0.25, High: 1},
	} {
		c := codeOf(t, q, 5)
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 1e300} {
			for _, word := range []uint64{0, 1 << 63, ^uint64(0)} {
				var code uint32
				if q.Aggregation == Sum || q.Aggregation == Product {
					code = c.Accumulate(3, v, word)
				} else {
					code = c.Encode(v, word)
				}
				if uint64(code) >= c.Codes() {
					t.Errorf("%v of %v: %v becomes code %d of %d", q.Aggregation, q.Value, v, code, c.Codes())
				}
			}
		}
	}
}

// DecodeStamp returns the latest time with the given stamp. Later recognises the later of two stamps that are less than
// half a period apart.
func TestStamps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.IntRange(2, 32).Draw(t, "bits")
		step := unit.Time(rapid.Int64Range(1, 1e6).Draw(t, "step"))
		c := &Code{mask: 1<<bits - 1, unit: float64(step)}
		now := unit.Time(rapid.Int64Range(0, 1e17).Draw(t, "now"))
		back := unit.Time(rapid.Int64Range(0, int64(c.Period())-1).Draw(t, "back"))
		at := max(now-back, 0)
		got := c.DecodeStamp(c.Stamp(at), now)
		if now/step-at/step <= unit.Time(c.mask) && got != at/step*step {
			t.Fatalf("%v is read back as %v", at, got)
		}
		half := unit.Time(rapid.Int64Range(1, max(int64(c.mask>>1), 1)).Draw(t, "apart"))
		later := at + half*step
		if !c.Later(c.Stamp(later), c.Stamp(at)) || c.Later(c.Stamp(at), c.Stamp(later)) ||
			c.Later(c.Stamp(at), c.Stamp(at)) {
			t.Fatalf("%v is not later than %v", later, at)
		}
	})
}

// The limits of the values that can get a code, computed by hand. Codes 1, 4, 16 and 64 ns in 2 bits have their limits
// at the geometric means 2, 8 and 32 ns. Under random rounding, the limits are the neighbours. With a step of 10 ns,
// the limits are 5 ns or 10 ns away. A share is at most 1; a latency has no limit.
func TestIntervals(t *testing.T) {
	inf := math.Inf(1)
	ns := Query{Value: HopLatency, Aggregation: Quantiles, Bits: 2, Low: 1e3, High: 64e3}
	step := Query{Value: HopLatency, Aggregation: Quantiles, Bits: 2, Step: 10e3}
	share := Query{Value: TxUtilization, Aggregation: Quantiles, Bits: 2}
	random := func(q Query) Query { q.Rounding = approx.UnbiasedValue; return q }
	for _, tt := range []struct {
		q    Query
		want [4][2]float64
	}{
		{ns, [4][2]float64{{0, 2e3}, {2e3, 8e3}, {8e3, 32e3}, {32e3, inf}}},
		{random(ns), [4][2]float64{{0, 4e3}, {1e3, 16e3}, {4e3, 64e3}, {16e3, inf}}},
		{step, [4][2]float64{{0, 5e3}, {5e3, 15e3}, {15e3, 25e3}, {25e3, inf}}},
		{random(step), [4][2]float64{{0, 10e3}, {0, 20e3}, {10e3, 30e3}, {20e3, inf}}},
		{share, [4][2]float64{{0, 1. / 6}, {1. / 6, 1. / 2}, {1. / 2, 5. / 6}, {5. / 6, 1}}},
	} {
		c := codeOf(t, tt.q, 5)
		for code, want := range tt.want {
			low, high := c.Interval(uint32(code))
			if math.Abs(low-want[0]) > 1e-9*want[0] || high != want[1] && !(math.Abs(high-want[1]) <= 1e-9*want[1]) {
				t.Errorf("%+v: code %d means %v to %v, want %v", tt.q, code, low, high, want)
			}
		}
	}
}

// A value is in the interval of every code that it can get.
func TestIntervalsContainValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := Query{Value: HopLatency, Aggregation: Quantiles, Bits: rapid.IntRange(2, 10).Draw(t, "bits")}
		q.Rounding = rapid.SampledFrom([]approx.Rounding{approx.Nearest, approx.UnbiasedValue}).Draw(t, "rounding")
		if rapid.Bool().Draw(t, "additive") {
			q.Step = rapid.Float64Range(1, 1e6).Draw(t, "step")
		}
		c, err := q.newCode(5)
		if err != nil {
			t.Fatal(err)
		}
		v := rapid.Float64Range(0, 1e8).Draw(t, "value")
		code := c.Encode(v, rapid.Uint64().Draw(t, "word"))
		if low, high := c.Interval(code); v < low*(1-1e-12) || v > high*(1+1e-12) {
			t.Errorf("%v has code %d, which means %v to %v", v, code, low, high)
		}
	})
}

// The bounds of a quantile, computed by hand. All 100 samples of a hop are 3 ns, with the code 4 ns of TestIntervals.
// The median is then in 2 to 8 ns. The 99th percentile has no upper bound, because its rank error exceeds 0.01. If all
// samples exceed the largest code, or are 0, the bounds are open or 0.
func TestQuantileBounds(t *testing.T) {
	q := Query{Name: "q", Value: HopLatency, Aggregation: Quantiles, Bits: 2, Low: 1e3, High: 64e3, Space: 1000}
	s := Spec{Bits: 2, Hops: 1, Queries: []Query{q}}
	s.Defaults()
	for _, tt := range []struct {
		latency        unit.Time
		phi, low, high float64
	}{
		{3 * unit.Nanosecond, 0.5, 2e3, 8e3},
		{3 * unit.Nanosecond, 0.99, 2e3, math.Inf(1)},
		{3 * unit.Nanosecond, 0.01, math.Inf(-1), 8e3},
		{151771 * unit.Nanosecond, 0.5, 32e3, math.Inf(1)},
		{0, 0.5, 0, 2e3},
	} {
		e := mustEncoder(t, s, Options{Seed: 5})
		r := newRecorder(t, e, Memory{Total: unit.MB})
		for p := range uint64(100) {
			digest := walk(e, p, []Observation{{HopLatency: tt.latency}})
			if err := r.Record(Packet{ID: p, Hops: 1, Flow: tuple(9)}, digest); err != nil {
				t.Fatal(err)
			}
		}
		got, err := NewInference(r).Quantile(e.name(0), FlowID{Flow: tuple(9), Hops: 1}, 1, tt.phi, 0.1)
		near := func(x, want float64) bool { return x == want || math.Abs(x-want) < 1e-9*want }
		if err != nil || got.Samples != 100 || !near(got.Low, tt.low) || !near(got.High, tt.high) {
			t.Errorf("%v: %+v, %v, want bounds %v to %v", tt.latency, got, err, tt.low, tt.high)
		}
	}
}
