package pint

import (
	"math"
)

// Known is how many flows of a class have a path that is known when their last byte
// arrives.
type Known struct {
	From, To int // packets of a flow; To 0: no end
	Flows    int // of the class
	Share    float64
	Lo, Hi   float64 // 95 % interval of the share (Wilson's score interval)
}

// classes are the ranges of packets by which flows are counted. The last class has all flows.
var classes = [][2]int{{1, 1}, {2, 5}, {6, 10}, {11, 20}, {21, 50}, {51, 100}, {101, 0}, {1, 0}}

// KnownAtEnd counts, for each class and for all flows, those whose path an arm knew when they ended. It
// leaves out classes without a flow.
func KnownAtEnd(flows []*Flow, arm int) []Known {
	var list []Known
	for _, c := range classes {
		k, known := Known{From: c[0], To: c[1]}, 0
		for _, f := range flows {
			if f.Packets < c[0] || c[1] > 0 && f.Packets > c[1] {
				continue
			}
			k.Flows++
			if f.Tail[arm] {
				known++
			}
		}
		if k.Flows == 0 {
			continue
		}
		k.Share = float64(known) / float64(k.Flows)
		k.Lo, k.Hi = wilson(k.Share, float64(k.Flows))
		list = append(list, k)
	}
	return list
}

// wilson returns the 95 % interval of a share of n.
func wilson(share, n float64) (lo, hi float64) {
	const z = 1.959963984540054
	centre := (share + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	return max(0, centre-half), min(1, centre+half)
}
