package coding

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/internal/hash"
	"pintlab/pint/global"
)

// decodersFor returns all decoders that support a code.
func decodersFor(t interface{ Fatal(...any) }, c *Code, hops int, values []uint64) map[string]Decoder {
	out := map[string]Decoder{}
	put := func(name string, d Decoder, err error) {
		if err != nil {
			t.Fatal(err)
		}
		out[name] = d
	}
	switch c.cfg.Mode {
	case Full, Fragments:
		d, err := NewPeeler(c, hops)
		put("peeler", d, err)
		s, err := NewSolver(c, hops)
		put("solver", s, err)
	case Linear:
		e, err := newEliminator(c, hops, values)
		put("eliminator", e, err)
		fallthrough
	case Hash:
		f, err := NewFilter(c, hops, values)
		put("filter", f, err)
	}
	return out
}

// explaining returns the slow oracle: all assignments of values to hops that agree with all
// packets.
func explaining(c *Code, hops int, values []uint64, packets []uint64, digests []uint64) [][]uint64 {
	var out [][]uint64
	path := make([]uint64, hops)
	var try func(i int)
	try = func(i int) {
		if i == hops {
			for p := range packets {
				if c.Encode(packets[p], path) != digests[p] {
					return
				}
			}
			out = append(out, slices.Clone(path))
			return
		}
		for _, v := range values {
			path[i] = v
			try(i + 1)
		}
	}
	try(0)
	return out
}

// smallConfig returns a code with values of at most three bits, so that the oracle can try
// them all.
func smallConfig(t *rapid.T) Config {
	c := drawConfig(t, Full, Fragments, Hash, Linear)
	c.Bits = rapid.IntRange(1, 3).Draw(t, "few bits")
	if c.Mode != Hash {
		c.ValueBits = rapid.IntRange(1, 3).Draw(t, "few value bits")
	}
	if c.Mode == Full {
		c.ValueBits = c.Bits
	}
	return c
}

// The test compares decoders with the oracle after every packet: no decoder reports a hop that the digests do not
// determine. If all bit patterns are possible, the Solver knows exactly the determined hops. The eliminator is done
// exactly when one path is left.
func TestDecodersAgainstAllPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		code, err := New(smallConfig(t))
		if err != nil {
			t.Fatal(err)
		}
		hops := rapid.SampledFrom([]int{1, 2, 3, 4}).Draw(t, "hops")
		width := max(code.cfg.ValueBits, 2)
		if code.cfg.Mode != Hash {
			width = code.cfg.ValueBits
		}
		var values []uint64
		for v := range uint64(1) << width {
			values = append(values, v)
		}
		all := values
		if code.cfg.Mode == Linear && len(values) > 2 {
			values = values[:len(values)-1] // a pattern that no hop has
		}
		path := make([]uint64, hops)
		for i := range path {
			path[i] = rapid.SampledFrom(values).Draw(t, "value")
		}
		possible := values
		if code.cfg.Mode == Full || code.cfg.Mode == Fragments {
			possible = all
		}
		decoders := decodersFor(t, code, hops, values)
		var packets, digests []uint64
		for range rapid.SampledFrom([]int{1, 5, 15, 25}).Draw(t, "packets") {
			p := rapid.Uint64Range(0, 1<<20).Draw(t, "packet")
			packets, digests = append(packets, p), append(digests, code.Encode(p, path))
			left := explaining(code, hops, possible, packets, digests)
			for name, d := range decoders {
				if err := d.Add(p, digests[len(digests)-1]); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				checkAgainst(t, name, d, left, hops)
			}
		}
	})
}

func checkAgainst(t *rapid.T, name string, d Decoder, left [][]uint64, hops int) {
	if d.Done() && len(left) != 1 {
		t.Fatalf("%s is done with %d paths left", name, len(left))
	}
	determined := 0
	for i := range hops {
		var vs []uint64
		for _, p := range left {
			vs = append(vs, p[i])
		}
		slices.Sort(vs)
		vs = slices.Compact(vs)
		if len(vs) == 1 {
			determined++
		}
		if v, ok := d.Value(i + 1); ok && (len(vs) != 1 || vs[0] != v) {
			t.Fatalf("%s claims %d for hop %d, possible are %v", name, v, i+1, vs)
		}
		if c, ok := d.(interface{ Candidates(int) int }); ok && c.Candidates(i+1) < len(vs) {
			t.Fatalf("%s has %d candidates for hop %d, possible are %v", name, c.Candidates(i+1), i+1, vs)
		}
	}
	if d.Known() > determined {
		t.Fatalf("%s knows %d hops, %d are determined", name, d.Known(), determined)
	}
	switch name {
	case "solver":
		if d.Known() != determined {
			t.Fatalf("solver knows %d hops, %d are determined", d.Known(), determined)
		}
	case "eliminator":
		if d.Done() != (len(left) == 1) {
			t.Fatalf("eliminator done: %v with %d paths left", d.Done(), len(left))
		}
	}
}

