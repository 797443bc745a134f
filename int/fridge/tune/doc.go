// Package tune chooses the entry probabilities of fridges from the variance of what they
// estimate.
//
//	Zheng, Chen, Braverman, Rexford, "Unbiased Delay Measurement in the Data Plane",
//	APOCS 2022: sections 3.3, 4.2 and 5.2. It leaves open how to choose for three fridges
//	and more (§5.3).
//
// # The variance
//
// Requests arrive at rate r. While one with delay t waits, about p·r·t others enter its
// fridge-(M, p). If their number is Poisson, the correction factor of the pair has the
// mean square
//
//	v(t) = p^-1 · exp(p·r·t/(M-1)),
//
// which is Lemma 3.1 averaged over x. Several fridges, combined with the weights of
// Theorem 4.1, have 1/v(t) = Σ_k 1/v_k(t). Each pair enters one fridge at most, so that
// the estimated number of n pairs with delay t has the variance n·(v(t) - 1), and, as a
// ratio of two sums, the estimated share q of the pairs with delays up to t
//
//	Var F̂(t) = n^-1·[(1-q)²·Σ_{s≤t} (v(s)-1)·f(s) + q²·Σ_{s>t} (v(s)-1)·f(s)],
//
// where f is the distribution of delays. Divided by the slope of F over log2 t, its root
// is the standard deviation of log2 of the quantile: the fridges paper's measure of error (§5).
//
// # What is minimised
//
// Optimize minimises the geometric mean of these deviations over some quantiles, so that each
// counts for its relative change. The median is always better known than the 99th percentile,
// and with another mean the 99th percentile alone would decide. For a single fridge and pairs
// of one delay t the minimum is at p = (M-1)/(r·t): the average lifetime M/p is then the number
// of requests in the delay, which is the fridges paper's advice (§5.2). Otherwise Optimize searches
// with the downhill simplex method of Nelder and Mead from several starting points.
//
// The model takes the weights of fridge.Tally.Expected, at the rate of the load, as known.
// With weights that are estimated from the samples (Eq. 7), several fridges are biased and gain
// less than predicted here.
package tune
