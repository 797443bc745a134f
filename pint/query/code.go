package query

import (
	"fmt"
	"math"

	"pintlab/internal/number"
	"pintlab/netsim/unit"
	"pintlab/pint/approx"
)

// Code encodes the values of one query in its bits. It is read-only after newCode, so switches may
// share it. The bits mean:
//
//	extremes, quantiles, frequent   one value: multiplicative with a range, additive with a step
//	sum                             a randomised counter of units (approx.Sum)
//	product                         a code whose exponents add up (approx.Product)
//	names                           the low bits of the name
//	checksum                        the checksum itself
//	ingress_timestamp               clock steps, modulo 2^bits
type Code struct {
	multiplicative *approx.Multiplicative
	additive       *approx.Additive
	sum            *approx.Sum
	product        *approx.Product
	unit           float64 // for a sum: the unit of the counter; for a timestamp: the step
	mask           uint64  // for names and timestamps
	limit          float64 // largest possible value of multiplicative and additive; +Inf: none
}

// span is the default range of a value and the default unit of its sums, in the unit of the value
// (picoseconds, bytes, shares).
type span struct{ low, high, unit float64 }

var spans = map[Value]span{
	HopLatency:      {float64(approx.LatencyLow), float64(approx.LatencyHigh), float64(unit.Nanosecond)},
	TxUtilization:   {1. / 1024, 1, 1. / 1024},
	QueueOccupancy:  {64, float64(32 * unit.MiB), 1},
	QueueCongestion: {1. / 1024, 1, 1. / 1024},
	Load:            {1. / 512, 16, 1. / 512},
}

// newCode makes the code of q, which must be valid, for paths of up to this many hops. Static
// queries have no code.
func (q *Query) newCode(hops int) (*Code, error) {
	if q.Aggregation == Path {
		return nil, nil
	}
	w := q.Bits - q.WithBits
	mask := ^uint64(0) >> (64 - w)
	switch {
	case q.Value.Fixed():
		return &Code{mask: mask}, nil
	case q.Value == IngressTime:
		return &Code{mask: mask, unit: q.Step}, nil
	}
	d := spans[q.Value]
	if q.Low != 0 {
		d.low, d.unit = q.Low, q.Low
	}
	if q.High != 0 {
		d.high = q.High
	}
	switch q.Aggregation {
	case Sum:
		if q.Step != 0 {
			d.unit = q.Step
		}
		return newSum(d, hops, w)
	case Product:
		return newProduct(q, d, hops, w)
	}
	c, err := q.newScalar(d, w)
	if err != nil {
		return nil, err
	}
	if c.limit = math.Inf(1); q.Value.facts().limit > 0 {
		c.limit = q.Value.facts().limit
	}
	return c, nil
}

// newScalar makes a code of single values in w bits.
func (q *Query) newScalar(d span, w int) (*Code, error) {
	ranged := q.Low != 0 || q.High != 0
	if share := q.Value.facts().limit == 1; q.Step == 0 && !ranged && share {
		// Shares from 0 to 1 in equal steps.
		return newAdditive(1/float64(uint64(1)<<w-1), w, q.Rounding)
	}
	if q.Step != 0 {
		return newAdditive(q.Step, w, q.Rounding)
	}
	c, err := approx.Cover(d.low, d.high, w)
	if q.Value == Load && w == 8 && !ranged {
		c, err = approx.Utilization(), nil
	}
	if err != nil {
		return nil, err
	}
	c.Rounding = q.Rounding
	m, err := approx.New(c)
	if err != nil {
		return nil, err
	}
	return &Code{multiplicative: m}, nil
}

func newAdditive(step float64, bits int, r approx.Rounding) (*Code, error) {
	a, err := approx.NewAdditive(approx.AdditiveConfig{Delta: step / 2, Codes: 1 << bits, Rounding: r})
	if err != nil {
		return nil, err
	}
	return &Code{additive: a}, nil
}

func newSum(d span, hops, bits int) (*Code, error) {
	most := math.Ceil(d.high / d.unit * float64(hops))
	if !(most <= 1<<53) {
		return nil, fmt.Errorf("the sum over %s can exceed 2^53 units of %v", number.Count(hops, "hop"), d.unit)
	}
	c, err := approx.CoverSum(uint64(max(most, 1)), bits)
	if err != nil {
		return nil, err
	}
	s, err := approx.NewSum(c)
	if err != nil {
		return nil, err
	}
	return &Code{sum: s, unit: d.unit}, nil
}

