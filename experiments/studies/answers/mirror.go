package answers

import (
	"pintlab/int/fridge"
	"pintlab/int/mirror"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// collected is INT whose records reach a collector, as passports or as postcards. Of packets of which
// a share is watched it tells sizes by that share.
type collected struct {
	share    float64
	flows    map[uint64]*collectedFlow
	switches []*fridge.Tally // by node; of latencies in ns; nil: none
}

type collectedFlow struct {
	hops []collectedHop
	path int64 // packets that had arrived when all switches had reported; 0: not yet
}

type collectedHop struct {
	node    netsim.NodeID
	packets int64
	latency unit.Time // sum, with the pipeline
	since   unit.Time
}

func newCollected(j *Judge, m *mirror.Monitor, p *mirror.Params) *collected {
	c := &collected{share: p.Share, flows: map[uint64]*collectedFlow{}, switches: make([]*fridge.Tally, len(j.switches))}
	m.Listen(func(now unit.Time, flow uint64, records []mirror.Record) {
		if now < j.Window {
			c.take(j, now, flow, records)
		}
	})
	return c
}

func (c *collected) take(j *Judge, now unit.Time, key uint64, records []mirror.Record) {
	x := c.flows[key]
	if x == nil {
		x = &collectedFlow{}
		c.flows[key] = x
	}
	for _, r := range records {
		h := x.at(r.Node)
		if h.packets == 0 {
			h.since = now
		}
		h.packets++
		h.latency += r.Latency + pipeline
		if c.switches[r.Node] == nil {
			c.switches[r.Node] = newTally()
		}
		c.switches[r.Node].Add(0, uint64((r.Latency+pipeline)/unit.Nanosecond), 1)
	}
	if f := j.flows[key]; x.path == 0 && f != nil && len(x.hops) == len(f.hops) {
		x.path = max(1, f.arrived)
	}
}

func (x *collectedFlow) at(node netsim.NodeID) *collectedHop {
	for i := range x.hops {
		if x.hops[i].node == node {
			return &x.hops[i]
		}
	}
	x.hops = append(x.hops, collectedHop{node: node})
	return &x.hops[len(x.hops)-1]
}

func (c *collected) latency(f *flow, h *hop) (mean float64, since unit.Time, ok bool) {
	x := c.flows[f.key]
	if x == nil {
		return 0, 0, false
	}
	y := x.at(h.node)
	if y.packets == 0 {
		return 0, 0, false
	}
	return float64(y.latency) / float64(y.packets), y.since, true
}

func (c *collected) path(f *flow) (int64, bool) {
	x := c.flows[f.key]
	if x == nil || x.path == 0 {
		return 0, false
	}
	return x.path, true
}

// packets is the most that a switch has reported.
func (c *collected) packets(f *flow) (float64, bool) {
	x := c.flows[f.key]
	if x == nil {
		return 0, false
	}
	most := int64(0)
	for _, h := range x.hops {
		most = max(most, h.packets)
	}
	return float64(most) / c.share, true
}

func (c *collected) delays(at netsim.NodeID) (said, truth *fridge.Distribution) {
	if c.switches[at] == nil {
		return nil, nil
	}
	return c.switches[at].Distribution(), nil
}
