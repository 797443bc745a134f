package coding

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/pint/global"
)

// configs draws valid configurations.
func drawConfig(t *rapid.T, modes ...Mode) Config {
	c := Config{Mode: rapid.SampledFrom(modes).Draw(t, "mode"), Instances: rapid.IntRange(1, 3).Draw(t, "instances")}
	c.Bits = rapid.IntRange(1, 12).Draw(t, "bits")
	switch c.Mode {
	case Full:
		c.ValueBits = c.Bits
	case Fragments:
		c.ValueBits = rapid.IntRange(1, 40).Draw(t, "value bits")
	case Linear:
		c.ValueBits = rapid.IntRange(1, 33-c.Bits).Draw(t, "value bits")
	}
	for range rapid.SampledFrom([]int{1, c.Instances}).Draw(t, "schemes") {
		c.Schemes = append(c.Schemes, rapid.SampledFrom([]Scheme{
			Baseline(), XOR(1), XOR(0.3), LNC(), Hybrid(10), MultiLayer(20, 0), Interleaved(0.5, 0.2),
		}).Draw(t, "scheme"))
	}
	if rapid.Bool().Draw(t, "vectors") {
		c.VectorBits = rapid.IntRange(6, 12).Draw(t, "vector bits")
	}
	c.Family = rapid.SampledFrom([]global.Family{global.Fast(3), global.CRC(4)}).Draw(t, "family")
	return c
}

// slowDigest implements Algorithm 1 and section 4.2 for one instance, directly from the definitions of the hash
// functions.
func slowDigest(c Config, inst int, packet uint64, path []uint64) uint64 {
	f, s := c.Family, c.Schemes[inst%len(c.Schemes)]
	in := uint8(inst)
	part := func(hop int, v uint64) uint64 {
		switch c.Mode {
		case Hash:
			return uint64(f.Hash(global.Value, in, packet, v) >> (32 - c.Bits))
		case Linear:
			w := uint64(f.Hash(global.Matrix, in, packet, uint64(hop)))
			d := uint64(0)
			for j := range c.Bits {
				d |= uint64(bits.OnesCount64(w>>j&v)&1) << j
			}
			return d
		case Fragments:
			n := (c.ValueBits + c.Bits - 1) / c.Bits
			v >>= c.Bits * int(uint64(f.Hash(global.Fragment, in, packet, 0))*uint64(n)>>32)
		}
		return v & (1<<c.Bits - 1)
	}
	h := float64(f.Hash(global.Layer, in, packet, 0)) / (1 << 32)
	digest := uint64(0)
	for i, v := range path {
		hop := i + 1
		g := float64(f.Hash(global.Act, in, packet, uint64(hop))) / (1 << 32)
		if h < s.Tau {
			if g <= 1/float64(hop) {
				digest = part(hop, v)
			}
			continue
		}
		l := min(int((h-s.Tau)/(1-s.Tau)*float64(len(s.XOR))), len(s.XOR)-1)
		if c.VectorBits > 0 && s.XOR[l] < 1 {
			vector := f.Function(global.Vector, in)
			if d, _ := global.NewDyadic(s.XOR[l], c.VectorBits); vector.VectorAct(vector.Key(packet), d, hop) {
				digest ^= part(hop, v)
			}
		} else if g < s.XOR[l] {
			digest ^= part(hop, v)
		}
	}
	return digest
}

// Floating-point errors may move a word within 2^-30 of a threshold to the other side. The probability is below 1e-8
// per hash, and depends on rapid's seed.
func TestHopIsAlgorithm1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t, Full, Fragments, Hash, Linear)
		code, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		path := drawPath(t, c, 20)
		packet := rapid.Uint64().Draw(t, "packet")
		digest := code.Encode(packet, path)
		if err := code.Check(packet, digest); err != nil {
			t.Fatal(err)
		}
		for i := range c.Instances {
			if got, want := code.Part(i, digest), slowDigest(c, i, packet, path); got != want {
				t.Fatalf("instance %d: digest %#x, want %#x", i, got, want)
			}
		}
	})
}

