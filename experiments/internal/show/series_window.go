package show

import (
	"fmt"

	"pintlab/experiments/scenario"
	"pintlab/netsim/unit"
)

// window contains the times of the looks. Look 0 is at from, and the next looks follow after each period. The last look
// is at end, possibly less than a period after the look before. There may be only one look, or none if the run ended
// before from.
type window struct {
	from, period, end unit.Time
	n                 int // number of looks
	step              int // number of looks per interval
}

// intervals is the default number of intervals.
const intervals = 50

// windowOf returns the looks of a run. They depend on the end of the run and the time of its last row. interval is the
// shortest length of an interval; 0 selects a fiftieth of the window.
func windowOf(s *scenario.Sampling, ended, lastRow, interval unit.Time) (window, error) {
	w := window{from: s.From, period: s.Spacing(max(ended, lastRow)), end: ended}
	if max(ended, lastRow) < w.from {
		w.end = w.from
		return w, nil
	}
	if s.To < ended { // the series ends before the run, so there is no look at the end of the run
		w.end = s.From + (s.To-s.From)/w.period*w.period
	}
	w.end = max(w.end, lastRow)
	w.n = int((w.end-w.from)/w.period) + 1
	if w.time(w.n-1) < w.end {
		w.n++
	}
	switch {
	case w.n < 2:
		return w, nil
	case interval == 0:
		w.step = (w.n - 1 + intervals - 1) / intervals
		return w, nil
	case interval < w.period || interval > w.end-w.from:
		return w, fmt.Errorf("--interval %v: want a time from %v (the period of sampling) to %v (the whole "+
			"run)", interval,
			w.period, w.end-w.from)
	}
	w.step = int((interval + w.period - 1) / w.period)
	return w, nil
}

func (w *window) time(look int) unit.Time {
	return min(w.end, w.from+unit.Time(look)*w.period)
}

func (w *window) place(t unit.Time) (int, error) {
	if t == w.end {
		return w.n - 1, nil
	}
	if t < w.from || t > w.end || (t-w.from)%w.period != 0 {
		return 0, fmt.Errorf("time_ps = %d is not a time at which the run was sampled: it was sampled every %v from "+
			"%v to %v", t,
			w.period, w.from, w.end)
	}
	return int((t - w.from) / w.period), nil
}

// weight returns the time that looks i to j-1 represent.
func (w *window) weight(i, j int) unit.Time {
	return w.time(j-1) - w.time(max(0, i-1))
}

func (w *window) interval() unit.Time { return unit.Time(w.step) * w.period }

// borders returns the number of looks at which an interval begins or ends.
func (w *window) borders() int { return (w.n-1)/w.step + 1 }

// bordersIn returns the numbers of the borders among the looks i to j-1: from first to beyond-1.
func (w *window) bordersIn(i, j int) (first, beyond int) {
	return (i + w.step - 1) / w.step, (j-1)/w.step + 1
}

func (w *window) border(b int) unit.Time { return w.time(b * w.step) }
