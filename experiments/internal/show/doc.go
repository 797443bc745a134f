// Package show shows stored runs.
//
// # One run or several
//
// OpenRuns shows slowdown by flow size, the distribution of completion times, jobs, and what differs between the runs;
// Summary is for the terminal. WriteNotebook writes a Jupyter notebook (nbformat 4) that loads the stored files; the
// directory cells has its cells as text.
//
// # Time series
//
// OpenSeries and AllSeries show the time series of a run (run.sampling): queue lengths by layer and over time,
// utilisation and pauses of links, marks and drops, and the goodput and fairness of flows.
//
// A look represents the time since the previous look. A row represents all looks up to the next row of its port or flow
// (unless run.sampling.rows = changed, these are the same). Means and percentiles are weighted with that time, over all
// ports of a layer or all active flows. A percentile is the smallest value that is not exceeded for its share of the
// time.
//
// Goodput is the acknowledged payload of an interval divided by its length. An interval covers several looks, because
// shorter times contain few packets. A flow has a goodput in each interval at both ends of which it is active. Jain's
// index (Jain, Chiu and Hawe, DEC-TR-301, 1984) of an interval is (Σx)²/(n·Σx²) of its n >= 2 goodputs x: 1 if all are
// equal, 1/n if one flow has all.
//
// # The page of a run
//
// WritePage writes one self-contained HTML page on which a person looks inside a run: the network by layers, with a
// slider for the time; links coloured by utilisation, ports by queue, pauses, drops and broken links marked; the series
// of each port; path, rate and window of each flow. Network and paths come from the scenario, values over time from the
// series of the run.
//
// The page loads nothing from elsewhere: it contains its script, its style and its data, and a content security policy
// that enforces this. The data are levels of 8 bits, compressed; exact maxima and counts stand next to them. Equal
// pages are equal bytes.
package show
