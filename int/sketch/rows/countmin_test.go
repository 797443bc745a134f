package rows

import (
	"math"
	"testing"

	"pintlab/int/sketch/sketchtest"
	"pintlab/internal/errtest"
	"pintlab/internal/hash"
)

func mustNew(t testing.TB, d, counters int, seed uint64) *CountMin {
	t.Helper()
	s, err := NewCountMin(d, counters, seed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Cormode and Muthukrishnan, Theorem 1.
func TestTheorem1(t *testing.T) {
	const d, w = 3, 2048
	sketchtest.Run(t, sketchtest.CountMin(d, w),
		func(seed uint64) sketchtest.Frequency { return mustNew(t, d, w, seed) })
}

func TestSaturation(t *testing.T) {
	s := mustNew(t, 2, 1, 0)
	for i := range s.Cells {
		s.Cells[i] = Infinite - 1
	}
	if n, ok := s.Estimate(1); n != Infinite-1 || !ok {
		t.Error(n, ok)
	}
	for range 3 { // the counter overflows, and never changes again
		s.Insert(1, 1)
		if n, ok := s.Estimate(1); n != Infinite || ok {
			t.Error(n, ok)
		}
	}
}

func TestMerge(t *testing.T) {
	a, b, both := mustNew(t, 3, 64, 5), mustNew(t, 3, 64, 5), mustNew(t, 3, 64, 5)
	for i, k := range sketchtest.Skewed(2000, 300, 1) {
		[]*CountMin{a, b}[i%2].Insert(k, 1)
		both.Insert(k, 1)
	}
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	for k := range sketchtest.Count(sketchtest.Skewed(2000, 300, 1)) {
		x, _ := a.Estimate(k)
		if y, _ := both.Estimate(k); x != y {
			t.Fatalf("%d merged, %d together", x, y)
		}
	}
	for _, c := range []struct {
		with *CountMin
		want string
	}{
		{mustNew(t, 2, 64, 5), "countmin: cannot merge … sketch … 2 rows … 64 counters … 3 rows … 64"},
		{mustNew(t, 3, 65, 5), "countmin: cannot merge … sketch … 3 rows … 65 counters … 3 rows … 64"},
		{mustNew(t, 3, 64, 6), "countmin: cannot merge … sketch … seed 6 … seed 5"},
	} {
		if err := a.Merge(c.with); !errtest.Says(err, c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		d, w int
		want string
	}{
		{0, 8, "countmin: 0 rows, want 1 to 16"},
		{17, 8, "countmin: 17 rows, want 1 to 16"},
		{3, 0, "countmin: 0 counters in a row, want 1 to 67108864"},
	} {
		if _, err := NewCountMin(c.d, c.w, 0); !errtest.Says(err, c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// separate is Count-Min by definition: a hash for each row.
type separate struct {
	seed  uint64
	cells [][]uint32
}

func (s *separate) at(row int, key uint64) *uint32 {
	h := hash.Combine(hash.Combine(s.seed, uint64(row)), key)
	return &s.cells[row][h%uint64(len(s.cells[row]))]
}

func (s *separate) Insert(key, n uint64) {
	for i := range s.cells {
		*s.at(i, key) += uint32(n)
	}
}

func (s *separate) Estimate(key uint64) (uint64, bool) {
	least := uint32(math.MaxUint32)
	for i := range s.cells {
		least = min(least, *s.at(i, key))
	}
	return uint64(least), true
}

// The indices from one hash must be as good as indices from separate hashes. Over 60 pairs of sketches the mean
// difference of the average relative errors is within three standard errors of zero. A correct sketch fails with one
// set of seeds in 370.
func TestOneHashIsAsGoodAsSeparateOnes(t *testing.T) {
	const d, w, flows = 3, 2000, 4000
	sketchtest.SameError(t, 60, func(seed uint64) (stream []uint64, a, b sketchtest.Frequency) {
		s := &separate{seed: hash.Mix64(seed)}
		for range d {
			s.cells = append(s.cells, make([]uint32, w))
		}
		return sketchtest.Skewed(40_000, flows, seed), mustNew(t, d, w, seed), s
	})
}

// A pair of keys collides in all rows with probability c/w². In row i, the difference of two keys in units of counters
// is u + i·v, where u and v are uniform. The keys share a counter of this row with probability 1 - |u + i·v|. The
// product of these probabilities of all rows, integrated over u and v, is c. With two rows c is 1, so the bound of two
// rows holds. The number of pairs deviates by more than five standard deviations once in a million.
func TestAllRowsCollide(t *testing.T) {
	const w, pairs = 32, 1 << 22
	for d, c := range map[int]float64{2: 1, 3: 23.0 / 60, 4: 0.1952, 5: 0.1144} {
		all := 0
		for i := range uint64(pairs) {
			x, dx := Start(2*i, 1)
			y, dy := Start(2*i+1, 1)
			same := 0
			for same < d && Index(x, w) == Index(y, w) {
				x, y, same = x+dx, y+dy, same+1
			}
			if same == d {
				all++
			}
		}
		want := c / (w * w) * pairs
		if math.Abs(float64(all)-want) > 5*math.Sqrt(want) {
			t.Errorf("%d rows: %d of %d pairs collide in all, want %.0f", d, all, pairs, want)
		}
	}
}

func TestCardinalityAndDistribution(t *testing.T) {
	s := mustNew(t, 3, 40_000, 9)
	stream := sketchtest.Skewed(60_000, 10_000, 2)
	for _, k := range stream {
		s.Insert(k, 1)
	}
	// At load 1/4, the standard error of linear counting is 0.18 % of 10 000 for one row (Whang et al., equation 5),
	// and less for three rows. The test allows four times the error of one row.
	if n, ok := s.Cardinality(); !ok || math.Abs(n-10_000) > 74 {
		t.Error(n, ok)
	}
	flows, packets := 0.0, 0.0
	for _, p := range s.Distribution(20) {
		flows += p.Flows
		packets += p.Flows * float64(p.Size)
	}
	if math.Abs(flows-10_000) > 100 || math.Abs(packets-float64(len(stream))) > 1e-6*packets {
		t.Errorf("%v flows and %v packets, want 10000 and %d", flows, packets, len(stream))
	}
}

// One full row does not make the other useless: of four counters, two zeros mean 4·ln 2 flows, and a full row counts
// 4·ln 4, as if it had one zero. Without any zero there is no answer.
func TestCardinalityWithFullRow(t *testing.T) {
	s := mustNew(t, 2, 4, 1)
	copy(s.Cells, []uint32{1, 2, 3, 4, 5, 0, 0, 6})
	if n, ok := s.Cardinality(); math.Abs(n-(4*math.Log(4)+4*math.Log(2))/2) > 1e-12 || !ok {
		t.Errorf("%v flows, %v", n, ok)
	}
	copy(s.Cells, []uint32{1, 2, 3, 4, 5, 7, 7, 6})
	if n, ok := s.Cardinality(); math.Abs(n-4*math.Log(4)) > 1e-12 || ok {
		t.Errorf("%v flows, %v, from full rows", n, ok)
	}
}
