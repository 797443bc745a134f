package fridge

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"

	"pintlab/internal/lists"
	"pintlab/internal/rules"
)

// maxFridges is the largest number of fridges that Optimize considers.
const maxFridges = 4

// Load is the traffic for which fridges are chosen.
type Load struct {
	// Rate is the number of requests per tick.
	Rate float64
	// Delays is the distribution of delays, in ticks.
	Delays *Distribution
	// Pairs is the number n of requests with a response: a measured number, or 1 if only the best
	// probabilities matter.
	Pairs float64
	// Quantiles lists the quantiles whose errors count, each above 0 and below 1.
	Quantiles []float64
}

// validate reports every rule that l breaks.
func (l Load) validate() error {
	var errs rules.Broken
	errs.If(!(l.Rate > 0) || math.IsInf(l.Rate, 0), "rate = %v requests per tick, want more than 0", l.Rate)
	errs.If(l.Delays == nil || !(l.Delays.Total() > 0), "no delays")
	errs.If(!(l.Pairs > 0) || math.IsInf(l.Pairs, 0), "pairs = %v, want more than 0", l.Pairs)
	errs.If(len(l.Quantiles) == 0, "no quantiles")
	for _, q := range l.Quantiles {
		errs.If(!(q > 0 && q < 1), "quantile = %v, want more than 0 and less than 1", q)
	}
	return errs.Err("tune")
}

// modelDelays is the number of delays that represent a distribution.
const modelDelays = 500

// Model predicts errors under a load.
type Model struct {
	load   Load
	delays [modelDelays]float64 // the middles of equally likely ranges, ascending
	slopes []float64            // slopes of the quantiles, d log2 t / dq
}

// NewModel prepares the predictions for a load.
func NewModel(l Load) (*Model, error) {
	if err := l.validate(); err != nil {
		return nil, err
	}
	m := &Model{load: l}
	for i := range m.delays {
		m.delays[i] = l.Delays.Quantile((float64(i) + 0.5) / modelDelays)
	}
	for _, q := range l.Quantiles {
		// The range must be wider than the bins of the distribution, and within (0, 1).
		h := min(0.02, q/2, (1-q)/2)
		slope := math.Log2(l.Delays.Quantile(q+h)/l.Delays.Quantile(q-h)) / (2 * h)
		if !(slope > 0) || math.IsInf(slope, 0) {
			return nil, fmt.Errorf("tune: the delays around quantile %v are all equal or 0, want different delays", q)
		}
		m.slopes = append(m.slopes, slope)
	}
	return m, nil
}

// Prediction contains the expected error.
type Prediction struct {
	// Errors are the standard deviations of log2 of the quantiles of the load.
	Errors []float64
	// Error is their geometric mean, which Optimize minimises.
	Error float64
	// Samples is the expected number of samples. The errors are asymptotic, so they mean
	// little with fewer than FewSamples.
	Samples float64
}

// FewSamples is the smallest expected number of samples that Optimize accepts.
const FewSamples = 30

// Predict returns the error of fridges.
func (m *Model) Predict(parts []Part) Prediction {
	var p Prediction
	variances := m.variances(parts)
	for _, v := range variances {
		p.Errors = append(p.Errors, math.Sqrt(v))
	}
	p.Error = math.Exp(meanLog(variances) / 2)
	p.Samples = m.samples(parts)
	return p
}

// samples returns the expected number of samples of the fridges.
func (m *Model) samples(parts []Part) (n float64) {
	for _, t := range m.delays {
		for _, p := range parts {
			n += m.survival(p, t)
		}
	}
	return n * m.load.Pairs / modelDelays
}

// survival returns the probability that a pair with the delay t is a sample of a fridge.
func (m *Model) survival(p Part, t float64) float64 {
	return p.Probability * math.Exp(-p.Probability*m.load.Rate*t/float64(p.Entries-1))
}

// variances returns the variances of log2 of the quantiles.
func (m *Model) variances(parts []Part) []float64 {
	var excess [modelDelays]float64 // v(t) - 1
	for i, t := range m.delays {
		inverse := 0.0 // Σ 1/v_k
		for _, p := range parts {
			inverse += m.survival(p, t)
		}
		// The bound keeps sums finite. It applies only far from the best probabilities.
		excess[i] = max(1/max(inverse, 1e-290)-1, 0)
	}
	list := make([]float64, len(m.load.Quantiles))
	for j, q := range m.load.Quantiles {
		below, above := 0.0, 0.0
		for i, e := range excess {
			if (float64(i)+0.5)/modelDelays <= q {
				below += e
			} else {
				above += e
			}
		}
		share := ((1-q)*(1-q)*below + q*q*above) / (modelDelays * m.load.Pairs)
		list[j] = share * m.slopes[j] * m.slopes[j]
	}
	return list
}

// meanLog returns the mean of the logarithms. The smallest positive number is added to each value, because a
// value can be 0.
func meanLog(list []float64) (m float64) {
	for _, v := range list {
		m += math.Log(v+math.SmallestNonzeroFloat64) / float64(len(list))
	}
	return m
}

// Advice returns the p of §5.2 for a fridge of M entries: the smallest p, in significantDigits digits, with which the
// average lifetime M/p is within the requests during the delay of a quantile. It is 1 if M alone is more.
func (m *Model) Advice(entries int, quantile float64) float64 {
	p := min(1, float64(entries)/(m.load.Rate*m.load.Delays.Quantile(quantile)))
	return min(1, max(roundUp(p), leastProbability))
}

// significantDigits is the number of significant digits that chosen probabilities have. The error is flat around its
// minimum, so more digits would only show differences between processors.
const significantDigits = 2

