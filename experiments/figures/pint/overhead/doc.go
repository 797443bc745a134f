// Package overhead is the experiment of PINT §2 that Fig. 1 and 2 share: TCP Reno on
// a fat tree of 64 hosts whose packets carry bytes of telemetry that nobody reads.
//
// Runs that differ only in the overhead have the same flows, at the same times, on
// the same paths. What a figure shows is a mean over that without overhead, seed by
// seed.
//
// The PINT paper gives neither the number of switches nor buffers, timeouts or run
// lengths. Ours are in preset fig1; Rows has what other buffers, timeouts and
// lengths do to the result.
package overhead
