package fermat

import (
	"fmt"
	"maps"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"pintlab/int/sketch/sketchtest"
	"pintlab/internal/errtest"
	"pintlab/internal/hash"
)

func mustNew(t testing.TB, arrays, width int, seed uint64) *Sketch {
	t.Helper()
	s, err := New(arrays, width, seed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The modulus is the largest prime below 2^64, and arithmetic is modulo this prime.
func TestField(t *testing.T) {
	p := new(big.Int).SetUint64(prime)
	if !p.ProbablyPrime(20) {
		t.Error("not a prime")
	}
	for x := uint64(prime + 1); x != 0; x++ {
		if new(big.Int).SetUint64(x).ProbablyPrime(20) {
			t.Errorf("%d is a larger prime", x)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Uint64Range(0, prime-1).Draw(t, "a"), rapid.Uint64Range(0, prime-1).Draw(t, "b")
		x, y, z := new(big.Int).SetUint64(a), new(big.Int).SetUint64(b), new(big.Int)
		if got, want := sum(a, b), z.Mod(z.Add(x, y), p).Uint64(); got != want {
			t.Fatalf("sum %d, want %d", got, want)
		}
		if got, want := product(a, b), z.Mod(z.Mul(x, y), p).Uint64(); got != want {
			t.Fatalf("product %d, want %d", got, want)
		}
		if sum(a, negative(a)) != 0 {
			t.Fatalf("%d and its negative are not 0", a)
		}
		n := rapid.Uint64Range(1, 1<<31).Draw(t, "n")
		if got, want := inverse(n), z.Exp(z.SetUint64(n), new(big.Int).SetUint64(prime-2), p).Uint64(); got != want {
			t.Fatalf("the inverse of %d is %d, want %d", n, got, want)
		}
	})
}

// A bucket with three packets of flow 5 has the sum 15 and the counter 3, and 15/3 = 5. With two packets of flow 9 in
// the same bucket, the sum is 33 and the counter is 5. Only by chance is 33/5 modulo p a key of this bucket.
func TestBuckets(t *testing.T) {
	s := mustNew(t, 3, 100, 1)
	s.Insert(5, 3)
	b := s.at(0, 5)
	if s.sums[b] != 15 || s.counters[b] != 3 {
		t.Fatalf("sum %d and counter %d, want 15 and 3", s.sums[b], s.counters[b])
	}
	if key, ok := s.single(b); key != 5 || !ok {
		t.Errorf("the flow is %d (%t), want 5", key, ok)
	}
	s.sums[b], s.counters[b] = 15+18, 5
	if key, ok := s.single(b); ok {
		t.Errorf("a bucket with two flows is taken for flow %d", key)
	}
}

// If all flows are decoded, inserting them gives the same buckets. In wide arrays, the decoded flows also equal the
// difference of the inserted flows. They would differ if a pair of flows were decoded as a third flow. For this, the
// pair must share a bucket in two arrays and look like the third flow in all arrays, which happens with probability
// w^−5. Ten flows are decoded unless two of them share all buckets, which happens with probability w^−3. Sketches of
// other shapes are refused.
func TestDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.OneOf(rapid.Uint64Range(0, 5), rapid.Uint64Range(0, prime-1))
		sizes := rapid.MapOfN(key, rapid.Int64Range(1, 1000), 0, 20)
		seed := rapid.Uint64().Draw(t, "seed")
		width := rapid.OneOf(rapid.IntRange(1, 30), rapid.Just(5000)).Draw(t, "width")
		want := map[uint64]int64{}
		both := [2]*Sketch{}
		for i, sign := range []int64{1, -1} {
			s, err := New(3, width, seed)
			if err != nil {
				t.Fatal(err)
			}
			for k, n := range sizes.Draw(t, fmt.Sprint("sizes ", i)) {
				s.Insert(k, uint64(n))
				if want[k] += sign * n; want[k] == 0 {
					delete(want, k)
				}
			}
			both[i] = s
		}
		if err := both[0].Subtract(both[1]); err != nil {
			t.Fatal(err)
		}
		got, complete := both[0].Decode()
		if !complete {
			if width == 5000 && len(want) <= 10 {
				t.Fatalf("%v was not decoded", want)
			}
			return
		}
		if width == 5000 && !maps.Equal(got, want) {
			t.Fatalf("decoded %v, want %v", got, want)
		}
		for k, n := range got { // an empty sketch is left
			multiple := product(k, uint64(max(n, -n)))
			if n > 0 {
				multiple = negative(multiple)
			}
			both[0].add(k, multiple, -n)
		}
		if left, complete := both[0].Decode(); len(left) > 0 || !complete {
			t.Fatalf("%v is left without %v", left, got)
		}
	})
	a, b := mustNew(t, 3, 10, 1), mustNew(t, 3, 10, 2)
	if err := a.Merge(b); !errtest.Says(err, "fermat: … 3 arrays of 10 buckets … equal shapes and seeds") {
		t.Error(err)
	}
	for _, shape := range [][2]int{{0, 10}, {3, 0}, {100, 10}, {3, maxWidth + 1}} {
		if _, err := New(shape[0], shape[1], 1); !errtest.Says(err, "fermat: … want 1 to …") {
			t.Error(shape, err)
		}
	}
}

