package answers

import (
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// echoed is INT that hosts read and nobody collects: time, bytes sent and queue length of each hop.
// It does not name switches. The latency of a hop is taken to be the time that the queue left behind
// takes to drain.
type echoed struct {
	flows map[uint64]*[maxEchoed]echoedHop
}

// maxEchoed is how many hops are kept of a flow: those that HPCC's format has room for.
const maxEchoed = 5

type echoedHop struct {
	packets int64
	latency unit.Time // sum, with the pipeline
}

func newEchoed() *echoed { return &echoed{map[uint64]*[maxEchoed]echoedHop{}} }

// stamp is called for the packets themselves: what a host reads is what the switch knows here.
func (e *echoed) stamp(f *flow, h *netsim.Hop) {
	if h.Number >= maxEchoed {
		return
	}
	x := e.flows[f.key]
	if x == nil {
		x = &[maxEchoed]echoedHop{}
		e.flows[f.key] = x
	}
	y := &x[h.Number]
	y.packets++
	y.latency += h.Rate().TxTime(h.Queue) + pipeline
}

// latency is known to the destination, if a packet has come there.
func (e *echoed) latency(f *flow, h *hop) (mean float64, since unit.Time, ok bool) {
	x := e.flows[f.key]
	if f.arrived == 0 {
		return 0, 0, false
	}
	for i := range f.hops {
		if &f.hops[i] == h && x != nil && i < maxEchoed && x[i].packets > 0 {
			return float64(x[i].latency) / float64(x[i].packets), f.since, true
		}
	}
	return 0, 0, false
}
