// Package validate compares our runs with recorded runs of the published HPCC-PINT simulator, flow by flow and, for
// cases with a trace, acknowledgement by acknowledgement. It implements the command pintlab validate. Package
// p4/validate has a similar name, but compares P4 programs with their Go twins. The document docs/trust.md lists all
// comparisons of our numbers, including this one.
//
// # Cases
//
// A case consists of the input and output of that simulator:
//
//	CASE/topology.txt, CASE/flow.txt
//	CASE/SCHEME/config.txt            its configuration
//	CASE/SCHEME/fct.txt               completion times
//	CASE/SCHEME/acks.txt.gz           optional: the steps of the senders' controls
//
// Find takes a directory of cases, one case or one scheme. Inputs may also be next to config.txt.
// Run simulates each scheme with the profile ns3-artifact and reports in a Result whether the two
// agree.
//
// # What agreement means
//
// With the random numbers of the C library, as in the published runs, every line of fct.txt and of acks.txt.gz must
// be the same. Only the marks of TIMELY (CC_MODE 7) are not compared. TIMELY does not read marks, and our switches set
// none when a config.txt selects CC_MODE 7; in other scenarios they mark packets of TIMELY if network.ecn.enabled is
// set. With our random numbers (Options.Seeds), HPCC-PINT can only agree in distribution: see Spread. HPCC with INT
// draws nothing and is always compared exactly.
//
// # Quirks
//
// MeasureQuirks changes one setting of that profile at a time and measures how the results change.
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
