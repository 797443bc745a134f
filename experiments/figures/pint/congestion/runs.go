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

// Long is the size above which the document calls a flow long (§6.1, Fig. 7a).
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

// Simulate runs the cases.
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
		return nil, fmt.Errorf("%s is not among the simulations", c.Spec().Label)
	}
	return run.Flows()
}

// Curve is the slowdown by flow size of a case over several seeds.
func (r *Runs) Curve(c Case, seeds []uint64, buckets int, p float64) ([]figure.SizeRow, error) {
	var points [][]stats.Point
	for _, c.Seed = range seeds {
		flows, err := r.Flows(c)
		if err != nil {
			return nil, err
		}
		of, _ := stats.Points(flows, stats.Everything())
		points = append(points, of)
	}
	return figure.BySize(points, buckets, p)
}

// LongFlows are the long flows of a case in one seed.
type LongFlows struct {
	Goodput float64 // mean over the flows, b/s
	N       int
	// Gain is the mean over the flows of goodput over that of the same flow in
	// another case, if one was given.
	Gain float64
}

// Long measures the long flows of a case, and of each against the same flow in
// another case of the same flows; other may be nil.
func (r *Runs) Long(c Case, other *Case) (LongFlows, error) {
	flows, err := r.Flows(c)
	if err != nil {
		return LongFlows{}, err
	}
	g := stats.LongFlows(flows, stats.Everything(), Long)
	l := LongFlows{Goodput: g.Mean, N: g.N}
	if other == nil || g.N == 0 {
		return l, nil
	}
	base, err := r.Flows(*other)
	if err != nil {
		return l, err
	}
	ours, theirs, err := stats.Match(flows, base)
	if err != nil {
		return l, err
	}
	n := 0
	for i := range ours {
		if ours[i].Size > Long {
			// Equal sizes and paths: goodputs are to each other as slowdowns inverted.
			l.Gain += theirs[i].Slowdown / ours[i].Slowdown
			n++
		}
	}
	l.Gain /= float64(n)
	return l, nil
}
