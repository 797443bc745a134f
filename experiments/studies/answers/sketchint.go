package answers

import (
	"slices"

	"pintlab/int/sketchint"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// sketched is SketchINT: the analyzer's sketches of each agent and period of the window. It is asked
// for any flow, and tells the path of those in its tables.
type sketched struct {
	agent  func(*flow) netsim.NodeID // that sees the packets of a flow
	agents map[netsim.NodeID][]analysed
	known  map[uint64]int64 // packets that had arrived when the path was known, by flow
}

type analysed struct {
	*sketchint.Analysis
	at unit.Time
}

func newSketched(j *Judge, m *sketchint.Monitor, p *sketchint.Params) *sketched {
	s := &sketched{agents: map[netsim.NodeID][]analysed{}, known: map[uint64]int64{}}
	s.agent = func(f *flow) netsim.NodeID { return f.to }
	if p.Agents == "switches" {
		s.agent = func(f *flow) netsim.NodeID { return f.hops[len(f.hops)-1].node }
	}
	var nodes []netsim.NodeID
	m.Listen(func(now unit.Time, x *sketchint.Analysis) {
		if p.Period*unit.Time(x.Period+1) > j.Window {
			return
		}
		s.agents[x.Agent] = append(s.agents[x.Agent], analysed{x, now})
		x.Heavy(func(key uint64, path []netsim.NodeID) {
			f := j.flows[key]
			if f == nil || s.known[key] > 0 {
				return
			}
			nodes = nodes[:0]
			for _, h := range f.hops {
				nodes = append(nodes, h.node)
			}
			if slices.Equal(nodes, path) {
				s.known[key] = max(1, f.arrived)
			}
		})
	})
	return s
}

// latency is the mean over the periods, by the packets that the sketch has counted in each.
func (s *sketched) latency(f *flow, h *hop) (mean float64, since unit.Time, ok bool) {
	var sum, n float64
	for _, x := range s.agents[s.agent(f)] {
		packets, known := x.Packets(f.key)
		if !known || packets == 0 {
			continue
		}
		t, known := x.Latency(f.key, h.node)
		if !known {
			continue
		}
		if n == 0 {
			since = x.at
		}
		sum += float64(t) * float64(packets)
		n += float64(packets)
	}
	return sum / n, since, n > 0
}

func (s *sketched) path(f *flow) (int64, bool) {
	n, ok := s.known[f.key]
	return n, ok
}

func (s *sketched) packets(f *flow) (n float64, ok bool) {
	for _, x := range s.agents[s.agent(f)] {
		if packets, known := x.Packets(f.key); known {
			n += float64(packets)
			ok = ok || packets > 0
		}
	}
	return n, ok
}
