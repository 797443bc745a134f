package spacesaving

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/int/sketch/sketchtest"
	"pintlab/internal/errtest"
	"pintlab/internal/hash"
)

func mustNew(t testing.TB, counters int, seed uint64) *Summary {
	t.Helper()
	s, err := New(counters, seed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The worked example of Metwally et al.: S = X, Y, Y, Z with two counters. Z replaces
// X, whose count of 1 becomes its error.
func TestWorkedExample(t *testing.T) {
	const x, y, z = 10, 20, 30
	s := mustNew(t, 2, 1)
	for _, k := range []uint64{x, y, y} {
		s.Add(k)
	}
	if got := s.maxError(); got != 1 {
		t.Errorf("maxError = %d, want 1", got)
	}
	s.Add(z)
	want := []Item{{Key: y, Count: 2}, {Key: z, Count: 2, Err: 1}}
	if got := s.Top(-1, nil); !slices.Equal(got, want) {
		t.Errorf("Top = %v, want %v", got, want)
	}
	if it, ok := s.Estimate(x); ok || it != (Item{Key: x, Count: 2, Err: 2}) {
		t.Errorf("Estimate(x) = %v, %v; want not monitored, at most 2", it, ok)
	}
	if got := s.AtLeast(3, nil); len(got) != 0 {
		t.Errorf("AtLeast(3) = %v, want none", got)
	}
	if got := s.Top(1, []Item{{Key: 7}}); !slices.Equal(got, []Item{{Key: 7}, want[0]}) {
		t.Errorf("Top(1) appended to a slice = %v", got)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, m := range []int{0, -1, maxCounters + 1} {
		want := fmt.Sprintf("spacesaving: %d counters, want 1 to 16777216", m)
		if _, err := New(m, 0); !errtest.Says(err, want) {
			t.Errorf("New(%d) error = %v, want %s", m, err, want)
		}
	}
}

// slow implements the definition of Space-Saving: it scans for the smallest counter, oldest first.
type slow struct {
	m, n, clock uint64
	item        []Item
	since       []uint64
}

func (s *slow) add(key, w uint64) {
	if w == 0 {
		return
	}
	s.n += w
	s.clock++
	i := slices.IndexFunc(s.item, func(it Item) bool { return it.Key == key })
	switch {
	case i >= 0:
		s.item[i].Count += w
	case uint64(len(s.item)) < s.m:
		s.item = append(s.item, Item{Key: key, Count: w})
		s.since = append(s.since, 0)
		i = len(s.item) - 1
	default:
		i = 0
		for j := range s.item {
			if s.item[j].Count < s.item[i].Count || s.item[j].Count == s.item[i].Count && s.since[j] < s.since[i] {
				i = j
			}
		}
		s.item[i] = Item{Key: key, Count: s.item[i].Count + w, Err: s.item[i].Count}
	}
	s.since[i] = s.clock
}

func (s *slow) top() []Item {
	out := slices.Clone(s.item)
	slices.SortFunc(out, func(a, b Item) int {
		if a.Count != b.Count {
			return int(b.Count) - int(a.Count)
		}
		return int(a.Key) - int(b.Key)
	})
	return out
}

// check checks the invariants of the structure.
func check(t interface{ Fatalf(string, ...any) }, s *Summary) {
	seen, sum, last, prev := 0, uint64(0), uint64(0), int32(nowhere)
	for b := s.first; b != nowhere; b = s.buckets[b].next {
		bk := &s.buckets[b]
		if bk.count <= last || bk.prev != prev || bk.head == nowhere {
			t.Fatalf("bucket %d: count %d after %d, prev %d want %d, head %d",
				b, bk.count, last, bk.prev, prev, bk.head)
		}
		last, prev = bk.count, b
		back := int32(nowhere)
		for i := bk.head; i != nowhere; i = s.counters[i].next {
			c := &s.counters[i]
			if c.bucket != b || c.prev != back {
				t.Fatalf("counter %d: bucket %d prev %d, want %d and %d", i, c.bucket, c.prev, b, back)
			}
			if s.table[s.find(c.key)] != i+1 {
				t.Fatalf("key %d of counter %d is not in the table", c.key, i)
			}
			back = i
			seen++
			sum += bk.count
		}
		if bk.tail != back {
			t.Fatalf("bucket %d: tail %d, want %d", b, bk.tail, back)
		}
	}
	filled := 0
	for _, i := range s.table {
		if i != 0 {
			filled++
		}
	}
	if s.last != prev || seen != s.Len() || filled != seen || sum != s.n {
		t.Fatalf("last %d want %d; %d counters listed, %d in the table, %d used; sum %d, N %d",
			s.last, prev, seen, filled, s.used, sum, s.n)
	}
}

// For random weighted streams and any seed, the summary equals the slow version item by item, and satisfies lemmas 3.1,
// 3.3, 3.4 and theorem 3.5 compared with exact counts.
func TestAgainstSlowAndExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 12).Draw(t, "counters")
		s, err := New(m, rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		want := &slow{m: uint64(m)}
		exact := map[uint64]uint64{}
		keys := rapid.SliceOf(rapid.Uint64Range(0, 20)).Draw(t, "keys")
		heavy := rapid.Bool().Draw(t, "weighted")
		for j, k := range keys {
			w := uint64(1)
			if heavy {
				w = uint64(j*7%5) * k % 4
			}
			s.AddN(k, w)
			want.add(k, w)
			exact[k] += w
			check(t, s)
		}
		if got := s.Top(-1, nil); !slices.Equal(got, want.top()) {
			t.Fatalf("Top = %v, want %v", got, want.top())
		}
		bound := s.maxError()
		if bound > s.N()/uint64(m) {
			t.Fatalf("maxError %d exceeds N/m = %d/%d", bound, s.N(), m)
		}
		for k, c := range exact {
			it, monitored := s.Estimate(k)
			if it.Count < c || it.Count-it.Err > c || it.Err > bound {
				t.Fatalf("key %d: count %d err %d (bound %d), truly %d", k, it.Count, it.Err, bound, c)
			}
			if !monitored && c > bound {
				t.Fatalf("key %d occurred %d times and is not monitored (bound %d)", k, c, bound)
			}
		}
		for thr := uint64(1); thr < 8; thr++ {
			got := s.AtLeast(thr, nil)
			for k, c := range exact {
				if c >= thr && c > bound && !slices.ContainsFunc(got, func(it Item) bool { return it.Key == k }) {
					t.Fatalf("AtLeast(%d) lacks key %d with %d", thr, k, c)
				}
			}
			for _, it := range got {
				if it.Count < thr || it.Count-it.Err >= thr && exact[it.Key] < thr {
					t.Fatalf("AtLeast(%d) has %v, truly %d", thr, it, exact[it.Key])
				}
			}
		}
	})
}

