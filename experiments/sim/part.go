package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/netsim"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/workloads"
)

// Part is a small network that stands for a part of a larger one, with the flows that pass it.
type Part struct {
	Graph *topo.Graph
	Flows []workloads.Flow // with ascending start times; in the records they are numbered in this order
	Hops  []uint8          // switches on the whole paths of the flows
	Whole *transport.Setting
	// Marks multiplies the thresholds of marking at the ports of a node; nil means 1.
	Marks func(topo.NodeID) unit.Bytes
}

// pretend gives a congestion control what it would know of the whole network.
func (p *Part) pretend(c *transport.Setting) {
	ports := c.PortRate
	*c = *p.Whole
	c.PortRate = ports
}

// tell gives the controller of a flow what it would know of the whole path.
func (p *Part) tell(f *transport.FlowInfo) { f.Hops = int(p.Hops[f.Number]) }

// Whole is a network as it stands before its first event, for those who take it apart.
type Whole struct {
	*Simulation                    // its scenario has the settings that were left to the network
	Setting     *transport.Setting // as a congestion control sees it; it may be used side by side
	Data        unit.Bytes         // on the wire, of a full packet
	Ack         unit.Bytes         // on the wire
	End         unit.Time          // when the run ends whatever is under way
	foresee     func(*transport.Flow) (forth, back []netsim.PortID, ideal unit.Time)
}

// Foresee returns the paths of a flow of the workload, and its ideal completion time. The paths are valid until the next
// call; they are empty if there are none.
func (w *Whole) Foresee(f *workloads.Flow) (forth, back []netsim.PortID, ideal unit.Time) {
	t := transportFlow(f)
	return w.foresee(&t)
}

// Flows returns the flows of the workload, in the order of their starts, with their traffic classes.
func (w *Whole) Flows() (workloads.Source, error) {
	x, err := w.workload()
	if err != nil {
		return nil, err
	}
	stream, err := x.Stream(w.hosts)
	if err != nil {
		return nil, err
	}
	sizes, err := scenario.ParseSizeClasses(w.Scenario.Transport.SizeClasses)
	return &sorted{stream, sizes}, err
}

// TakeApart builds the whole network of a scenario up to its first event. Flows that wait for others are an error: their
// starts are not known beforehand.
func TakeApart(ctx context.Context, sc scenario.Scenario) (*Whole, error) {
	s, err := Build(sc, Options{stop: ctx.Err, memory: memoryLimit(ctx)}, nil)
	switch {
	case err != nil:
		return nil, err
	case s.jobs != nil:
		return nil, errors.New("estimate.enabled = true: the workload has flows that wait for others, and an estimate needs all start times")
	}
	for _, l := range s.Graph.Links {
		if l.ErrorRate > 0 {
			return nil, fmt.Errorf("estimate.enabled = true: the link from %s to %s loses packets (error rate %v), and an estimate has no losses on wires", s.Graph.Label(l.A), s.Graph.Label(l.B), l.ErrorRate)
		}
	}
	t, ok := s.Stack.(interface {
		Foresee(f *transport.Flow) (forth, back []netsim.PortID, ideal unit.Time)
	})
	if !ok {
		return nil, fmt.Errorf("estimate.enabled = true: profile = %s has a transport of its own", sc.Profile)
	}
	w := &Whole{Simulation: s, Setting: s.setting(), foresee: t.Foresee}
	rtt, bdp := s.farthest()
	w.Setting.Farthest = func() (unit.Time, unit.Bytes) { return rtt, bdp }
	w.End = s.cut()
	sizes := s.sizes()
	w.Data, w.Ack = sizes.PacketSize(sizes.Segment), sizes.AckSize()
	return w, nil
}

// Result makes the result of a scenario of the records that its parts give. c counts
// what happened in the parts.
func (w *Whole) Result(sc scenario.Scenario, flows *store.Flows, c netsim.Counters, ended unit.Time, began time.Time, notes []string) (*Result, error) {
	r := &Result{Scenario: sc, Flows: flows, Workload: w.Workload, Choices: w.Choices, Counters: c, Ended: ended}
	var err error
	if r.Loads, err = w.wireLoads(); err != nil {
		return nil, err
	}
	r.Summary.NotStarted = w.Workload.Stats.Flows - int64(flows.Len())
	r.Notes = slices.Concat(notes, w.notes(), loadNotes(r.Loads, "", ""), w.warnings())
	err = r.summarise(w.Simulation, began)
	r.Summary.Network = nil
	return r, err
}
