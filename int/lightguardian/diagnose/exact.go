package diagnose

import (
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Exact is a View without sketches: counters of every flow at every switch. It is a netsim.Tap; an
// engine writes only the counters of its own switches.
type Exact struct {
	interval unit.Time
	bounds   [Cells - 1]unit.Time
	switches []exactSwitch // by node
}

type exactSwitch struct {
	flows map[uint64]*exactFlow
	to    int // intervals that have begun
}

// exactFlow holds a row for each interval, from the first one with packets of the flow at the
// switch.
type exactFlow struct {
	first int
	rows  []Row
	last  unit.Time
}

// NewExact makes the counters of a network with the given number of nodes. bounds are the delays
// between the cells.
func NewExact(nodes int, interval unit.Time, bounds [Cells - 1]unit.Time) *Exact {
	return &Exact{interval: interval, bounds: bounds, switches: make([]exactSwitch, nodes)}
}

func (e *Exact) Dequeue(h *netsim.Hop) {
	if h.Packet.Kind != netsim.Data {
		return
	}
	s := &e.switches[h.Switch]
	now := int(h.Packet.At / e.interval)
	s.to = max(s.to, now+1)
	key := h.FlowKey()
	f := s.flows[key]
	if f == nil {
		if s.flows == nil {
			s.flows = map[uint64]*exactFlow{}
		}
		f = &exactFlow{first: now, last: unit.Never}
		s.flows[key] = f
	}
	// A packet that arrived before the previous packet of its flow counts in the interval of that
	// packet.
	now = max(now, f.first+len(f.rows)-1)
	for f.first+len(f.rows) <= now {
		f.rows = append(f.rows, Row{Known: true})
		f.last = unit.Never // no time counts for the first packet of an interval (§4.4)
	}
	r := &f.rows[len(f.rows)-1]
	r.Packets++
	cell := 0
	for cell < len(e.bounds) && h.Now-h.Packet.At >= e.bounds[cell] {
		cell++
	}
	r.Delay[cell]++
	if f.last != unit.Never {
		r.Longest = max(r.Longest, h.Packet.At-f.last)
	}
	f.last = h.Packet.At
}

func (e *Exact) Intervals() (from, to int) {
	for i := range e.switches {
		to = max(to, e.switches[i].to)
	}
	return 0, to
}

func (e *Exact) Row(interval int, at netsim.NodeID, flow uint64) Row {
	f := e.switches[at].flows[flow]
	if f == nil || interval < f.first || interval >= f.first+len(f.rows) {
		return Row{Known: true}
	}
	return f.rows[interval-f.first]
}

func (e *Exact) Strays(v *Victim) []netsim.NodeID {
	var list []netsim.NodeID
	for i := range e.switches {
		if e.switches[i].flows[v.Flow] != nil && !slices.Contains(v.Path, netsim.NodeID(i)) {
			list = append(list, netsim.NodeID(i))
		}
	}
	return list
}
