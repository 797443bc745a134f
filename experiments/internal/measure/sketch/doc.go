// Package sketch measures sketches: on traces of packets how accurate and how fast they are, and SketchINT in a
// simulated network.
//
// # Accuracy
//
// MeasureAccuracy does the six local tasks of the SketchINT paper (§V-A). Definitions follow the authors' code
// (CPU_src/perflow_test of their repository), which made the figures.
//
//   - Flow sizes: ARE is the mean over all flows of |estimate − size| / size at the end of the
//     window, AAE the mean of |estimate − size|.
//   - Heavy hitters: a flow is reported if its estimate right after one of its packets was at
//     least Δh and the table had room (1024 flows in the SketchINT paper); ElasticSketch reports the
//     flows of its heavy part whose estimate at the end is at least Δh. F1 = 2·hits/(reported + true),
//     and the ARE is over the hits, of the last such estimate.
//   - Heavy changes: two windows, each with a sketch of other hashes. Candidates are the
//     flows that either window's table has, with Δc as the threshold; reported are those
//     whose estimates at the ends of the windows differ by at least Δc. The truth is over
//     the flows of both windows.
//   - Distribution: MRAC with 20 epochs. WMRE = Σ|n − n̂| / ((Σn + Σn̂)/2).
//   - Entropy: kept up to date with the estimates before and after each packet;
//     ElasticSketch from its counters at the end. |true − estimate| / true.
//   - Cardinality: linear counting; |true − estimate| / true.
//
// The SketchINT paper gives Δh = 500 and Δc = 250 "about 0.02 % and 0.01 % of the packets"; its code computes them as
// these shares of the packets, which is 460 and 230 for 2.3 M packets. Here they are 500 and 250 unless the caller
// specifies otherwise. The SketchINT paper reports a flow if its estimate is larger than Δh; its code, if it is at
// least Δh.
//
// # Speed
//
// SpeedConfig measures how many packets per second a sketch inserts, and how many queries it answers (Fig. 6, §VII-B).
// The paper gives each sketch 2 MB and five arrays. A key has 4 bytes, as in the code of the paper, which hashes the
// 5-tuple before it measures, or is the 5-tuple itself; then each insertion and each query computes its hash. The
// numbers depend on the machine and its load, and not on a seed.
//
// # SketchINT in a network
//
// MeasureSystem runs SketchINT in the simulated testbed of its paper (§VII-C, Fig. 7 and Fig. 8). A run has one sketch
// for heavy hitters and changes and one for latencies. They do not affect each other, so each run results in a point of
// both. The network, its load and the thresholds are the paper's at every scale; the period, the memories and the
// tables are divided by the same number, and so are the packets and flows that a sketch must represent.
package sketch
