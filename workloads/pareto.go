package workloads

import (
	"errors"
	"fmt"
	"strconv"

	"pintlab/internal/numeric"
	"pintlab/internal/rules"
	"pintlab/netsim/unit"
)

// Pareto is the bounded Pareto distribution: the density falls as x^(-Shape-1)
// between Min and Max and is 0 elsewhere. Make one with NewPareto.
type Pareto struct {
	shape    float64
	min, max unit.Bytes
	upper    float64 // 1 - (min/max)^shape, which is the probability of a size below max if there were no upper bound
	mean     float64
}

// NewPareto makes the distribution for 0.01 <= shape <= 100 and 1 <= min < max.
func NewPareto(shape float64, min, max unit.Bytes) (*Pareto, error) {
	var errs rules.Broken
	errs.If(!(shape >= 0.01 && shape <= 100), "shape %v, want 0.01 to 100", shape)
	errs.If(min < 1 || max <= min || max > maxSize, "sizes from %d to %d B, want 1 <= min < max <= %d",
		int64(min), int64(max), int64(maxSize))
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("workloads: bounded Pareto distribution: %w", err)
	}
	d := &Pareto{shape: shape, min: min, max: max}
	// With c = ln(max/min), (min/max)^shape = e^(-shape·c), and the mean
	//	min · shape/(1 - e^(-shape·c)) · (1 - e^((1-shape)·c)) / (shape - 1)
	// is min · Growth((1-shape)·c) / Growth(-shape·c), which needs no special case at
	// shape 1 and loses no digits near it.
	c := numeric.Ln(float64(max) / float64(min))
	ac := float64(shape * c)
	d.upper = float64(ac * numeric.Growth(-ac))
	d.mean = float64(min) * float64(numeric.Growth(float64((1-shape)*c))/numeric.Growth(-ac))
	return d, nil
}

// Name returns "pareto:SHAPE:MIN:MAX".
func (d *Pareto) Name() string {
	return fmt.Sprintf("pareto:%s:%v:%v", strconv.FormatFloat(d.shape, 'g', -1, 64), d.min, d.max)
}

// Mean returns the mean of the continuous distribution. Rounding drawn sizes to whole bytes changes it by
// less than half a byte.
func (d *Pareto) Mean() float64 { return d.mean }

// Size returns the quantile at u/2^64, rounded to the nearest byte:
// min · (1 - u·upper)^(-1/shape).
func (d *Pareto) Size(u uint64) unit.Bytes {
	p := float64(u>>11) * (1.0 / (1 << 53))
	left := 1 - float64(p*d.upper) // probability of a larger size without an upper bound, >= (min/max)^shape
	if left <= 0 {                 // rounding can make upper 1
		return d.max
	}
	x := float64(float64(d.min) * numeric.Exp(-numeric.Ln(left)/d.shape))
	return min(max(d.min, unit.Bytes(x+0.5)), d.max)
}
