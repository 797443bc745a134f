// Package bench holds what the figures of HPCC's evaluation (SIGCOMM 2019, §5) share: the schemes,
// benchmarks of a few flows at one port, and the rows and drawings of such benchmarks.
//
// A Benchmark is run with each scheme on the same flows. A Trial is one such run: the queue of the
// bottleneck at each look and what each flow had delivered by then. Rows are quantities of trials over
// the seeds, and time series of the first seed: goodput by group of flows and the longest queue, both of
// intervals of several looks.
package bench
