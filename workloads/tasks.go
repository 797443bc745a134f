package workloads

import (
	"fmt"

	"pintlab/workloads/tasks"
)

// Tasks is the messages of a graph as a part of a workload. All its flows start with the graph, because
// only the run determines when each message begins.
type Tasks struct {
	*tasks.Graph
	Priority uint8 // traffic class of the flows; 0 means the class of the part
}

func (g Tasks) open(at site) ([]process, error) {
	if err := checkStart(g.Start); err != nil {
		return nil, err
	}
	for i := range g.Tasks {
		t := &g.Tasks[i]
		if t.Kind != tasks.Send {
			continue
		}
		f := Flow{Src: g.Hosts[t.Rank], Dst: g.Hosts[t.Peer], Size: t.Size}
		if err := checkFlow(f, at.hosts); err != nil {
			return nil, fmt.Errorf("%s: %w", g.At(int32(i)), err)
		}
	}
	return []process{&messages{Tasks: g}}, nil
}

func (g Tasks) plan([]Host) Plan {
	p := Plan{Flows: float64(g.Flows()), Start: g.Start, End: g.Start}
	for i := range g.Tasks {
		if t := &g.Tasks[i]; t.Kind == tasks.Send {
			p.Bytes += float64(t.Size)
		}
	}
	return p
}

// messages generates the messages of a graph in the order of its tasks.
type messages struct {
	Tasks
	at int
}

func (m *messages) next(f *Flow) bool {
	for ; m.at < len(m.Graph.Tasks); m.at++ {
		t := &m.Graph.Tasks[m.at]
		if t.Kind != tasks.Send {
			continue
		}
		f.Src, f.Dst, f.Size, f.Start, f.Task = m.Hosts[t.Rank], m.Hosts[t.Peer], t.Size, m.Start, int32(m.at)+1
		if m.Priority != 0 {
			f.Priority = m.Priority
		}
		m.at++
		return true
	}
	return false
}
