// Package stats turns flow records into the numbers of tables and figures:
// slowdown by flow size, completion times, goodput, fairness, and how sure one
// can be of them.
//
// # Slowdown
//
// The slowdown of a flow is its completion time over the time that it would take
// alone (PINT §6.1, with the conventions of this project: both times end with the
// ACK of the last byte at the sender, and the ideal is the same for every scheme).
// Points selects the population, Table cuts it into buckets of equal numbers of
// flows, ordered by size.
//
// # Percentiles
//
// The percentile p of n values is the smallest value that at least p·n of them do
// not exceed: the one of rank ⌈p·n⌉ (nearest rank). It is always a value that was
// measured. A percentile with fewer than five values beyond it is marked
// (Enough): the next run may well move it by a lot.
//
// # The scripts of the HPCC simulator
//
// HPCCScripts does what fct_analysis.py of the HPCC and HPCC-PINT simulators does,
// to the digit: other population, other rank, the largest flow left out. Numbers of
// the two analyses should not be compared.
//
// # Uncertainty
//
// Mean, PairedDifference and PairedRatio give Student-t intervals over independent
// runs (seeds). The flows of one run are not independent: an interval over them would be
// too narrow under load.
package stats
