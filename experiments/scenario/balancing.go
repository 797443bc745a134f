package scenario

import (
	"slices"
	"strings"

	"pintlab/netsim/route"
	"pintlab/netsim/schema"
	"pintlab/transport"
)

// Balancing is the way in which switches spread traffic over equally short paths.
type Balancing struct {
	// Balancer.
	schema.Choice
}

// Balancer returns the parameters of the chosen balancer.
func (b Balancing) Balancer() route.Balancing { return b.Params.(route.Balancing) }

// reorders reports whether packets of a flow may overtake each other in normal operation.
func (b Balancing) reorders() bool { return b.Balancer().Splits() == route.Packets }

// checkBalancing checks the balancer against the other sections.
func (s *Scenario) checkBalancing(c *schema.Checker) {
	b := s.Network.Balancing
	if p, ok := b.Params.(*route.LetFlow); ok && p.Entries&(p.Entries-1) != 0 {
		c.Fail("network.balancing.entries", "want a power of two")
	}
	if b.Kind != s.Protocols().Balancers.Default && s.Published() {
		c.Fail("network.balancing.kind", "want ecmp: the hosts of the published simulator support no other balancer")
		return
	}
	with := " with network.balancing.kind = " + b.Kind
	if b.reorders() && s.Transport.Kind == transport.GoBackN {
		others := slices.Concat([]string{transport.IRN}, s.Protocols().ReceiverDriven(pulled), s.Transport.Group("tcp"))
		last := len(others) - 1
		c.FailFor("network.balancing.kind", "transport.kind",
			"want "+strings.Join(others[:last], ", ")+" or "+others[last]+with+
				", which reorders packets: go-back-N drops packets that overtake others")
	}
	c.FailForIf(b.reorders() && s.readsHops() && !s.CC.Control().Needs().AnyPath, "network.balancing.kind", "cc.kind",
		"compares records of the same hop in successive packets: want ecmp, "+
			"wcmp or letflow as network.balancing.kind, cc.records = port (hpcc), or a control without telemetry")
}
