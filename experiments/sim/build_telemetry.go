package sim

import (
	"fmt"

	"pintlab/internal/lists"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// site returns the part of the network that telemetry systems and monitors may see.
func (s *Simulation) site() *telemetry.Site {
	n := &s.Scenario.Network
	most, _ := n.MostQueued()
	var weights []int
	if list, err := n.Scheduling.ClassWeights(); err == nil && n.Scheduling.Kind != netsim.Strict {
		for class, w := range list {
			if !s.rules.used[class] {
				w = 0
			}
			weights = append(weights, w)
		}
	}
	return &telemetry.Site{
		Weights: weights,
		Graph:   s.Graph, Net: s.Net, MaxHops: s.Routes.MaxHops(),
		Queue: most, Seed: s.Scenario.Seed,
		Horizon: s.horizon, Watched: s.sink != nil, Published: s.Scenario.Published(),
		Splits: n.Balancing.Balancer().Splits() != route.Flows,
	}
}

// horizon returns the averaging time T of the utilisation that switches compute.
func (s *Simulation) horizon() (unit.Time, error) {
	a, ok := s.Scenario.CC.Params.(transport.Averager)
	if !ok {
		why := "reads no utilisation"
		if len(s.Scenario.CC.Control().Needs().Feedback) > 0 {
			why = "has no method Horizon (transport.Averager)"
		}
		return 0, fmt.Errorf("switches average utilisation over the base RTT that the congestion control sets, but "+
			"cc.kind = %s %s", s.Scenario.CC.Kind, why)
	}
	return a.Horizon(s.setting())
}

// detour is the number of switches for which a packet has witnesses when faults change paths. A packet that turns back
// on its way passes more switches than any path has.
const detour = 64

// stackDepth returns the number of entries in a packet's telemetry stack. A sink of the options needs an
// entry for each hop.
func (s *Simulation) stackDepth() int {
	depth := s.Scenario.Telemetry.System().Stack(s.Routes.MaxHops(), s.Scenario.Breaks())
	if s.sink != nil {
		depth = max(depth, s.Routes.MaxHops())
		if s.Scenario.Breaks() {
			depth = max(depth, detour)
		}
	}
	return depth
}

// observers returns the taps and sinks of the telemetry system and of the options.
func (s *Simulation) observers() (taps []netsim.Tap, sinks []netsim.Sink, err error) {
	system := s.Scenario.Telemetry.System()
	if s.parts, err = system.Attach(s.site()); err != nil {
		return nil, nil, err
	}
	if n := system.Overhead(); s.parts == nil || n < 0 {
		return nil, nil, fmt.Errorf("telemetry.kind = %s: Attach returns %v and Overhead %v, want parts and >= 0B",
			s.Scenario.Telemetry.Kind, s.parts, n)
	}
	for _, q := range system.Gives() {
		if q != telemetry.PerHop && q != telemetry.HopRates && s.parts.Feedback.Digest == nil {
			return nil, nil, fmt.Errorf("telemetry.kind = %s: it gives a %s, but Attach returns no Feedback.Digest",
				s.Scenario.Telemetry.Kind, q)
		}
	}
	if s.parts.Tap != nil {
		tap := s.parts.Tap
		if s.Scenario.CC.Control().Needs().Probes {
			tap = onProbes{tap}
		}
		taps = append(taps, tap)
	}
	if s.parts.Sink != nil {
		sinks = append(sinks, s.parts.Sink)
	}
	if s.tap != nil {
		t, err := s.tap(s)
		if err != nil {
			return nil, nil, err
		}
		taps = append(taps, t)
	}
	if s.receive != nil {
		sinks = append(sinks, s.receive(s))
	}
	if s.sink != nil {
		if system.Stack(s.Routes.MaxHops(), false) > 0 {
			return nil, nil, fmt.Errorf("telemetry.kind = %s: its stack on the packet leaves no room for witnesses; "+
				"want pint, bytes or none", s.Scenario.Telemetry.Kind)
		}
		k, err := s.sink(s)
		if err != nil {
			return nil, nil, err
		}
		taps, sinks = append(taps, telemetry.Witness{}), append(sinks, k)
	}
	return taps, sinks, nil
}

// onProbes is a Tap that sees no packets with data.
type onProbes struct{ tap netsim.Tap }

func (o onProbes) Dequeue(h *netsim.Hop) {
	if h.Packet.Payload == 0 {
		o.tap.Dequeue(h)
	}
}

// overflows returns how often a switch had no room to add telemetry.
func (s *Simulation) overflows() int64 {
	if s.parts.Overflows == nil {
		return 0
	}
	return s.parts.Overflows()
}

// Telemetry returns the telemetry system in the form that its own package defines (telemetry.Parts.System).
func (s *Simulation) Telemetry() any { return s.parts.System }

// SwitchIDs returns the IDs that switches write, by node (see telemetry.Site).
func (s *Simulation) SwitchIDs() []uint64 { return s.site().SwitchIDs() }

// SwitchValues returns the IDs of all switches.
func (s *Simulation) SwitchValues() []uint64 {
	return lists.Indices(uint64(len(s.Graph.Switches())))
}

// hopCost returns a function that computes the time that telemetry takes at one interface of a switch.
func hopCost(g *topo.Graph, overhead unit.Bytes) (func(unit.Rate, *netsim.Packet) unit.Time, error) {
	cost := map[unit.Rate]unit.Time{}
	for _, l := range g.Links {
		if _, ok := cost[l.Rate]; ok {
			continue
		}
		d, err := telemetry.DatapathAt(l.Rate)
		if err != nil {
			return nil, err
		}
		cost[l.Rate] = d.HopDelay(overhead) / 2
	}
	return func(r unit.Rate, p *netsim.Packet) unit.Time {
		if p.Kind != netsim.Data {
			return 0
		}
		return cost[r]
	}, nil
}
