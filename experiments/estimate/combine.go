package estimate

import (
	"math"

	"pintlab/netsim/unit"
)

// combine puts the delays of a flow on its links together. Packets of a short flow wait at one link after the other, so that
// its delays add up. Those of a long flow overlap: while it waits for its share of one link, it is not in the queue of
// another. Adding them overestimates, the largest alone underestimates; we found the root of the sum of squares between the two.
// Half a bandwidth-delay product is short; beyond that the weight of the sum falls with the size. Nine mixes of 512 hosts gave
// a median error of the p99 slowdown of +19 % with sums, -9 % with the largest and +3 % so for HPCC, and +13, 0 and +3 % for Swift.
func (n *network) combine(of unit.Bytes, delays []unit.Time) unit.Time {
	sum, squares := unit.Time(0), 0.0
	for _, d := range delays {
		sum += d
		squares += float64(float64(d) * float64(d))
	}
	_, bdp := n.Setting.Farthest()
	short, size := float64(bdp)/2, float64(of)
	if size <= short {
		return sum
	}
	norm := unit.Time(math.Sqrt(squares))
	return norm + unit.Time(float64(sum-norm)*(short/size))
}
