package sim

import (
	"fmt"
	"math"
	"slices"

	"pintlab/internal/schema"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// unmarked returns a warning if no queue can grow to the marking threshold, which disables everything that
// depends on marks.
func (s *Simulation) unmarked() string {
	net := &s.Scenario.Network
	if !net.ECN.Enabled || net.Trimming.Enabled {
		return ""
	}
	most, key := net.Buffer, "buffer"
	if net.PortLimit != unit.NoLimit {
		most, key = unit.Bytes(net.PortLimit), "port_limit"
	}
	least, rate := unit.Bytes(math.MaxInt64), unit.Rate(0)
	for p := range netsim.PortID(s.Net.Ports()) {
		if from, _ := s.Net.PortEnds(p); s.Graph.Nodes[from].Kind == topo.Switch {
			if min := s.Net.MarksFrom(p); min < least || rate == 0 {
				least, rate = min, s.Net.PortRate(p)
			}
		}
	}
	if least < most || rate == 0 {
		return ""
	}
	return fmt.Sprintf(Warning+"no packet can be marked: marking begins at %v at a port of %v (network.ecn.kmin for ports of at_rate = %v), and network.%s = %v holds no such queue", least, rate, net.ECN.AtRate, key, most)
}

// choice reports whether any node has several shortest paths to a host.
func (s *Simulation) choice() bool {
	for _, host := range s.Graph.Hosts() {
		for at := range s.Graph.Nodes {
			if id := topo.NodeID(at); id != host && len(s.Routes.NextHops(id, host)) > 1 {
				return true
			}
		}
	}
	return false
}

// Warning is the prefix of a run's notes on settings that have no effect or an unlikely one. Sweeps,
// comparisons and figures show these notes, too.
const Warning = "warning: "

// Overload is the prefix of the warning about a link that is offered more than its rate. Numbers of such a run depend on its
// duration, so commands and reports show this warning first.
const Overload = Warning + "overload: "

// warnings returns warnings about settings that have no effect, or an unlikely one, in this network and
// with this traffic.
func (s *Simulation) warnings() []string {
	n := slices.Clone(s.cautions)
	sc := &s.Scenario
	if d := s.Graph.Dropped; d != (topo.Dropped{}) {
		n = append(n, fmt.Sprintf("%s: left out: %v", s.Graph.Name, d))
	}
	if used, known := sc.Classes(); known && sc.Network.Scheduling.Kind != "turns" && !sc.Network.Trimming.Enabled {
		weights, _ := sc.Network.Scheduling.ClassWeights() // Validate has checked the error
		switch {
		case len(used) == 1:
			n = append(n, fmt.Sprintf(Warning+"network.scheduling.kind = %s has no effect: all packets have class %d (classes: workload.N.priority, transport.size_classes, transport.ack_class)", sc.Network.Scheduling.Kind, used[0]))
		default:
			for class, w := range weights {
				if w != 1 && !slices.Contains(used, class) {
					n = append(n, fmt.Sprintf(Warning+"network.scheduling.weights: no packet has class %d", class))
				}
			}
		}
	}
	if kind := sc.Network.Balancing.Kind; kind != "ecmp" && kind != sc.CC.Control().Needs().Balancing && !s.choice() {
		n = append(n, fmt.Sprintf(Warning+"network.balancing.kind = %s has no effect: this network has one shortest path between any two hosts", kind))
	}
	heeds := route.HeedsMarks(sc.Network.Balancing.Balancer())
	if heeds && !sc.Network.ECN.Enabled && !sc.Network.Trimming.Enabled {
		n = append(n, fmt.Sprintf(Warning+"network.balancing.kind = %s: without network.ecn.enabled = true nothing but a loss tells senders that a path is slow, and they go on using it", sc.Network.Balancing.Kind))
	}
	if needs := sc.CC.Control().Needs(); sc.Network.ECN.Enabled && !needs.Marking && !heeds {
		w := fmt.Sprintf(Warning+"network.ecn.enabled = true: switches mark packets, but cc.kind = %s as it is set reads no marks; they are only counted", sc.CC.Kind)
		if sc.Transport.MarkEcho != "any" {
			w += ", and transport.mark_echo has no effect"
		}
		n = append(n, w)
	} else if w := s.unmarked(); w != "" {
		n = append(n, w)
	}
	chosen := func(c schema.Settled) bool { return c.Key == "network.ecn.pmax" }
	if e := &sc.Network.ECN; e.Enabled && e.KMin == e.KMax && e.PMax < 1 && !slices.ContainsFunc(s.Choices, chosen) {
		n = append(n, fmt.Sprintf(Warning+"network.ecn.pmax = %g has no effect: with kmin = kmax = %v every packet above is marked", e.PMax, e.KMax))
	}
	if tr := &sc.Transport; tr.Timer && tr.Kind != transport.IRN {
		if rtt, _ := s.setting().Farthest(); rtt > tr.RTOMax {
			n = append(n, fmt.Sprintf(Warning+"transport.rto_max = %v is less than the largest base RTT of this network, %v: packets are sent again before their acknowledgements can come", tr.RTOMax, rtt))
		}
	}
	return n
}
