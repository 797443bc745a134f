package fixedpoint

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"pintlab/netsim/unit"
)

// At 100 Gb/s and T = 13 µs, B·T = 162500 B. With V = 100000 B, 40000 B in the queue, a packet of 1048 B and
// τ = 84 ns, the exact result is V = 100000 + 1048 - 60000·84/13000 = 100660.3 B. The product is 387.7 B.
//
// The tables have q = 6. 60000·32 = 1.831·2^20 is in the cell that begins at 117/64, whose middle is 1.8359.
// 84 = 1.3125·2^6 has a cell to itself. The sum of the logarithms is 20.8765 + 6.3923 - 13.6662 = 13.6026. Its
// fraction is in the cell of the powers that begins at 38/64, whose middle is 0.6016. So the product is
// 2^13.6016 = 12430 in units of 2^-5 bytes, or 388.4 B.
func TestDifferenceByHand(t *testing.T) {
	p := mustPort(t, 6, Difference, 100*unit.Gbps)
	got := p.Next(100_000<<byteBits, 84, 40_000, 1048)
	if want := uint32(101_048<<byteBits - 12430); got != want {
		t.Errorf("V = %v B, want %v B", float64(got)/32, float64(want)/32)
	}
	// The opposite case: the queue is longer than V.
	got = p.Next(40_000<<byteBits, 84, 100_000, 1048)
	if want := uint32(41_048<<byteBits + 12430); got != want {
		t.Errorf("V = %v B, want %v B", float64(got)/32, float64(want)/32)
	}
	// After T, V is the queue plus the packet.
	if got = p.Next(100_000<<byteBits, 13_000, 40_000, 1048); got != 41_048<<byteBits {
		t.Errorf("V = %v B after T, want 41048 B", float64(got)/32)
	}
	// U = 1 is log_1.050625(512) = 126.32 steps above the least code.
	sum := 0.0
	for r := range uint32(256) {
		sum += float64(p.Code(162_500<<byteBits, r)) / 256
	}
	if math.Abs(sum-126.32) > 0.16 {
		t.Errorf("mean code of U = 1 is %v, want 126.32", sum)
	}
}

// A packet of 158 B leaves every 2048 ns. V settles where V·2048/13000 = 158·32, at 32093.75 units of 2^-5 bytes.
//
// The tables have q = 6. V = 31752 is 1.938·2^14, in the cell that begins at 124/64, whose middle is 1.9453: its
// logarithm is 14.9600. τ is 2^11, in the cell that begins at 64/64, whose middle is 1.0078: its logarithm is 11.0112.
// The sum is 14.9600 + 11.0112 - 13.6662 = 12.3050, in the cell of the powers that begins at 19/64, whose middle is
// 0.3047: 2^12.3047 is 5059. So V falls by 3 per packet there, until it is in a cell whose product is smaller, and V
// stays 1 % below 32093.75. The error of a product is at most a factor of 2^(1.95/64).
func TestSteadyLoad(t *testing.T) {
	p := mustPort(t, 6, Difference, 100*unit.Gbps)
	v := p.Next(0, p.T, 0, 158)
	sum, last := 0.0, 0
	for i := range 2000 {
		if v = p.Next(v, 2048, 0, 158); i >= 1000 {
			sum += float64(v)
			last++
		}
	}
	got := sum / float64(last) / 32093.75
	if bound := math.Exp2(1.95 / 64); got < 1/bound || got > bound {
		t.Errorf("V settles at %v of the exact value, want %v to %v", got, 1/bound, bound)
	}
	if got > 0.995 || got < 0.985 {
		t.Errorf("V settles at %v of the exact value, want 0.99", got)
	}
}

// The programs and the twin have the same tables of prefixes, for both signs, and no two prefixes match the same
// number.
func TestPrefixesOfDifference(t *testing.T) {
	p := mustPort(t, 6, Difference, 100*unit.Gbps)
	times, logs := p.TimePrefixes(p.T), p.LogPrefixes()
	rapid.Check(t, func(t *rapid.T) {
		tau := rapid.Uint32Range(0, 20_000).Draw(t, "tau")
		code, hits := lookup(times, tau)
		if want := tau > 0 && tau < p.T; want != (hits == 1) || hits == 1 && Log(code) != p.share.log(tau) {
			t.Fatalf("τ = %d: %d entries, %#x", tau, hits, code)
		}
		d := int32(rapid.Uint32().Draw(t, "d") >> rapid.IntRange(0, 31).Draw(t, "shift"))
		if rapid.Bool().Draw(t, "negative") {
			d = ^d
		}
		x := uint32(d ^ d>>31)
		code, hits = lookup(logs, uint32(d))
		if (x > 0) != (hits == 1) || hits == 1 && Log(code) != p.logs.log(x) {
			t.Fatalf("d = %d: %d entries, %#x", d, hits, code)
		}
	})
}

// If a register is converted to U in float64 and back, the register is the same, at any link rate.
func TestRegistersSurviveFloat64(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		form := rapid.SampledFrom(append(Forms(), Power)).Draw(t, "form")
		s, err := NewShared(ConfigOf(form, 4))
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.NewPort(unit.Rate(rapid.Int64Range(1e6, 4e12).Draw(t, "rate")), horizon)
		if err != nil {
			t.Fatal(err)
		}
		r := rapid.Uint32().Draw(t, "register")
		if got := p.register(p.Value(r)); got != r {
			t.Fatalf("register %d comes back as %d", r, got)
		}
	})
}

// The table of powers has an entry for the largest difference with the largest share of T.
func TestLargestPowerHasAnEntry(t *testing.T) {
	for q := 4; q <= 12; q++ {
		p := mustPort(t, q, Difference, 100*unit.Gbps)
		if got := p.part(math.MaxInt32, p.T-1); got < math.MaxInt32/4*3 {
			t.Errorf("q = %d: the largest part is %d", q, got)
		}
		if got := p.part(0, 5000); got != 0 {
			t.Errorf("q = %d: part of 0 is %d", q, got)
		}
	}
}