// Complete paths of up to 256 hops are decoded correctly, with the packets in any order.
func TestDecodersFindThePath(t *testing.T) {
	for _, c := range []Config{
		{Schemes: []Scheme{MultiLayer(64, 0)}, Mode: Full, Bits: 32, Instances: 2, ValueBits: 32},
		{Schemes: []Scheme{Hybrid(64)}, Mode: Fragments, Bits: 8, Instances: 1, ValueBits: 20},
		{Schemes: []Scheme{Interleaved(0.5, 1.0/64)}, Mode: Hash, Bits: 4, Instances: 2, VectorBits: 8},
		{Schemes: []Scheme{Baseline(), Interleaved(0.2, 0.05)}, Mode: Hash, Bits: 8, Instances: 2,
			Family: global.CRC(9)},
		{Schemes: []Scheme{XOR(1)}, Mode: Linear, Bits: 16, Instances: 2, ValueBits: 11},
	} {
		code, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, hops := range []int{1, 2, 63, 64, 65, 256} {
			values := make([]uint64, 1500)
			for i := range values {
				values[i] = uint64(i) // fits 11 bits
			}
			r := hash.Stream(uint64(hops), "test/path")
			path := make([]uint64, hops)
			for i := range path {
				path[i] = values[r.IntN(len(values))]
			}
			d, err := NewDecoder(code, hops, values)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for !d.Done() && n < 50_000 {
				n++
				id := r.Uint64()
				if err := d.Add(id, code.Encode(id, path)); err != nil {
					t.Fatal(err)
				}
			}
			if d.Known() != hops {
				t.Errorf("%v, %d hops: %d known after %d packets", c.Mode, hops, d.Known(), n)
				continue
			}
			for i := range path {
				if v, ok := d.Value(i + 1); !ok || v != path[i] {
					t.Errorf("%v, %d hops: hop %d is %d (%v), want %d", c.Mode, hops, i+1, v, ok, path[i])
				}
			}
			d.Reset()
			if d.Done() && hops > 0 {
				t.Errorf("%v: done after Reset", c.Mode)
			}
		}
	}
}

// The order of packets and repeated packets do not change the final result.
func TestOrderAndRepetitionDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		code, err := New(drawConfig(t, Full, Fragments, Hash, Linear))
		if err != nil {
			t.Fatal(err)
		}
		values := []uint64{0, 1}
		hops := rapid.SampledFrom([]int{1, 2, 5, 12}).Draw(t, "hops")
		path := rapid.SliceOfN(rapid.SampledFrom(values), hops, hops).Draw(t, "path")
		n := rapid.SampledFrom([]int{1, 10, 40}).Draw(t, "packets")
		order := rapid.Permutation(makeRange(n)).Draw(t, "order")
		for name := range decodersFor(t, code, len(path), values) {
			a, b := decodersFor(t, code, len(path), values)[name], decodersFor(t, code, len(path), values)[name]
			for i := range n {
				id, jd := uint64(i), uint64(order[i])
				for d, p := range map[Decoder]uint64{a: id, b: jd} {
					if err := errors.Join(d.Add(p, code.Encode(p, path)), d.Add(id, code.Encode(id, path))); d == a &&
						err != nil {
						t.Fatal(err)
					}
				}
			}
			if a.Known() != b.Known() || a.Done() != b.Done() {
				t.Fatalf("%s: %d hops known, in another order %d", name, a.Known(), b.Known())
			}
		}
	})
}

