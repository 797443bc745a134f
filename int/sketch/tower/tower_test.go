package tower

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/int/sketch/rows"
	"pintlab/int/sketch/sketchtest"
	"pintlab/internal/errtest"
	"pintlab/internal/hash"
)

func mustNew(t testing.TB, c Config) *Sketch {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// values returns all counters of a sketch.
func values(s *Sketch) (all [][]uint32) {
	for i := range s.Arrays() {
		all = append(all, s.Arrays()[i].appendCounters(nil))
	}
	return all
}

// Figure 3 of the paper: three arrays of 16 bits with counters of 2, 4 and 8 bits. The flow's counter in the first
// array has overflowed (3) and does not change; the others are incremented.
func TestFigure3(t *testing.T) {
	s := mustNew(t, EqualMemory(6, 2, 4, 8))
	if n := []int{s.Arrays()[0].Len(), s.Arrays()[1].Len(), s.Arrays()[2].Len()}; !slices.Equal(n, []int{8, 4, 2}) ||
		s.Memory() != 6 {
		t.Fatal(n, s.Memory())
	}
	at := []uint64{4, 1, 0}
	s.AddAt(at, 9)
	s.AddAt(at, 1)
	want := [][]uint32{{0, 0, 0, 0, 3, 0, 0, 0}, {0, 10, 0, 0}, {10, 0}}
	if got := values(s); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %v, want %v", got, want)
	}
	if n := s.least(at); n != 10 {
		t.Errorf("query %d, want 10", n)
	}
}

