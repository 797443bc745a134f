package packets

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/internal/hash"
	"pintlab/netsim/unit"
)

func TestSkewedIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Skewed{
			Flows:    rapid.IntRange(1, 300).Draw(t, "flows"),
			Skew:     rapid.Float64Range(0, 3).Draw(t, "skew"),
			Singles:  rapid.SampledFrom([]float64{0, 0.3, 0.595, 0.999}).Draw(t, "singles"),
			Lifetime: rapid.SampledFrom([]float64{0, 1e-9, 0.7, 1}).Draw(t, "lifetime"),
			Seed:     rapid.Uint64().Draw(t, "seed"), Duration: unit.Millisecond, Churn: 0.5,
		}
		ranked, least := s.ranked()
		s.Packets = s.Flows + ranked*(least-1) + rapid.IntRange(0, 5000).Draw(t, "more")
		sizes, err := s.Sizes()
		if err != nil {
			t.Fatal(err)
		}
		w, err := s.Window(rapid.IntRange(0, 3).Draw(t, "window"))
		if err != nil {
			t.Fatal(err)
		}
		count := map[Tuple]int{}
		var p Packet
		last := unit.Time(-1)
		n := 0
		for ; w.Next(&p); n++ {
			if p.Time < last || p.Time >= s.Duration {
				t.Fatalf("packet %d at %v after %v", n, p.Time, last)
			}
			last = p.Time
			count[p.Tuple]++
		}
		var got []int
		for _, c := range count {
			got = append(got, c)
		}
		slices.Sort(got)
		slices.Reverse(got)
		if n != s.Packets || !slices.Equal(got, sizes) {
			t.Fatalf("%d packets of flows %v, want %d of %v", n, got, s.Packets, sizes)
		}
		if ones := s.Flows - ranked; s.Singles > 0 && (sizes[ranked-1] < 2 || len(sizes)-ranked != ones) {
			t.Fatalf("%d flows of one packet, want %d", len(sizes)-ranked, ones)
		}
	})
}

// The test checks the sizes of the SketchINT paper's trace, and the numbers in the comment of DefaultSkewed.
func TestDefaultSkewed(t *testing.T) {
	sizes, err := DefaultSkewed().Sizes()
	if err != nil {
		t.Fatal(err)
	}
	sum, ones, large := 0, 0, 0
	for _, n := range sizes {
		sum += n
		if n == 1 {
			ones++
		}
		if n > 500 {
			large++
		}
	}
	if len(sizes) != 170_000 || sum != 2_300_000 {
		t.Errorf("%d flows, %d packets", len(sizes), sum)
	}
	if ones != 101_150 {
		t.Errorf("%d flows have one packet, want 59.5 %% of 170 000", ones)
	}
	if large < 380 || large > 400 {
		t.Errorf("%d flows have more than 500 packets", large)
	}
	// Rank r has c·r^-skew packets, rounded down.
	c := float64(sizes[0])
	for _, r := range []int{10, 100, 1000} {
		if want := c * math.Pow(float64(r), -0.98); math.Abs(float64(sizes[r-1])-want) > 2 {
			t.Errorf("rank %d has %d packets, want %.1f", r, sizes[r-1], want)
		}
	}
}

// From one window to the next a rank keeps its flow with probability 1 − churn: 2800 of 4000 ranks with a standard
// deviation of 29. The bounds are four standard deviations, so that a correct generator fails with one seed in 16000.
func TestChurn(t *testing.T) {
	s := Skewed{Packets: 4000, Flows: 4000, Duration: unit.Second, Churn: 0.3, Seed: 5}
	kept := 0
	for r := range s.Flows {
		if s.tuple(r, 3) == s.tuple(r, 4) {
			kept++
		}
	}
	if kept < 2684 || kept > 2916 {
		t.Errorf("%d of 4000 flows kept", kept)
	}
	s.Churn = 0
	if s.tuple(17, 0) != s.tuple(17, 9) {
		t.Error("a flow changed without churn")
	}
}