func makeRange(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Section 4.2's example: M1, M3 and M4 are known, and the XOR digest M1^M5^... determines the missing value.
func TestPeelingByHand(t *testing.T) {
	code, err := New(Config{Schemes: []Scheme{Interleaved(0.5, 0.5)}, Mode: Full, Bits: 8, Instances: 1, ValueBits: 8})
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewPeeler(code, 3)
	if err != nil {
		t.Fatal(err)
	}
	path := []uint64{0x11, 0x22, 0x44}
	find := func(want ...int) uint64 { // a packet on which exactly these hops act
		set := global.HopSet{}
		for _, h := range want {
			set.Add(h)
		}
		for p := uint64(0); ; p++ {
			if got, _ := code.Actors(0, p, 3); got == set {
				return p
			}
		}
	}
	add := func(known int, hops ...int) {
		t.Helper()
		p := find(hops...)
		if err := d.Add(p, code.Encode(p, path)); err != nil || d.Known() != known {
			t.Fatalf("after hops %v: %d known, %v, want %d", hops, d.Known(), err, known)
		}
	}
	add(0, 1, 2, 3)
	add(0, 2, 3)
	add(3, 3) // M3 is known; then the second digest gives M2, and the first gives M1
}

// Add reports a digest that no path explains, and repeats the error until Reset.
func TestContradictions(t *testing.T) {
	for _, c := range []Config{
		{Schemes: []Scheme{Hybrid(5)}, Mode: Full, Bits: 16, Instances: 1, ValueBits: 16},
		{Schemes: []Scheme{Hybrid(5)}, Mode: Fragments, Bits: 8, Instances: 1, ValueBits: 16},
		{Schemes: []Scheme{Hybrid(5)}, Mode: Hash, Bits: 8, Instances: 2},
		{Schemes: []Scheme{Hybrid(5)}, Mode: Linear, Bits: 8, Instances: 2, ValueBits: 6},
	} {
		code, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		values := makeValues(50)
		path := []uint64{3, 1, 4, 1, 5}
		for name, d := range decodersFor(t, code, len(path), values) {
			for p := uint64(0); !d.Done() && p < 1000; p++ {
				if err := d.Add(p, code.Encode(p, path)); err != nil {
					t.Fatal(err)
				}
			}
			// The route changes: from now on, hop 3 is another switch.
			detour := []uint64{3, 1, 7, 1, 5}
			var got error
			for p := uint64(1000); got == nil && p < 2000; p++ {
				got = d.Add(p, code.Encode(p, detour))
			}
			if d.Done() {
				t.Errorf("%s is done with a contradiction", name)
			}
			if !errors.Is(got, ErrInconsistent) || !strings.HasPrefix(got.Error(), "packet 1") {
				t.Errorf("%s: %v, want an inconsistent packet", name, got)
			}
			if again := d.Add(5000, code.Encode(5000, path)); !errors.Is(again, ErrInconsistent) {
				t.Errorf("%s forgets the contradiction: %v", name, again)
			}
			d.Reset()
			if err := d.Add(1, code.Encode(1, path)); err != nil {
				t.Errorf("%s after Reset: %v", name, err)
			}
		}
	}
}

func makeValues(n int) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		out[i] = uint64(i)
	}
	return out
}

func TestDecoderErrors(t *testing.T) {
	full, _ := New(Config{Schemes: []Scheme{Baseline()}, Mode: Full, Bits: 8, Instances: 1, ValueBits: 8})
	hashed, _ := New(Config{Schemes: []Scheme{Baseline()}, Mode: Hash, Bits: 8, Instances: 1})
	linear, _ := New(Config{Schemes: []Scheme{Baseline()}, Mode: Linear, Bits: 8, Instances: 1, ValueBits: 4})
	for _, tt := range []struct {
		make func() (Decoder, error)
		want string
	}{
		{func() (Decoder, error) { return NewPeeler(hashed, 5) }, "mode is hash, want full or fragments"},
		{func() (Decoder, error) { return NewSolver(linear, 5) }, "mode is linear, want full or fragments"},
		{func() (Decoder, error) { return NewFilter(full, 5, makeValues(3)) }, "mode is full, want hash or linear"},
		{func() (Decoder, error) { return newEliminator(hashed, 5, makeValues(3)) }, "mode is hash, want linear"},
		{func() (Decoder, error) { return NewPeeler(full, 0) }, "path of 0 hops: want 1 to 256"},
		{func() (Decoder, error) { return NewSolver(full, 257) }, "path of 257 hops: want 1 to 256"},
		{func() (Decoder, error) { return NewFilter(hashed, -1, makeValues(3)) }, "path of -1 hops"},
		{func() (Decoder, error) { return NewFilter(hashed, 5, nil) }, "empty value set"},
		{func() (Decoder, error) { return NewFilter(hashed, 5, []uint64{7, 3, 7}) },
			"value 7 occurs twice in the value set"},
		{func() (Decoder, error) { return newEliminator(linear, 5, makeValues(17)) }, "value 16 has more than 4 bits"},
	} {
		if d, err := tt.make(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%T: error %v, want %q", d, err, tt.want)
		}
	}
	d, _ := NewPeeler(full, 5)
	if err := d.Add(3, 0x100); !errtest.Says(err, "packet 3: digest 0x100 … 8 bits") {
		t.Errorf("a digest too wide: %v", err)
	}
	if err := d.Add(3, 0x55); err != nil {
		t.Errorf("a digest too wide breaks the decoder: %v", err)
	}
}

