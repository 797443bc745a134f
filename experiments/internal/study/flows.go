package study

import (
	"math"
	"slices"

	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
)

// Slowdown measures a percentile of the slowdowns of the flows of at least min and at most
// max bytes.
func Slowdown(name string, p float64, min, max unit.Bytes) Measure {
	return Paired(AtLeast(1, name, func(t *Trial) (float64, int, error) {
		list := slowdowns(t, min, max)
		if len(list) == 0 {
			return 0, 0, nil
		}
		return stats.Percentile(list, p), len(list), nil
	}))
}

// slowdowns returns the sorted slowdowns of the flows of at least min and at most max bytes.
func slowdowns(t *Trial, min, max unit.Bytes) []float64 {
	var list []float64
	for _, x := range t.Points {
		if x.Size >= min && x.Size <= max && !math.IsNaN(x.Slowdown) {
			list = append(list, x.Slowdown)
		}
	}
	slices.Sort(list)
	return list
}

// MeanSlowdown measures the mean slowdown of all flows.
func MeanSlowdown(name string) Measure {
	return Paired(AtLeast(1, name, func(t *Trial) (float64, int, error) {
		sum, n := 0.0, 0
		for _, x := range t.Points {
			if !math.IsNaN(x.Slowdown) {
				sum, n = sum+x.Slowdown, n+1
			}
		}
		return sum / float64(n), n, nil
	}))
}

// BySize measures a percentile of the slowdowns in buckets of flow sizes. All flows determine the buckets, even a flow
// without a completion time. So all schemes have the same buckets.
func BySize(name string, p float64, buckets int) Measure {
	return Paired(Measure{Name: name, Of: func(trials []*Trial) ([]stats.Sized, error) {
		return stats.BySizeSectioned(points(trials), points(trials[0].Sections), buckets, p, trials[0].Level)
	}})
}

func points(trials []*Trial) [][]stats.Point {
	return lists.Map(trials, func(t *Trial) []stats.Point { return t.Points })
}

// MeanFCT measures the mean completion time of all flows, in s.
func MeanFCT(name string) Measure {
	return Paired(FCT(name, 0, stats.AnySize, func(t stats.Times) float64 { return t.Mean }))
}

// FCT measures the completion times of the flows of at least min and less than below bytes, in s.
func FCT(name string, min, below unit.Bytes, of func(stats.Times) float64) Measure {
	return PerTrial(name, func(t *Trial) (float64, int, error) {
		f := stats.FCT(t.Flows, t.Window, min, below)
		return of(f), f.N, nil
	})
}

// Finished counts the flows of at least min and less than below bytes that have a completion time.
func Finished(name string, min, below unit.Bytes) Measure {
	return PerTrial(name, func(t *Trial) (float64, int, error) {
		return float64(stats.FCT(t.Flows, t.Window, min, below).N), 1, nil
	})
}

// Network measures a number that a whole run counts, such as dropped packets.
func Network(name string, of func(*store.Summary) float64) Measure {
	return PerTrial(name, func(t *Trial) (float64, int, error) {
		s := &t.Run.Manifest.Summary
		return of(s), max(s.Flows, 1), nil
	})
}

// Drops is the number of packets dropped in a run.
func Drops(s *store.Summary) float64 {
	return s.Counted(func(n *store.Network) uint64 { return n.Drops })
}

// Pauses is the number of pause frames in a run.
func Pauses(s *store.Summary) float64 {
	return s.Counted(func(n *store.Network) uint64 { return n.Pauses })
}

// Goodput measures the mean goodput of the long flows of a cell, in b/s.
func Goodput(name string) Measure {
	return Paired(PerTrial(name, func(t *Trial) (float64, int, error) {
		g := stats.LongFlows(t.Flows, t.Window, t.Cell.Long)
		return g.Mean, g.N, nil
	}))
}

// SentAgain measures the share of the data packets that are retransmissions. Estimates lack this number.
func SentAgain(name string) Measure {
	return PerTrial(name, func(t *Trial) (float64, int, error) {
		sent, again := 0.0, 0.0
		n := 0
		for f := range t.Flows.All() {
			if t.Window.Contains(f.Start) && f.Packets != store.Unknown {
				sent, again, n = sent+float64(f.Packets), again+float64(f.Retransmitted), n+1
			}
		}
		return again / sent, n, nil
	})
}

// Timeouts measures how often the timers of a number of flows expire.
func Timeouts(name string, flows float64) Measure {
	return PerTrial(name, func(t *Trial) (float64, int, error) {
		n := 0.0
		for f := range t.Flows.All() {
			n += float64(f.Timeouts)
		}
		return flows * n / float64(t.Flows.Len()), t.Flows.Len(), nil
	})
}

// FlowByFlow compares long flows one by one with another scheme. It measures the mean ratio of a flow's goodput to the
// goodput of the same flow with the other scheme. A scheme alone has no such number.
func FlowByFlow(name string) Measure {
	return Paired(Measure{Name: name, Over: func(own, against []*Trial) ([]stats.Sized, error) {
		return Mean(own, 0, func(t *Trial, seed int) (float64, int, error) {
			return flowByFlow(t, against[seed].Flows)
		})
	}})
}

func flowByFlow(t *Trial, base *store.Flows) (mean float64, n int, err error) {
	ours, theirs, err := stats.Match(t.Flows, base, t.Cell.Source != nil && t.Cell.Source.Job >= 0)
	if err != nil {
		return 0, 0, err
	}
	begun := map[int64]bool{}
	for f := range t.Flows.All() {
		begun[f.ID] = t.Window.Contains(f.Start)
	}
	sum := 0.0
	for i := range ours {
		if ours[i].Size > t.Cell.Long && begun[ours[i].ID] {
			// Sizes and paths are equal, so the ratio of goodputs is the inverse ratio of slowdowns.
			sum += theirs[i].Slowdown / ours[i].Slowdown
			n++
		}
	}
	return sum / float64(n), n, nil
}
