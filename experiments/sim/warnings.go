package sim

import (
	"fmt"
	"math"
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Warning is the prefix of a run's notes on settings that have no effect or an unlikely one. Sweeps,
// comparisons and figures also show these notes.
const Warning = "warning: "

// Overload is the prefix of the warning about a link that is offered more than its rate. Numbers of such a
// run depend on its duration, so commands and reports show this warning first.
const Overload = "overloaded: "

// warnings returns warnings about settings that have no effect, or an unlikely one, in this network and
// with this traffic.
func (s *Simulation) warnings() []string {
	n := slices.Clone(s.cautions)
	if c := s.Graph.Changes; c != (topo.Changes{}) {
		n = append(n, fmt.Sprintf("%s: %v", s.Graph.Name, c))
	}
	n = slices.Concat(n, s.scheduling(), s.balancing(), s.marking())
	if tr := &s.Scenario.Transport; tr.Timer && tr.Kind != transport.IRN {
		if rtt, _ := s.setting().Farthest(); rtt > tr.RTOMax {
			n = append(n, warning("transport.rto_max = %v is less than the largest base RTT of this network, %v: "+
				"packets are sent again before their acknowledgements can come", tr.RTOMax, rtt)...)
		}
	}
	return n
}

// scheduling returns warnings about classes in which there are no packets.
func (s *Simulation) scheduling() (n []string) {
	net := &s.Scenario.Network
	used, known := s.Scenario.Classes()
	if !known || net.Scheduling.Kind == "turns" || net.Trimming.Enabled {
		return nil
	}
	if len(used) == 1 {
		return warning("network.scheduling.kind = %s has no effect: all packets have class %d "+
			"(classes: workload.N.priority, transport.size_classes, transport.ack_class)",
			net.Scheduling.Kind, used[0])
	}
	weights, _ := net.Scheduling.ClassWeights() // Validate has checked the error
	for class, w := range weights {
		if w != 1 && !slices.Contains(used, class) {
			n = append(n, warning("network.scheduling.weights: no packet has class %d", class)...)
		}
	}
	return n
}

// balancing returns warnings about a balancer that has only one path to choose, or that lacks the marks that it reads.
func (s *Simulation) balancing() (n []string) {
	net := &s.Scenario.Network
	kind := net.Balancing.Kind
	if kind != "ecmp" && kind != s.Scenario.CC.Control().Needs().Balancing && !s.choice() {
		n = warning("network.balancing.kind = %s has no effect: "+
			"this network has one shortest path between any two hosts", kind)
	}
	if route.HeedsMarks(net.Balancing.Balancer()) && !net.ECN.Enabled && !net.Trimming.Enabled {
		n = append(n, warning("network.balancing.kind = %s: without network.ecn.enabled = true "+
			"senders notice a slow path only by a loss, and continue to use the path", kind)...)
	}
	return n
}

// marking returns warnings about marks that nothing reads or that cannot occur.
func (s *Simulation) marking() (n []string) {
	sc := &s.Scenario
	ecn, heeds := &sc.Network.ECN, route.HeedsMarks(sc.Network.Balancing.Balancer())
	if ecn.Enabled && !sc.CC.Control().Needs().Marking && !heeds {
		n = warning("network.ecn.enabled = true: switches mark packets, but cc.kind = %s with its settings reads no "+
			"marks; the marks are only counted", sc.CC.Kind)
		if sc.Transport.MarkEcho != "any" {
			n[0] += ", and transport.mark_echo has no effect"
		}
	} else {
		n = s.unmarked()
	}
	n = append(n, s.scaled()...)
	chosen := func(c schema.Settled) bool { return c.Key == "network.ecn.pmax" }
	if ecn.Enabled && ecn.KMin == ecn.KMax && ecn.PMax < 1 && !slices.ContainsFunc(s.Choices, chosen) {
		n = append(n, warning("network.ecn.pmax = %g has no effect: "+
			"with kmin = kmax = %v every packet above is marked", ecn.PMax, ecn.KMax)...)
	}
	return n
}

// scaled returns a note if the scenario sets a marking threshold for a rate that no port of a switch has. The
// thresholds of all ports then differ from the given threshold.
func (s *Simulation) scaled() []string {
	ecn := &s.Scenario.Network.ECN
	chosen := func(c schema.Settled) bool { return c.Key == "network.ecn.kmin" }
	if !ecn.Enabled || slices.ContainsFunc(s.Choices, chosen) {
		return nil
	}
	most, at := unit.Rate(0), unit.Bytes(0)
	for p := range netsim.PortID(s.Net.Ports()) {
		from, _ := s.Net.PortEnds(p)
		rate := s.Net.PortRate(p)
		if s.Graph.Nodes[from].Kind != topo.Switch {
			continue
		}
		if rate == ecn.AtRate {
			return nil
		}
		if rate > most {
			most, at = rate, s.Net.MarksFrom(p)
		}
	}
	if most == 0 || ecn.KMin == 0 {
		return nil
	}
	return []string{fmt.Sprintf("network.ecn.kmin = %v is the threshold of ports of network.ecn.at_rate = %v, and "+
		"thresholds are proportional to rates: a port of %v marks above %v", ecn.KMin, ecn.AtRate, most, at)}
}

// unmarked returns a warning if no queue can grow to the marking threshold, which disables everything that
// depends on marks.
func (s *Simulation) unmarked() []string {
	net := &s.Scenario.Network
	if !net.ECN.Enabled || net.Trimming.Enabled {
		return nil
	}
	most, key := net.MostQueued()
	least, rate := unit.Bytes(math.MaxInt64), unit.Rate(0)
	for p := range netsim.PortID(s.Net.Ports()) {
		if from, _ := s.Net.PortEnds(p); s.Graph.Nodes[from].Kind == topo.Switch {
			if min := s.Net.MarksFrom(p); min < least || rate == 0 {
				least, rate = min, s.Net.PortRate(p)
			}
		}
	}
	if least < most || rate == 0 {
		return nil
	}
	return warning("no packet can be marked: marking begins at a queue of %v at a port of %v (network.ecn.kmin for "+
		"ports of at_rate = %v), but network.%s = %v has no room for such a queue",
		least, rate, net.ECN.AtRate, key, most)
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
