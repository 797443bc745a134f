package scenario

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/schema"
	"pintlab/transport"
)

// Network is how switches and links behave.
type Network struct {
	netsim.Params
	// Choice among equally short paths.
	ECMP route.ECMPParams `yaml:"ecmp" before:"scheduling"`
	// Unit of traffic that chooses a path: a flow, a burst of it, or a packet.
	Balancing Balancing `yaml:"balancing" before:"ecn"`
}

// trimmed returns the kinds of transport that depend on trimmed packets.
func (s *Scenario) trimmed() []string {
	return s.Protocols().ReceiverDriven(func(r transport.Receivers) bool { return r.Trimming })
}

func (s *Scenario) trims(kind string) bool { return slices.Contains(s.trimmed(), kind) }

func (s Scenario) checkTrimming(c *schema.Checker) {
	n, t := &s.Network, &s.Transport
	switch {
	case !n.Trimming.Enabled && s.trims(t.Kind):
		c.FailFor("transport.kind",
			"network.trimming.enabled", "want true with transport.kind = "+t.Kind+", which needs trimmed packets")
	case !n.Trimming.Enabled:
	case !s.trims(t.Kind):
		c.FailFor("transport.kind", "network.trimming.enabled",
			"want false with transport.kind = "+t.Kind+
				", whose receivers ignore headers without payload (only "+strings.Join(s.trimmed(), ", ")+
				" requests the packet again)")
	default:
		n.CheckTrimming(c, "network.")
		c.FailForIf(t.AckClass == 0, "network.trimming.enabled", "transport.ack_class",
			"want 1 to 7 with network.trimming.enabled = true: headers and ACKs need a separate class")
	}
}

func (s Scenario) checkNetwork(c *schema.Checker) {
	n := s.Network
	s.checkTrimming(c)
	n.Check(c, "network.", s.fullPacket())
	c.FailForIf(n.TelemetryCycles && s.Overhead() == 0, "telemetry.kind", "network.telemetry_cycles",
		fmt.Sprintf("has no effect with telemetry.kind = %s, which has no bytes on packets", s.Telemetry.Kind))
	c.FailForIf(n.LinkErrorRate > 0 && !s.Transport.Timer && !s.Published(), "transport.timer",
		"network.link_error_rate", "a lost packet would never be sent again with transport.timer = false")
}
