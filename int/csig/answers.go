package csig

import (
	"math"
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Answers implements telemetry.Answerer with the tags of delay or queue that receivers read. A tag names one hop, so
// hops that are never the worst have no answer.
func (t *tap) Answers(w telemetry.Window) (any, error) {
	if t.signals[1].least() {
		return nil, nil // available bandwidth answers no question of the comparison
	}
	return &named{tap: t, pipeline: w.Pipeline, flows: map[uint64][]namedHop{}}, nil
}

// named holds the hops that the tags of each flow have named.
type named struct {
	tap      *tap
	pipeline unit.Time
	flows    map[uint64][]namedHop // by flow key and by hop
}

// namedHop counts the packets whose tag names a hop as the worst.
type namedHop struct {
	locator uint32
	packets int64
	sum     int64 // sum of the values
}

// Stamp implements telemetry.Stamped: it reads the tag at the last switch, as the receiver will.
func (n *named) Stamp(flow uint64, h *netsim.Hop) {
	if h.Number > 255 {
		return
	}
	hops := n.flows[flow]
	for len(hops) <= h.Number {
		hops = append(hops, namedHop{locator: n.tap.format.None()})
	}
	n.flows[flow] = hops
	hops[h.Number].locator = n.tap.ports[h.Port].locator
	if _, to := n.tap.net.PortEnds(h.Port); n.tap.net.Graph().Nodes[to].Kind != topo.Host {
		return
	}
	tag, ok := n.tap.format.Decode(h.Packet.Digest)
	if !ok || tag.Signal.least() || tag.Locator == n.tap.format.None() {
		return
	}
	if i := slices.IndexFunc(hops, func(x namedHop) bool { return x.locator == tag.Locator }); i >= 0 {
		hops[i].packets++
		hops[i].sum += n.tap.buckets[tag.Signal].value(tag.Value)
	}
}

// Latency implements telemetry.Latencies. It returns the mean over the packets whose tags name the switch. At the other
// hops these packets took less time, so the mean is larger than the mean of all packets.
func (n *named) Latency(f *telemetry.Flow, hop int) (mean float64, since unit.Time, ok bool) {
	hops := n.flows[f.Key]
	if f.Arrived == 0 || hop >= len(hops) || hops[hop].packets == 0 {
		return math.NaN(), 0, false
	}
	return float64(hops[hop].sum)/float64(hops[hop].packets) + float64(n.pipeline), f.Since, true
}

// Worst implements telemetry.Worst: the hop with the largest sum of reported delays.
func (n *named) Worst(f *telemetry.Flow) (hop int, ok bool) {
	hops := n.flows[f.Key]
	for i := range hops {
		if hops[i].sum > hops[hop].sum {
			hop = i
		}
	}
	return hop, f.Arrived > 0 && len(hops) > 0 && hops[hop].sum > 0
}
