package pint

import (
	"context"
	"slices"

	"pintlab/experiments/results/columns"
	"pintlab/experiments/scenario"
	"pintlab/experiments/study"
	"pintlab/netsim/unit"
	"pintlab/pint/query"
	"pintlab/pint/trace"
)

// FlowsAnswer is how many flows have a known path before they end.
type FlowsAnswer struct {
	Scenario   string       `json:"scenario"`
	Bits       int          `json:"bits"` // on a packet
	Flows      int          `json:"-"`
	NotStarted int64        `json:"not_started"` // left out: they start after the end of the run
	Rerouted   int          `json:"rerouted"`    // left out: their path changed, or passes a switch twice
	Rows       []FlowsKnown `json:"rows"`
}

// FlowsKnown is a row: the share of a class of flows whose paths a decoder knows.
type FlowsKnown struct {
	// `pint`: any switch at any hop; `topology`: knows the network
	Decoder string  `json:"decoder" col:"decoder"`
	From    int     `json:"packets_from" col:"packets from" unit:"packets"` // least packets of the flows
	To      int     `json:"packets_to" col:"to" unit:"packets"`             // most; 0: no end
	Flows   int     `json:"flows" col:"flows"`
	Share   float64 `json:"known" col:"path known"` // share whose path is known at the last byte
	Lo      float64 `json:"lo" col:"lo"`            // of its 95 % interval
	Hi      float64 `json:"hi" col:"hi"`            // likewise
}

// AskFlows runs a scenario and follows the path of each flow in digests beside its own:
// with a decoder to which every switch is possible at every hop (pint), and with one that
// knows the network (topology).
func AskFlows(ctx context.Context, sc scenario.Scenario, bits, instances int, p study.Progress) (*FlowsAnswer, error) {
	if err := study.Suits(&sc); err != nil {
		return nil, err
	}
	spec, err := pathSpec(sc, bits, instances)
	if err != nil {
		return nil, err
	}
	a := &FlowsAnswer{Scenario: sc.Name, Bits: spec.Bits}
	arms := []Plan{{Name: "pint", Spec: spec}, {Name: "topology", Spec: spec, Topology: true}}
	r, flows, rerouted, err := Follow(ctx, sc, FollowConfig{Plans: arms}, p)
	if err != nil {
		return nil, err
	}
	a.Flows, a.NotStarted, a.Rerouted = len(flows), r.Summary.NotStarted, rerouted
	for i, arm := range arms {
		for _, k := range KnownAtEnd(flows, i) {
			a.Rows = append(a.Rows, FlowsKnown{arm.Name, k.From, k.To, k.Flows, k.Share, k.Lo, k.Hi})
		}
	}
	a.Rows = columns.Rounded(a.Rows)
	return a, nil
}

// pathSpec returns a plan of a path query alone, for the longest paths of a scenario's network.
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
