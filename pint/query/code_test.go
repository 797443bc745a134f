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
			`query "q": range: the product over 5 hops: approx: range 1 to +Inf: want 0 < low < high`},
		{Query{Value: HopLatency, Aggregation: Sum, Bits: 1},
			`query "q": range: approx: … sum … to 300000 … 1 bit: … 2 bits`},
		{Query{Value: HopLatency, Aggregation: Sum, Bits: 8, Low: 1e-9, High: 1e9},
			`query "q": range: the sum over 5 hops can exceed 2^53 units of 1e-09`},
		{Query{Value: TxUtilization, Aggregation: Max, Bits: 8, Rounding: approx.UnbiasedLog},
			`query "q": range: approx: bad additive code: rounding = log, want nearest or value`},
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