// The trace has 3000 flows of 50 packets, each of which lives for a quarter of the window. As shares of the window, a
// flow starts at 0.4 on average (flows that begin before the window count as 0), and is active for 0.2. So the first of
// its 50 packets is at 0.4 + 0.2/51, and its last is equally long before the end. The standard deviation of both is
// 0.31, and the bounds are four standard errors of the mean.
func TestLifetimes(t *testing.T) {
	s := Skewed{Packets: 150_000, Flows: 3000, Lifetime: 0.25, Duration: unit.Second, Seed: 3}
	w, err := s.Window(0)
	if err != nil {
		t.Fatal(err)
	}
	first, last := map[Tuple]unit.Time{}, map[Tuple]unit.Time{}
	for p := (Packet{}); w.Next(&p); {
		if _, seen := first[p.Tuple]; !seen {
			first[p.Tuple] = p.Time
		}
		last[p.Tuple] = p.Time
	}
	var begin, rest float64
	for f := range first {
		if last[f]-first[f] > s.Duration/4 {
			t.Fatalf("a flow lives from %v to %v", first[f], last[f])
		}
		begin += first[f].Seconds() / 3000
		rest += (s.Duration - last[f]).Seconds() / 3000
	}
	for _, mean := range []float64{begin, rest} {
		if want := 0.4 + 0.2/51; math.Abs(mean-want) > 4*0.31/math.Sqrt(3000) {
			t.Errorf("mean of first packets, or of the time after the last, %.4f of the window, want %.4f", mean, want)
		}
	}
}

func TestSkewedErrors(t *testing.T) {
	_, err := Skewed{Packets: 5, Flows: 10, Skew: math.NaN(), Duration: 3, Churn: 2}.Window(0)
	want := `skewed trace: 5 packets, want at least one for each of the 10 flows and at most 1099511627776
skew NaN, want 0 to 5
duration 3ps, want at least a picosecond for each packet
churn 2, want 0 to 1`
	if !errtest.Says(err, want) {
		t.Errorf("got %v", err)
	}
	_, err = Skewed{Packets: 14, Flows: 10, Singles: 0.5, Lifetime: 2, Duration: unit.Second}.Window(0)
	want = `skewed trace: 14 packets, want at least two for each of the 5 flows that have more than one (singles 0.5)
lifetime 2, want 0 to 1`
	if !errtest.Says(err, want) {
		t.Errorf("got %v", err)
	}
	if _, err := (Skewed{Duration: unit.Second}).Window(0); err == nil ||
		!strings.Contains(err.Error(), "0 flows, want 1 to") {
		t.Error(err)
	}
}

// Every order of drawing is equally likely: the first ball of an urn with 1, 2 and 3 balls, drawn
// 6000 times, has colour i about 1000·(i+1) times. The standard deviations are at most 39; the
// bounds are four standard deviations.
func TestUrn(t *testing.T) {
	r := hash.Stream(3, "urn")
	var first [3]int
	for range 6000 {
		u := newUrn([]int{1, 2, 3})
		var drawn [3]int
		for left := 6; left > 0; left-- {
			c := u.draw(r.IntN(left))
			if left == 6 {
				first[c]++
			}
			drawn[c]++
		}
		if drawn != [3]int{1, 2, 3} {
			t.Fatal(drawn)
		}
	}
	for i, n := range first {
		if d := n - 1000*(i+1); d < -156 || d > 156 {
			t.Errorf("colour %d was first %d times", i, n)
		}
	}
}

func BenchmarkSkewed(b *testing.B) {
	whole := DefaultSkewed()
	whole.Lifetime = 0
	for name, s := range map[string]Skewed{"whole": whole, "lifetimes": DefaultSkewed()} {
		b.Run(name, func(b *testing.B) {
			w, err := s.Window(0)
			if err != nil {
				b.Fatal(err)
			}
			var p Packet
			b.ReportAllocs()
			for b.Loop() {
				if !w.Next(&p) {
					b.StopTimer()
					w, _ = s.Window(0)
					b.StartTimer()
				}
			}
		})
	}
}

// The default trace has the single packets of Singles, and no flow of two packets.
func TestDefaultHasNoPairs(t *testing.T) {
	sizes, err := DefaultSkewed().Sizes()
	if err != nil {
		t.Fatal(err)
	}
	number := map[int]int{}
	for _, n := range sizes {
		number[n]++
	}
	if number[1] != 101_150 || number[2] != 0 || number[3] != 15_704 {
		t.Errorf("%d, %d and %d flows of 1, 2 and 3 packets, want 101150, 0 and 15704", number[1], number[2], number[3])
	}
}
