// Package study runs cells × seeds and measures them. Everything that is evaluated uses this loop.
//
// A Cell is one scheme in one case; all schemes of a case have the same network, flows and paths. A Study runs every
// cell with every seed and applies measures to these runs. Its Results contain the mean of each measure over the seeds,
// with the interval of the mean. They also contain ratios to other schemes of the same case; these ratios are paired by
// seed. Results become Rows, the lines of rows.csv. This package has the measures of flows, of the network that flows
// share, and of the jobs that send flows. A package that studies a telemetry system defines the measures of that
// system.
//
// A cell is a simulation or Work, which is a function of a seed. Kept stores the results of work that takes long. So an
// interrupted study continues where it stopped, just as it does with simulations. Feed passes one stream, such as a
// trace, to many takers at once.
//
// A Job specifies the scale and the seeds of a study. It runs the missing simulations or parts of the work, and records
// how the rows were made.
package study
