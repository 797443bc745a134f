// Package study runs cells × seeds and measures them: one loop for everything that is evaluated.
//
// A Cell is one scheme in one case; all schemes of a case have the same network, flows and paths. A Study runs
// every cell with every seed and applies measures to these runs. Its Results hold the mean of each measure over the
// seeds with its interval, and ratios to other schemes of the same case, which are paired by seed. Results become
// Rows, the lines of rows.csv. This package has the measures of flows, of the network that they share and of the
// jobs that send them. Packages that study a telemetry system define its measures.
//
// A cell is a simulation or Work, a function of a seed. Work that takes long is Kept: an interrupted study goes on
// where it stopped, as it does with simulations. Feed passes one stream, such as a trace, to many takers at once.
//
// A Job says at which scale and with which seeds a study is run. It runs the simulations, or the parts of
// the work that are missing, and keeps the record of how the rows were made.
package study
