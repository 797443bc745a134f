package telemetry

import (
	"math"

	"pintlab/int/fridge"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Answerer is a monitor (Watch.System) or a telemetry system (Parts.System) that can be asked what
// it knows of packets.
type Answerer interface {
	// Answers begins to collect what the system knows of a window. It is called before the first packet of
	// the run. The result is asked after the run. It has those of the methods of Latencies, Paths, Sizes,
	// Delays, Stamped and Failing that the system can answer.
	Answers(Window) (any, error)
}

// Window is the first part of a run: the packets that systems are asked about. They may use the rest
// of the run to collect what they know of it.
type Window struct {
	Until    unit.Time // reports that come later are not of the window
	Pipeline unit.Time // through a switch whose queues are empty, part of every latency
	// Named returns the flow with a name as its hosts know it now, nil if none of its packets has
	// arrived.
	Named func(netsim.FlowName) *Flow
}

// Flow is a flow that systems are asked about, with what its hosts and its routes know.
type Flow struct {
	Key        uint64
	Name       netsim.FlowName // once a packet has arrived
	Path       []netsim.NodeID // switches, from the source on
	Sent       int64           // packets
	Arrived    int64           // packets by now
	Since      unit.Time       // when the first of these came
	Start, End unit.Time
}

// Latencies is a system that knows the mean latency of a flow at a switch of its path, in ps with the
// pipeline, and since when it has known it.
type Latencies interface {
	Latency(f *Flow, hop int) (mean float64, since unit.Time, ok bool)
}

// Worst is a system that names one hop of a path: the one at which the packets of a flow spend most time on average.
type Worst interface {
	Worst(f *Flow) (hop int, ok bool)
}

// Paths is a system that knows which switches a flow passes. It reports them as soon as it knows
// them, once or more often, in any order. The slice is valid during the call only.
type Paths interface {
	OnPath(known func(flow uint64, switches []netsim.NodeID))
}

// Sizes is a system that knows how many packets a flow has.
type Sizes interface {
	Packets(f *Flow) (n float64, ok bool)
}

// Delays is a system that knows the distribution of latencies at a switch; a system that works by flow
// uses the given flows. truth is the distribution to compare with, nil for the latencies in ns with the
// pipeline.
type Delays interface {
	Delays(at netsim.NodeID, flows []*Flow) (said, truth *fridge.Distribution)
}

// Stamped is a system that reads each packet in the window at each switch.
type Stamped interface {
	Stamp(flow uint64, h *netsim.Hop)
}

// Failing is a system that can fail during the run.
type Failing interface{ Err() error }

// Locator is a monitor or a telemetry system that can be asked what happened to flows, by those who look for
// faults.
type Locator interface {
	// Evidence begins to collect. It is called before the first packet of the run. If the result is a
	// Reader it reads every packet.
	Evidence(Scale) (Evidence, error)
}

// Locating is a Monitor that locates faults: it attaches a Locator, or counts the packets of flows at
// switches by intervals.
type Locating interface {
	// Locating returns the further settings with which it locates best, such as ", keep: 1000", and whether it
	// counts.
	Locating() (settings string, counts bool)
}

// Scale says what counts as a fault.
type Scale struct {
	Slow unit.Time // latency at a switch from which on a packet is slow
	Loop float64   // a switch with this many times the packets of a flow is in a loop
}

// Evidence is what a system has collected about flows; it is asked after the run.
type Evidence interface{ Facts(f *Flow) Facts }

// Reader reads what switches have written on each packet, at its destination. Each host is read by the
// engine that runs it.
type Reader interface {
	Read(host netsim.NodeID, flow uint64, stack []netsim.PortSample)
}

// Facts hold what a system knows of a flow.
type Facts struct {
	Other   []netsim.NodeID // switches that packets have passed in place of the path, in order; nil if unknown
	Beside  []netsim.NodeID // switches that are not on the path, of unknown order
	Loop    []netsim.NodeID // switches that packets have passed again and again
	Slow    []bool          // by hop of the path: the p95 is slow there; nil: nowhere
	Stopped int             // a packet has come to this switch of the path and no further; -1 if unknown
	Since   unit.Time       // when all of this was known

	Asked, Known int // number of questions, and of those with an answer
}

// Slowness counts the packets of a flow at a hop, and those that were slow there.
type Slowness struct{ Packets, Slow int }

// Add counts a packet.
func (s *Slowness) Add(slow bool) {
	if s.Packets++; slow {
		s.Slow++
	}
}

// Late reports whether the p95 is slow.
func (s Slowness) Late() bool { return s.Slow > 0 && 20*s.Slow > s.Packets }

// NewDelays makes an empty distribution of latencies in ns, with bins of 5 %.
func NewDelays() *fridge.Tally {
	t, err := fridge.NewTally(1, 0.05)
	if err != nil {
		panic(err) // the width is a constant
	}
	return t
}

// DelayError returns the error of a distribution: |log2(said / true)|, the mean over the percentiles 5, 10, … 95.
func DelayError(said, truth *fridge.Distribution) float64 {
	e := 0.0
	for p := 5; p <= 95; p += 5 {
		e += fridge.Error(said, truth, float64(p)/100) / 19
	}
	return e
}

// Echoed is INT that hosts read and nobody collects: time, bytes sent and queue length of each hop.
// It does not name switches. The latency of a hop is taken to be the time that the queue left behind
// takes to drain.
type Echoed struct {
	pipeline unit.Time
	flows    map[uint64]*[maxEchoed]echoedHop
}

// maxEchoed is how many hops are kept of a flow: those that HPCC's format has room for.
const maxEchoed = 5

type echoedHop struct {
	packets int64
	latency unit.Time // sum, with the pipeline
}

// NewEchoed makes the record of what hosts learn in a window.
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

// Latency returns what the destination knows, if a packet has arrived there.
func (e *Echoed) Latency(f *Flow, hop int) (mean float64, since unit.Time, ok bool) {
	x := e.flows[f.Key]
	if f.Arrived == 0 || x == nil || hop >= maxEchoed || x[hop].packets == 0 {
		return math.NaN(), 0, false
	}
	return float64(x[hop].latency) / float64(x[hop].packets), f.Since, true
}
