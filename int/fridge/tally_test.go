package fridge

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/hash"
)

// Bins cover all delays in order. Each is wider than the previous one by the factor width.
func TestBins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.Float64Range(minWidth, maxWidth).Draw(t, "width")
		s := newScale(width)
		for range 20 {
			d := rapid.Uint64().Draw(t, "delay") >> rapid.IntRange(0, 63).Draw(t, "shift")
			i := s.bin(d)
			if lo, hi := s.edges[i], s.edges[i+1]; float64(d) < lo || float64(d) >= hi {
				t.Fatalf("delay %d is in bin %d, [%v, %v)", d, i, lo, hi)
			}
			if i > 0 && math.Abs(s.edges[i+1]/s.edges[i]-1-width) > 1e-9 {
				t.Fatalf("bin %d is [%v, %v), want a width of %v", i, s.edges[i], s.edges[i+1], width)
			}
		}
	})
}

// The test checks the guarantee of the quantile sketch: the quantiles of a tally of one fridge differ from the
// quantiles of all samples by less than a bin.
func TestTallyQuantiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.SampledFrom([]float64{0.002, DefaultWidth, 0.1}).Draw(t, "width")
		tally, err := NewTally(1, width)
		if err != nil {
			t.Fatal(err)
		}
		list := rapid.SliceOfN(rapid.Uint64Range(1, 1e12), 1, 300).Draw(t, "delays")
		var samples []weighted
		total := 0.0
		for i, d := range list {
			factor := 1 + float64(i%7)
			tally.Add(0, d, factor)
			samples = append(samples, weighted{d, factor})
			total += factor
		}
		got := tally.Distribution()
		if math.Abs(got.Total()-total) > 1e-9*total {
			t.Fatalf("%v pairs, want %v", got.Total(), total)
		}
		q := rapid.Float64Range(0.001, 0.999).Draw(t, "q")
		x := got.Quantile(q)
		below, upTo := 0.0, 0.0 // number of samples certainly below x, and number possibly below x
		for _, s := range samples {
			if float64(s.delay) < x/(1+width) {
				below += s.factor
			}
			if float64(s.delay) <= x*(1+width) {
				upTo += s.factor
			}
		}
		if below > q*total+1e-6 || upTo < q*total-1e-6 {
			t.Fatalf("quantile %v is %v: %v of %v pairs below, %v up to it", q, x, below, total, upTo)
		}
	})
}

// §4.2 is computed by hand. In one bin, fridge 1 has samples with factors 2 and 4, so f̂ = 6 and V̂ = 20. Fridge 2 has
// one sample with factor 10, so f̂ = 10 and V̂ = 100. The weights 1/20 and 1/100 have the ratio 5 to 1: f̂ = (5·6 +
// 10)/6 = 20/3. In another bin, fridge 1 has no samples and weight 0.
func TestInverseVariance(t *testing.T) {
	tally := must[*Tally](t)(NewTally(2, DefaultWidth))
	tally.Add(0, 1000, 2)
	tally.Add(0, 1000, 4)
	tally.Add(1, 1000, 10)
	if got, want := tally.ByEstimatedVariance(tally).Total(), 20.0/3; math.Abs(got-want) > 1e-12 {
		t.Errorf("f̂ = %v, want %v", got, want)
	}
	tally.Add(1, 5000, 3)
	d := tally.ByEstimatedVariance(tally)
	if got, want := d.Total(), 20.0/3+3; math.Abs(got-want) > 1e-12 {
		t.Errorf("f̂ of both bins is %v, want %v", got, want)
	}
	if got, want := d.CDF(2000), 20.0/29; math.Abs(got-want) > 1e-12 {
		t.Errorf("F̂(2000) = %v, want %v", got, want)
	}
	// With the delays fixed, the variance is (25·(2·1 + 4·3) + 1·10·9)/36 + 3·2.
	if got, want := d.end().v, (25*14+90)/36.0+6; math.Abs(got-want) > 1e-12 {
		t.Errorf("variance %v, want %v", got, want)
	}
}

