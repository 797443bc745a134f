package hpcc

import (
	"slices"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/show"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
)

// Group is a set of flows. The goodput of a group is the sum of the goodputs of its flows.
type Group struct {
	Name string
	Has  func(*store.FlowRecord) bool
}

// From returns the group of the flows that a host sends.
func From(name string, host int32) Group {
	return Group{name, func(f *store.FlowRecord) bool { return f.Src == host && f.Class == 0 }}
}

// Incast returns the group of all flows of incasts.
func Incast(name string) Group {
	return Group{name, func(f *store.FlowRecord) bool { return f.Class == 1 }}
}

// Trial is a run of a benchmark.
type Trial struct {
	Flows     []*store.FlowRecord // by number
	Pauses    uint64              // pause frames of all switches
	period    unit.Time
	queue     []unit.Bytes           // queue of the port at each sample
	sent      []unit.Bytes           // bytes on the wire that the port has sent until each sample
	delivered map[int64][]unit.Bytes // by flow: payload that has arrived in order until each sample
}

// FCT returns the completion times of a group's finished flows, in s, sorted.
func (t *Trial) FCT(g Group) []float64 {
	var list []float64
	for _, f := range t.Flows {
		if g.Has(f) && f.Outcome == store.Finished {
			list = append(list, f.FCT.Seconds())
		}
	}
	slices.Sort(list)
	return list
}

// Over returns the time at which the last flow of a group ends. If a flow has not ended, Over returns the end of the
// run.
func (t *Trial) Over(g Group) unit.Time {
	over := unit.Time(0)
	for _, f := range t.Flows {
		switch {
		case !g.Has(f):
		case f.Outcome == store.Finished:
			over = max(over, f.Start+f.FCT)
		default:
			return t.end()
		}
	}
	return over
}

// end returns the time of the last sample.
func (t *Trial) end() unit.Time { return unit.Time(len(t.queue)-1) * t.period }

// read reads the time series of a run.
func read(x *study.Trial) (*Trial, error) {
	run := x.Run
	t := &Trial{period: run.Scenario.Run.Sampling.Period, Pauses: run.Manifest.Summary.Pauses,
		delivered: map[int64][]unit.Bytes{}}
	flows, err := run.Flows()
	if err != nil {
		return nil, err
	}
	if err := readSeries(run, &store.PortSeries, func(p *store.PortSample) {
		t.queue, t.sent = append(t.queue, p.Queue), append(t.sent, p.Sent)
	}); err != nil {
		return nil, err
	}
	for f := range flows.All() {
		// The number is 0 before the first sample of the flow, and the size of the flow after its end.
		all := make([]unit.Bytes, len(t.queue))
		if f.Outcome == store.Finished {
			for i := t.after(f.Start + f.FCT); i < len(all); i++ {
				all[i] = f.Size
			}
		}
		t.Flows, t.delivered[f.ID] = append(t.Flows, f), all
	}
	slices.SortFunc(t.Flows, func(a, b *store.FlowRecord) int { return int(a.ID - b.ID) })
	return t, readSeries(run, &store.FlowSeries, func(f *store.FlowSample) {
		if at := t.after(f.Time); at < len(t.queue) {
			t.delivered[f.Flow][at] = f.Delivered
		}
	})
}

// readSeries calls `use` for each line of a run's time series.
func readSeries[T any](run *campaign.Run, s *store.SeriesFile[T], use func(*T)) error {
	return s.ReadDir(run.Dir, run.Manifest, func(row *T) error {
		use(row)
		return nil
	})
}

// after returns the index of the first sample at or after a time. The index may be beyond the last sample.
func (t *Trial) after(at unit.Time) int { return int((at + t.period - 1) / t.period) }

// span returns the indices of the first sample at or after `from` and of the first sample at or after `to`. Both are
// at most the last index.
func (t *Trial) span(from, to unit.Time) (first, last int) {
	last = min(t.after(to), len(t.queue)-1)
	return min(t.after(from), last), last
}

// Queue returns a percentile of the bottleneck's queue in a period, in bytes. A percentile of 1 is the longest queue.
func (t *Trial) Queue(from, to unit.Time, p float64) float64 {
	first, last := t.span(from, to)
	values := lists.Map(t.queue[first:last+1], func(q unit.Bytes) float64 { return float64(q) })
	slices.Sort(values)
	return stats.Percentile(values, p)
}

// Drained returns how long after `from` a queue that has become longer than the given length is at most as long again.
// It returns the rest of the run if the queue stays longer, and 0 if the queue is never longer.
func (t *Trial) Drained(from unit.Time, length unit.Bytes) unit.Time {
	longer := false
	for at := t.after(from); at < len(t.queue); at++ {
		if longer && t.queue[at] <= length {
			return unit.Time(at)*t.period - from
		}
		longer = longer || t.queue[at] > length
	}
	if longer {
		return t.end() - from
	}
	return 0
}

// Fairness returns the mean and the 5th percentile of Jain's index of the goodputs of groups. An interval counts if
// at least two groups are active during the whole interval; its index covers only these groups.
func (t *Trial) Fairness(groups []Group, interval unit.Time) (mean, p5 float64) {
	var all []float64
	for from := unit.Time(0); from+interval <= t.end(); from += interval {
		var shares []float64
		for _, g := range groups {
			if t.throughout(g, from, from+interval) {
				shares = append(shares, t.Goodput(g, from, from+interval))
			}
		}
		if len(shares) > 1 {
			all = append(all, show.Jain(shares))
			mean += all[len(all)-1]
		}
	}
	slices.Sort(all)
	return mean / float64(len(all)), stats.Percentile(all, 0.05)
}

// throughout reports whether a flow of the group is active during a whole interval.
func (t *Trial) throughout(g Group, from, to unit.Time) bool {
	return slices.ContainsFunc(t.Flows, func(f *store.FlowRecord) bool {
		return g.Has(f) && f.Start <= from && (f.Outcome != store.Finished || f.Start+f.FCT >= to)
	})
}

// Sent returns the mean rate of the bottleneck in a period, in b/s on the wire.
func (t *Trial) Sent(from, to unit.Time) float64 { return t.rate(t.sent, from, to) }

// Goodput returns the mean rate at which a group's payload arrives in order at its destinations in a period, in b/s.
func (t *Trial) Goodput(g Group, from, to unit.Time) float64 {
	sum := 0.0
	for _, f := range t.Flows {
		if g.Has(f) {
			sum += t.rate(t.delivered[f.ID], from, to)
		}
	}
	return sum
}

func (t *Trial) rate(count []unit.Bytes, from, to unit.Time) float64 {
	first, last := t.span(from, to)
	if first == last {
		return 0
	}
	return 8 * float64(count[last]-count[first]) / (unit.Time(last-first) * t.period).Seconds()
}