// drawPath draws the length separately, because rapid's slices are mostly short.
func drawPath(t *rapid.T, c Config, longest int) []uint64 {
	hops := rapid.SampledFrom([]int{1, 2, 3, longest / 4, longest / 2, longest - 5, longest}).Draw(t, "hops")
	width := c.ValueBits
	if c.Mode == Hash {
		width = 32
	}
	return rapid.SliceOfN(rapid.Uint64Range(0, 1<<width-1), hops, hops).Draw(t, "path")
}

// The digest is the XOR of the contributions of the hops that Actors returns.
func TestActorsExplainTheDigest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t, Full, Fragments, Hash, Linear)
		code, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		path := drawPath(t, c, 70)
		packet := rapid.Uint64().Draw(t, "packet")
		digest := code.Encode(packet, path)
		for i := range c.Instances {
			set, baseline := code.Actors(i, packet, len(path))
			if baseline && set.Len() != 1 {
				t.Fatalf("a Baseline packet with %d writers", set.Len())
			}
			h := code.Hasher(i, packet)
			if f := h.Fragment(); f < 0 || f >= code.Fragments() {
				t.Fatalf("fragment %d of %d", f, code.Fragments())
			}
			x := uint64(0)
			for hop := range set.All() {
				x ^= h.Digest(hop, path[hop-1])
			}
			if got := code.Part(i, digest); got != x {
				t.Fatalf("instance %d: digest %#x, but its hops give %#x", i, got, x)
			}
		}
	})
}

// Mode Linear is linear: the digest of the XOR of two paths is the XOR of their digests.
func TestLinearIsLinear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t, Linear)
		code, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		a := drawPath(t, c, 20)
		b := make([]uint64, len(a))
		sum := make([]uint64, len(a))
		for i := range a {
			b[i] = rapid.Uint64Range(0, 1<<c.ValueBits-1).Draw(t, "b")
			sum[i] = a[i] ^ b[i]
		}
		p := rapid.Uint64().Draw(t, "packet")
		if code.Encode(p, a)^code.Encode(p, b) != code.Encode(p, sum) {
			t.Fatal("not linear")
		}
	})
}

// The shares of the layers and of the acting hops over 2^16 packets are within five standard errors. The probability
// that one of the six statistics of a family fails is below 1e-5.
func TestLayerShares(t *testing.T) {
	const n = 1 << 16
	for _, vectors := range []int{0, 8} {
		for _, f := range []global.Family{global.Fast(1), global.CRC(1)} {
			code, err := New(Config{Schemes: []Scheme{{Name: "test", Tau: 0.6, XOR: []float64{0.125, 0.5}}}, Mode: Hash,
				Bits: 8, Instances: 1, VectorBits: vectors, Family: f})
			if err != nil {
				t.Fatal(err)
			}
			baseline, acts := 0, 0
			for p := range uint64(n) {
				set, base := code.Actors(0, p, 59)
				if base {
					baseline++
				} else {
					acts += set.Len()
				}
			}
			check := func(what string, got, mean, sd float64) {
				if math.Abs(got-mean) > 5*sd {
					t.Errorf("%v, %d vector bits: %s = %v, want %v ± %v", f, vectors, what, got, mean, sd)
				}
			}
			check("Baseline packets", float64(baseline), 0.6*n, math.Sqrt(0.24*n))
			// Of n packets, 0.2 n have 59/8 acting hops on average, and another 0.2 n have 59/2. So the number of hops
			// that act on an XOR packet has the mean 18.4375 and the second moment (59·7/64 + 54.39 + 59/4 + 870.25)/2.
			mean, second := 59*0.3125, (59*7/64.0+math.Pow(59/8.0, 2)+59/4.0+math.Pow(59/2.0, 2))/2
			check("acting hops", float64(acts), 0.4*n*mean, math.Sqrt(n*(0.4*second-math.Pow(0.4*mean, 2))))
		}
	}
}