// If all factors are equal, Eq. 7 computes the harmonic mean of the numbers of samples. Here all factors are 4. In a
// bin with 3 samples of one fridge and 1 of the other, Eq. 7 estimates 1.5·4 pairs, but the mean is 2·4. In a bin with
// 0 and 2 samples, it estimates 2·4 pairs, but the mean is 1·4. So Eq. 7 underestimates bins in which both fridges have
// few samples, and overestimates bins in which one fridge has none. A wide bin that covers both has 3 samples of each
// fridge, and the estimate of 3·4 is correct.
func TestHarmonicMean(t *testing.T) {
	tally := must[*Tally](t)(NewTally(2, DefaultWidth))
	for _, delay := range []uint64{1000, 1000, 1000, 1030, 1030} {
		tally.Add(map[bool]int{true: 0, false: 1}[delay == 1000], delay, 4)
	}
	tally.Add(1, 1000, 4)
	d, mean := tally.ByEstimatedVariance(tally), tally.Distribution()
	if got := d.CDF(1015) * d.Total(); math.Abs(got-6) > 1e-12 {
		t.Errorf("bin of 1 and 3 samples: %v pairs, want 6", got)
	}
	if got := d.Total() - 6; math.Abs(got-8) > 1e-12 {
		t.Errorf("bin of 0 and 2 samples: %v pairs, want 8", got)
	}
	if got := mean.Total(); math.Abs(got-12) > 1e-12 {
		t.Errorf("mean: %v pairs, want 12", got)
	}
	wide := tally.Coarse(1000) // from 1 to 1.01^1000 = 20959
	if got := wide.ByEstimatedVariance(wide).Total(); math.Abs(got-12) > 1e-12 {
		t.Errorf("wide bin: %v pairs, want 12", got)
	}
	if got, want := tally.Coarse(1).ByEstimatedVariance(tally.Coarse(1)).Total(), d.Total(); got != want {
		t.Errorf("groups of one bin: %v pairs, want %v", got, want)
	}
	tally.Add(0, math.MaxUint64, 4) // the last bin, in an incomplete group
	tally.Add(0, 0, 4)
	if got, want := tally.Coarse(7).Distribution().Total(), tally.Distribution().Total(); math.Abs(got-want) > 1e-12 {
		t.Errorf("groups of 7 bins: %v pairs, want %v", got, want)
	}
}

// The estimated numbers of pairs are unbiased for one, two and three fridges with different probabilities, both for all
// pairs and for each octave of delays. Bins contain one or two pairs, where weights that depend on the samples cause
// the largest bias. A mean of 1,000 seeds deviates by more than 5 standard errors with probability below 1e-6, and any
// of the 54 means with probability below 6e-5. The standard errors are small enough to detect a bias of 2.5 % for all
// pairs, and of 8 % in an octave. With two or more fridges Eq. 7 is unbiased if the variances come from other samples,
// and biased if they come from the same samples. In such bins the fridge with a sample has all the weight, so that
// nearly every pair counts once for each fridge.
func TestUnbiasedCombination(t *testing.T) {
	const octaves, each, every, seeds = 5, 84, 5, 1000
	const pairs, first = octaves * each, 20.0
	delays := make([]uint64, pairs) // between octaves there is a gap, so that no bin is in two
	for i := range delays {
		octave, within := i%octaves, float64(i/octaves)/each
		delays[i] = uint64(first * math.Ldexp(1.05+0.85*within, octave))
	}
	for _, parts := range [][]Part{
		{{64, 0.2}},
		{{64, 0.5}, {64, 0.05}},
		{{48, 0.5}, {48, 0.15}, {48, 0.03}},
	} {
		var byRate, alike, borrowed [octaves + 1][]float64 // by octave, and of all
		var eq7 []float64
		before := must[*Tally](t)(NewTally(len(parts), DefaultWidth)) // of another seed
		for seed := range uint64(seeds) {
			f := must[*Fridge[uint64]](t)(New[uint64](Config{Parts: parts, Seed: seed}))
			tally := must[*Tally](t)(NewTally(len(parts), DefaultWidth))
			due := map[uint64][]uint64{}
			for now := range uint64(every*pairs + 700) {
				for _, id := range due[now] {
					if s, ok := f.Response(id, now); ok {
						tally.Add(s.Part, s.Delay, s.Factor)
					}
				}
				f.Request(now, now)
				if i := now / every; now%every == 0 && i < pairs {
					at := now + delays[i]
					due[at] = append(due[at], now)
				}
			}
			for _, x := range []struct {
				of *[octaves + 1][]float64
				d  *Distribution
			}{{&byRate, tally.Expected(f.At(1))}, {&alike, tally.Distribution()},
				{&borrowed, tally.ByEstimatedVariance(before)}} {
				for g := range octaves {
					x.of[g] = append(x.of[g], x.d.at(first*math.Ldexp(2, g)).f-x.d.at(first*math.Ldexp(1, g)).f)
				}
				x.of[octaves] = append(x.of[octaves], x.d.Total())
			}
			eq7 = append(eq7, tally.ByEstimatedVariance(tally).Total())
			before = tally
		}
		for g := range octaves + 1 {
			want := float64(each)
			if g == octaves {
				want = pairs
			}
			for name, x := range map[string][]float64{"by rate": byRate[g], "all alike": alike[g],
				"by Eq. 7 with the variances of another seed": borrowed[g]} {
				mean, se, _, _ := moments(x)
				if math.Abs(mean-want) > 5*se {
					t.Errorf("%v, %s, octave %d of %d: %v ± %v pairs, want %v", parts, name, g, octaves, mean, se, want)
				}
				if bound := map[bool]float64{true: 0.025, false: 0.08}[g == octaves]; name == "by rate" &&
					5*se > bound*want {
					t.Errorf("%v, octave %d of %d: a standard error of %v is too large to see a bias of %v %%",
						parts, g, octaves, se, 100*bound)
				}
			}
		}
		mean, se, _, _ := moments(eq7)
		if off := math.Abs(mean - pairs); len(parts) == 1 && off > 5*se || len(parts) > 1 && off < 5*se+0.5*pairs {
			t.Errorf("%v by Eq. 7: %v ± %v of %d pairs, want them all with one fridge, "+
				"and half as many more at least with several", parts, mean, se, pairs)
		}
	}
}