// CU insertion increments the smallest of the counters that have not overflowed.
func TestConservative(t *testing.T) {
	c := EqualMemory(6, 2, 4, 8)
	c.Conservative = true
	s := mustNew(t, c)
	s.arrays[0].set(4, 3) // overflowed
	s.arrays[1].set(1, 5)
	s.arrays[2].set(0, 7)
	s.AddAt([]uint64{4, 1, 0}, 1)
	s.AddAt([]uint64{4, 1, 0}, 1)
	s.AddAt([]uint64{4, 1, 0}, 1)
	want := [][]uint32{{0, 0, 0, 0, 3, 0, 0, 0}, {0, 8, 0, 0}, {8, 0}}
	if got := values(s); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTheorem1(t *testing.T) {
	for _, c := range []Config{
		EqualMemory(4000, 2, 4, 8, 16, 32),
		EqualMemory(4000, 8, 16, 32),
		EqualMemory(3000, 3, 7, 20),
		EqualCounters(4000, 2, 4, 8, 16, 32),
	} {
		for _, c.Conservative = range []bool{false, true} {
			sketchtest.Run(t, sketchtest.Promise{
				NeverUnder: true,
				Beyond: func(n, packets uint64, eps float64) float64 {
					p := 1.0
					for i, b := range c.Bits {
						// Use the arrays from t on, whose counters have room for the flow and the error.
						if float64(n)+eps*float64(packets) < float64(uint64(1)<<b-1) {
							p *= min(1, 1/(eps*float64(c.Counters[i])))
						}
					}
					return p
				},
			}, func(seed uint64) sketchtest.Frequency {
				c.Seed = seed
				return mustNew(t, c)
			})
		}
	}
}

// byMap implements the definition of TowerSketch with counters in maps.
type byMap struct {
	config   Config
	counters []map[uint64]uint64
}

func (s *byMap) insert(places []uint64) {
	least := uint64(math.MaxUint64)
	for i, p := range places {
		if c := s.counters[i][p]; c != 1<<s.config.Bits[i]-1 {
			least = min(least, c)
		}
	}
	for i, p := range places {
		c := s.counters[i][p]
		if c != 1<<s.config.Bits[i]-1 && (!s.config.Conservative || c == least) {
			s.counters[i][p]++
		}
	}
}

// add is Insert without kernels.
func add(s *Sketch, key, n uint64) {
	var places [rows.MaxRows]uint64
	s.AddAt(s.places(key, &places), n)
}

// Insert, with and without a special kernel, equals AddAt of one packet, the definition, and Atomic.
func TestInsertIsTheDefinition(t *testing.T) {
	shapes := [][]int{{2, 4, 8, 16, 32}, {8, 16, 32}, {1, 2}, {3, 5, 31}, {4}, {32, 8, 1}}
	rapid.Check(t, func(t *rapid.T) {
		c := EqualMemory(rapid.IntRange(40, 100).Draw(t, "memory"), rapid.SampledFrom(shapes).Draw(t, "bits")...)
		c.Conservative = rapid.Bool().Draw(t, "conservative")
		c.Seed = rapid.Uint64().Draw(t, "seed")
		s, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		added, _ := New(c)
		atomic, atomicErr := NewAtomic(c)
		slow := &byMap{config: c}
		for range c.Bits {
			slow.counters = append(slow.counters, map[uint64]uint64{})
		}
		keys := rapid.SliceOfN(rapid.Uint64Range(0, 30), 0, 400).Draw(t, "keys")
		for _, k := range keys {
			s.Insert(k, 1)
			add(added, k, 1)
			if atomicErr == nil {
				atomic.Insert(k, 1)
			}
			var buf [16]uint64
			slow.insert(s.places(k, &buf))
		}
		for i := range s.arrays {
			for p := range s.arrays[i].counters {
				got, want := s.arrays[i].Counter(p), slow.counters[i][p]
				if got != want || added.arrays[i].Counter(p) != want {
					t.Fatalf("array %d, counter %d: %d inserted, %d added, want %d",
						i, p, got, added.arrays[i].Counter(p), want)
				}
			}
		}
		for _, k := range keys {
			n, ok := s.Estimate(k)
			if m, mok := added.Estimate(k); m != n || mok != ok {
				t.Fatalf("estimates %d (%t) and %d (%t)", n, ok, m, mok)
			}
			if atomicErr == nil {
				if m, mok := atomic.Estimate(k); m != n || mok != ok {
					t.Fatalf("estimates %d (%t) and, of Atomic, %d (%t)", n, ok, m, mok)
				}
			}
		}
	})
}

// Kernels are right near both ends of every counter's range.
func TestKernelsAtTheLimits(t *testing.T) {
	for _, bits := range [][]int{{2, 4, 8, 16, 32}, {8, 16, 32}} {
		for _, conservative := range []bool{false, true} {
			c := Config{Bits: bits, Counters: slices.Repeat([]int{1}, len(bits)), Conservative: conservative}
			for set := range 1 << len(bits) {
				fast, slow := mustNew(t, c), mustNew(t, c)
				for i := range bits {
					v := fast.arrays[i].infinite - 1 - uint64(set>>i&1)*2
					fast.arrays[i].set(0, v)
					slow.arrays[i].set(0, v)
				}
				for range 4 {
					fast.Insert(1, 1)
					add(slow, 1, 1)
					n, ok := fast.Estimate(1)
					var buf [16]uint64
					least := slow.least(slow.places(1, &buf))
					if !slices.EqualFunc(values(fast), values(slow), slices.Equal) || ok != (least < infinity) ||
						ok && n != least {
						t.Fatalf("%v bits, conservative %t: %v, want %v; estimate %d (%t), want %d",
							bits, conservative, values(fast), values(slow), n, ok, least)
					}
				}
				if n, ok := fast.Estimate(1); !conservative && set == 0 && (ok || n != 1<<32-1) {
					t.Errorf("all counters have overflowed: %d (%t)", n, ok)
				}
			}
		}
	}
}

// The memory is exactly the size of the counters.
func TestMemory(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   int
	}{
		{EqualMemory(900_000, 2, 4, 8, 16, 32), 900_000},
		{EqualMemory(900_000, 8, 16, 32), 900_000},
		{Config{Bits: []int{3, 5}, Counters: []int{8, 3}}, 3 + 2},
		{EqualCounters(62_000, 2, 4, 8, 16, 32), 62_000},
	} {
		s := mustNew(t, c.config)
		if s.Memory() != c.want || cap(s.slab) > c.want+slack+c.want/4 {
			t.Errorf("%v: %d bytes and %d allocated, want %d", c.config, s.Memory(), cap(s.slab), c.want)
		}
	}
}

