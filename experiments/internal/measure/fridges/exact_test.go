package fridges

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/int/fridge"
	"pintlab/netsim/unit"
)

// pairSums contains f̂ and V̂ of two fridges for one delay.
type pairSums struct{ f, v [2]float64 }

// eq7 returns the sum that Eq. 7 computes from two fridges for one delay. A fridge without a sample has weight 0.
func (s *pairSums) eq7() float64 {
	if s.v[0] == 0 || s.v[1] == 0 {
		return s.f[0] + s.f[1]
	}
	return (s.f[0]/s.v[0] + s.f[1]/s.v[1]) / (1/s.v[0] + 1/s.v[1])
}

// In section 4.2, the fridges paper weighs the fridges for "samples with RTT t". If times are exact, no two samples
// have the same t. Then the fridge that contains the sample has all the weight, and Eq. 7 is the plain sum of the
// factors of all fridges. This sum counts each pair once for each fridge, and its normalised CDF equals the CDF with
// equal weights. If times are in microseconds, this is nearly true. If delays are in bins of 1 %, it is not true,
// because of the harmonic mean in TestHarmonicMean. fridge/fig4/known.csv contains the errors for -part 1.
func TestExactTimes(t *testing.T) {
	if testing.Short() {
		t.Skip("forty hash seeds of three designs, which take seconds; needs go test without -short")
	}
	s, err := Open(&study.Job{Seed: 1}, "ISP-like", ISP(1, *part), 40)
	if err != nil {
		t.Fatal(err)
	}
	for _, entries := range []int{1 << 10, 1 << 12} {
		entries /= int(min(*part, 4))
		best, err := s.Model.Optimize(fridge.Choice{Entries: entries, Fridges: 1})
		if err != nil {
			t.Fatal(err)
		}
		p := best[0].Probability
		var single Result
		for _, d := range []Named{
			Single("one", entries, p), two(entries, p/2, p/2, s.Rate()), two(entries, p, p/4, s.Rate()),
		} {
			meters := make([]*Meter, len(s.Seeds))
			exact := make([]map[uint64]*pairSums, len(meters))
			micro := make([]map[uint64]*pairSums, len(meters))
			for k, seed := range s.Seeds {
				m, err := newMeter(d.Design, seed, fridge.DefaultWidth)
				if err != nil {
					t.Fatal(err)
				}
				meters[k], exact[k], micro[k] = m, map[uint64]*pairSums{}, map[uint64]*pairSums{}
				m.each = func(x fridge.Sample[uint64]) {
					for _, of := range []struct {
						sums map[uint64]*pairSums
						tick uint64
					}{{exact[k], 1}, {micro[k], uint64(unit.Microsecond)}} {
						at := x.Delay / of.tick * of.tick
						if of.sums[at] == nil {
							of.sums[at] = &pairSums{}
						}
						of.sums[at].f[x.Part] += x.Factor
						of.sums[at].v[x.Part] += x.Factor * x.Factor
					}
				}
				m.take(s.events)
			}
			ways := []struct {
				name string
				of   func(k int) *fridge.Distribution
			}{
				{"expected weights", func(k int) *fridge.Distribution {
					return meters[k].Distribution(0, s.Rate(), false)
				}},
				{"equal weights", func(k int) *fridge.Distribution { return meters[k].tallies[0].Distribution() }},
				{"Eq. 7, exact times", func(k int) *fridge.Distribution { return sumOf(exact[k]) }},
				{"Eq. 7, times in us", func(k int) *fridge.Distribution { return sumOf(micro[k]) }},
				{"Eq. 7, bins of 1 %", func(k int) *fridge.Distribution {
					return meters[k].Distribution(0, s.Rate(), true)
				}},
			}
			if d.Name == "one" {
				ways = ways[:1]
			}
			for w, way := range ways {
				r := Result{Row: Blank(ErrorTable, "ours", s.Name, d.Name+", "+way.name)}
				var pairs []float64
				for k := range meters {
					dist := way.of(k)
					a := Compare(dist, s.Delays)
					r.One, pairs = append(r.One, (a.P50+a.P95+a.P99)/3), append(pairs, dist.Total()/s.Delays.Total())
					if w == 2 {
						if times := dist.Total() / ways[1].of(k).Total(); math.Abs(times-2) > 1e-9 {
							t.Errorf("%s, seed %d: %v times the pairs of equal weights, want 2", d.Params, k, times)
						}
					}
				}
				if d.Name == "one" {
					single = r
				}
				iv, err := stats.Mean(r.One, stats.Level)
				if err != nil {
					t.Fatal(err)
				}
				over, err := r.over(&single)
				if err != nil {
					over.One.Value, over.One.Lo, over.One.Hi = 1, 1, 1
				}
				t.Logf("M = %s, %s (%s): error %.4f (%.4f to %.4f), %.3f (%.3f to %.3f) times one fridge's; "+
					"%.4f of the pairs",
					Memory(entries), d.Params, way.name, iv.Value, iv.Lo, iv.Hi, over.One.Value, over.One.Lo,
					over.One.Hi, floats.Sum(pairs)/float64(len(pairs)))
			}
		}
	}
}

// two returns a design of two fridges of equal size.
func two(entries int, a, b, rate float64) Named {
	parts := []fridge.Part{{Entries: entries / 2, Probability: a}, {Entries: entries / 2, Probability: b}}
	return Named{Name: "two", Params: Parts(parts), Memory: entries, Rate: rate,
		Design: Fridges(fridge.Entered, parts...)}
}

// sumOf returns the distribution that Eq. 7 computes if it is applied to each delay separately.
func sumOf(sums map[uint64]*pairSums) *fridge.Distribution {
	var all fridge.Samples
	for delay, s := range sums {
		all.Add(delay, s.eq7())
	}
	return all.Distribution()
}
