package estimate

import (
	"math"

	"pintlab/netsim/unit"
)

// combine returns the total delay of a flow from its delays on single links. Packets of a short flow wait at one link
// after the other, so the delays add up. The delays of a long flow overlap: while the flow waits for its share of one
// link, it is not in the queue of another link. For long flows, the sum of the delays is too large and the largest
// delay is too small; the root of the sum of squares lies between the two. Flows up to half a bandwidth-delay product
// are short. For larger flows, the weight of the sum decreases with the size. We measured nine traffic mixes on 512
// hosts. With HPCC, the median error of the p99 slowdown was +19 % with sums, -9 % with the largest delay and +3 %
// with this rule. With Swift, it was +13, 0 and +3 %.
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