// Changing a counter of any width does not change adjacent counters.
func TestPacking(t *testing.T) {
	for bits := 1; bits <= maxBits; bits++ {
		s := mustNew(t, Config{Bits: []int{bits, bits}, Counters: []int{37, 5}})
		for i := range s.arrays {
			a := &s.arrays[i]
			for p := range a.counters {
				a.set(p, hash.Mix64(p+1)&a.infinite)
			}
		}
		for i := range s.arrays {
			a := &s.arrays[i]
			for p := range a.counters {
				if want := hash.Mix64(p+1) & a.infinite; a.Counter(p) != want {
					t.Fatalf("%d bits: counter %d is %d, want %d", bits, p, a.Counter(p), want)
				}
			}
		}
	}
}

// As for Count-Min, the test allows three standard errors over 60 pairs.
func TestOneHashIsAsGoodAsSeparateOnes(t *testing.T) {
	for _, conservative := range []bool{false, true} {
		c := EqualMemory(12_000, 2, 4, 8, 16, 32)
		c.Conservative = conservative
		sketchtest.SameError(t, 60, func(seed uint64) (stream []uint64, a, b sketchtest.Frequency) {
			c.Seed = seed
			return sketchtest.Skewed(40_000, 4000, seed), mustNew(t, c), &separate{mustNew(t, c), hash.Mix64(seed)}
		})
	}
}

// separate is a TowerSketch with a hash for each array.
type separate struct {
	*Sketch
	seed uint64
}

func (s *separate) at(key uint64) (places []uint64) {
	for i := range s.arrays {
		h := hash.Combine(hash.Combine(s.seed, uint64(i)), key)
		places = append(places, h%s.arrays[i].counters)
	}
	return places
}

func (s *separate) Insert(key, n uint64) { s.AddAt(s.at(key), n) }

func (s *separate) Estimate(key uint64) (uint64, bool) {
	n := s.least(s.at(key))
	return n, n < infinity
}

// A tower of equal 32-bit arrays is Count-Min.
func TestEqualWidthsAreCountMin(t *testing.T) {
	s := mustNew(t, Config{Bits: []int{32, 32, 32}, Counters: []int{100, 100, 100}, Seed: 3})
	cm, err := rows.NewCountMin(3, 100, 3)
	if err != nil {
		t.Fatal(err)
	}
	stream := sketchtest.Skewed(3000, 500, 1)
	for _, k := range stream {
		s.Insert(k, 1)
		cm.Insert(k, 1)
	}
	for k := range sketchtest.Count(stream) {
		x, _ := s.Estimate(k)
		if y, _ := cm.Estimate(k); x != y {
			t.Fatal(x, y)
		}
	}
}

