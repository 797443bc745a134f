// Package lightguardian measures SuMax in the local tasks (local.go), LightGuardian in the testbed of its paper
// (network.go), and how well it locates faults (§8.3, Appendix D.2), for Figures 7 to 10: blackholes, loops and jitter
// against the memory of the sketches, and what is recovered when hosts are broken.
//
// The network is the LightGuardian paper's: 16 hosts, 20 switches and 48 links in a fat tree. A run has as many packets
// and flows as the LightGuardian paper prints, at the scale paper: 10 M packets of 0.1 M flows, or of 10 K for jitter.
// Faults are at random links between switches: two links that lose every packet; one link whose packets all loop, which
// affects about a tenth of all flows; or two links of which half of the packets take a slow parallel link. Every switch
// has SuMax sketches with d = 3 of all sizes at once, and exact counters ("row zero").
//
// # Scores
//
// An instance is a flow and a switch. For a blackhole, it is the first switch after it; for a loop, the first of its
// two switches that the flow reaches; for jitter, every switch after a split link. For each flow, with P and L of a
// switch and of its last hop on the expected path, a switch is reported if P/L of the packets is below the threshold
// (blackholes) or above it (loops; the L of the first switch is the number of packets that the source has sent), or if
// P/L of the longest time between packets is above it (jitter). Flows without a fault are also evaluated.
//
// # Published code
//
// The published code (cpp/Simulation_Experiments) inserts all packets of a flow at a switch before the packets of the
// next flow, leaves out paths of one switch, and scores flows: one is found if any switch reports it, wherever that is.
// For jitter, a flow is one that exact counters report, at the same switch; times between packets of 10 s and more are
// left out. The variant Code measures in this way, for the printed memory. Each of the other Variants differs from Code
// in one respect: all flows have the same size; each loop is at a random place on the path of its flow, as in the
// published code; or all times between packets count.
//
// # Differences from the LightGuardian paper
//
// The LightGuardian paper prints neither the sizes of its flows, nor the loads, nor the thresholds: here sizes are
// uniform, hosts send at 20 % of their links, and Thresholds lists the thresholds. Sketches are read as a whole,
// without sketchlets. Memory counts the cells that are read, 4 bytes in each of the three arrays, like the
// LightGuardian paper's 0.8 MB for 2^16 buckets. It omits the last arrivals, which the longest time also needs.
package lightguardian
