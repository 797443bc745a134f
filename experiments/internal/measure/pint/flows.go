package pint

import (
	"context"
	"math"
	"slices"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
	"pintlab/pint/query"
	"pintlab/pint/trace"
)

// FlowsAnswer reports for how many flows the path is known before the flow ends.
type FlowsAnswer struct {
	Scenario   string  `json:"scenario"`
	Bits       int     `json:"bits"` // bits on a packet
	Flows      int     `json:"-"`
	NotStarted int64   `json:"not_started"` // excluded: they had not started at the end of the run
	Rerouted   int     `json:"rerouted"`    // excluded: their path changed, or passes a switch twice
	Rows       []Known `json:"rows"`
}

// Known is a row: the share of a class of flows whose path a decoder knows.
type Known struct {
	// `pint` allows any switch at any hop; `topology` knows the network
	Decoder string  `json:"decoder" col:"decoder"`
	From    int     `json:"packets_from" col:"packets from" unit:"packets"` // smallest number of packets of the flows
	To      int     `json:"packets_to" col:"to" unit:"packets"`             // largest number; 0: no limit
	Flows   int     `json:"flows" col:"flows"`
	Share   float64 `json:"known" col:"path known"` // share whose path is known at the last byte
	Lo      float64 `json:"lo" col:"lo"`            // lower end of the 95 % interval
	Hi      float64 `json:"hi" col:"hi"`            // likewise
}

// AskFlows runs a scenario and follows the path of each flow in digests. It computes these digests; they are not in the
// packets. It uses two decoders: one considers every switch at every hop (pint), and the other knows the network
// (topology).
func AskFlows(ctx context.Context, sc scenario.Scenario, bits, instances int, p study.Progress) (*FlowsAnswer, error) {
	if err := study.Suits(&sc); err != nil {
		return nil, err
	}
	spec, err := pathSpec(sc, bits, instances)
	if err != nil {
		return nil, err
	}
	a := &FlowsAnswer{Scenario: sc.Name, Bits: spec.Bits}
	plans := []Plan{{Name: "pint", Spec: spec}, {Name: "topology", Spec: spec, Topology: true}}
	r, flows, rerouted, err := Follow(ctx, sc, FollowConfig{Plans: plans}, p)
	if err != nil {
		return nil, err
	}
	a.Flows, a.NotStarted, a.Rerouted = len(flows), r.Summary.NotStarted, rerouted
	for i, plan := range plans {
		for _, k := range KnownAtEnd(flows, i) {
			k.Decoder = plan.Name
			a.Rows = append(a.Rows, k)
		}
	}
	a.Rows = columns.Rounded(a.Rows)
	return a, nil
}

// pathSpec returns a plan with only a path query, for the longest paths of a scenario's network.
func pathSpec(sc scenario.Scenario, bits, instances int) (*query.Spec, error) {
	g, err := sc.Topology.Generator().Build()
	if err != nil {
		return nil, err
	}
	m, err := trace.NewMap(g, nil)
	if err != nil {
		return nil, err
	}
	all := bits * instances
	spec := &query.Spec{Bits: all, Hops: slices.Max(trace.PathLengths(m, trace.HostSwitches(g))), HashBits: 16,
		Queries: []query.Query{query.PathQuery(all, instances, unit.KB)}}
	return spec, spec.Validate()
}

// classes lists the ranges of packets by which flows are counted. The last class contains all flows.
var classes = [][2]int{{1, 1}, {2, 5}, {6, 10}, {11, 20}, {21, 50}, {51, 100}, {101, 0}, {1, 0}}

// KnownAtEnd counts, for each class, the flows whose path a plan had decoded when their last byte arrived. The last
// class contains all flows. Classes without a flow are omitted.
func KnownAtEnd(flows []*Flow, plan int) (list []Known) {
	for _, c := range classes {
		of := lists.Keep(flows, func(f *Flow) bool {
			return f.Packets >= c[0] && (c[1] == 0 || f.Packets <= c[1])
		})
		if len(of) == 0 {
			continue
		}
		n, known := float64(len(of)), lists.Count(of, func(f *Flow) bool { return f.Tail[plan] })
		k := Known{From: c[0], To: c[1], Flows: len(of), Share: float64(known) / n}
		k.Lo, k.Hi = wilson(k.Share, n)
		list = append(list, k)
	}
	return list
}

// z95 is the quantile of the normal distribution for 95 % intervals.
const z95 = 1.959963984540054

// wilson returns Wilson's score interval, the 95 % interval of a share among n.
func wilson(share, n float64) (lo, hi float64) {
	centre := (share + z95*z95/(2*n)) / (1 + z95*z95/n)
	half := z95 / (1 + z95*z95/n) * math.Sqrt(share*(1-share)/n+z95*z95/(4*n*n))
	return max(0, centre-half), min(1, centre+half)
}