// Fridge.expected agrees with the mean of V̂ over pairs, which is factor² for a pair with a sample and 0 otherwise. The
// mean deviates by more than 5 standard errors with probability below 1e-6. The number of requests that enter is
// binomial here, so that the exact value is p^-1·(1 + p/(M-1))^n. For so many requests this value equals the
// exponential to 0.1 %.
func TestExpectedFactor(t *testing.T) {
	const m, p, between = 256, 0.25, 400
	f := must[*Fridge[uint64]](t)(New[uint64](single(m, p, Entered, 1)))
	squares := make([]float64, 5_000)
	var id ids
	for i := range squares {
		mine := id.next()
		f.Request(mine, 0)
		for range between {
			f.Request(id.next(), 0)
		}
		if s, ok := f.Response(mine, between); ok {
			squares[i] = s.Factor * s.Factor
		}
	}
	want := math.Pow(1+p/(m-1), between) / p
	if mean, se, _, _ := moments(squares); math.Abs(mean-want) > 5*se {
		t.Errorf("V̂ of a pair is %v ± %v on average, want %v", mean, se, want)
	}
	if got := f.expected(0, between, 1); math.Abs(got/want-1) > 1e-3 {
		t.Errorf("expected factor %v, want %v", got, want)
	}
}

// weighted is a sample with its correction factor.
type weighted struct {
	delay  uint64
	factor float64
}

// Many samples of a few delays take no more memory than the list at which equal delays are added up.
func TestSamplesOfFewDelays(t *testing.T) {
	var s Samples
	for i := range uint64(5 * compactAt) {
		s.Add(10*(1+i%5), 1+float64(i%5))
	}
	if len(s.list) > compactAt {
		t.Errorf("%d samples of 5 delays are kept apart", len(s.list))
	}
	// The factors of the five delays are 1 to 5, and each delay has compactAt samples.
	d := s.Distribution()
	if got := d.CDF(30); d.Total() != 15*compactAt || got != 6.0/15 {
		t.Errorf("%v pairs, %v of them up to the third delay; want %v and 0.4", d.Total(), got, 15*compactAt)
	}
	if got := d.end().v; got != (0+2+6+12+20)*compactAt {
		t.Errorf("variance %v", got)
	}
}