func TestConfigErrors(t *testing.T) {
	ok := Config{Schemes: []Scheme{Baseline()}, Mode: Hash, Bits: 8, Instances: 2}
	if err := ok.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Schemes = nil }, "0 schemes for 2 instances, want 1 or one for each"},
		{func(c *Config) { c.Schemes = make([]Scheme, 3) }, "3 schemes for 2 instances"},
		{func(c *Config) { c.Schemes = []Scheme{{Tau: 2}} }, "tau = 2, want 0 to 1"},
		{func(c *Config) { c.Mode, c.Bits = 9, 70 }, "coding: unknown mode 9"},
		{func(c *Config) { c.Instances = 0 }, "instances = 0, want 1 to 64"},
		{func(c *Config) { c.Bits = 0 }, "bits = 0 with mode hash, want 1 to 32"},
		{func(c *Config) { c.Bits = 33 }, "bits = 33 with mode hash, want 1 to 32"},
		{func(c *Config) { c.Instances = 9 }, "9 instances of 8 bits: a digest has at most 64 bits"},
		{func(c *Config) { c.ValueBits = 10 },
			"value_bits = 10 with mode hash, which takes values of any width: want 0"},
		{func(c *Config) { c.Mode = Fragments }, "value_bits = 0, want 1 to 64"},
		{func(c *Config) { c.Mode, c.ValueBits = Full, 10 }, "value_bits = 10 with mode full, want bits (8)"},
		{func(c *Config) { c.Mode, c.ValueBits = Linear, 26 },
			"value_bits + bits - 1 = 33 with mode linear, want at most 32"},
		{func(c *Config) { c.VectorBits = 25 }, "vector_bits = 25, want 0 (thresholds) or 1 to 24"},
		{func(c *Config) { c.Schemes, c.VectorBits = []Scheme{XOR(0.01)}, 3 },
			`scheme "xor", layer 1: probability 0.01 has no multiple of 2^-3 near it`},
	} {
		c := ok
		tt.change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), tt.want) ||
			strings.Contains(err.Error(), "PANIC") {
			t.Errorf("%v: error %v, want %q", c, err, tt.want)
		}
	}
}

func TestHopDoesNotAllocate(t *testing.T) {
	for _, c := range benchConfigs() {
		code, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		sink := uint64(0)
		if n := testing.AllocsPerRun(100, func() { sink ^= code.Hop(sink, 17, 301, sink&0xff) }); n != 0 {
			t.Errorf("%v: %v allocations", c.Mode, n)
		}
	}
}

func benchConfigs() []Config {
	return []Config{
		{Schemes: []Scheme{Interleaved(0.5, 0.1)}, Mode: Full, Bits: 32, Instances: 1, ValueBits: 32},
		{Schemes: []Scheme{Interleaved(0.5, 0.1)}, Mode: Fragments, Bits: 8, Instances: 1, ValueBits: 32},
		{Schemes: []Scheme{Interleaved(0.5, 0.1)}, Mode: Hash, Bits: 8, Instances: 1},
		{Schemes: []Scheme{Interleaved(0.5, 0.125)}, Mode: Hash, Bits: 8, Instances: 1, VectorBits: 3},
		{Schemes: []Scheme{Interleaved(0.5, 0.1)}, Mode: Hash, Bits: 8, Instances: 2},
		{Schemes: []Scheme{Interleaved(0.5, 0.1)}, Mode: Hash, Bits: 8, Instances: 1, Family: global.CRC(1)},
		{Schemes: []Scheme{XOR(1)}, Mode: Linear, Bits: 8, Instances: 2, ValueBits: 10},
	}
}

func BenchmarkHop(b *testing.B) {
	for _, c := range benchConfigs() {
		name := fmt.Sprintf("%v/%dx%d/vectors%d/%v", c.Mode, c.Instances, c.Bits, c.VectorBits, c.Family)
		b.Run(name, func(b *testing.B) {
			code, err := New(c)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			digest := uint64(0)
			for i := range b.N {
				digest = code.Hop(uint64(i), 1+i&31, 301, digest)
			}
		})
	}
}
