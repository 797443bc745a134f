package workloads

import (
	"math"

	"pintlab/internal/lists"
	"pintlab/netsim/unit"
)

// Plan is the expected traffic of a workload, for comparison with a finite trace.
type Plan struct {
	Flows float64 `json:"flows"` // expected number of flows
	Bytes float64 `json:"bytes"` // expected payload
	// Flows start in [Start, End). Both are the same instant if all flows start at
	// once; such a workload has no load.
	Start unit.Time `json:"start"`
	End   unit.Time `json:"end"`
}

// MeanSize returns the expected size of a flow in bytes, over all parts; NaN if no flow
// is expected.
func (p Plan) MeanSize() float64 { return p.Bytes / p.Flows }

// Load returns the nominal load: the expected payload bits over the capacity of the given hosts' links from
// Start to End. It is NaN if the interval is empty.
func (p Plan) Load(hosts []Host) float64 {
	if p.End <= p.Start {
		return math.NaN()
	}
	return p.Bytes * 8 / (float64(totalRate(hosts)) * (p.End - p.Start).Seconds())
}

// Total returns the sum of plans.
func Total(plans []Plan) (sum Plan) {
	for _, p := range plans {
		sum = sum.plus(p)
	}
	return sum
}

// plus returns the sum of two plans. A plan without flows does not affect the interval.
func (p Plan) plus(q Plan) Plan {
	switch {
	case p.Flows == 0:
		return q
	case q.Flows == 0:
		return p
	}
	return Plan{p.Flows + q.Flows, p.Bytes + q.Bytes, min(p.Start, q.Start), max(p.End, q.End)}
}

func (p Poisson) plan(hosts []Host) Plan {
	flows := lists.Sum(hosts,
		func(h Host) float64 { return float64(p.Duration) / meanGap(p.Sizes.Mean(), p.Load, h.Rate) })
	return Plan{flows, flows * p.Sizes.Mean(), p.Start, p.Start + p.Duration}
}

func (g Incast) plan(hosts []Host) Plan {
	events := 1.0
	switch {
	case g.once():
	case g.Poisson:
		events = float64(g.Duration) / g.gap(hosts)
	default:
		events = math.Ceil(float64(g.Duration) / g.gap(hosts))
	}
	flows := events * float64(g.FanIn)
	return Plan{flows, flows * g.Sizes.Mean(), g.Start, g.Start + g.Duration}
}

func (g Permutation) plan(hosts []Host) Plan {
	flows := float64(len(hosts))
	return Plan{flows, flows * g.Sizes.Mean(), g.Start, g.Start}
}

func (g AllToAll) plan(hosts []Host) Plan {
	n := len(hosts)
	flows := float64(n * (n - 1))
	return Plan{flows, flows * g.Sizes.Mean(), g.Start, g.Start}
}

func (g Staircase) plan([]Host) Plan {
	n := len(g.From)
	p := Plan{Flows: float64(n), Start: g.Start, End: g.Start + unit.Time(n)*g.Step}
	for i := range n {
		p.Bytes += float64(g.size(i))
	}
	return p
}

func (g Trace) plan([]Host) Plan {
	if len(g) == 0 {
		return Plan{}
	}
	p := Plan{Flows: float64(len(g)), Start: g[0].Start, End: g[len(g)-1].Start}
	for _, f := range g {
		p.Bytes += float64(f.Size)
	}
	return p
}
