// Package stats computes the numbers of tables and figures from flow records: slowdown by flow size, completion times,
// goodput, fairness, and their confidence intervals.
//
// # Slowdown
//
// The slowdown of a flow is its completion time divided by its ideal time, which the flow would take alone in the
// network (PINT §6.1). Two conventions are this project's own: both times end with the ACK of the last byte at the
// sender, and the ideal time is the same for every scheme. Points selects the flows. Table sorts flows by size and
// divides them into buckets of equal numbers of flows.
//
// # Percentiles
//
// The percentile p of n values is the smallest value that at least p·n of the values do not exceed. It is the value of
// rank ⌈p·n⌉ (nearest rank), so it is always a measured value. A percentile with fewer than five values beyond it is
// marked (Enough), because it can differ a lot between runs.
//
// # The scripts of the HPCC simulator
//
// HPCCScripts reproduces fct_analysis.py of the HPCC and HPCC-PINT simulators exactly. Unlike Table, this script
// selects flows by port, uses another rank, and omits the largest flow. So its numbers are not comparable with other
// numbers of this package.
//
// # Uncertainty
//
// Mean, PairedDifference and PairedRatio return Student-t intervals over independent runs (seeds). The flows of one run
// are not independent, so an interval over flows would be too narrow under load. Some numbers have a smallest possible
// value, such as times, counts and slowdowns. The intervals of their means do not extend below this value, and extend
// further up instead (Number.Within).
package stats
