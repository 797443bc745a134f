package fixedpoint

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func mustTables(t testing.TB, q int) *Tables {
	t.Helper()
	tables, err := NewTables(q)
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

// Appendix C: "if our range is [0, 2], and we use m = 16 bits, then the encoding value
// 39131 represents 2·39131·2^-16 ≈ 1.19".
func TestExampleOfAppendixC(t *testing.T) {
	f := Format{Range: 2, Bits: 16}
	if v := f.Value(39131); math.Abs(v-1.19) > 0.005 || v != 2*39131.0/65536 {
		t.Errorf("39131 stands for %v, want 1.19…", v)
	}
}

// The expected entries: log2 of 1.25, 1.5 and 1.75 are 0.3219280949, 0.5849625007 and 0.8073549220, times 2^20.
// 2^0.25, 2^0.5 and 2^0.75 are 1.1892071150, 1.4142135624 and 1.6817928305, times 2^30.
func TestTablesOfFourEntries(t *testing.T) {
	tables := mustTables(t, 2)
	for i, want := range []Log{0, 337566, 613377, 846572} {
		if got := tables.LogEntry(i); got != want {
			t.Errorf("log entry %d = %d, want %d", i, got, want)
		}
	}
	for i, want := range []uint32{1 << 30, 1276901416, 1518500249, 1805811301} {
		if got := tables.ExpEntry(i); got != want {
			t.Errorf("power %d = %d, want %d", i, got, want)
		}
	}
}

// Appendix C: the logarithm from the table lies in [log2 x - 1.44·2^-q, log2 x]. A unit of a Log is added, because
// entries are rounded down.
func TestLog2IsWithin144(t *testing.T) {
	for q := 4; q <= 12; q++ {
		tables := mustTables(t, q)
		bound := 1.4427*math.Pow(2, -float64(q)) + 1.0/(1<<LogBits)
		last := NoLog
		check := func(x uint64) {
			got := tables.Log2(x).Real()
			if short := math.Log2(float64(x)) - got; short < -1e-12 || short > bound {
				t.Fatalf("q = %d: log2(%d) = %v is %v short, want 0 to %v", q, x, got, short, bound)
			}
		}
		for x := uint64(1); x < 1<<16; x++ {
			check(x)
			if l := tables.Log2(x); l < last {
				t.Fatalf("q = %d: the logarithm falls at %d", q, x)
			} else {
				last = l
			}
			if x < 2<<q { // footnote 12: numbers of few bits are looked up directly
				if short := math.Log2(float64(x)) - tables.Log2(x).Real(); short > 1.0/(1<<LogBits) {
					t.Fatalf("q = %d: log2(%d) is %v short, want a unit", q, x, short)
				}
			}
		}
		for x := uint64(1); x < 1<<60; x = x*9/7 + 1 {
			check(x)
		}
	}
}

// Appendix C: with q = 8 and exponents in [0,2] the power is exact up to the factor 1 + 2^-7, below 1 %. The table
// here covers [0,1) and has a smaller error: 1 - 2^(-2^-q) for any exponent.
func TestExp2OnZeroToTwo(t *testing.T) {
	for q := 4; q <= 12; q++ {
		tables := mustTables(t, q)
		worst := 0.0
		last := uint32(0)
		for x := Log(0); x < 2<<LogBits; x += 3 {
			got := tables.Exp2(x, mantissaBits)
			exact := math.Exp2(x.Real())
			e := 1 - float64(got)/(1<<mantissaBits)/exact
			if e < -1e-12 {
				t.Fatalf("q = %d: 2^%v is above the power", q, x.Real())
			}
			if got < last {
				t.Fatalf("q = %d: the power falls at %v", q, x.Real())
			}
			worst, last = max(worst, e), got
		}
		if bound := 1 - math.Exp2(-math.Pow(2, -float64(q))); worst > bound+1e-8 {
			t.Errorf("q = %d: error %v, want at most %v", q, worst, bound)
		}
		if q == 8 && worst >= 0.01 {
			t.Errorf("q = 8: error %v on [0,2], the PINT paper has below 1 %%", worst)
		}
	}
}

func TestExp2Ends(t *testing.T) {
	tables := mustTables(t, 8)
	for _, c := range []struct {
		x    Log
		frac int
		want uint32
	}{
		{0, 0, 1}, {31 << LogBits, 0, 1 << 31}, {32 << LogBits, 0, math.MaxUint32}, {-1, 0, 0},
		{9 << LogBits, 22, 1 << 31}, {10 << LogBits, 22, math.MaxUint32}, {-22 << LogBits, 22, 1},
		{-23 << LogBits, 22, 0},
		{NoLog, 22, 0}, {4*NoLog + 128<<LogBits, 30, 0},
	} {
		if got := tables.Exp2(c.x, c.frac); got != c.want {
			t.Errorf("2^%v with %d fractional bits = %d, want %d", c.x.Real(), c.frac, got, c.want)
		}
	}
}

func TestExpOfLog(t *testing.T) {
	var all [13]*Tables
	for q := 4; q <= 12; q++ {
		all[q] = mustTables(t, q)
	}
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.IntRange(4, 12).Draw(t, "q")
		x := rapid.Uint32Min(1<<16).Draw(t, "x")
		tables := all[q]
		back := tables.Exp2(tables.Log2(uint64(x)), 0)
		// The largest error occurs when the logarithm is too small by log2(1+2^-q) and the power is too small by
		// 2^-q octaves.
		low := float64(x)*math.Exp2(-2.4427*math.Pow(2, -float64(q))-2e-6) - 1
		if float64(back) > float64(x) || float64(back) < low {
			t.Fatalf("q = %d: exp(log %d) = %d, want %v to %d", q, x, back, low, x)
		}
	})
}

