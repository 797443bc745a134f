package telemetry

import (
	"math"

	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
)

// Answerer is a monitor (Watch.System) or a telemetry system (Parts.System) that answers questions
// about packets.
type Answerer interface {
	// Answers begins to collect data about a window. It is called before the first packet of the run. The result is
	// queried after the run. The result has the methods of Latencies, Paths, Sizes, Delays, Stamped and Failing for the
	// questions that the system can answer.
	Answers(Window) (any, error)
}

// Window is the first part of a run. Systems answer questions about the packets of the window. They may use the rest of
// the run to collect their data about these packets.
type Window struct {
	Until    unit.Time // reports that arrive later do not count
	Pipeline unit.Time // time through a switch with empty queues, part of every latency
	// FlowOf returns the flow with a five-tuple as its hosts know it now, or nil if none of its packets
	// has arrived.
	FlowOf func(route.FiveTuple) *Flow
}

// Flow is a flow that the questions to systems are about, as known to its hosts and routes.
type Flow struct {
	Key        uint64
	Tuple      route.FiveTuple // set once a packet has arrived
	Path       []netsim.NodeID // switches, from the source on
	Sent       int64           // packets
	Arrived    int64           // packets by now
	Since      unit.Time       // arrival time of the first packet
	Start, End unit.Time
}

// Latencies is a system that knows the mean latency of a flow at a switch of its path, in ps and including the
// pipeline. since is the time from which the system has known this latency.
type Latencies interface {
	Latency(f *Flow, hop int) (mean float64, since unit.Time, ok bool)
}

// Worst is a system that knows at which hop of a path the packets of a flow spend most time on
// average.
type Worst interface {
	Worst(f *Flow) (hop int, ok bool)
}

// Paths is a system that knows which switches a flow passes. It reports each switch as soon as the switch is known,
// once or more often, in any order. The slice is valid during the call only.
type Paths interface {
	OnPath(known func(flow uint64, switches []netsim.NodeID))
}

// Follower is a monitor that follows flows whose path changes.
type Follower interface {
	// Follow is called before the first packet of the run. The monitor then calls known when a packet that has reached
	// its destination, or a report about such a packet, shows a path. An empty list of switches means that the path has
	// changed and the new path is not known yet. The slice is valid during the call only.
	Follow(known func(now unit.Time, flow uint64, switches []netsim.NodeID)) error
}

// Sizes is a system that knows the number of packets of a flow.
type Sizes interface {
	Packets(f *Flow) (n float64, ok bool)
}

// Delays is a system that knows the distribution of latencies at a switch. A system that measures
// per flow uses the given flows. truth is the distribution to compare with; nil stands for the
// latencies in ns, including the pipeline.
type Delays interface {
	Delays(at netsim.NodeID, flows []*Flow) (said, truth Distribution)
}

// Distribution is a distribution of latencies. Total returns the number of latencies, which may be
// an estimate.
type Distribution interface {
	Total() float64
	Quantile(q float64) float64
}

// Stamped is a system that reads each packet of the window at each switch.
type Stamped interface {
	Stamp(flow uint64, h *netsim.Hop)
}

// Failing is a system that can fail during the run.
type Failing interface{ Err() error }

// Locator is a monitor or a telemetry system that answers questions about flows for fault
// localisation.
type Locator interface {
	// Evidence begins to collect. It is called before the first packet of the run. If the result is
	// a Reader, it reads every packet.
	Evidence(Scale) (Evidence, error)
}

// Locating is a Monitor that locates faults. It either attaches a Locator or counts the packets of
// flows at switches by interval.
type Locating interface {
	// Locating returns the extra settings with which the monitor locates faults best, such as ", keep: 1000", and
	// whether it counts packets.
	Locating() (settings string, counts bool)
}

// Scale holds the thresholds that define a fault.
type Scale struct {
	Slow unit.Time // from this latency at a switch on, a packet is slow
	Loop float64   // a switch that sees this multiple of a flow's packets is in a loop
}

// Evidence is the collected data of a system about flows. It is queried after the run.
type Evidence interface{ Facts(f *Flow) Facts }

// Reader reads the telemetry that switches have written on each packet, at its destination. The
// engine that runs a host calls it for that host.
type Reader interface {
	Read(host netsim.NodeID, flow uint64, stack []netsim.PortSample)
}

// Facts hold what a system knows about a flow.
type Facts struct {
	Other   []netsim.NodeID // switches that packets passed instead of those on the path, in order; nil if unknown
	OffPath []netsim.NodeID // switches that are not on the path, in unknown order
	Loop    []netsim.NodeID // switches that packets passed repeatedly
	Slow    []bool          // by hop of the path: the p95 latency is slow; nil: nowhere
	Lost    *int64          // packets that got lost in the network; nil: only hosts know
	Stopped int             // a packet reached this switch of the path and no later one; -1 if unknown
	Since   unit.Time       // time from which all of this was known

	Asked, Known int // number of questions, and of questions with an answer
}

// Slowness counts the packets of a flow at a hop, and the slow ones among them.
type Slowness struct{ Packets, Slow int }

// Add counts a packet.
func (s *Slowness) Add(slow bool) {
	if s.Packets++; slow {
		s.Slow++
	}
}

// Late reports whether the p95 latency is slow.
func (s Slowness) Late() bool { return s.Slow > 0 && 20*s.Slow > s.Packets }

// Echoed is INT that hosts read and no collector receives: time, bytes sent and queue length of
// each hop. It does not identify switches. The latency of a hop is estimated as the time to drain
// the queue that the packet left behind.
type Echoed struct {
	pipeline unit.Time
	flows    map[uint64]*[maxEchoed]echoedHop
}

// maxEchoed is the number of hops per flow that are kept: as many as HPCC's format has room for.
const maxEchoed = 5

type echoedHop struct {
	packets int64
	latency unit.Time // sum, including the pipeline
}

// NewEchoed makes an empty record of a window.
func NewEchoed(w Window) *Echoed {
	return &Echoed{w.Pipeline, map[uint64]*[maxEchoed]echoedHop{}}
}

// Stamp records the values at the switch, because the host reads the same values later.
func (e *Echoed) Stamp(flow uint64, h *netsim.Hop) {
	if h.Number >= maxEchoed {
		return
	}
	x := e.flows[flow]
	if x == nil {
		x = &[maxEchoed]echoedHop{}
		e.flows[flow] = x
	}
	x[h.Number].packets++
	x[h.Number].latency += h.Rate().TxTime(h.Queue) + e.pipeline
}

// Latency returns the mean latency that the destination knows once a packet has arrived there.
func (e *Echoed) Latency(f *Flow, hop int) (mean float64, since unit.Time, ok bool) {
	x := e.flows[f.Key]
	if f.Arrived == 0 || x == nil || hop >= maxEchoed || x[hop].packets == 0 {
		return math.NaN(), 0, false
	}
	return float64(x[hop].latency) / float64(x[hop].packets), f.Since, true
}
