package workloads

import (
	"fmt"
	"math/big"
	"math/bits"
	"sort"

	"pintlab/netsim/unit"
)

// percentPlaces is the resolution of cumulative shares: 10^-15 of a percent.
const percentPlaces = 15

// allOfIt is 100 % in units of 10^-15 of a percent.
const allOfIt = 100_000_000_000_000_000

// Point states that a share Cumulative of all flows has at most Size bytes. Cumulative is in units of
// 10^-15 of a percent, so that decimal percentages are exact.
type Point struct {
	Size       unit.Bytes
	Cumulative int64
}

// CDF is a distribution defined by points of its cumulative function, linear between them. Drawn sizes are
// rounded to whole bytes and are at least 1.
type CDF struct {
	name   string
	points []Point
	mean   float64
}

// NewCDF makes a distribution of at least one point. Sizes are at least 0, neither sizes nor shares may
// decrease, no two points may be equal, and the last share must be 100 %. Two points of equal size are a
// jump: flows of exactly that size make up the difference of the shares. A first point with a share above 0
// is also a jump. Two points of equal share are a gap: no flow has a size between them.
func NewCDF(name string, points []Point) (*CDF, error) {
	if len(points) == 0 {
		return nil, fmt.Errorf("workloads: CDF %q has no points", name)
	}
	for i, p := range points {
		if err := checkPoint(points[:i], p); err != nil {
			return nil, fmt.Errorf("workloads: CDF %q, point %d: %w", name, i+1, err)
		}
	}
	if err := checkEnd(points); err != nil {
		return nil, fmt.Errorf("workloads: CDF %q: %w", name, err)
	}
	c := &CDF{name: name}
	if points[0].Cumulative > 0 { // flows of exactly the first size
		c.points = append(c.points, Point{points[0].Size, 0})
	}
	c.points = append(c.points, points...)
	c.mean = meanOf(c.points)
	return c, nil
}

// checkPoint returns an error if p may not follow the points before it.
func checkPoint(before []Point, p Point) error {
	percent := formatDecimal(max(p.Cumulative, 0), percentPlaces, 0)
	switch {
	case p.Size < 0:
		return fmt.Errorf("size %d, want >= 0", int64(p.Size))
	case p.Size > maxSize:
		return fmt.Errorf("size %d, want <= %d", int64(p.Size), int64(maxSize))
	case p.Cumulative < 0 || p.Cumulative > allOfIt:
		return fmt.Errorf("cumulative share %s %%, want 0 to 100", percent)
	}
	if len(before) == 0 {
		return nil
	}
	last := before[len(before)-1]
	switch {
	case p == last:
		return fmt.Errorf("the same as the previous point")
	case p.Size < last.Size:
		return fmt.Errorf("size %d after %d, want ascending sizes", int64(p.Size), int64(last.Size))
	case p.Cumulative < last.Cumulative:
		return fmt.Errorf("cumulative share %s %% after %s %%, want ascending shares",
			percent, formatDecimal(last.Cumulative, percentPlaces, 0))
	}
	return nil
}

// checkEnd returns an error if the list of points, each valid, does not end at 100 % or has only size 0.
func checkEnd(points []Point) error {
	last := points[len(points)-1]
	if last.Cumulative != allOfIt {
		return fmt.Errorf("the last cumulative share is %s %%, want 100",
			formatDecimal(last.Cumulative, percentPlaces, 0))
	}
	if last.Size == 0 {
		return fmt.Errorf("all flows have 0 bytes, want a largest size >= 1")
	}
	return nil
}

// meanOf returns the exact mean of the piecewise linear function, rounded once: the sum over all segments
// of their share times the midpoint of their sizes.
func meanOf(points []Point) float64 {
	sum := new(big.Int) // sum of share · (a+b), which is twice the mean times allOfIt
	for i := 1; i < len(points); i++ {
		share := big.NewInt(points[i].Cumulative - points[i-1].Cumulative)
		ends := new(big.Int).Add(big.NewInt(int64(points[i-1].Size)), big.NewInt(int64(points[i].Size)))
		sum.Add(sum, share.Mul(share, ends))
	}
	mean, _ := new(big.Rat).SetFrac(sum, big.NewInt(2*allOfIt)).Float64()
	return mean
}

// Name returns the name given to NewCDF.
func (c *CDF) Name() string { return c.name }

// Mean returns the exact mean of the distribution, rounded once to a float64. Rounding drawn sizes to whole
// bytes does not change the mean, except that sizes below half a byte become 1.
func (c *CDF) Mean() float64 { return c.mean }

// Size returns the quantile at u/2^64, rounded to the nearest byte and at least 1.
func (c *CDF) Size(u uint64) unit.Bytes {
	q := int64(below(u, allOfIt))
	// i is the first point above q. Such a point exists because the last point is at 100 %. It is not point 0, because
	// point 0 is at 0 %.
	i := sort.Search(len(c.points), func(i int) bool { return c.points[i].Cumulative > q })
	a, b := c.points[i-1], c.points[i]
	share := uint64(b.Cumulative - a.Cumulative)
	hi, lo := bits.Mul64(uint64(b.Size-a.Size), uint64(q-a.Cumulative))
	lo, carry := bits.Add64(lo, share/2, 0)
	add, _ := bits.Div64(hi+carry, lo, share) // q < b.Cumulative, so the quotient is at most b-a
	return max(1, a.Size+unit.Bytes(add))
}
