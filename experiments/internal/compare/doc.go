// Package compare runs settings × schemes × seeds and reports the differences. A comparison is a
// study (package study) whose cases are networks with traffic:
//
//   - Figure, the main job of pintlab, compares HPCC with full INT, HPCC with PINT's one byte, and TCP Reno with and
//     without the bytes of the INT header, on the web-search and Hadoop traffic of the PINT paper, §6.1;
//   - Of, other congestion controls there;
//   - Networks, controls, telemetry systems and balancers on scenarios of the user;
//   - Grid, every combination of the settings of a campaign file.
//
// All schemes of a case get the same flows on the same paths, seed by seed, so that only the schemes differ. A
// difference is called significant if the 95 % interval of the paired ratio over the seeds leaves out 1.
//
// # Campaigns
//
// A campaign file defines a grid:
//
//	name: buffers
//	base: fig1                    # a preset, or a scenario file in the same directory
//	set:                          # changes for all runs; optional
//	  workload.0.duration: 10ms
//	vary:                         # every combination of these is run
//	  network.port_limit: [100KB, 1MB, 4MB]
//	  telemetry:                  # several keys at once, under a name
//	    without: {telemetry.kind: none}
//	    108 B: {telemetry.bytes: 108B}
//	seeds: 3                      # for each combination; default 1
//
// Keys are as in scenario files. A key that set or an axis sets must not be set again by another axis
// or by --set on the command line. Seeds count from --seed, or else from the seed of the base.
//
// The rows have a line for each run; the report's table has one for each combination. Two combinations that
// result in the same run are an error. Finished runs are not repeated, so a campaign can grow: add a value
// and run it again.
package compare
