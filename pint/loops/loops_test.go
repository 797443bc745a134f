package loops

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/pint/global"
)

func mustNew(t testing.TB, c Config, f global.Family) *Detector {
	t.Helper()
	d, err := New(c, f)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Algorithm 2 is checked line by line, with digests made by hand. h is the hash that the switch compares.
func TestAlgorithm2(t *testing.T) {
	const packet, id = 77, 5
	d := mustNew(t, Config{Bits: 14, Threshold: 3}, global.Fast(1))
	h := uint64(global.Digest(global.Fast(1).Hash(global.Value, 0, packet, id), 14))
	with := func(dig, c uint64) uint64 { return c<<14 | dig }
	// A hop that does not act, because 1/i is tiny.
	quiet := 1 << 20
	tests := []struct {
		name     string
		hop      int
		in, want uint64
		loop     bool
	}{
		{"line 5: the first hop always writes", 1, with(h^1, 0), with(h, 0), false},
		{"line 4: a hop that does not act leaves the digest", quiet, with(h^1, 0), with(h^1, 0), false},
		{"line 3: a match counts and freezes", quiet, with(h, 0), with(h, 1), false},
		{"line 3: at the first hop too", 1, with(h, 0), with(h, 1), false},
		{"line 4: frozen, although the hop would act", 1, with(h^1, 1), with(h^1, 1), false},
		{"line 3: the last match that is let pass", quiet, with(h, 2), with(h, 3), false},
		{"line 2: LOOP", quiet, with(h, 3), with(h, 3), true},
		{"a frozen digest that does not match", 1, with(h^1, 3), with(h^1, 3), false},
	}
	for _, tt := range tests {
		if got, loop := d.Process(packet, tt.hop, id, tt.in); got != tt.want || loop != tt.loop {
			t.Errorf("%s: %#x, %v; want %#x, %v", tt.name, got, loop, tt.want, tt.loop)
		}
	}
}

func TestWidth(t *testing.T) {
	for _, c := range []Config{Plain(), Twice(), Fourfold()} {
		if c.Width() != 16 {
			t.Errorf("%+v takes %d bits, want 16", c, c.Width())
		}
	}
	if w := (Config{Bits: 8, Threshold: 4}).Width(); w != 11 {
		t.Errorf("a counter to 4 takes %d bits with 8 of hash, want 11", w)
	}
	want := "loops: bad config: bits = 0, want 1 to 32\nthreshold = 256, want 0 to 255"
	if _, err := New(Config{Threshold: 256}, global.Fast(1)); !errtest.Says(err, want) {
		t.Errorf("New: %v, want %s", err, want)
	}
}

// These are the figures of appendix A.4 for paths of 32 hops: "roughly 0.05 %", "less than 5·10⁻⁷", "5·10⁻¹³".
func TestPaperFigures(t *testing.T) {
	tests := []struct {
		c          Config
		above, max float64
	}{
		{Plain(), 0.00045, 0.00055},
		{Twice(), 4e-7, 5e-7},
		{Fourfold(), 4e-13, 5e-13},
	}
	for _, tt := range tests {
		p, err := tt.c.FalseReport(32)
		if err != nil || !(p > tt.above && p < tt.max) {
			t.Errorf("%+v: false reports %.4g, %v; the paper says below %g", tt.c, p, err, tt.max)
		}
	}
}

// enumerate computes the probability of a false report without the binomial law. It goes through every outcome: all
// hashes of k switches and all decisions of g.
func enumerate(c Config, k int) *big.Rat {
	total := new(big.Rat)
	values := 1 << c.Bits
	outcomes := 1
	for range k {
		outcomes *= values
	}
	for o := range outcomes {
		h := make([]int, k)
		for i, x := 0, o; i < k; i++ {
			h[i], x = x%values, x/values
		}
		for acts := range 1 << k {
			p := big.NewRat(1, int64(outcomes))
			for i := 1; i <= k; i++ {
				if acts>>(i-1)&1 == 1 {
					p.Mul(p, big.NewRat(1, int64(i)))
				} else {
					p.Mul(p, big.NewRat(int64(i-1), int64(i)))
				}
			}
			dig, count := 0, 0
			for i := range k {
				if dig == h[i] {
					if count == c.Threshold {
						total.Add(total, p)
						break
					}
					count++
				}
				if count == 0 && acts>>i&1 == 1 {
					dig = h[i]
				}
			}
		}
	}
	return total
}

// The closed form equals the enumeration of all outcomes exactly.
func TestFalseReportIsExact(t *testing.T) {
	for _, c := range []Config{{1, 0}, {1, 1}, {1, 3}, {2, 0}, {2, 1}, {2, 2}, {3, 1}} {
		for k := 1; k*c.Bits <= 9 && k <= 5; k++ {
			want, _ := enumerate(c, k).Float64()
			got, err := c.FalseReport(k)
			if err != nil || math.Abs(got-want) > 1e-14 {
				t.Errorf("%+v over %d hops: %v, %v; want %v", c, k, got, err, want)
			}
		}
	}
}

// The sum in floating point agrees with rational arithmetic in the most difficult cases.
func TestFalseReportPrecision(t *testing.T) {
	for _, tt := range []struct {
		c Config
		k int64
	}{{Plain(), 32}, {Twice(), 32}, {Fourfold(), 32}, {Config{4, 1}, 64}, {Config{1, 100}, 255}, {Config{32, 7}, 255}} {
		q := big.NewRat(1, 1<<tt.c.Bits)
		rest := new(big.Rat).Sub(big.NewRat(1, 1), q)
		want := new(big.Rat)
		for j := int64(tt.c.Threshold) + 1; j <= tt.k; j++ {
			term := new(big.Rat).SetInt(new(big.Int).Binomial(tt.k, j))
			for range j {
				term.Mul(term, q)
			}
			for range tt.k - j {
				term.Mul(term, rest)
			}
			want.Add(want, term)
		}
		w, _ := want.Float64()
		if got, err := tt.c.FalseReport(int(tt.k)); err != nil || math.Abs(got/w-1) > 1e-13 {
			t.Errorf("%+v over %d hops: %v, %v; want %v", tt.c, tt.k, got, err, w)
		}
	}
	if p, err := (Config{8, 3}).FalseReport(3); err != nil || p != 0 {
		t.Errorf("three hops cannot match four times: %v, %v", p, err)
	}
	if _, err := Plain().FalseReport(-1); err == nil {
		t.Error("a path of -1 hops is accepted")
	}
}

// In cases with frequent reports, the detector agrees with the formula within 4.5 standard deviations. The probability
// of a false alarm is 1e-5 per case. The plain check is tested with both families.
func TestFalseReportMeasured(t *testing.T) {
	for _, tt := range []struct {
		c       Config
		f       global.Family
		packets int
	}{
		{Plain(), global.Fast(1), 400_000},
		{Plain(), global.CRC(1), 200_000},
		{Config{8, 1}, global.Fast(2), 60_000},
		{Config{8, 1}, global.CRC(2), 60_000},
		{Config{5, 3}, global.Fast(3), 60_000},
	} {
		const hops = 32
		d := mustNew(t, tt.c, tt.f)
		reports := 0
		for p := range uint64(tt.packets) {
			digest, loop := uint64(0), false
			for i := 1; i <= hops && !loop; i++ {
				digest, loop = d.Process(p, i, uint64(100+i), digest)
			}
			if loop {
				reports++
			}
		}
		p, err := tt.c.FalseReport(hops)
		if err != nil {
			t.Fatal(err)
		}
		n := float64(tt.packets)
		if dev := math.Sqrt(n * p * (1 - p)); math.Abs(float64(reports)-n*p) > 4.5*dev {
			t.Errorf("%+v, %v: %d false reports, want %.1f ± %.1f", tt.c, tt.f, reports, n*p, dev)
		}
	}
}

// ride sends a packet through prefix switches into a loop and returns the hop that
// reports, or 0.
func ride(d *Detector, packet uint64, prefix, loop, limit int) int {
	digest := uint64(0)
	for i := 1; i <= limit; i++ {
		id := uint64(i)
		if i > prefix {
			id = uint64(prefix + 1 + (i-prefix-1)%loop)
		}
		var found bool
		if digest, found = d.Process(packet, i, id, digest); found {
			return i
		}
	}
	return 0
}

// A switch that sends packets to itself finds its own hash at hop 2. So hop 2+T reports the loop.
func TestDelayOfTheShortestLoop(t *testing.T) {
	for threshold := range 4 {
		c := Config{Bits: 32, Threshold: threshold}
		delay, err := c.delay(0, 1, 255)
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := delay.quantile(1); !ok || n != 2+threshold ||
			ride(mustNew(t, c, global.Fast(1)), 9, 0, 1, 255) != n {
			t.Errorf("T = %d: reported at hop %d, %v; the detector at %d; want %d",
				threshold, n, ok, ride(mustNew(t, c, global.Fast(1)), 9, 0, 1, 255), 2+threshold)
		}
	}
}

// This is a loop of two switches without a prefix. Hop 1 writes, and hop 2 overwrites with probability 1/2. Otherwise
// hop 3, which is the switch of hop 1, finds its own hash, with probability 1/2. If hop 2 overwrites, hop 3 overwrites
// again with probability 1/3. Otherwise hop 4 finds its own hash: 1/2·2/3 = 1/3. In the same way, hop 5 reports with
// probability 1/2·1/3·3/4 = 1/8.
func TestDelayByHand(t *testing.T) {
	d, err := Config{Bits: 32}.delay(0, 2, 64)
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range []float64{0, 0, 0, 1. / 2, 1. / 3, 1. / 8} {
		if math.Abs(d[n]-want) > 1e-15 {
			t.Errorf("hop %d reports with probability %v, want %v", n, d[n], want)
		}
	}
	if n, ok := d.quantile(0.9); !ok || n != 5 {
		t.Errorf("90 %% are reported by hop %d, want 5", n)
	}
}

// The distribution agrees with the detector: with 32-bit hashes and 40 000 packets, the share of each hop and the share
// of packets whose TTL ends deviate by at most 4.5 standard deviations.
func TestDelayMeasured(t *testing.T) {
	const packets, limit = 40_000, 64
	for _, tt := range []struct{ prefix, loop, threshold int }{{0, 2, 0}, {3, 2, 0}, {3, 4, 1}, {2, 6, 3}} {
		c := Config{Bits: 32, Threshold: tt.threshold}
		want, err := c.delay(tt.prefix, tt.loop, limit)
		if err != nil {
			t.Fatal(err)
		}
		d := mustNew(t, c, global.Fast(4))
		var at [limit + 1]int
		for p := range uint64(packets) {
			at[ride(d, p, tt.prefix, tt.loop, limit)]++
		}
		for n := range at {
			p := want[n]
			if n == 0 {
				p = 1 - want.reported() // not reported
			}
			if dev := math.Sqrt(packets * p * (1 - p)); math.Abs(float64(at[n])-packets*p) > 4.5*dev+1 {
				t.Errorf("%+v: hop %d reports %d of %d, want %.1f ± %.1f", tt, n, at[n], packets, packets*p, dev)
			}
		}
		// About prefix/limit of the packets have caused no report after `limit` hops.
		if left := 1 - want.reported(); tt.prefix > 0 && tt.threshold == 0 &&
			math.Abs(left*limit/float64(tt.prefix)-1) > 0.35 {
			t.Errorf("%+v: %.4f are not reported in %d hops, want about %d/%d", tt, left, limit, tt.prefix, limit)
		}
		if u := want.packetsUntil(); u < 1 || u > 1.6 {
			t.Errorf("%+v: %v packets until one is reported", tt, u)
		}
	}
	if _, err := Plain().delay(5, 0, 64); err == nil {
		t.Error("a loop of 0 switches is accepted")
	}
}

// For any digest, even a corrupt one, the result equals Algorithm 2 written with the paper's variables.
func FuzzProcess(f *testing.F) {
	f.Add(uint64(1), 1, uint64(2), uint64(3), 14, 3, false)
	f.Add(uint64(0), 64, uint64(0), ^uint64(0), 32, 255, true)
	f.Fuzz(func(t *testing.T, packet uint64, hop int, id, digest uint64, bits, threshold int, own bool) {
		c := Config{bits, threshold}
		family := global.CRC(1)
		d, err := New(c, family)
		if err != nil || hop < 1 || hop > 1<<20 {
			return
		}
		digest &= 1<<c.Width() - 1
		h := uint64(global.Digest(family.Hash(global.Value, 0, packet, id), bits))
		if own { // otherwise a match would hardly ever occur
			digest = digest>>bits<<bits | h
		}
		dig, count := digest%(1<<bits), int(digest/(1<<bits))
		wantLoop := dig == h && count >= threshold
		if dig == h && !wantLoop {
			count++
		}
		if count == 0 && global.Reservoir(family.Hash(global.Act, 0, packet, uint64(hop)), hop) {
			dig = h
		}
		got, loop := d.Process(packet, hop, id, digest)
		if loop != wantLoop || !loop && got != uint64(count)*(1<<bits)+dig || got>>c.Width() != 0 {
			t.Fatalf("%+v: %#x becomes %#x, %v; want counter %d, hash %#x, %v",
				c, digest, got, loop, count, dig, wantLoop)
		}
	})
}

func ExampleConfig_FalseReport() {
	for _, c := range []Config{Plain(), Twice(), Fourfold()} {
		p, err := c.FalseReport(32)
		if err != nil {
			panic(err)
		}
		fmt.Printf("b = %d, T = %d: %d bits, false reports %.2g\n", c.Bits, c.Threshold, c.Width(), p)
	}
	// Output:
	// b = 16, T = 0: 16 bits, false reports 0.00049
	// b = 15, T = 1: 16 bits, false reports 4.6e-07
	// b = 14, T = 3: 16 bits, false reports 5e-13
}

func BenchmarkProcess(b *testing.B) {
	for _, f := range []global.Family{global.Fast(1), global.CRC(1)} {
		d := mustNew(b, Fourfold(), f)
		b.Run(f.String(), func(b *testing.B) {
			b.ReportAllocs()
			packet, digest, hop := uint64(0), uint64(0), 0
			for b.Loop() {
				if hop++; hop > 5 {
					hop, digest = 1, 0
					packet++
				}
				digest, _ = d.Process(packet, hop, uint64(hop), digest)
			}
		})
	}
}
