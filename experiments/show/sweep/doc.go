// Package sweep runs a scenario with every combination of some settings.
//
// A campaign file says which:
//
//	name: buffers
//	base: fig1                    # a preset, or a scenario file beside this one
//	set:                          # changes for all runs; may be left out
//	  workload.0.duration: 10ms
//	vary:                         # every combination of these is run
//	  network.port_limit: [100KB, 1MB, 4MB]
//	  telemetry:                  # several keys at once, under a name
//	    without: {telemetry.kind: none}
//	    108 B: {telemetry.bytes: 108B}
//	seeds: 3                      # for each combination; 1 if left out
//
// The keys are those of scenario files. Each has one place: what set or an axis sets, no
// other axis and no --set of the command may set again. Seeds count from --seed, or else
// from the seed of the base.
//
// The rows have a line for each run, the table of the report one for each combination.
// Two combinations that amount to the same run are an error. Runs that have finished are
// not run again, so a campaign can grow: add a value and run it again.
package sweep
