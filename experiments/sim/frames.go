package sim

import (
	"slices"

	"pintlab/experiments/results/store"
	"pintlab/netsim"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// frameLog records the PFC frames of a run.
type frameLog struct {
	to      []store.Frame   // by port: the place where a frame that the port sends arrives
	ordered bool            // a single engine runs, and its order of events is kept
	lists   [][]store.Frame // by node, so that engines need no locks; a single list if ordered
}

func newFrameLog(g *topo.Graph, ordered bool) *frameLog {
	l := &frameLog{ordered: ordered, lists: make([][]store.Frame, len(g.Nodes))}
	count := make([]int, len(g.Nodes))
	for _, x := range g.Links {
		count[x.A]++
		count[x.B]++
		at := func(n topo.NodeID) store.Frame {
			return store.Frame{Node: int32(n), Switch: g.Nodes[n].Kind != topo.Host, Interface: count[n]}
		}
		l.to = append(l.to, at(x.B), at(x.A))
	}
	return l
}

// add implements netsim.Config.OnPFC.
func (l *frameLog) add(now unit.Time, in netsim.PortID, kind netsim.Kind) {
	f := l.to[in]
	f.At, f.Pause = now, kind == netsim.Pause
	list := &l.lists[f.Node]
	if l.ordered {
		list = &l.lists[0]
	}
	*list = append(*list, f)
}

// frames returns all frames in order of time. At equal times they are in order of nodes, or of events if
// ordered.
func (l *frameLog) frames() []store.Frame {
	if l == nil {
		return nil
	}
	all := slices.Concat(l.lists...)
	slices.SortStableFunc(all, func(a, b store.Frame) int { return int(min(max(a.At-b.At, -1), 1)) })
	return all
}