func TestMerge(t *testing.T) {
	c := EqualMemory(500, 2, 4, 8, 16, 32)
	a, b, both := mustNew(t, c), mustNew(t, c), mustNew(t, c)
	for i, k := range sketchtest.Skewed(3000, 300, 1) {
		[]*Sketch{a, b}[i%2].Insert(k, 1)
		both.Insert(k, 1)
	}
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(values(a), values(both), slices.Equal) {
		t.Error("two halves merged are not the whole")
	}
	with := func(change func(*Config)) *Sketch {
		d := c
		change(&d)
		return mustNew(t, d)
	}
	for _, x := range []struct {
		other *Sketch
		want  string
	}{
		{with(func(d *Config) { *d = EqualMemory(500, 8, 16) }),
			"tower: cannot merge … sketch … [250 125] counters … [8 16] bits … [400 200 100 50 25] … [2 4 8 16 32]"},
		{with(func(d *Config) { d.Conservative = true }), "tower: cannot merge … sketch … CM insertion … CU insertion"},
		{with(func(d *Config) { d.Seed = 7 }), "tower: cannot merge … sketch … seed 7 … seed 0"},
	} {
		if err := a.Merge(x.other); !errtest.Says(err, x.want) {
			t.Errorf("got %v, want %s", err, x.want)
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{}, "tower: 0 arrays, want 1 to 16"},
		{EqualMemory(0, 8), "tower: array 1: 0 counters, want 1 to 67108864"},
		{EqualMemory(3, 2, 32), "tower: array 2: 0 counters, want 1 to 67108864"},
		{Config{Bits: []int{33, 0}, Counters: []int{1, 1}},
			"tower: array 1: counters of 33 bits, want 1 to 32\narray 2: counters of 0 bits, want 1 to 32"},
		{Config{Bits: []int{8}, Counters: []int{1, 1}}, "tower: 1 width for 2 arrays"},
	} {
		if _, err := New(c.config); !errtest.Says(err, c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if _, err := NewAtomic(Config{Bits: []int{3}, Counters: []int{1}}); !errtest.Says(err,
		"tower: array 1: counters of 3 bits, want a power of two if several goroutines insert") {
		t.Error(err)
	}
}

// Each of these ranges of sizes is from one array: 1, 2 to 13, 14 to 253 and 254 to 65533.
func TestDistribution(t *testing.T) {
	s := mustNew(t, EqualMemory(200_000, 2, 4, 8, 16, 32))
	stream := sketchtest.Skewed(60_000, 6_000, 4)
	for _, k := range stream {
		s.Insert(k, 1)
	}
	truth := map[uint64]float64{}
	for _, n := range sketchtest.Count(stream) {
		truth[n]++
	}
	difference, flows := 0.0, 0.0
	last := uint64(0)
	for _, p := range s.Distribution(20) {
		if p.Size <= last {
			t.Fatalf("size %d after %d", p.Size, last)
		}
		last = p.Size
		difference += math.Abs(p.Flows - truth[p.Size])
		flows += p.Flows
		delete(truth, p.Size)
	}
	for _, n := range truth {
		difference += n
	}
	// Arrays have hardly any collisions, so that nearly all flows are found.
	if wmre := difference / ((flows + 6000) / 2); wmre > 0.05 {
		t.Errorf("WMRE %.3f", wmre)
	}
	// The standard error of linear counting at this load is below 0.1 %.
	if n, ok := s.Cardinality(); !ok || math.Abs(n-6000) > 24 {
		t.Error(n, ok)
	}
}

// For any keys Insert and Estimate do not panic, and estimates are never below the exact counts.
func FuzzInsert(f *testing.F) {
	f.Add([]byte("12345678abcdefgh"), uint8(40), true)
	f.Fuzz(func(t *testing.T, keys []byte, memory uint8, conservative bool) {
		c := EqualMemory(int(memory)+20, 2, 4, 8, 16, 32)
		c.Conservative = conservative
		s := mustNew(t, c)
		truth := map[uint64]uint64{}
		for ; len(keys) >= 8; keys = keys[8:] {
			k := binary.LittleEndian.Uint64(keys)
			s.Insert(k, 1)
			truth[k]++
		}
		for k, n := range truth {
			if got, ok := s.Estimate(k); ok && got < n {
				t.Fatalf("%d packets estimated as %d", n, got)
			}
		}
	})
}

// One flow has all packets, and the test queries other flows. The bound of two arrays is exact for ε near 1. The
// probability that an estimate exceeds ε·N is within this bound, but above the product over all three arrays. The share
// deviates by more than five standard deviations once in a million.
func TestBoundWithOneElephant(t *testing.T) {
	const asked = 1 << 21
	for _, packets := range []uint64{200, 2000} { // 200 fits all arrays, and 2000 only the last two
		s := mustNew(t, EqualMemory(240, 8, 16, 32))
		s.Insert(1, packets)
		product, bound, first := 1.0, 1.0, 0
		for i, w := range s.config.Counters {
			if packets >= 1<<s.config.Bits[i]-1 {
				first = i + 1
				continue
			}
			product /= float64(w)
			if i <= first+1 {
				bound /= float64(w)
			}
		}
		beyond := 0.0
		for key := range uint64(asked) {
			if n, _ := s.Estimate(key + 2); n > packets*99/100 {
				beyond++
			}
		}
		if limit := bound*asked + 5*math.Sqrt(bound*asked); beyond > limit ||
			bound > product && beyond < 2*product*asked {
			t.Errorf("N = %d: %v of %v flows are beyond, want at most %.0f, "+
				"and more than the %.0f of independent hashes", packets, beyond, asked, limit, product*asked)
		}
	}
}
