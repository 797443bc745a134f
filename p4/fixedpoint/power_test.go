package fixedpoint

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"pintlab/netsim/unit"
	"pintlab/pint/approx"
)

// At 100 Gb/s and T = 13 µs, B·T = 162500 B. With V = 100000 B, 40000 B in the queue, 2096 B that have come and
// τ = 84 ns, the exact result is V = 100000 + 2096 + 2096·40000/162500 - 100000·84/13000 B. The first quotient is
// 515.9 B, the second 646.2 B.
//
// The tables have q = 6. For the first quotient, 2096·32 is in the cell that begins at 65/64·2^16; the logarithm of
// its middle is 16.0334. 40000 is in the cell that begins at 78/64·2^15; the logarithm of its middle is 15.2946. log
// 162500 is 17.3101. The sum is 16.0334 + 15.2946 - 17.3101 = 14.0179. It is in the cell of the powers that begins
// at 1/64; the power of its middle is 2^14.0234 = 16652, or 520.4 B. For the second quotient, 100000·32 is in the
// cell that begins at 97/64·2^21; the logarithm of its middle is 21.6073. log(84/13000) = -7.2739 is exact. The sum,
// 14.3334, is in the cell that begins at 21/64; the power of its middle is 2^14.3359 = 20680, or 646.3 B.
func TestPowerByHand(t *testing.T) {
	p := mustPort(t, 6, Power, 100*unit.Gbps)
	got := p.Next(100_000<<byteBits, 84, 40_000, 2096)
	if want := uint32(102_096<<byteBits + 16_652 - 20_680); got != want {
		t.Errorf("V = %v B, want %v B", float64(got)/32, float64(want)/32)
	}
	// After T, nothing of the old V is left: V is the new bytes plus their product with the queue.
	if got = p.Next(100_000<<byteBits, 13_000, 40_000, 2096); got != 2096<<byteBits+16_652 {
		t.Errorf("V = %v B after T", float64(got)/32)
	}
	// Γ = 1 is log_1.033(16) = 85.40 steps above the least code.
	sum := 0.0
	for r := range uint32(256) {
		sum += float64(p.Code(162_500<<byteBits, r)) / 256
	}
	if math.Abs(sum-85.40) > 0.3 {
		t.Errorf("mean code of Γ = 1 is %v, want 85.40", sum)
	}
}

// The program and the twin have the same table of logarithms.
func TestPrefixesOfPower(t *testing.T) {
	p := mustPort(t, 6, Power, 100*unit.Gbps)
	for _, bits := range []int{26, 31} {
		list := p.NumberPrefixes(bits)
		rapid.Check(t, func(t *rapid.T) {
			x := rapid.Uint32().Draw(t, "x") >> rapid.IntRange(0, 31).Draw(t, "shift")
			code, hits := lookup(list, x)
			if want := x > 0 && x>>bits == 0; want != (hits == 1) || hits == 1 && Log(code) != p.logs.log(x) {
				t.Fatalf("%d: %d entries, %#x", x, hits, code)
			}
		})
	}
}

// The tables have 2^6 entries, which are exact in the middle of their cells. A product therefore errs by at most
// 2.1 %, plus half a unit.
func TestPowerIsNearTheEquation(t *testing.T) {
	p := mustPort(t, 6, Power, 100*unit.Gbps)
	exact, err := approx.NewPower(100*unit.Gbps, 13*unit.Microsecond)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Uint32Range(0, 1<<28).Draw(t, "v") >> rapid.IntRange(0, 28).Draw(t, "shift")
		tau := rapid.Uint32Range(1, 20_000).Draw(t, "tau")
		queue := rapid.Uint32Range(0, 1<<24).Draw(t, "queue") >> rapid.IntRange(0, 24).Draw(t, "shift of the queue")
		came := rapid.Uint32Range(1, 20_000).Draw(t, "came")
		got := p.Value(p.Next(v, tau, queue, came))
		before := p.Value(v)
		want := exact.Update(before, unit.Time(tau)*Tick, unit.Bytes(queue), unit.Bytes(came))
		bt := 162_500.0
		decay := before * math.Min(float64(tau)/13_000, 1)
		more := float64(came) * float64(queue) / bt / bt
		if tau >= 13_000 {
			decay = 0
		}
		if within := 0.0211*(decay+more) + 1.0/32/bt; math.Abs(got-want) > within {
			t.Fatalf("Γ = %v, want %v within %v", got, want, within)
		}
	})
}
