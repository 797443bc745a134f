package telemetry

import (
	"math"
	"slices"

	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
)

// answers contains the accuracy of a system's answers. A number is NaN if the system does not answer the question.
type answers struct {
	// share of the pairs of flow and switch whose latency the system reports
	Told      float64 `col:"latencies reported"`
	Latency50 float64 `col:"latency error p50"` // relative error, over the reported pairs
	Latency99 float64 `col:"latency error p99"`
	Lag       float64 `col:"lag" unit:"s"` // median over the reported pairs
	PathFlows float64 `col:"path known"`   // share of the flows whose path is known
	// packets that have arrived until the path is known, median over the flows whose path is known
	PathPackets float64 `col:"path packets"`
	Heavy       float64 `col:"heavy F1"`       // F1 of the heavy flows
	SizeTold    float64 `col:"sizes reported"` // share of the flows whose size is reported
	Size        float64 `col:"size error"`     // average relative error over the reported flows
	Delays      float64 `col:"delays error"`   // error of the distribution of latencies, |log2|
	// of the flows for which the system names a single worst hop, the share for which another hop is worse
	Worst float64 `col:"wrong hop"`
}

func (j *judge) answers() (answers, error) {
	a := columns.Blank[answers]()
	flows := j.sorted()
	if s, ok := j.system.(telemetry.Latencies); ok {
		a.latencies(flows, s)
	}
	if _, ok := j.system.(telemetry.Paths); ok {
		a.paths(flows)
	}
	if s, ok := j.system.(telemetry.Sizes); ok {
		a.sizes(flows, s, float64(j.Heavy))
	}
	if s, ok := j.system.(telemetry.Delays); ok {
		a.delays(j, flows, s)
	}
	if s, ok := j.system.(telemetry.Worst); ok {
		a.worst(flows, s)
	}
	if s, ok := j.system.(telemetry.Failing); ok {
		return a, s.Err()
	}
	return a, nil
}

func (a *answers) latencies(flows []*flow, s telemetry.Latencies) {
	var wrong, lags []float64
	pairs := 0
	for _, f := range flows {
		for i := range f.hops {
			h := &f.hops[i]
			pairs++
			if said, since, ok := s.Latency(&f.Flow, i); ok {
				wrong = append(wrong, math.Abs(said-h.mean())/h.mean())
				lags = append(lags, (since - h.first).Seconds())
			}
		}
	}
	a.Told = share(len(wrong), pairs)
	a.Latency50, a.Latency99, a.Lag = quantile(wrong, 0.5), quantile(wrong, 0.99), quantile(lags, 0.5)
}

func (a *answers) paths(flows []*flow) {
	var after []float64
	for _, f := range flows {
		if f.known > 0 {
			after = append(after, float64(f.known))
		}
	}
	a.PathFlows, a.PathPackets = share(len(after), len(flows)), quantile(after, 0.5)
}

func (a *answers) sizes(flows []*flow, s telemetry.Sizes, heavy float64) {
	answered, sum := 0, 0.0
	hits, said, real := 0, 0, 0
	for _, f := range flows {
		truth := float64(f.packets())
		if truth >= heavy {
			real++
		}
		n, ok := s.Packets(&f.Flow)
		if !ok {
			continue
		}
		answered++
		sum += math.Abs(n-truth) / truth
		if n >= heavy {
			said++
			if truth >= heavy {
				hits++
			}
		}
	}
	a.SizeTold = share(answered, len(flows))
	if answered > 0 {
		a.Size = sum / float64(answered)
	}
	if real > 0 {
		a.Heavy = 2 * float64(hits) / float64(said+real)
	}
}

func (a *answers) worst(flows []*flow, s telemetry.Worst) {
	named, wrong := 0, 0
	for _, f := range flows {
		said, ok := s.Worst(&f.Flow)
		if !ok {
			continue
		}
		named++
		if slices.ContainsFunc(f.hops, func(h hop) bool { return h.mean() > f.hops[said].mean() }) {
			wrong++
		}
	}
	a.Worst = share(wrong, named)
}

// enough is the smallest number of packets of a switch whose distribution of latencies is compared.
const enough = 100

func (a *answers) delays(j *judge, flows []*flow, s telemetry.Delays) {
	asked := lists.Map(flows, func(f *flow) *telemetry.Flow { return &f.Flow })
	sum, n := 0.0, 0
	for at, t := range j.switches {
		if t == nil {
			continue
		}
		said, truth := s.Delays(netsim.NodeID(at), asked)
		if truth == nil {
			truth = t.Distribution()
		}
		if said == nil || said.Total() == 0 || truth.Total() < enough {
			continue
		}
		sum += delayError(said, truth)
		n++
	}
	if n > 0 {
		a.Delays = sum / float64(n)
	}
}

// delayError returns the mean of |log2(reported / true)| over the percentiles 5, 10, … 95.
func delayError(said, truth telemetry.Distribution) float64 {
	e := 0.0
	for p := 5; p <= 95; p += 5 {
		q := float64(p) / 100
		e += math.Abs(math.Log2(said.Quantile(q)/truth.Quantile(q))) / 19
	}
	return e
}

// share returns a share, or NaN of nothing.
func share(n, of int) float64 {
	if of == 0 {
		return math.NaN()
	}
	return float64(n) / float64(of)
}

// quantile returns the value at the given rank, or NaN if there are no values.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	return stats.Percentile(values, q)
}
