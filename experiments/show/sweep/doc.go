// Package sweep runs a scenario with every combination of some settings.
//
// A campaign file defines them:
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
// The keys are those of scenario files. A key that set or an axis sets must not be set again by another
// axis or by --set on the command line. Seeds count from --seed, or else from the seed of the base.
//
// The rows have a line for each run; the report's table has one for each combination. Two combinations that
// result in the same run are an error. Finished runs are not repeated, so a campaign can grow: add a value
// and run it again.
package sweep