// The threshold of three arrays is 1.222 buckets per flow, 0.407 in each array. Of 20 sketches with 3000 flows, all are
// decoded with 0.44 buckets, and none with 0.38. The test of the published code searches between 0.38 and 0.6. Seeds
// are fixed.
func TestThreshold(t *testing.T) {
	const flows = 3000
	for width, want := range map[int]bool{flows * 38 / 100: false, flows * 44 / 100: true} {
		for seed := range uint64(20) {
			s := mustNew(t, 3, width, seed)
			for i := range uint64(flows) {
				s.Insert(hash.Combine(seed, i), 1+i%50)
			}
			got, complete := s.Decode()
			if complete != want || complete && len(got) != flows {
				t.Errorf("%d flows in arrays of %d buckets: %d decoded, complete %t", flows, width, len(got), complete)
			}
		}
	}
}

// If there are too many flows to decode, the sketch still estimates sizes like Count-Min, and the number of flows by
// linear counting.
func TestTooManyFlows(t *testing.T) {
	s := mustNew(t, 3, 1500, 3)
	stream := sketchtest.Skewed(40_000, 4500, 3)
	for _, k := range stream {
		s.Insert(k, 1)
	}
	if _, complete := s.Decode(); complete {
		t.Fatal("4500 flows were decoded from 1500 buckets an array")
	}
	for k, n := range sketchtest.Count(stream) {
		if got, _ := s.Estimate(k); got < n {
			t.Fatalf("a flow of %d packets is estimated as %d", n, got)
		}
	}
	// One standard deviation of linear counting is √(w(e^ρ − ρ − 1)) = 155 at ρ = 3.
	if n, ok := s.Cardinality(); !ok || n < 4500-620 || n > 4500+620 {
		t.Errorf("%v flows (%t), want about 4500", n, ok)
	}
	full := mustNew(t, 3, 2, 3)
	for k := range uint64(40) {
		full.Insert(k, 1)
	}
	if n, ok := full.Cardinality(); ok {
		t.Errorf("a full sketch counts %v flows", n)
	}
}

// A counter that passes 32 bits makes every answer uncertain, on insertion and when sketches are added up.
func TestOverflow(t *testing.T) {
	for _, n := range []uint64{1, 1 << 31, 1<<64 - 1} {
		a, b := mustNew(t, 3, 10, 1), mustNew(t, 3, 10, 1)
		a.Insert(7, 1<<31-1)
		if flows, complete := a.Decode(); !complete || flows[7] != 1<<31-1 {
			t.Errorf("decoded %v (%t), want 7: 2^31-1", flows, complete)
		}
		b.Insert(7, n)
		if err := b.Merge(a); err != nil {
			t.Fatal(err)
		}
		a.Insert(7, n)
		for _, s := range []*Sketch{a, b} {
			_, complete := s.Decode()
			if _, ok := s.Estimate(7); ok || complete {
				t.Errorf("2^31-1 and %d packets: complete %t, an estimate %t", n, complete, ok)
			}
		}
	}
}

func BenchmarkInsert(b *testing.B) {
	s := mustNew(b, 3, 4096, 1)
	for i := range uint64(b.N) {
		s.Insert(i*0x9e3779b97f4a7c15, 1)
	}
}
