// Package sketch measures how accurate and how fast sketches are on traces of packets. It also measures SketchINT in a
// simulated network.
//
// # Accuracy
//
// MeasureAccuracy does the six local tasks of the SketchINT paper (§V-A). Definitions follow the authors' code
// (CPU_src/perflow_test of their repository), which made the figures.
//
//   - Flow sizes: ARE is the mean over all flows of |estimate − size| / size at the end of the
//     window. AAE is the mean of |estimate − size|.
//   - Heavy hitters: a flow is reported if its estimate right after one of its packets was at
//     least Δh and the table had room (1024 flows in the SketchINT paper). ElasticSketch instead reports
//     the flows of its heavy part whose estimate at the end is at least Δh. F1 = 2·hits/(reported + true).
//     The ARE covers the hits, with the last such estimate of each.
//     FermatSketch reports the flows that are decoded, even if some flows are left. A Query then reports
//     all flows whose upper bound is at least Δh, with a note.
//   - Heavy changes: there are two windows, each with a sketch of other hashes. Candidates are the
//     flows in the table of either window, with Δc as the threshold. A candidate is reported if its
//     estimates at the ends of the windows differ by at least Δc. The truth covers the flows of both
//     windows.
//   - Distribution: MRAC with 20 epochs. WMRE = Σ|n − n̂| / ((Σn + Σn̂)/2).
//   - Entropy: it is updated with the estimates before and after each packet; ElasticSketch computes
//     it from its counters at the end. |true − estimate| / true. A Query computes the entropy from the
//     distribution, as the paper's text does.
//   - Cardinality: linear counting; |true − estimate| / true. Without a zero, w counters count
//     w·ln w flows, as if one were zero. A Query has no answer if this is so in all rows.
//
// The SketchINT paper describes Δh = 500 and Δc = 250 as "about 0.02 % and 0.01 % of the packets". Its code computes
// them as these shares of the packets, which is 460 and 230 for 2.3 M packets. Here they are 500 and 250 unless the
// caller specifies otherwise. The SketchINT paper reports a flow if its estimate is larger than Δh. Its code reports a
// flow if the estimate is at least Δh.
//
// # Speed
//
// SpeedConfig measures how many packets per second a sketch inserts, and how many queries it answers (Fig. 6, §VII-B).
// The paper gives each sketch 2 MB and five arrays. There are two kinds of keys. A key of 4 bytes is used in the code
// of the paper, which hashes the 5-tuple before it measures. If the key is the 5-tuple itself, each insertion and each
// query computes its hash. The numbers depend on the machine and its load, but not on a seed.
//
// # SketchINT in a network
//
// MeasureSystem runs SketchINT in the simulated testbed of its paper (§VII-C, Fig. 7 and Fig. 8). A run has one sketch
// for heavy hitters and changes, and another sketch for latencies. They do not affect each other, so each run results
// in a point of both figures. At every scale, the network, its load and the thresholds are the same as in the paper.
// The period, the memories and the tables are divided by the same number, and so are the packets and flows that a
// sketch must represent.
package sketch