// Eq. 3 is computed by hand for delays 10, 20, 20, 40 with factors 1, 1, 2, 4.
func TestSamples(t *testing.T) {
	var s Samples
	for _, x := range []weighted{{20, 1}, {40, 4}, {10, 1}, {20, 2}} {
		s.Add(x.delay, x.factor)
	}
	d := s.Distribution()
	for at, want := range map[float64]float64{9: 0, 10: 1.0 / 8, 15: 1.0 / 8, 20: 0.5, 30: 0.5, 40: 1, 50: 1} {
		if got := d.CDF(at); math.Abs(got-want) > 1e-12 {
			t.Errorf("F̂(%v) = %v, want %v", at, got, want)
		}
	}
	for q, want := range map[float64]float64{0: 10, 0.125: 10, 0.25: 20, 0.5: 20, 0.75: 40, 1: 40} {
		if got := d.Quantile(q); math.Abs(got-want) > 1e-12 {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
	}
	if d.Total() != 8 {
		t.Errorf("%v pairs, want 8", d.Total())
	}
}

func TestErrors(t *testing.T) {
	var a, b Samples
	for i := range uint64(1001) {
		a.Add(1000+i, 1)
		b.Add(2*(1000+i), 3)
	}
	x, y := a.Distribution(), b.Distribution()
	if got := Error(x, y, 0.5); math.Abs(got-1) > 1e-12 {
		t.Errorf("half the delay is an error of %v, want 1", got)
	}
	if got := MaxError(y, x); math.Abs(got-1) > 1e-12 {
		t.Errorf("twice the delay is an error of %v, want 1", got)
	}
	if got := MaxError(&Distribution{}, x); !math.IsNaN(got) {
		t.Errorf("the error of nothing is %v, want NaN", got)
	}
	m := Mean(x, y, &Distribution{})
	for _, at := range []float64{500, 1200, 1999, 2600, 3900, 9000} {
		if got, want := m.CDF(at), (x.CDF(at)+y.CDF(at))/2; math.Abs(got-want) > 1e-9 {
			t.Errorf("mean CDF(%v) = %v, want %v", at, got, want)
		}
	}
}

// The 95 % intervals contain the true quantile of all pairs for 95 % of the seeds. If they were exact, fewer than 357
// or more than 396 of 400 intervals would contain this quantile with probability below 1e-4. The test also bounds the
// error of the approximation.
func TestIntervals(t *testing.T) {
	const pairs, seeds = 3000, 400
	r := hash.Stream(1, "delays")
	var all Samples
	delays := make([]uint64, pairs)
	for i := range delays {
		delays[i] = 1 + uint64(math.Exp(r.Float64()*6))
		all.Add(delays[i], 1)
	}
	truth := all.Distribution()
	for _, q := range []float64{0.5, 0.95} {
		held := 0
		for seed := range uint64(seeds) {
			f := must[*Fridge[uint64]](t)(New[uint64](single(128, 0.5, Entered, seed)))
			tally := must[*Tally](t)(NewTally(1, DefaultWidth))
			due := map[uint64][]uint64{} // by time of response
			for now := range uint64(pairs + 500) {
				for _, id := range due[now] {
					if s, ok := f.Response(id, now); ok {
						tally.Add(0, s.Delay, s.Factor)
					}
				}
				if now < pairs {
					f.Request(now, now)
					due[now+delays[now]] = append(due[now+delays[now]], now)
				} else {
					f.Request(now, now)
				}
			}
			lo, hi := tally.Distribution().Interval(q, 1.96)
			if x := truth.Quantile(q); lo <= x && x <= hi {
				held++
			}
		}
		if held < 357 || held > 396 {
			t.Errorf("the interval of quantile %v holds the true one for %d of %d seeds, want 95 %%", q, held, seeds)
		}
	}
}

// Intervals are also right with few samples: a small fridge samples 1 to 70 of some hundred pairs, and the longest
// delays rarely survive. The true quantile may be outside the interval for 5 % of 400 seeds. If the intervals are
// exact, it is outside for more than 36 seeds with probability below 1e-3. The interval of a single sample has no
// bounds.
func TestIntervalsOfFewSamples(t *testing.T) {
	for _, x := range []struct {
		pairs   int
		entries int
		p       float64
	}{{20, 64, 0.1}, {100, 64, 0.1}, {200, 128, 0.5}, {400, 64, 0.15}, {800, 16, 0.1}} {
		r := hash.Stream(1, "delays")
		var all Samples
		delays := make([]uint64, x.pairs)
		for i := range delays {
			delays[i] = 1 + uint64(math.Exp(r.Float64()*6))
			all.Add(delays[i], 1)
		}
		truth, outside, seeds, samples := all.Distribution(), map[float64]int{}, 0, 0
		for seed := range uint64(400) {
			f := must[*Fridge[uint64]](t)(New[uint64](single(x.entries, x.p, Entered, seed)))
			tally := must[*Tally](t)(NewTally(1, DefaultWidth))
			due, n := map[uint64][]uint64{}, 0
			for now := range uint64(x.pairs + 500) {
				for _, id := range due[now] {
					if s, ok := f.Response(id, now); ok {
						tally.Add(0, s.Delay, s.Factor)
						n++
					}
				}
				f.Request(now, now)
				if now < uint64(x.pairs) {
					due[now+delays[now]] = append(due[now+delays[now]], now)
				}
			}
			if n == 0 {
				continue
			}
			seeds, samples = seeds+1, samples+n
			for _, q := range []float64{0.5, 0.95, 0.99} {
				lo, hi := tally.Distribution().Interval(q, 1.96)
				if n == 1 && (lo != 0 || !math.IsInf(hi, 1)) && q == 0.5 {
					t.Errorf("one sample bounds the median: %v to %v", lo, hi)
				}
				if y := truth.Quantile(q); y < lo || y > hi {
					outside[q]++
				}
			}
		}
		t.Logf("%d pairs: %d seeds, %d samples, outside %v", x.pairs, seeds, samples/seeds, outside)
		for q, n := range outside {
			if n > 36 {
				t.Errorf("%d pairs, %d entries: quantile %v is outside of %d of %d intervals",
					x.pairs, x.entries, q, n, seeds)
			}
		}
	}
}

// A histogram is computed by hand for M = 2^16 and p = 1/2: a sample counts for 2 pairs if x = 0, and for 3 pairs if x
// = 20 000.
func TestHistogram(t *testing.T) {
	h := NewHistogram(must[*Factors](t)(NewFactors(FactorsConfig{Entries: 1 << 16, Probability: 0.5, Limit: 1 << 19})))
	h.Add(0, 0)
	h.Add(1, 0)
	h.Add(1023, 20_000)
	h.Add(1024, 0)
	h.Add(math.MaxUint32, 0)
	for i := range Bins {
		want := map[int]uint32{0: 4, 9: 3, 10: 2, 31: 2}[i]
		if got := h.Bin(i); got != want {
			t.Errorf("bin %d holds %d, want %d", i, got, want)
		}
	}
	d := h.Distribution(1)
	for at, want := range map[float64]float64{
		1: 2.0 / 11, 2: 4.0 / 11, 512: 4.0 / 11, 768: 5.5 / 11, 1024: 7.0 / 11, 1 << 32: 1,
	} {
		if got := d.CDF(at); math.Abs(got-want) > 1e-12 {
			t.Errorf("CDF(%v) = %v, want %v", at, got, want)
		}
	}
}

func TestBadTally(t *testing.T) {
	if _, err := NewTally(0, 0.01); err == nil {
		t.Error("a tally of no fridge")
	}
	for _, w := range []float64{0, -1, 2, math.NaN()} {
		if _, err := NewTally(1, w); err == nil {
			t.Errorf("bins of width %v", w)
		}
	}
}

func BenchmarkTally(b *testing.B) {
	t := must[*Tally](b)(NewTally(1, DefaultWidth))
	b.ReportAllocs()
	for i := range uint64(b.N) {
		t.Add(0, i*i, 2)
	}
}

func BenchmarkDistribution(b *testing.B) {
	t := must[*Tally](b)(NewTally(1, DefaultWidth))
	for i := range uint64(100_000) {
		t.Add(0, i, 2)
	}
	for b.Loop() {
		t.Distribution().Quantile(0.99)
	}
}
