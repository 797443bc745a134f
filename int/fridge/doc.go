// Package fridge measures the distribution of delays between requests and responses in
// little memory and without survivorship bias.
//
//	Zheng, Chen, Braverman, Rexford, "Unbiased Delay Measurement in the Data Plane",
//	APOCS 2022: sections 2.1, 3 to 6.
//
// A switch that remembers requests in a hash-indexed array loses some of them to later
// requests, and it loses requests with long delays more often. A fridge counts for each
// sample how many requests entered while it waited. The sample then also stands for
// requests that did not survive as long: its correction factor is the inverse of the
// probability that it was observed.
//
// # Parts
//
//	fridge.go        Fridge: a fridge-(M, p), or several that share the requests (§3.2, §4.2)
//	array.go         Array: the baseline, an expiring array in 1 to D stages (§2.1, §2.2)
//	stages.go        Stages: a fridge in D pipeline stages, which §4.1 advises against
//	powers.go        (1 - 1/M)^-x by table
//	table.go         Table: the three arrays of a switch, IDS, TS and CTR (§6.1)
//	factors.go       Factors: whole correction factors by ranges of x (§6.2)
//	histogram.go     Histogram: 32 bins on log2 of the delay, as a switch keeps them (§6.2)
//	tally.go         Tally: logarithmic bins, sums of each fridge, and their combination (§4.2)
//	samples.go       Samples: every sample with its factor (§3.2)
//	distribution.go  Distribution: the CDF of Eq. 3 with its intervals, and its error (§5)
//	tune.go          Model: the predicted error, and the fridges with the least predicted error
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
// Sections 3.3, 4.2 and 5.2 are about one and two fridges; the fridges paper leaves open how to choose three or
// more fridges (§5.3). Model predicts the variance of what they estimate, for any number.
//
// Requests arrive at rate r. While one with delay t waits, about p·r·t others enter its
// fridge-(M, p). If their number is Poisson, the correction factor of the pair has the
// mean square
//
//	v(t) = p^-1 · exp(p·r·t/(M-1)),
//
// which is Lemma 3.1 averaged over x. Several fridges, combined with the weights of
// Theorem 4.1, have 1/v(t) = Σ_k 1/v_k(t). Each pair enters one fridge at most, so the
// estimated number of n pairs with delay t has the variance n·(v(t) - 1). The estimated
// share q of the pairs with delays up to t is a ratio of two sums, and has the variance
//
//	Var F̂(t) = n^-1·[(1-q)²·Σ_{s≤t} (v(s)-1)·f(s) + q²·Σ_{s>t} (v(s)-1)·f(s)],
//
// where f is the distribution of delays. Divided by the slope of F over log2 t, its root
// is the standard deviation of log2 of the quantile: the fridges paper's measure of error (§5).
//
// Optimize minimises the geometric mean of these deviations over some quantiles, so that each deviation counts by its
// relative change. The median always has a smaller deviation than the 99th percentile, and with another mean the 99th
// percentile alone would decide. For a single fridge and pairs of one delay t the minimum is at p = (M-1)/(r·t): the
// average lifetime M/p is then the number of requests in the delay, which is the fridges paper's advice (§5.2).
// Otherwise Optimize searches with the downhill simplex method of Nelder and Mead from several starting points.
//
// The model assumes that the weights of Tally.Expected, at the rate of the load, are known. With weights that are
// estimated from the samples (Eq. 7), several fridges are biased and gain less than predicted here.
//
// # Which x belongs to which factor
//
// Section 3.2 counts every request and charges each with an eviction probability of p/M: factor p^-1·(1 - p/M)^-x.
// Section 6.1 counts the requests that entered; each of them evicts with probability 1/M: factor p^-1·(1 - 1/M)^-x.
// Both are unbiased. The default is the second, which §6.2's table of factors agrees with. The fridges paper's formula
// of §6.2 puts the count of §6.1 into the factor of §3.2. That mixture, the Pairing Mixed, is biased: if M/p requests,
// of which about M enter, come between request and response, it estimates about e^(p-1) of the true number, which is
// 0.5 for p = 0.3.
//
// # Identifiers
//
// A request has a 64-bit identifier that its response repeats. The structures hash it to a place and to 32 bits that
// they store. Two waiting requests agree in these 32 bits with probability 2^-32; the sample is then wrong, and this is
// not detected. A hash of the identifier also decides whether a request enters, so the decision is the same when the
// request is sent again. §6.1 draws a random number instead.
//
// # Faulty traffic
//
// Requests without response, responses without request, duplicates and clocks that go
// backwards are counted in Stats. A duplicate of a request that still waits replaces this
// request, and the delay counts from the duplicate. A delay of half of the clock's range or
// more means that the response came before its request: its sample is dropped.
//
// # Differences from the fridges paper
//
//   - With several fridges, the hash of a request chooses fridge k with probability p_k, or none. In the fridges paper
//     a hash chooses the fridge, and each fridge has an entry probability, with Σp_k < 1. There p_k^-1 corrects for
//     entry only if these are a single decision.
//   - §4.2 combines the fridges with the weights 1/V̂_k of Eq. 7, and calls the result unbiased as
//     a convex combination of unbiased estimates. That holds only for weights that do not depend on
//     the samples, but these weights do. A fridge that by chance has small factors or few samples
//     for a delay has a small V̂_k, and therefore a large weight. The effect depends on how fine
//     the delays t are, which the fridges paper leaves open. With exact times, each t has one
//     sample. Then the fridge of this sample has all the weight, because the others have V̂_k = 0.
//     Eq. 7 is then the plain sum of all factors: N fridges count N times the pairs. The CDF, which
//     is normalised, is then the CDF with equal weights (Tally.Distribution), and its error is
//     little larger than ours. If bins contain several samples of each fridge, the numbers are too
//     small. If bins contain a sample of one fridge only, the numbers are up to N times too large,
//     and the CDF is wrong. By default fridges are combined with weights that only depend on the
//     delay (Tally.Expected, Tally.Distribution), which is unbiased for any number of fridges.
//     Tally.ByEstimatedVariance has the weights of the fridges paper, in bins. With one fridge all
//     are the same. TestExactTimes of package experiments/internal/measure/fridges compares them.
//   - In Lemma 3.1, each pair's delay is random and independent of the others. For the
//     intervals of Distribution, the delays are fixed and only survival is random. The
//     intervals therefore describe the pairs that occurred, not a population from which
//     these pairs were drawn.
//
// # Speed
//
// A request or response costs one hash and one access to the array, and allocates
// nothing. The benchmarks report requests and responses per second.
package fridge
