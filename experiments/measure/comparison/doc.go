// Package comparison runs schemes on the same flows and compares what they give, seed by seed.
//
// An Entry is one scheme in one case; all schemes of a case have the same network, flows and paths. A
// Plan runs every entry with every seed and measures quantities of these runs. Its Results hold the
// mean of each quantity over the seeds with its interval, and ratios to other schemes of the same
// case, which are paired by seed. Results become Rows, the lines of rows.csv.
package comparison