// zipf returns a stream of n keys. The probability of the k-th most frequent key is proportional to 1/k^1.1.
func zipf(seed uint64, n int) []uint64 {
	r := hash.Stream(seed, "zipf")
	z := rand.NewZipf(r, 1.1, 1, 1<<20)
	out := make([]uint64, n)
	for i := range out {
		out[i] = z.Uint64()
	}
	return out
}

// The bounds hold for every key of a long skewed stream, in which keys are often evicted.
func TestZipfBounds(t *testing.T) {
	keys := zipf(1, 200_000)
	s := mustNew(t, 512, 3)
	exact := map[uint64]uint64{}
	for _, k := range keys {
		s.Add(k)
		exact[k]++
	}
	check(t, s)
	if s.N() != uint64(len(keys)) || s.maxError() > s.N()/512 {
		t.Fatalf("N %d, maxError %d", s.N(), s.maxError())
	}
	for k, c := range exact {
		it, monitored := s.Estimate(k)
		if it.Count < c || it.Count-it.Err > c || !monitored && c > s.maxError() {
			t.Fatalf("key %d: %v monitored %v, truly %d", k, it, monitored, c)
		}
	}
}

func TestSeedNeverChangesAnAnswer(t *testing.T) {
	keys := zipf(2, 20_000)
	a, b := mustNew(t, 64, 1), mustNew(t, 64, 2)
	for _, k := range keys {
		a.Add(k)
		b.Add(k)
	}
	if x, y := a.Top(-1, nil), b.Top(-1, nil); !slices.Equal(x, y) {
		t.Error("two seeds give different summaries")
	}
}

