// Package linearcounting estimates how many different flows have touched an array of
// counters.
//
//	Whang, Vander-Zanden, Taylor, "A Linear-Time Probabilistic Counting Algorithm for
//	Database Applications", ACM Transactions on Database Systems 15(2), 1990, section 2.
package linearcounting

import "math"

// Estimate returns the number of flows, −w·ln(z/w), if z of w counters are still zero. With no
// zero left there is no such number; ok is then false, and the estimate that of one zero,
// w·ln w, as the code of SketchINT has it.
func Estimate(counters, zeros int) (flows float64, ok bool) {
	w := float64(counters)
	if zeros == 0 {
		return w * math.Log(w), false
	}
	return w * math.Log(w/float64(zeros)), true
}
