package transport

import (
	"pintlab/internal/hash"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
)

// Flow is one transfer of Size bytes from Src to Dst.
type Flow struct {
	Number  int32 // number of the flow in the workload
	Src     netsim.NodeID
	Dst     netsim.NodeID
	SrcPort uint16
	DstPort uint16
	Class   uint8      // traffic class of its packets, 1 to 7
	Size    unit.Bytes // payload, >= 1
	Start   unit.Time
}

// FiveTuple returns the tuple that ECMP hashes.
func (f *Flow) FiveTuple() route.FiveTuple {
	return route.FiveTuple{Src: f.Src, Dst: f.Dst, SrcPort: f.SrcPort, DstPort: f.DstPort}
}

// FlowKey returns the key that hashes use for a flow in a run with this seed (netsim.Hop.FlowKey).
func FlowKey(seed uint64, number int32) uint64 {
	return hash.Combine(hash.Combine(hash.String("flow"), seed), uint64(number))
}

// Path appends to buf the ports that the packets of a flow cross with the given routes.
func (f *Flow) Path(buf []route.Port, routes *route.Table) []route.Port {
	return routes.Path(buf, f.Src, f.Dst, f.FiveTuple())
}

// Source yields the flows of a run in the order of their start times.
type Source interface {
	// Next stores the next flow in its argument. It reports false if there is none.
	Next(*Flow) bool
}

// Stopper is a Source that can end the run. The transport calls Stopped while it starts many flows
// in one event. If Stopped returns true, the event ends early and the engine halts. The other flows
// start if the run continues. Several engines may call Stopped at the same time.
type Stopper interface{ Stopped() bool }

// StopEvery is how many flows start between two calls of Stopped.
const StopEvery = 1 << 12

// Outcome is the way in which a flow ended.
type Outcome uint8

// The outcomes of a flow.
const (
	Finished    Outcome = iota
	Unfinished          // the run ended before the flow
	Failed              // MaxTimeouts timeouts in a row without progress
	Stalled             // a watchdog ended the run
	Unreachable         // there was no path when the flow started
)

// Record is the result of a flow.
type Record struct {
	Flow
	Outcome  Outcome
	FCT      unit.Time // from the start to the ACK of the last byte; Never if not finished
	Ended    unit.Time // when the flow finished or failed; Never for other outcomes
	Ideal    unit.Time // FCT in an empty network without telemetry
	Acked    unit.Bytes
	Packets  uint32 // data packets sent
	Retx     uint32 // retransmissions among Packets
	Timeouts uint32
	Hops     uint8 // switches on the path
	Again    bool  // an earlier record reported the end of the flow; only package transport/ns3 repeats it
}
