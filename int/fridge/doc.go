// Package fridge measures the distribution of delays between requests and responses in
// little memory and without survivorship bias.
//
//	Zheng, Chen, Braverman, Rexford, "Unbiased Delay Measurement in the Data Plane",
//	APOCS 2022: sections 2.1, 3 to 6.
//
// A switch that remembers requests in a hash-indexed array loses some of them to later
// requests, and those with long delays more often. A fridge counts for each sample how
// many requests entered while it waited, and lets the sample stand for the others that
// did not survive as long: it has a correction factor, the inverse of the probability
// that it was observed.
//
// # Parts
//
//	fridge.go        Fridge: a fridge-(M, p), or several that share the requests (§3.2, §4.2)
//	array.go         Array: the peer, an expiring array in 1 to D stages (§2.1, §2.2)
//	stages.go        Stages: a fridge in D pipeline stages, which §4.1 advises against
//	powers.go        (1 - 1/M)^-x by table
//	table.go         Table: the three arrays of a switch, IDS, TS and CTR (§6.1)
//	factors.go       Factors: whole correction factors by ranges of x (§6.2)
//	histogram.go     Histogram: 32 bins on log2 of the delay, as a switch keeps them (§6.2)
//	tally.go         Tally: logarithmic bins, sums of each fridge, and their combination (§4.2)
//	samples.go       Samples: every sample with its factor (§3.2)
//	distribution.go  Distribution: the CDF of Eq. 3 with its intervals, and its error (§5)
//	tune.go          Model: the predicted error, and the fridges with the least
//
// # Symbols
//
//	paper    here                  meaning
//	M, p     Part                  entries and entry probability of a fridge
//	x        Sample.Survived       insertions that a sample survived
//	t        Sample.Delay          delay, in ticks of the caller's clock
//	f̂        Tally, Samples        estimated number of pairs with a delay
//	V̂        Tally                 estimated variance of f̂ (Eq. 7)
//	F̂        Distribution          estimated CDF (Eq. 3)
//	D        ArrayConfig.Stages,   pipeline stages
//	         StagesConfig.Stages
//
// # The choice of fridges
//
// Sections 3.3, 4.2 and 5.2 are about one and two fridges; the fridges paper leaves open how to choose for three
// and more (§5.3). Model predicts the variance of what they estimate, for any number.
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
// Optimize minimises the geometric mean of these deviations over some quantiles, so that each
// counts for its relative change. The median is always better known than the 99th percentile,
// and with another mean the 99th percentile alone would decide. For a single fridge and pairs
// of one delay t the minimum is at p = (M-1)/(r·t): the average lifetime M/p is then the number
// of requests in the delay, which is the fridges paper's advice (§5.2). Otherwise Optimize searches
// with the downhill simplex method of Nelder and Mead from several starting points.
//
// The model takes the weights of Tally.Expected, at the rate of the load, as known.
// With weights that are estimated from the samples (Eq. 7), several fridges are biased and gain
// less than predicted here.
//
// # Which x belongs to which factor
//
// Section 3.2 counts every request and charges each with an eviction probability of p/M:
// factor p^-1·(1 - p/M)^-x. Section 6.1 counts the requests that entered; each of them
// evicts with probability 1/M: factor p^-1·(1 - 1/M)^-x. Both are unbiased. The default
// is the second, which §6.2's table of factors agrees with. The fridges paper's formula of §6.2
// puts the count of §6.1 into the factor of §3.2. That mixture, the Pairing Mixed, is
// biased: after M/p insertions of p·M entered requests it gives half of the true number.
//
// # Identifiers
//
// A request has a 64-bit identifier that its response repeats. The structures hash it to
// a place and to 32 bits that they store. Two waiting requests agree in these 32 bits
// with probability 2^-32; the sample is then wrong, and this is not detected. Entry depends
// on a hash of the identifier too, where §6.1 draws a random number: a request that is sent
// again gets the same decision.
//
// # Faulty traffic
//
// Requests without response, responses without request, duplicates and clocks that go
// backwards are counted in Stats. A duplicate of a request that still waits replaces it:
// the delay counts from the last one. A delay of half of the clock's range or more means
// that the response came before its request: its sample is dropped.
//
// # Differences from the fridges paper
//
//   - With several fridges, the hash of a request chooses fridge k with probability p_k,
//     or none. In the fridges paper a hash chooses the fridge, and each fridge has an entry
//     probability, with Σp_k < 1. There p_k^-1 corrects for entry only if these two decisions
//     are one.
//   - §4.2 combines the fridges with the weights 1/V̂_k of Eq. 7, and calls the result unbiased as
//     a convex combination of unbiased estimates. That holds for weights that do not depend on the
//     samples, and these do: a fridge that by chance has small factors or few samples for a delay
//     has a small V̂_k, and with it a great weight. What this does depends on how fine the delays t
//     are, which the fridges paper leaves open. With exact times each t has one sample. Its fridge
//     then has all the weight, since the others have V̂_k = 0, and Eq. 7 is the plain sum of all
//     factors: N fridges count N times the pairs. The CDF, which is normalised, is then the CDF
//     with equal weights (Tally.Distribution), and errs little more than ours. Where bins hold
//     several samples of each fridge, the numbers come out too small; where they hold a sample of
//     one fridge only, up to N times too great, and the CDF is wrong. By default fridges are
//     combined with weights that only depend on the delay (Tally.Expected, Tally.Distribution),
//     which is unbiased for any number of fridges. Tally.ByEstimatedVariance has the weights of the
//     fridges paper, in bins. With one fridge all are the same. TestExactTimes of package
//     experiments/internal/measure/fridges compares them.
//   - Lemma 3.1 takes each pair's delay as random, independent of the others. The
//     intervals of Distribution hold the delays fixed and take only survival as random:
//     they are about the pairs that were there, not about a population that they come
//     from.
//
// # Speed
//
// A request or response costs one hash and one access to the array, and allocates
// nothing. The benchmarks report requests and responses per second.
package fridge
