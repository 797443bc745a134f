package mrac

// Cardinality estimates how many different flows have touched an array of
// counters.
//
//	Whang, Vander-Zanden, Taylor, "A Linear-Time Probabilistic Counting Algorithm for
//	Database Applications", ACM Transactions on Database Systems 15(2), 1990, section 2.

import "math"

// Cardinality returns the number of flows, −w·ln(z/w), if z of w counters are still zero. If no
// counter is zero, the estimate is infinite: ok is false, and Cardinality returns the estimate for one
// zero, w·ln w, as the code of SketchINT does.
func Cardinality(counters, zeros int) (flows float64, ok bool) {
	w := float64(counters)
	if zeros == 0 {
		return w * math.Log(w), false
	}
	return w * math.Log(w/float64(zeros)), true
}
