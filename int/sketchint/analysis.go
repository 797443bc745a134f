package sketchint

import (
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Analysis is what the analyzer has of one agent's packets of one period: sketches that can be
// asked for any flow, and the table of its heavy flows.
type Analysis struct {
	Agent  netsim.NodeID
	Period int // from 0; it lasts from Period·T to (Period+1)·T

	group   *group
	monitor *Monitor
}

// Listen has f called whenever the analyzer has read the sketches of an agent, at most once for
// an agent and period. An Analysis may be kept. It must be set before the run begins.
func (m *Monitor) Listen(f func(now unit.Time, x *Analysis)) { m.listen = f }

// Packets is the estimated number of packets of a flow; ok is false if no counter can tell.
func (x *Analysis) Packets(flow uint64) (n uint64, ok bool) { return x.group.heavy.Estimate(flow) }

// Latency is the estimated mean latency of a flow's packets at a switch, the pipeline included;
// ok is false if the sketch has not seen it there or no bucket can tell.
func (x *Analysis) Latency(flow uint64, at netsim.NodeID) (mean unit.Time, ok bool) {
	ns, ok := x.group.meanLatency(flow, x.monitor.ids[at])
	return unit.Time(ns * float64(unit.Nanosecond)), ok
}

// Heavy calls use for each flow of the table, with its switches from source to destination, as
// of its last packet. The path is valid during the call only.
func (x *Analysis) Heavy(use func(flow uint64, path []netsim.NodeID)) {
	var path []netsim.NodeID
	for i, f := range x.group.flows.Flows() {
		path = path[:0]
		for _, id := range x.group.path(i) {
			path = append(path, x.monitor.at.Graph.Switches()[id])
		}
		use(f.Key, path)
	}
}
