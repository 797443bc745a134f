// Package series shows the time series of a run (run.sampling): queue lengths by layer and over time,
// utilisation and pauses of links, marks and drops, and the goodput and fairness of flows.
//
// A look represents the time since the previous look. A row represents all looks up to the next row of its
// port or flow (unless run.sampling.rows = changed, these are the same). Means and percentiles are weighted
// with that time, over all ports of a layer or all active flows. A percentile is the smallest value that is
// not exceeded for its share of the time.
//
// Goodput is the acknowledged payload of an interval of several looks over its length, because shorter
// times contain few packets. A flow has a goodput in each interval at both ends of which it is active.
// Jain's index (Jain, Chiu and Hawe, DEC-TR-301, 1984) of an interval is (Σx)²/(n·Σx²) of its n >= 2
// goodputs x: 1 if all are equal, 1/n if one flow has all.
package series
