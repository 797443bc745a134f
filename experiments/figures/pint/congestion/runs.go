package congestion

import (
	"context"
	"fmt"

	"pintlab/experiments/campaign"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
)

// Long is the size above which the PINT paper calls a flow long (§6.1, Fig. 7a).
const Long = 10 * unit.MB

// Runs are the finished cases of a job.
type Runs struct{ of map[key]*campaign.Run }

// key tells cases apart.
type key struct {
	workload, scheme string
	load             int
	arrival          unit.Time
	seed             uint64
}

func (c Case) key() key {
	return key{c.Workload.Name, c.Scheme.Name, c.Load, c.Arrival, c.Seed}
}

// Simulate runs the cases and tells the configuration that they share.
func Simulate(ctx context.Context, j *figure.Job, cases []Case) (*Runs, error) {
	specs := make([]campaign.Spec, len(cases))
	for i, c := range cases {
		specs[i] = c.Spec()
	}
	runs, err := j.Simulate(ctx, specs)
	if err != nil {
		return nil, err
	}
	r := &Runs{of: map[key]*campaign.Run{}}
	for i, c := range cases {
		r.of[c.key()] = runs[i]
	}
	Settings(j, &runs[0].Scenario)
	return r, nil
}

// Flows are the flow records of a case.
func (r *Runs) Flows(c Case) (*store.Flows, error) {
	run := r.of[c.key()]
	if run == nil {
		return nil, fmt.Errorf("%v is not among the simulations", c)
	}
	return run.Counted()
}

// sections are the windows of the sections of a case's arrivals that begin at or after a
// time; none where seeds give the intervals.
func (c Case) sections(seeds []uint64, from unit.Time) []stats.Window {
	if len(seeds) > 1 {
		return nil
	}
	var list []stats.Window
	for i := range c.Sections {
		w := stats.Window{From: c.Arrival * unit.Time(i) / unit.Time(c.Sections), To: c.Arrival * unit.Time(i+1) / unit.Time(c.Sections)}
		if w.From >= from {
			list = append(list, w)
		}
	}
	return list
}

// Curve is the p95 slowdown by flow size of a case over several seeds.
func (r *Runs) Curve(c Case, seeds []uint64, buckets int) ([]stats.Measured, error) {
	var points, sections [][]stats.Point
	for _, c.Seed = range seeds {
		flows, err := r.Flows(c)
		if err != nil {
			return nil, err
		}
		of, _ := stats.Points(flows, stats.Everything())
		points = append(points, of)
		for _, w := range c.sections(seeds, 0) {
			of, _ := stats.Points(flows, w)
			sections = append(sections, of)
		}
	}
	return stats.BySizeSectioned(points, sections, buckets, 0.95)
}

// Curves yields the p95 slowdowns by flow size, bucket by bucket: for each workload and
// arrival window of a scale those of each scheme, and after them, for each scheme but the
// first, the changes over the first.
func (r *Runs) Curves(z Scale, load int, schemes []Scheme, seeds []uint64, yield func(c Case, change bool, m stats.Measured)) error {
	for _, p := range z.Panels() {
		for _, arrival := range p.Windows {
			var base []stats.Measured
			for i, s := range schemes {
				c := z.Case(p.Workload, s, load, arrival)
				curve, err := r.Curve(c, seeds, z.Buckets)
				if err != nil {
					return fmt.Errorf("%v: %w", c, err)
				}
				for _, m := range curve {
					yield(c, false, m)
				}
				if i == 0 {
					base = curve
					continue
				}
				over, err := stats.Over(curve, base)
				if err != nil {
					return fmt.Errorf("%v: %w", c, err)
				}
				for _, m := range over {
					yield(c, true, m)
				}
			}
		}
	}
	return nil
}

// Long is the mean goodput, in b/s, of the long flows of a case in each seed, of those that
// start at or after a time.
func (r *Runs) Long(c Case, seeds []uint64, from unit.Time) (*stats.PerSeed, error) {
	goodput := &stats.PerSeed{}
	for _, c.Seed = range seeds {
		flows, err := r.Flows(c)
		if err != nil {
			return nil, err
		}
		g := stats.LongFlows(flows, stats.Window{From: from, To: unit.Never}, Long)
		goodput.Add(g.Mean, g.N)
		for _, w := range c.sections(seeds, from) {
			goodput.Section(stats.LongFlows(flows, w, Long).Mean)
		}
	}
	return goodput, nil
}

// Gain is, for each seed, the mean over the long flows of a case of their goodput over
// that of the same flow in another case of the same flows, of those that start at or after
// a time.
func (r *Runs) Gain(c, other Case, seeds []uint64, from unit.Time) (*stats.PerSeed, error) {
	gain := &stats.PerSeed{}
	for _, c.Seed = range seeds {
		other.Seed = c.Seed
		flows, err := r.Flows(c)
		if err != nil {
			return nil, err
		}
		base, err := r.Flows(other)
		if err != nil {
			return nil, err
		}
		mean, n, err := FlowByFlow(flows, base, Long, stats.Window{From: from, To: unit.Never})
		if err != nil {
			return nil, err
		}
		gain.Add(mean, n)
		for _, w := range c.sections(seeds, from) {
			mean, _, err := FlowByFlow(flows, base, Long, w)
			if err != nil {
				return nil, err
			}
			gain.Section(mean)
		}
	}
	return gain, nil
}

// FlowByFlow is the mean over n flows of their goodput in one run over that in another of
// the same flows: those of more than size bytes that start in a window.
func FlowByFlow(flows, base *store.Flows, size unit.Bytes, w stats.Window) (mean float64, n int, err error) {
	ours, theirs, err := stats.Match(flows, base)
	if err != nil {
		return 0, 0, err
	}
	begun := map[int64]bool{}
	for f := range flows.All() {
		begun[f.ID] = w.Contains(f.Start)
	}
	sum := 0.0
	for i := range ours {
		if ours[i].Size > size && begun[ours[i].ID] {
			// Equal sizes and paths: goodputs are to each other as slowdowns inverted.
			sum += theirs[i].Slowdown / ours[i].Slowdown
			n++
		}
	}
	return sum / float64(n), n, nil
}