func TestReset(t *testing.T) {
	s := mustNew(t, 8, 1)
	for _, k := range zipf(3, 1000) {
		s.Add(k)
	}
	s.Reset()
	check(t, s)
	if s.N() != 0 || s.Len() != 0 || s.maxError() != 0 || len(s.Top(-1, nil)) != 0 {
		t.Errorf("after Reset: N %d, Len %d, maxError %d", s.N(), s.Len(), s.maxError())
	}
	s.Add(5)
	if it, ok := s.Estimate(5); !ok || it != (Item{Key: 5, Count: 1}) {
		t.Errorf("Estimate(5) = %v, %v", it, ok)
	}
}

func TestSizes(t *testing.T) {
	for _, m := range []int{1, 2, 3, 100, 1000} {
		s := mustNew(t, m, 0)
		if got := CountersFor(s.SizeBytes()); got != m {
			t.Errorf("CountersFor(SizeFor(%d)) = %d", m, got)
		}
		if got := CountersFor(s.SizeBytes() - 1); got != m-1 {
			t.Errorf("CountersFor(SizeFor(%d) - 1) = %d", m, got)
		}
	}
	if CountersFor(0) != 0 {
		t.Error("CountersFor(0) is not 0")
	}
}

func TestUpdatesDoNotAllocate(t *testing.T) {
	keys := zipf(4, 10_000)
	s := mustNew(t, 256, 1)
	if n := testing.AllocsPerRun(3, func() {
		for _, k := range keys {
			s.Add(k)
		}
	}); n != 0 {
		t.Errorf("%v allocations in 10 000 updates, want 0", n)
	}
}

func ExampleSummary() {
	s, err := New(3, 1)
	if err != nil {
		panic(err)
	}
	for _, port := range []uint64{443, 80, 443, 22, 443, 53, 80, 443} {
		s.Add(port)
	}
	for _, it := range s.AtLeast(s.N()/4, nil) {
		fmt.Printf("port %d: %d to %d of %d\n", it.Key, it.Count-it.Err, it.Count, s.N())
	}
	// Output:
	// port 443: 4 to 4 of 8
	// port 53: 1 to 2 of 8
	// port 80: 1 to 2 of 8
}

func BenchmarkAdd(b *testing.B) {
	keys := zipf(5, 1<<20)
	for _, m := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprintf("counters=%d", m), func(b *testing.B) {
			s := mustNew(b, m, 1)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				s.Add(keys[i&(len(keys)-1)])
				i++
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpps")
		})
	}
}

// frequency makes a Summary pass the suite of all sketches.
type frequency struct{ *Summary }

func (f frequency) Insert(key, n uint64) {
	for range n {
		f.Add(key)
	}
}

func (f frequency) Estimate(key uint64) (uint64, bool) {
	item, _ := f.Summary.Estimate(key)
	return item.Count, true
}

// No estimate is below the true count, and no estimate exceeds the true count by more than N/m (lemma 3.4).
func TestPromise(t *testing.T) {
	const counters = 400
	sketchtest.Run(t, sketchtest.Promise{
		NeverUnder: true,
		Beyond: func(_, _ uint64, eps float64) float64 {
			if eps >= 1.0/counters {
				return 0
			}
			return 1
		},
	}, func(seed uint64) sketchtest.Frequency { return frequency{mustNew(t, counters, seed)} })
}