// Decoders do not panic for any packets, and known hops agree with every accepted digest.
func FuzzDecoders(f *testing.F) {
	f.Add([]byte{0, 3, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Add([]byte{1, 200, 255, 255, 255, 255, 0, 0})
	f.Add([]byte{2, 5, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 9, 8, 7})
	f.Add([]byte{3, 2, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3})
	codes := []Config{
		{Schemes: []Scheme{Hybrid(5)}, Mode: Full, Bits: 8, Instances: 1, ValueBits: 8},
		{Schemes: []Scheme{Hybrid(5)}, Mode: Fragments, Bits: 3, Instances: 2, ValueBits: 7},
		{Schemes: []Scheme{Hybrid(5)}, Mode: Hash, Bits: 2, Instances: 2},
		{Schemes: []Scheme{XOR(0.5)}, Mode: Linear, Bits: 4, Instances: 2, ValueBits: 5},
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 {
			return
		}
		code, err := New(codes[int(data[0])%len(codes)])
		if err != nil {
			t.Fatal(err)
		}
		hops := 1 + int(data[1])%40
		values := makeValues(25)
		for name, d := range decodersFor(t, code, hops, values) {
			var packets, digests []uint64
			for i := 2; i+1 < len(data); i += 2 {
				p, digest := uint64(data[i]), uint64(data[i+1])<<(8*(i&1))
				if d.Add(p, digest) != nil {
					continue
				}
				packets, digests = append(packets, p), append(digests, digest)
				if !d.Done() {
					continue
				}
				path := make([]uint64, hops)
				for h := range path {
					path[h], _ = d.Value(h + 1)
				}
				for j := range packets {
					if got := code.Encode(packets[j], path); got != digests[j] {
						t.Fatalf("%s is sure of a path with digest %#x on packet %d, which had %#x",
							name, got, packets[j], digests[j])
					}
				}
			}
			d.Known()
		}
	})
}

// Hashing needs fewer packets than fragments if the possible values are few compared with the range of their bits
// (§4.2). For 754 switches with IDs of 32 bits, two packets of a hop with 8 bits each nearly always determine the ID,
// but four different fragments are necessary. IDs of 10 bits have only two fragments. They still take more packets than
// hashing, because the second packet may repeat the fragment of the first.
func TestFragmentsAgainstHashing(t *testing.T) {
	const hops, runs = 25, 40
	packets := func(mode Mode, width int) (mean float64) {
		c := Config{Schemes: []Scheme{Interleaved(0.5, 1.0/hops)}, Mode: mode, Bits: 8, Instances: 1,
			Family: global.Fast(3)}
		if mode == Fragments {
			c.ValueBits = width
		}
		code, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		r := hash.Stream(1, "test/fragments", uint64(width))
		values := make([]uint64, 754)
		for i := range values {
			values[i] = uint64(i)
			if width == 32 {
				values[i] |= r.Uint64() & 0x3fffff << 10
			}
		}
		d, err := NewDecoder(code, hops, values)
		if err != nil {
			t.Fatal(err)
		}
		for run := range uint64(runs) {
			path := make([]uint64, hops)
			for i := range path {
				path[i] = values[r.IntN(len(values))]
			}
			d.Reset()
			n := uint64(0)
			for ; !d.Done(); n++ {
				id := run<<32 | n
				if err := d.Add(id, code.Encode(id, path)); err != nil {
					t.Fatal(err)
				}
			}
			mean += float64(n) / runs
		}
		return mean
	}
	for _, c := range []struct {
		width    int
		low, top float64 // ratio of hashing to fragments
	}{{32, 0.2, 0.35}, {10, 0.5, 0.8}} {
		fragments, hashed := packets(Fragments, c.width), packets(Hash, c.width)
		t.Logf("IDs of %d bits: %.1f packets with fragments, %.1f with hashes", c.width, fragments, hashed)
		if x := hashed / fragments; x < c.low || x > c.top {
			t.Errorf("IDs of %d bits: hashing needs %.2f times the packets of fragments, want %g to %g",
				c.width, x, c.low, c.top)
		}
	}
}
