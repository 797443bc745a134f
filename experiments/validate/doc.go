// Package validate compares our runs with recorded runs of the published HPCC-PINT
// simulator, flow by flow and, where there is a trace, acknowledgement by
// acknowledgement. It is the command pintlab validate. Two others go by that word: package
// p4/validate compares P4 programs with their Go twins, and docs/validation.md lists
// everything that our numbers are compared with, this among it.
//
// # Cases
//
// A case is what that simulator was given and what it wrote:
//
//	CASE/topology.txt, CASE/flow.txt
//	CASE/SCHEME/config.txt            its configuration
//	CASE/SCHEME/fct.txt               completion times
//	CASE/SCHEME/acks.txt.gz           if there is one: what the senders' controls did
//
// Find takes a directory of cases, one case or one scheme. Inputs may also lie
// beside config.txt. Run simulates each scheme with the profile ns3-artifact and
// says in a Result whether the two agree.
//
// # What agreement means
//
// With the library's random numbers, which are those of the published runs, every
// line of fct.txt and of acks.txt.gz must be the same, but for the marks of TIMELY, which it
// does not read (Format). With our own (Options.Seeds),
// HPCC-PINT can only agree in distribution: see Spread. HPCC with INT draws nothing
// and is always compared exactly.
//
// # Quirks
//
// MeasureQuirks tells what each setting of that profile does to the results, one at a
// time.
//
// # Ultra Ethernet
//
// RunHTSim compares runs of Ultra Ethernet (transport/uet) with recorded runs of uet-htsim. A directory of
// recorded runs has a folder for each case, with these files:
//
//	cmd.txt      a line "VARIANT: htsim_uec OPTIONS" for each variant
//	*.topo, *.cm its networks and flows
//	results.csv  a line for each flow of each run: variant, seed, flow, start_ns, fct_ns
//	summary.csv  a line for each run: variant, seed, rtx, trims, drops, ecn_marks
//	README.md    a line "How to compare", which names the bands
//	trace-*.csv  ACK by ACK, what some flows of a run knew; compared where chance has no part: trace-VARIANT.csv
package validate
