package fig11

import (
	"fmt"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/measure/observe"
	"pintlab/netsim/unit"
	"pintlab/pint/query"
)

// scale is what is run at a scale.
type scale struct {
	seeds       int
	buckets     int
	hadoop, web unit.Time // arrivals
	packets     int       // of a flow, after which paths and latencies are compared
}

const us, ms = unit.Microsecond, unit.Millisecond

var scales = map[figure.Scale]scale{
	figure.Smoke:  {1, 10, 10 * us, 20 * us, 50},
	figure.Laptop: {5, 20, 300 * us, 200 * us, 200},
	figure.Paper:  {3, 20, 20 * ms, 5 * ms, 200},
}

// String says what is run.
func (z scale) String() string {
	return fmt.Sprintf("%s, arrivals for %v (Hadoop) and %v (web search); paths and latencies of flows of %d packets or more",
		figure.Count(z.seeds, "seed"), z.hadoop, z.web, z.packets)
}

// load is the share of the server links that payload fills, %.
const load = 50

// The schemes of the slowdowns. Both have two bytes on each packet.
var (
	combined = comparison.Scheme{Name: "combined", Set: []string{"telemetry.kind=pint", "telemetry.plan=combined"}}
	alone    = comparison.Scheme{Name: "HPCC alone", Set: []string{"telemetry.kind=pint", "telemetry.wire_bytes=2B"}}
)

// The arms.
const (
	armCombined = "combined"
	armOneHash  = "combined, one hash of 8 bits"
	armTopology = "combined, decoder knows the network"
	armPath     = "path alone, 2×(b=8)"
	armLatency  = "latency alone, b = 16"
)

// oneHash is the path query of the combined plan as p4/src/pint_combined.p4 has it: one
// hash of 8 bits.
func oneHash() *query.Spec {
	return &query.Spec{Bits: 8, Hops: 5, HashBits: 16, Queries: []query.Query{query.PathQuery(8, 1, 1000*unit.Byte)}}
}

// arms are the plans that are followed on the packets of the combined run. Alone a query
// has twice the bits and, for as many digests, twice the space.
func arms() []observe.Arm {
	single := func(q query.Query) *query.Spec {
		return &query.Spec{Bits: 16, Hops: 5, HashBits: 16, Queries: []query.Query{q}}
	}
	return []observe.Arm{
		{Name: armCombined},
		{Name: armTopology, Topology: true},
		{Name: armOneHash, Spec: oneHash()},
		{Name: armPath, Spec: single(query.PathQuery(16, 2, 2*unit.KB))},
		{Name: armLatency, Spec: single(query.LatencyQuery(16, 2*unit.KB))},
	}
}
