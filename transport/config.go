package transport

import (
	"errors"

	"pintlab/internal/rules"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// Config contains the parameters of all flows, and settings that the run adds to them. Make one with Params.Config.
type Config struct {
	Params
	Recovery Recovery // sets Kind

	Segment   unit.Bytes // largest payload of a packet
	Telemetry unit.Bytes // bytes of telemetry on every data packet when it leaves its source
	Echo      bool       // an ACK carries the telemetry of the data packet
	AckField  unit.Bytes // size of the telemetry field of ACKs

	// If Probes is set, probes carry the telemetry of the congestion control, and data packets do
	// not. Probes need a SenderDriven.
	Probes bool
	Probe  unit.Bytes // bytes of telemetry on every probe when it leaves its source
	Notice unit.Bytes // bytes that the answer to a probe carries in place of telemetry

	// If Inspected is set, a flow gets its sender when the flow starts, and not with its first
	// packet. So Inspect sees the sender from the start.
	Inspected bool
	// Strict serves the flows of a host by class, highest first, and round robin within a class. It
	// has no effect with a Discipline.
	Strict bool
	// BDP is the largest bandwidth-delay product of the network, for FlightCap.
	BDP unit.Bytes

	// Pace returns how long a packet takes at a pacing rate. If it is nil, the time is size/rate in
	// picoseconds.
	Pace func(unit.Rate, unit.Bytes) unit.Time
	// PaceAtLine also paces flows whose rate is the line rate, although the port limits them anyway.
	PaceAtLine bool
	// Discipline serves the flows of a host. If it is nil, flows that may send are served round
	// robin.
	Discipline Discipline
	// If LastAck is set, the controller of a flow also sees the ACK that ends the flow.
	LastAck bool
	// IdealSegment is the payload of a full packet without telemetry, for Ideal; 0 means Segment.
	IdealSegment unit.Bytes
	// IdealFCT replaces Ideal if it is not nil.
	IdealFCT func(size unit.Bytes, outbound, inbound []netsim.PortID) unit.Time

	// Balancer, if not nil, chooses among equal next hops at each switch. The network must be
	// configured for it (netsim.Config.PerPacket).
	Balancer route.Balancer
	// Spread reports that the Balancer sends packets of a flow on different paths, so that a flow
	// gets the rate of all its paths together.
	Spread bool

	// ByHost maps the link rate of the slower of a flow's two hosts to the factory of the flow's controller. If a rate
	// is not in ByHost, the factory of New makes the controller.
	ByHost map[unit.Rate]Factory

	// Tell, if not nil, changes the FlowInfo of a controller. A network that represents a part of
	// another network uses Tell.
	Tell func(*FlowInfo)

	// Follower, if not nil, starts flows that wait for other flows. It requires netsim.Seeded ties.
	Follower Follower

	// Trace, if not nil, is called after each ACK and each alarm of a controller that is an
	// Explainer. The Step is valid only during the call. Several engines may call Trace at the same
	// time.
	Trace func(now unit.Time, s *Step)
}

// Config returns the configuration of a run with this loss recovery. Data packets leave their
// source with this many bytes of telemetry. On the way the telemetry may grow to most bytes.
func (p Params) Config(r Recovery, telemetry, most unit.Bytes) Config {
	return Config{
		Params: p, Recovery: r,
		Segment: p.FullPayload(most), IdealSegment: p.FullPayload(0), Telemetry: telemetry,
	}
}

// PacketSize returns the size on the wire of a data packet with n bytes of payload.
func (c *Config) PacketSize(n unit.Bytes) unit.Bytes { return n + c.Header + c.Telemetry }

// ProbeSize returns the size on the wire of a probe when it leaves its source.
func (c *Config) ProbeSize() unit.Bytes { return c.Header + c.Probe }

// AckSize returns the size on the wire of an ACK for a packet whose telemetry has not grown on the
// way.
func (c *Config) AckSize() unit.Bytes { return c.ackSize(c.Telemetry, 0) }

// LargestAck returns the size of an ACK with all options.
func (c *Config) LargestAck() unit.Bytes {
	wire, _ := c.Recovery.Options()
	return max(c.ackSize(c.Telemetry, wire), c.ackSize(c.Probe, c.Notice))
}

// ackSize returns the size of an ACK for a packet that arrived with n bytes of telemetry.
func (c *Config) ackSize(n, options unit.Bytes) unit.Bytes {
	if !c.Echo {
		n = 0
	}
	return max(c.AckHeader+c.AckField+n+options, c.AckMin)
}

// Validate reports every rule that c breaks.
func (c Config) Validate() error {
	var errs rules.Broken
	if c.Recovery == nil {
		return errors.New("transport: bad config: Recovery is missing")
	}
	c.Kind = c.Recovery.Kind()
	for _, p := range schema.CheckValues(&c.Params, func(to *schema.Checker) { c.agree(to, "") }) {
		errs = append(errs, p)
	}
	for _, key := range schema.Autos(&c.Params) {
		errs.If(true, "%s: auto: want a value", key)
	}
	errs.If(c.Pulled() && c.Discipline != nil,
		"want no discipline, because hosts of a receiver-driven transport serve flows in turns or by class")
	errs.If(c.MarkEcho == EchoChange && c.AckDelay == unit.Never, "mark_echo: change: want a time for ack_delay")
	errs.If(c.Kind == IRN && c.FlightCap && c.BDP < 1, "bdp_fc: true: want a bandwidth-delay product")
	errs.If(c.Probes && (c.Pulled() || c.Probe < 0 || c.Notice < 0),
		"probes: want a transport whose senders decide when to send, and sizes that are not negative")
	errs.If(c.Segment < 1, "segment = %d bytes, want >= 1: headers and telemetry leave no room for payload", c.Segment)
	errs.If(c.Telemetry < 0 || c.AckField < 0, "telemetry sizes must not be negative")
	errs.If(c.PacketSize(c.Segment) > 65535 || c.ProbeSize() > 65535 || c.LargestAck() > 65535,
		"packets of %d and ACKs of %d bytes, want at most 65535", c.PacketSize(c.Segment), c.LargestAck())
	if a, ok := c.Recovery.(Avoider); ok && a.Penalty() != nil {
		_, ok := c.Balancer.(route.PathBalancer)
		errs.If(!ok, "senders exclude paths: want a balancer that lets senders choose paths")
		if err := a.Penalty().Check(); err != nil {
			errs = append(errs, err)
		}
	}
	return errs.Err("transport: bad config")
}