// The test covers all pairs of 8-bit operands. The errors come from two logarithms, of 1.4427·2^-q each, from a
// power, and from rounding to an integer.
func TestMulAndDivExhaustive(t *testing.T) {
	for _, q := range []int{4, 6, 8} {
		tables := mustTables(t, q)
		d, err := NewDirect(q)
		if err != nil {
			t.Fatal(err)
		}
		unit := math.Pow(2, -float64(q))
		half := math.Pow(2, -float64(q/2-1)) // relative error of one operand of Direct
		for x := uint32(1); x < 256; x++ {
			for y := uint32(1); y < 256; y++ {
				product, quotient := float64(x*y), float64(x)/float64(y)
				const tiny = 1e-5
				between := func(name string, got, low, high float64) {
					if got < low-tiny || got > high+tiny {
						t.Fatalf("q = %d: %s of %d and %d is %v, want %v to %v", q, name, x, y, got, low, high)
					}
				}
				between("Mul", float64(tables.Mul(x, y)), product*math.Exp2(-3.8854*unit-1e-5)-1, product)
				between("Div", float64(tables.Div(x, y, 20))/(1<<20), quotient*math.Exp2(-2.4427*unit-1e-5),
					quotient*math.Exp2(1.4427*unit+1e-5))
				between("Direct.Mul", float64(d.Mul(x, y)), product/(1+half)/(1+half)-1, product)
				between("Direct.Div", float64(d.Div(x, y, 20))/(1<<20), quotient/(1+half), quotient*(1+half))
			}
		}
	}
}

func TestMulAndDivEnds(t *testing.T) {
	tables := mustTables(t, 8)
	d, err := NewDirect(8)
	if err != nil {
		t.Fatal(err)
	}
	const all = math.MaxUint32
	for _, c := range []struct {
		name      string
		got, want uint32
	}{
		{"0·7", tables.Mul(0, 7), 0}, {"7·0", d.Mul(7, 0), 0},
		{"2^31·4", tables.Mul(1<<31, 4), all}, {"2^31·4 direct", d.Mul(1<<31, 4), all},
		{"2^31·2^31 direct", d.Mul(1<<31, 1<<31), all},
		{"7/0", tables.Div(7, 0, 4), all}, {"7/0 direct", d.Div(7, 0, 4), all},
		{"0/7", tables.Div(0, 7, 4), 0}, {"0/7 direct", d.Div(0, 7, 4), 0},
		{"1/2^31", tables.Div(1, 1<<31, 30), 0}, {"1/2^31 direct", d.Div(1, 1<<31, 30), 0},
		{"2^31/1·2^30", tables.Div(1<<31, 1, 30), all}, {"2^31/1·2^30 direct", d.Div(1<<31, 1, 30), all},
		{"2^16·2^15", tables.Mul(1<<16, 1<<15), 1 << 31}, {"2^16·2^15 direct", d.Mul(1<<16, 1<<15), 1 << 31},
	} {
		if c.got != c.want {
			t.Errorf("%s = %d, want %d", c.name, c.got, c.want)
		}
	}
	for _, q := range []int{2, 5, 22} {
		if _, err := NewDirect(q); err == nil {
			t.Errorf("NewDirect(%d) is accepted", q)
		}
	}
	for _, q := range []int{1, 17} {
		if _, err := NewTables(q); err == nil {
			t.Errorf("NewTables(%d) is accepted", q)
		}
	}
}

// A product of small operands is within the bound of appendix C and one unit, because Mul drops the fraction of the
// product. So the relative error of a small product may be large: 1·3 is 2 with q = 8.
func TestProductsOfSmallOperands(t *testing.T) {
	tables, err := NewTables(8)
	if err != nil {
		t.Fatal(err)
	}
	if got := tables.Mul(1, 3); got != 2 {
		t.Errorf("1·3 = %d, want 2", got)
	}
	bound := 1 - math.Exp2(-3.8854/256-1e-5)
	for x := range uint32(200) {
		for y := range uint32(200) {
			exact, got := float64(x*y), float64(tables.Mul(x, y))
			if got > exact || got < exact*(1-bound)-1 {
				t.Errorf("%d·%d = %v", x, y, got)
			}
		}
	}
}
