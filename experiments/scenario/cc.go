package scenario

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/netsim/route"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/transport"
)

// CC is the congestion control of every flow.
type CC struct {
	// Algorithm.
	schema.Choice
}

// Control returns the parameters of the chosen congestion control.
func (c CC) Control() transport.Control { return c.Params.(transport.Control) }

// checkCC checks the needs of the congestion control against the other sections.
func (s *Scenario) checkCC(c *schema.Checker) {
	needs, with := s.CC.Control().Needs(), "with cc.kind = "+s.CC.Kind
	tcp, kind := s.Transport.TCP(), s.Transport.Kind
	switch _, pulled := s.CC.Control().(transport.Receiving); {
	case pulled && kind != s.CC.Kind:
		c.FailFor("cc.kind", "transport.kind", "want "+s.CC.Kind+" "+with)
	case !pulled && s.Transport.Pulled():
		c.FailFor("transport.kind", "cc.kind",
			"want "+kind+" with transport.kind = "+kind+": receivers decide when to send")
	case needs.Loss == transport.TCPLoss && !tcp:
		c.FailFor("cc.kind", "transport.kind", "want newreno, reno, tahoe, sack or rack "+with)
	case needs.Loss == transport.RDMALoss && tcp:
		c.FailFor("cc.kind", "transport.kind", "want gobackn or irn "+with)
	}
	switch {
	case needs.Pacing == transport.Unpaced && s.Transport.Pacing:
		c.FailFor("cc.kind", "transport.pacing", "has no effect "+with+", which sets no rate (accepted: false)")
	case needs.Pacing == transport.Paced && !s.Transport.Pacing:
		c.FailFor("cc.kind", "transport.pacing", "want true "+with+", or its rate has no effect")
	}
	if a, ok := s.CC.Control().(transport.Avoider); ok && a.Penalty() != nil {
		if _, chosen := s.Network.Balancing.Params.(*route.Permute); !chosen {
			c.FailFor("cc.path_penalty", "network.balancing.kind",
				"want permute with cc.path_penalty = true: senders must choose the paths in order to exclude some")
		}
	}
	c.FailForIf(needs.Marking && !s.Network.ECN.Enabled, "cc.kind", "network.ecn.enabled",
		"want true "+with+", which needs marks")
	system := s.Telemetry.System()
	if needs.Probes {
		c.FailForIf(s.Published(), "transport.kind", "cc.carrier",
			"want data: the hosts of the published simulator send no probes")
		c.FailForIf(system.Recorded(), "telemetry.kind", "cc.carrier",
			"want data with telemetry.kind = "+s.Telemetry.Kind+", because hosts record its queries from data packets")
	}
	switch read := common(needs.Feedback, system.Gives()); {
	case len(needs.Feedback) > 0 && !read:
		if key, value := otherwise(system, needs.Feedback); key != "" {
			c.FailFor("cc.kind", "telemetry."+key, fmt.Sprintf("want %s %s, which needs it", value, with))
			return
		}
		c.FailFor("cc.kind", "telemetry.kind",
			fmt.Sprintf("want %s %s, which needs it", s.givers(needs.Feedback), with))
	case len(system.Gives()) > 0 && !read && !system.Recorded():
		// Hosts record the queries of a plan, so no control needs to read the plan's digests.
		accepted := "none, bytes"
		if n := system.Overhead(); n > 0 {
			accepted += fmt.Sprintf("; to keep the same overhead, use bytes and telemetry.bytes = %v", n)
		}
		if key, value := otherwise(s.CC.Control(), system.Gives()); key != "" {
			accepted += fmt.Sprintf("; cc.%s = %s reads it", key, value)
		}
		c.FailFor("cc.kind", "telemetry.kind", fmt.Sprintf("is not read %s (accepted: %s)", with, accepted))
	}
}

// readsHops reports whether the congestion control reads a record for every hop.
func (s *Scenario) readsHops() bool {
	hops := []telemetry.Quantity{telemetry.PerHop, telemetry.HopRates}
	return common(s.CC.Control().Needs().Feedback, hops) && common(s.Telemetry.System().Gives(), hops)
}

func common(a, b []telemetry.Quantity) bool {
	return slices.ContainsFunc(a, func(q telemetry.Quantity) bool { return slices.Contains(b, q) })
}

// otherwise returns a key of a telemetry system or a control, and a value for the key. With this value, the system
// would provide one of the quantities, or the control would read one of them.
func otherwise(s any, wanted []telemetry.Quantity) (key, value string) {
	if v, ok := s.(telemetry.Variable); ok {
		for _, q := range wanted {
			if key, value = v.Otherwise(q); key != "" {
				return key, value
			}
		}
	}
	return "", ""
}

// givers returns the telemetry systems that provide one of the quantities.
func (s *Scenario) givers(wanted []telemetry.Quantity) string {
	var names []string
	for _, k := range s.Protocols().Telemetry.Kinds {
		system := k.New().(telemetry.System)
		if common(wanted, system.Gives()) {
			names = append(names, k.Name)
		} else if key, value := otherwise(system, wanted); key != "" {
			names = append(names, fmt.Sprintf("%s with telemetry.%s = %s", k.Name, key, value))
		}
	}
	return strings.Join(names, " or ")
}

// giver returns the first telemetry system whose defaults provide one of the quantities, or "".
func (s *Scenario) giver(wanted []telemetry.Quantity) string {
	for _, k := range s.Protocols().Telemetry.Kinds {
		if common(wanted, k.New().(telemetry.System).Gives()) {
			return k.Name
		}
	}
	return ""
}
