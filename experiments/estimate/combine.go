package estimate

import (
	"math"

	"pintlab/netsim/unit"
)

// combine puts the delays of a flow on its links together.
func (n *network) combine(f int32, delays []unit.Time) unit.Time {
	sum, squares := unit.Time(0), 0.0
	for _, d := range delays {
		sum += d
		squares += float64(float64(d) * float64(d))
	}
	norm := unit.Time(math.Sqrt(squares))
	_, bdp := n.Setting.Farthest()
	if n.flows[f].size <= bdp {
		return sum
	}
	return norm + unit.Time(float64(sum-norm)*(float64(bdp)/float64(n.flows[f].size)))
}
