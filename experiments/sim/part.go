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

// Part is a small network that represents a part of a larger network, with the flows through that part.
type Part struct {
	Graph *topo.Graph
	Flows []workloads.Flow // in order of start times; the records number them in this order
	Hops  []uint8          // number of switches on the whole path of each flow
	Whole *transport.Setting
	// Marks returns the factor of the marking thresholds at the ports of a node; nil means 1.
	Marks func(topo.NodeID) unit.Bytes
}

// pretend sets the values that a congestion control would get in the whole network.
func (p *Part) pretend(c *transport.Setting) {
	ports := c.PortRate
	*c = *p.Whole
	c.PortRate = ports
}

// tell sets the values that the controller of a flow would get on the whole path.
func (p *Part) tell(f *transport.FlowInfo) { f.Hops = int(p.Hops[f.Number]) }

// Whole is a network before its first event. It can be divided into parts.
type Whole struct {
	*Simulation                    // the scenario of the simulation has values instead of auto
	Setting     *transport.Setting // the properties that a congestion control may use; safe for concurrent use
	Data        unit.Bytes         // size of a full packet on the wire
	Ack         unit.Bytes         // size of an ACK on the wire
	End         unit.Time          // time at which the run ends even if flows are active
	foresee     func(*transport.Flow) (outbound, inbound []netsim.PortID, ideal unit.Time)
}

// Foresee returns the paths of a flow of the workload and its ideal completion time. The paths are valid until the next
// call; they are empty if the flow has no path.
func (w *Whole) Foresee(f *workloads.Flow) (outbound, inbound []netsim.PortID, ideal unit.Time) {
	t := transportFlow(f)
	return w.foresee(&t)
}

// Flows returns the flows of the workload in order of their starts, with their traffic classes.
func (w *Whole) Flows() (workloads.Source, error) {
	x, err := w.workload()
	if err != nil {
		return nil, err
	}
	stream, err := x.Stream(w.hosts)
	if err != nil {
		return nil, err
	}
	sizes, err := transport.ParseSizeClasses(w.Scenario.Transport.SizeClasses)
	return &sorted{stream, sizes}, err
}

// TakeApart builds the whole network of a scenario before its first event. Flows that wait for others are
// an error, because their starts are unknown.
func TakeApart(ctx context.Context, sc scenario.Scenario) (*Whole, error) {
	s, err := Build(sc, Options{apart: true, stop: ctx.Err, memory: memoryLimit(ctx)}, nil)
	switch {
	case err != nil:
		return nil, err
	case s.jobs != nil:
		return nil, errors.New("estimate.enabled = true: the workload has flows that wait for others, " +
			"but an estimate needs all start times in advance")
	}
	for _, l := range s.Graph.Links {
		if l.ErrorRate > 0 {
			return nil, fmt.Errorf("estimate.enabled = true: the link from %s to %s loses packets (error rate %v), "+
				"but an estimate does not model losses on links", s.Graph.Label(l.A), s.Graph.Label(l.B), l.ErrorRate)
		}
	}
	t, ok := s.Stack.(interface {
		Foresee(f *transport.Flow) (outbound, inbound []netsim.PortID, ideal unit.Time)
	})
	if !ok {
		return nil, fmt.Errorf("estimate.enabled = true: profile = %s has a different transport", sc.Profile)
	}
	w := &Whole{Simulation: s, Setting: s.setting(), foresee: t.Foresee}
	rtt, bdp := s.farthest()
	w.Setting.Farthest = func() (unit.Time, unit.Bytes) { return rtt, bdp }
	w.End = s.endTime()
	sizes := s.sizes()
	w.Data, w.Ack = sizes.PacketSize(sizes.Segment), sizes.AckSize()
	return w, nil
}

// Result returns the result of a scenario from the records of its parts. c is the sum of the parts'
// counters.
func (w *Whole) Result(
	sc scenario.Scenario, flows *store.Flows, c netsim.Counters, ended unit.Time, began time.Time, notes []string,
) (*Result, error) {
	r := &Result{Scenario: sc, Flows: flows, Workload: w.Workload, Choices: w.Choices, Counters: c, Ended: ended}
	var err error
	if r.Loads, err = w.wireLoads(); err != nil {
		return nil, err
	}
	r.Summary.NotStarted = w.Workload.Stats.Flows - int64(flows.Len())
	r.Notes = slices.Concat(notes, w.notes(r), w.averageNotes(r), loadNotes(r.Loads, "", ""), w.warnings())
	err = r.summarise(w.Simulation, began)
	r.Summary.Network = nil
	return r, err
}
