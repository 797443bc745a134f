// Package show shows stored runs.
//
// # One run or several
//
// OpenRuns shows slowdown by flow size, the distribution of completion times, jobs, and the differences between the
// runs. Summary is for the terminal. WriteNotebook writes a Jupyter notebook (nbformat 4) that loads the stored files.
// The directory cells contains the text of the notebook's cells.
//
// # Time series
//
// OpenSeries and AllSeries show the time series of a run (run.sampling): queue lengths by layer and over time,
// utilisation and pauses of links, marks and drops, and the goodput and fairness of flows.
//
// A look is an instant at which the run is sampled. It represents the time since the previous look. A row represents
// all looks up to the next row of its port or flow. This is a single look, unless run.sampling.rows = changed. Means
// and percentiles are weighted with the represented time, over all ports of a layer or all active flows. A percentile p
// is the smallest value that is not exceeded during the share p of the time.
//
// Goodput is the payload that arrives at the destination in order in an interval, divided by the time for which the
// flow is under way in the interval. An interval covers several looks, because shorter times contain few packets. Runs
// that are shown together have the same intervals. The spread of a flow's goodput is weighted with this time, so that
// its mean is the payload divided by the completion time. Flows begin and end at the times in their records, so that
// flows between two looks also count.
//
// Jain's index (Jain, Chiu and Hawe, DEC-TR-301, 1984) of an interval with n >= 2 goodputs x is (Σx)²/(n·Σx²). It is
// 1 if all goodputs are equal, and 1/n if only one flow has a goodput above 0. It covers the flows that are active at
// both ends of the interval and whose last byte arrives later.
//
// # The page of a run
//
// WritePage writes one self-contained HTML page that shows the inside of a run. The page shows the network by layers,
// with a slider for the time. Links are coloured by utilisation and ports by queue length; pauses, drops and broken
// links are marked. The page also shows the series of each port, and the path, rate and window of each flow. The
// network and the paths come from the scenario; the values over time come from the series of the run.
//
// The page loads nothing from elsewhere. It contains its script, its style and its data, and a content security policy
// that forbids loading anything else. The data are compressed levels of 8 bits each, with exact maxima and counts.
// Equal pages consist of equal bytes.
package show
