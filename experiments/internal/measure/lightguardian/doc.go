// Package lightguardian measures SuMax in the local tasks (local.go) and LightGuardian in the testbed of its paper
// (network.go). For Figures 7 to 10, it measures how well LightGuardian locates faults (§8.3, Appendix D.2):
// blackholes, loops and jitter against the memory of the sketches, and the recovered share when hosts are broken.
//
// The network is the same as in the LightGuardian paper: 16 hosts, 20 switches and 48 links in a fat tree. At the scale
// paper, a run has as many packets and flows as the LightGuardian paper prints: 10 M packets of 0.1 M flows, or of 10 K
// flows for jitter. Faults are at random links between switches: two links that lose every packet; one link whose
// packets all loop, which affects about a tenth of all flows; or two links of which half of the packets take a slow
// parallel link. Every switch has SuMax sketches with d = 3 of all sizes at once, and exact counters ("row zero").
//
// # Scores
//
// An instance is a flow and a switch. For a blackhole, the switch is the first one after the blackhole. For a loop, it
// is the first of the loop's two switches that the flow reaches. For jitter, it is every switch after a split link. For
// each flow, P is a number of a switch, and L is the same number of the previous hop on the expected path. The number
// is the number of packets or, for jitter, the longest time between packets. A switch is reported if P/L is below the
// threshold (blackholes) or above the threshold (loops and jitter). For loops, the L of the first switch is the number
// of packets that the source has sent. Flows without a fault are also evaluated.
//
// # Published code
//
// The published code (cpp/Simulation_Experiments) inserts all packets of a flow at a switch before the packets of the
// next flow, leaves out paths of one switch, and scores flows. A flow is found if any switch reports it, even a switch
// without the fault. For jitter, exact counters must report the flow at the same switch; times between packets of 10 s
// and more are left out. The variant Code measures in this way, with the printed memory. Each of the other Variants
// differs from Code in one respect: all flows have the same size; each loop is at a random place on the path of its
// flow, as in the published code; all times between packets count.
//
// # Differences from the LightGuardian paper
//
// The LightGuardian paper prints neither the sizes of its flows, nor the loads, nor the thresholds. Here sizes are
// uniform, hosts send at 20 % of the rate of their links, and Thresholds lists the thresholds. Sketches are read as a
// whole, without sketchlets. Memory counts only the cells that are read: 4 bytes of a bucket in each of the three
// arrays, as in the LightGuardian paper's 0.8 MB for 2^16 buckets. It omits the cells of last arrivals, although the
// longest time needs them.
package lightguardian
