package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is an estimate and the interval that contains the true value with the
// given confidence.
type Interval struct {
	Value  float64
	Lo, Hi float64 // -Inf and +Inf if N is 1: one value says nothing of the spread
	N      int     // values that it is made of
	Level  float64 // such as 0.95
}

// Bounded says whether the interval has ends.
func (i Interval) Bounded() bool { return !math.IsInf(i.Lo, 0) && !math.IsInf(i.Hi, 0) }

// Mean is the mean of independent values with its Student-t interval:
// x̄ ± t·s/√n with n-1 degrees of freedom. It is an error if there are no values,
// one is not finite, or the level is not between 0 and 1.
func Mean(values []float64, level float64) (Interval, error) {
	if len(values) == 0 {
		return Interval{}, fmt.Errorf("mean of no values")
	}
	if !(level > 0 && level < 1) {
		return Interval{}, fmt.Errorf("confidence level %v, want between 0 and 1", level)
	}
	for _, x := range values {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return Interval{}, fmt.Errorf("mean of values with %v among them", x)
		}
	}
	n := len(values)
	mean, dev := stat.MeanStdDev(values, nil)
	i := Interval{Value: mean, Lo: math.Inf(-1), Hi: math.Inf(1), N: n, Level: level}
	if n > 1 {
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile((1 + level) / 2)
		half := t * stat.StdErr(dev, float64(n))
		i.Lo, i.Hi = mean-half, mean+half
	}
	return i, nil
}

// PairedDifference is the mean of a[i]-b[i] with its Student-t interval. a[i] and
// b[i] are of the same seed, so what the seeds have in common cancels out.
func PairedDifference(a, b []float64, level float64) (Interval, error) {
	if len(a) != len(b) {
		return Interval{}, fmt.Errorf("%d values cannot be paired with %d", len(a), len(b))
	}
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return Mean(d, level)
}

// PairedRatio is the geometric mean of a[i]/b[i] with the interval that the
// Student-t interval of the logarithms becomes. All values must be positive.
func PairedRatio(a, b []float64, level float64) (Interval, error) {
	if len(a) != len(b) {
		return Interval{}, fmt.Errorf("%d values cannot be paired with %d", len(a), len(b))
	}
	logs := make([]float64, len(a))
	for i := range a {
		if !(a[i] > 0 && b[i] > 0) {
			return Interval{}, fmt.Errorf("ratio of %v and %v, want positive values", a[i], b[i])
		}
		logs[i] = math.Log(a[i] / b[i])
	}
	iv, err := Mean(logs, level)
	if err != nil {
		return Interval{}, err
	}
	iv.Value, iv.Lo, iv.Hi = math.Exp(iv.Value), math.Exp(iv.Lo), math.Exp(iv.Hi)
	return iv, nil
}
