// Package series shows the time series of a run (run.sampling): how long queues are,
// by layer and over time, how busy links are and what share of the time they are
// paused, what is marked and dropped, how fast flows go and how fairly they share.
//
// A look stands for the time since the look before, and a row for all looks up to the
// next row of its port or flow (they are the same unless run.sampling.rows = changed).
// Means and percentiles are weighted with that time, over all ports of a layer or all
// flows under way. A percentile is the least value that is not exceeded for its share
// of the time.
//
// Goodput is what has been acknowledged in an interval of several looks: in a shorter
// time there are few packets to count. A flow has one in each interval at both ends of
// which it is under way. Jain's index (Jain, Chiu and Hawe, DEC-TR-301, 1984) is
// (Σx)²/(n·Σx²) of these goodputs x of an interval, if there are at least two: 1 if all
// are equal, 1/n if one flow has everything.
package series
