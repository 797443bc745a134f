// Package study runs cells × seeds and measures them: one loop for everything that is evaluated.
//
// A Cell is one scheme in one case; all schemes of a case have the same network, flows and paths. A Study runs every
// cell with every seed and applies measures to these runs. Its Results hold the mean of each measure over the seeds
// with its interval, and ratios to other schemes of the same case, which are paired by seed. Results become Rows, the
// lines of rows.csv. This package has the measures of flows, of the network that they share and of the jobs that send
// them. A package that studies a telemetry system defines the measures of that system.
//
// A cell is a simulation or Work, a function of a seed. The results of work that takes long are Kept, so that an
// interrupted study continues where it stopped, as with simulations. Feed passes one stream, such as a trace, to many
// takers at once.
//
// A Job specifies the scale and the seeds of a study. It runs the missing simulations or parts of the work, and records
// how the rows were made.
package study