// roundDown rounds a probability down to its first significantDigits digits, so that sums of probabilities do not
// exceed 1.
func roundDown(p float64) float64 {
	unit := math.Pow10(significantDigits - 1 - int(math.Floor(math.Log10(p))))
	return math.Floor(p*unit*(1+1e-9)) / unit
}

// roundUp rounds a probability up to its first significantDigits digits.
func roundUp(p float64) float64 {
	unit := math.Pow10(significantDigits - 1 - int(math.Floor(math.Log10(p))))
	return math.Ceil(p*unit*(1-1e-9)) / unit
}

// Choice limits which fridges Optimize may choose.
type Choice struct {
	Entries int `flag:"entries" default:"65536" range:">=2 <=1073741824" use:"entries {M} of all fridges together"`
	Fridges int `flag:"fridges" default:"4" range:">=1 <=4" use:"most fridges {N}, up to 4"`
	// Split allows different sizes. Otherwise, the fridges have equal sizes, as in §5.3.
	Split bool `flag:"free" use:"let the fridges have different sizes"`
}

// leastProbability is the smallest probability that a fridge accepts.
const leastProbability = 1.0 / (1 << 32)

// Optimize finds the fridges with the lowest predicted error among all choices with at least FewSamples expected
// samples. If there is no such choice, it finds the fridges with the largest expected number of samples.
func (m *Model) Optimize(o Choice) ([]Part, error) {
	if o.Fridges < 1 || o.Fridges > maxFridges {
		return nil, fmt.Errorf("tune: %d fridges, want 1 to %d", o.Fridges, maxFridges)
	}
	if o.Entries < 2*o.Fridges || o.Entries > MaxEntries {
		return nil, fmt.Errorf("tune: %d entries, want %d to %d for %d fridges",
			o.Entries, 2*o.Fridges, MaxEntries, o.Fridges)
	}
	parts := func(x []float64) []Part { return decodePoint(x, o) }
	cost := func(x []float64) float64 { return meanLog(m.variances(parts(x))) }
	best, err := minimize(cost, m.starts(o, 0.9, 0.999))
	if err != nil {
		return nil, err
	}
	if m.load.Pairs > 1 && m.samples(parts(best)) < FewSamples {
		const steep = 1e3 // outweighs any gain in the logarithm of the variances
		enough := func(x []float64) float64 {
			return cost(x) + steep*max(0, math.Log(FewSamples/max(m.samples(parts(x)), math.SmallestNonzeroFloat64)))
		}
		if best, err = minimize(enough, append(m.starts(o, 0.01, 0.1, 0.5), best)); err != nil {
			return nil, err
		}
	}
	list := parts(best)
	for k := range list {
		list[k].Probability = max(roundDown(list[k].Probability), leastProbability)
	}
	slices.SortStableFunc(list, func(a, b Part) int {
		return cmp.Or(cmp.Compare(b.Probability, a.Probability), b.Entries-a.Entries)
	})
	return list, nil
}

// minimize finds the least cost from any of the starts.
func minimize(cost func([]float64) float64, starts [][]float64) (best []float64, err error) {
	lowest := math.Inf(1)
	for _, start := range starts {
		result, err := optimize.Minimize(optimize.Problem{Func: cost}, start, &optimize.Settings{FuncEvaluations: 600},
			&optimize.NelderMead{SimplexSize: 0.7})
		if result == nil {
			return nil, fmt.Errorf("tune: %w", err)
		}
		if result.F < lowest {
			best, lowest = slices.Clone(result.X), result.F
		}
	}
	if best == nil {
		return nil, errors.New("tune: the predicted error is not finite at any starting point of the search")
	}
	return best, nil
}

// decodePoint converts a point of the search to fridges. The point contains the logarithms of the probabilities, which
// are scaled down if they add up to more than 1. If the sizes may differ, it also contains the logarithms of all sizes
// except the last, relative to the last.
func decodePoint(x []float64, o Choice) []Part {
	list := make([]Part, o.Fridges)
	shares, sum := make([]float64, o.Fridges), 0.0
	for k := range list {
		list[k].Probability = min(math.Exp(x[k]), 1)
		shares[k] = 1
		if o.Split && k < o.Fridges-1 {
			shares[k] = math.Exp(min(max(x[o.Fridges+k], -20), 20))
		}
		sum += shares[k]
	}
	if p := lists.Sum(list, func(p Part) float64 { return p.Probability }); p > 1 {
		for k := range list {
			list[k].Probability /= p
		}
	}
	left := o.Entries
	for k := range list {
		list[k].Probability = max(list[k].Probability, leastProbability)
		rest := 2 * (o.Fridges - 1 - k) // entries left for the following fridges
		list[k].Entries = min(max(int(float64(o.Entries)*shares[k]/sum), 2), left-rest)
		if k == o.Fridges-1 {
			list[k].Entries = left
			if !o.Split {
				list[k].Entries = o.Entries / o.Fridges
			}
		}
		left -= list[k].Entries
	}
	return list
}

// starts returns starting points of the search: fridges whose lifetimes fit the delays of quantiles, and
// fridges with up to 64 times shorter lifetimes.
func (m *Model) starts(o Choice, quantiles ...float64) [][]float64 {
	var list [][]float64
	for _, spread := range []float64{1, 4, 16, 64} {
		for _, longest := range quantiles {
			dimensions := o.Fridges
			if o.Split {
				dimensions += o.Fridges - 1
			}
			x := make([]float64, dimensions)
			t := max(m.load.Delays.Quantile(longest), 1)
			for k := range o.Fridges {
				x[k] = math.Log(min(float64(o.Entries)/float64(o.Fridges)/(m.load.Rate*t), 1)) +
					float64(k)/float64(o.Fridges)*math.Log(spread)
			}
			list = append(list, x)
		}
	}
	return list
}
