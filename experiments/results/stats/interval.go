package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"pintlab/internal/lists"
)

// Mean returns the mean of independent values with its Student-t interval, x̄ ± t·s/√n with n-1 degrees of
// freedom. It returns an error if there are no values, one is not finite, or the level is not between 0 and
// 1.
func Mean(values []float64, level float64) (Number, error) {
	if len(values) == 0 {
		return Number{}, fmt.Errorf("mean of no values")
	}
	if !(level > 0 && level < 1) {
		return Number{}, fmt.Errorf("confidence level %v, want between 0 and 1", level)
	}
	for _, x := range values {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return Number{}, fmt.Errorf("the mean of values that include %v is undefined", x)
		}
	}
	n := len(values)
	mean, dev := stat.MeanStdDev(values, nil)
	i := Number{Value: mean, Lo: math.NaN(), Hi: math.NaN(), Seeds: n}
	if n > 1 {
		half := quantile(level, n) * stat.StdErr(dev, float64(n))
		i.Lo, i.Hi = mean-half, mean+half
	}
	return i, nil
}

// Median returns the median of independent values with an interval from the k-th smallest to the k-th
// largest value. k is the largest number for which this interval contains the true median with at least the
// given confidence. The second result is the actual confidence, which is lower than requested if there are
// too few values.
func Median(values []float64, level float64) (Number, float64, error) {
	n := len(values)
	if n == 0 {
		return Number{}, 0, fmt.Errorf("median of no values")
	}
	sorted := slices.Sorted(slices.Values(values))
	if math.IsNaN(sorted[0]) { // NaN sorts first
		return Number{}, 0, fmt.Errorf("the median of values that include NaN is undefined")
	}
	// The true median is below the k-th smallest value if fewer than k values are below the true median.
	below := distuv.Binomial{N: float64(n), P: 0.5}
	confidence := func(k int) float64 { return 1 - 2*below.CDF(float64(k-1)) }
	k := 1
	for 2*(k+1) <= n && confidence(k+1) >= level {
		k++
	}
	return Number{Value: (sorted[(n-1)/2] + sorted[n/2]) / 2, Lo: sorted[k-1], Hi: sorted[n-k],
		Seeds: n}, confidence(k), nil
}

// Sectioned returns a number of one long run with a Student-t interval. The interval is computed from the same number
// in n sections of the run: its half width is t(n-1) times the root of Σ(section - value)² / (n(n-1)). Sections must be
// so long that they are almost independent (Asmussen and Glynn, Stochastic Simulation, ch. III.5).
func Sectioned(value float64, sections []float64, level float64) (Number, error) {
	off := lists.Map(sections, func(x float64) float64 { return x - value })
	i, err := Mean(off, level)
	if err != nil {
		return Number{}, fmt.Errorf("sections of a run: %w", err)
	}
	i.Value, i.Lo, i.Hi = value, math.NaN(), math.NaN()
	if n := float64(i.Seeds); n > 1 {
		half := quantile(level, i.Seeds) * floats.Norm(off, 2) / math.Sqrt(n*(n-1))
		i.Lo, i.Hi = value-half, value+half
	}
	return i, nil
}

// quantile returns the quantile of Student's t for an interval of n values.
func quantile(level float64, n int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile((1 + level) / 2)
}

// Jackknife returns a number of n independent observations with the interval of its pseudo-values (Tukey). A
// pseudo-value is n times the number of all observations, minus n-1 times the number of all observations except one.
// The function `of` returns the number without one observation, or the number of all observations if without is -1.
func Jackknife(n int, of func(without int) float64, level float64) (Number, error) {
	all, values := of(-1), make([]float64, n)
	for k := range values {
		if n > 1 {
			values[k] = float64(n)*all - float64(n-1)*of(k)
		}
	}
	i, err := Mean(values, level)
	i.Lo, i.Hi, i.Value = all+i.Lo-i.Value, all+i.Hi-i.Value, all
	return i, err
}

// PairedDifference returns the mean of a[i]-b[i] with its Student-t interval. a[i] and b[i] have the same
// seed, so common effects of the seed cancel.
func PairedDifference(a, b []float64, level float64) (Number, error) {
	if len(a) != len(b) {
		return Number{}, fmt.Errorf("%d values cannot be paired with %d values", len(a), len(b))
	}
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return Mean(d, level)
}

// ErrNotPositive is the error of a ratio of values that are not all positive.
var ErrNotPositive = errors.New("want positive values")

// PairedRatio returns the geometric mean of a[i]/b[i]. Its interval is the exponential of the Student-t interval of the
// logarithms. If a value is not positive, the error is ErrNotPositive.
func PairedRatio(a, b []float64, level float64) (Number, error) {
	if len(a) != len(b) {
		return Number{}, fmt.Errorf("%d values cannot be paired with %d values", len(a), len(b))
	}
	logs := make([]float64, len(a))
	for i := range a {
		if !(a[i] > 0 && b[i] > 0) {
			return Number{}, fmt.Errorf("ratio of %v and %v: %w", a[i], b[i], ErrNotPositive)
		}
		logs[i] = math.Log(a[i] / b[i])
	}
	iv, err := Mean(logs, level)
	if err != nil {
		return Number{}, err
	}
	return iv.Exp(), nil
}

// SectionedRatio returns the ratio of the same number of two long runs. Its interval is computed from the logarithms of
// the ratios of their sections (see Sectioned). All values must be positive.
func SectionedRatio(a, b float64, ofA, ofB []float64, level float64) (Number, error) {
	if len(ofA) != len(ofB) {
		return Number{}, fmt.Errorf("%d sections cannot be paired with %d sections", len(ofA), len(ofB))
	}
	logs := make([]float64, 1+len(ofA))
	for i := range logs {
		x, y := a, b
		if i > 0 {
			x, y = ofA[i-1], ofB[i-1]
		}
		if !(x > 0 && y > 0) {
			return Number{}, fmt.Errorf("ratio of %v and %v: %w", x, y, ErrNotPositive)
		}
		logs[i] = math.Log(x / y)
	}
	iv, err := Sectioned(logs[0], logs[1:], level)
	if err != nil {
		return Number{}, err
	}
	return iv.Exp(), nil
}