// newProduct encodes reciprocals, because a product of shares decreases, but codes only increase. A
// share below d.low counts as d.low.
func newProduct(q *Query, d span, hops, bits int) (*Code, error) {
	most := 1.0
	for range hops {
		most /= d.low
	}
	c, err := approx.Cover(1, most, bits)
	if err != nil {
		return nil, fmt.Errorf("the product over %s: %w", number.Count(hops, "hop"), err)
	}
	p, err := approx.NewProduct(c.Base, c.Codes, q.Rounding)
	if err != nil {
		return nil, err
	}
	return &Code{product: p, unit: d.low}, nil
}

// Encode returns the code of a value. word is 64 random bits for codes that round at random. Encode
// must not be called for sums and products.
func (c *Code) Encode(v float64, word uint64) uint32 {
	switch {
	case c.multiplicative != nil:
		return c.multiplicative.Encode(v, word)
	case c.additive != nil:
		return c.additive.Encode(v, word)
	}
	panic("query: Encode of a code that has no single value")
}

// Accumulate adds a value to a sum, or multiplies a product by it. word is 64 random bits that no
// other hop of the packet uses.
func (c *Code) Accumulate(code uint32, v float64, word uint64) uint32 {
	switch {
	case c.sum != nil:
		units := float64(v/c.unit) + 0.5
		if !(units > 0) { // zero, negative or NaN
			units = 0
		}
		return c.sum.Add(code, uint64(min(units, 1<<53)), word)
	case c.product != nil:
		return c.product.Mul(code, 1/max(v, c.unit), word)
	}
	panic("query: Accumulate without a sum or product")
}

// Name returns the low bits of a name.
func (c *Code) Name(name uint64) uint32 { return uint32(name & c.mask) }

// Stamp returns the code of a time: clock steps, modulo 2^bits.
func (c *Code) Stamp(t unit.Time) uint32 { return uint32(uint64(t) / uint64(c.unit) & c.mask) }

// Later reports whether stamp a is later than b, by serial number arithmetic. The result is correct
// if a and b are less than half a period apart.
func (c *Code) Later(a, b uint32) bool {
	d := uint64(a-b) & c.mask
	return d != 0 && d <= c.mask>>1
}

// Period returns the time after which stamps repeat.
func (c *Code) Period() unit.Time { return unit.Time(c.unit) * unit.Time(c.mask+1) }

// Decode returns the value of a code, in the unit of the value. Use DecodeStamp for timestamps.
func (c *Code) Decode(code uint32) float64 {
	switch {
	case c.multiplicative != nil:
		return c.multiplicative.Decode(code)
	case c.additive != nil:
		return c.additive.Decode(code)
	case c.sum != nil:
		return c.sum.Decode(code) * c.unit
	case c.product != nil:
		return 1 / c.product.Decode(code)
	}
	return float64(code)
}

// Interval returns the values that can get a code, in the unit of the value. high is +Inf for the last code, unless the
// value has a limit. Interval must not be called for sums and products, names and timestamps.
func (c *Code) Interval(code uint32) (low, high float64) {
	switch {
	case c.multiplicative != nil:
		low, high = c.multiplicative.Interval(code)
	case c.additive != nil:
		low, high = c.additive.Interval(code)
	default:
		panic("query: Interval of a code that has no single value")
	}
	return low, min(high, c.limit)
}

// Codes returns the number of codes. Decode accepts smaller numbers than that.
func (c *Code) Codes() uint64 {
	switch {
	case c.multiplicative != nil:
		return uint64(c.multiplicative.Config().Codes)
	case c.additive != nil:
		return uint64(c.additive.Config().Codes)
	case c.sum != nil:
		return uint64(c.sum.Codes())
	case c.product != nil:
		return uint64(c.product.Code().Config().Codes)
	}
	return c.mask + 1
}

// DecodeStamp returns the latest time not after now whose stamp is code.
func (c *Code) DecodeStamp(code uint32, now unit.Time) unit.Time {
	steps := uint64(now) / uint64(c.unit)
	back := (steps - uint64(code)) & c.mask
	return unit.Time(steps-back) * unit.Time(c.unit)
}
