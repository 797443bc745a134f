// Package latency implements PINT's dynamic per-flow aggregation: statistics of the stream of
// values at each switch of a path, from one sampled value per packet.
//
//	Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM 2020,
//	section 4.1 (example 1, theorems 1 and 2), section 6.2 and appendix A.1.
//	Karnin, Lang, Liberty, "Optimal Quantile Approximation in Streams", FOCS 2016.
//
// # Symbols
//
//	paper     here                   meaning
//	k         hops                   switches on the path
//	z         packets                packets of the flow that carry the query
//	S_x,i                            values at switch i on packets of flow x
//	g, r_i    global.Reservoir       hop i overwrites with probability 1/i
//	a(p,s)                           b-bit code of a value (package approx)
//	ε_s       SampleError            rank error of the sampled substream
//	ε_a       Summary.Error          rank error of the sketch of this substream
//	φ, θ                             target quantile, frequency threshold
//
// # Where each part is
//
//	summary.go    quantiles of weighted codes; the kinds of summary
//	kll.go        KLL in a fixed number of digests, seeded
//	raw.go        the newest digests as they are; a histogram of all codes
//	window.go     any of these summaries over a sliding window
//	store.go      one summary per hop of a flow, inside a space budget
//	frequent.go   frequent values with Space-Saving
//	bounds.go     theorems 1 and 2 with constants
//
// Package experiments/internal/measure/pint measures Fig. 9 and both theorems.
//
// # Differences from the PINT paper
//
//   - The PINT paper names KLL and states its space as Õ(1/ε). Our KLL contains a fixed number of
//     one- or two-byte digests for streams of any length: below the compactors, KLL's sampler keeps
//     one of 2^s values. The coins come from a seed, so that a run can be repeated. The KLL of
//     apache/datasketches-go tosses unseeded coins; the tests compare ours with it.
//   - Codes of b bits have 2^b values, so a histogram of them is an exact summary in 2^b counters.
//     It is better than every sketch for b = 4.
//   - The error that a sketch reports is proven, not fitted. The number of compactions depends only
//     on the number of values. Each compaction adds an independent error of mean 0 and known size,
//     and the inequalities of Azuma and Hoeffding bound their sum.
package latency
