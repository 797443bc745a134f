package transport

import (
	"errors"

	"pintlab/internal/rules"
	"pintlab/netsim"
	"pintlab/netsim/buffer"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
)

// MarkEcho is the rule by which ACKs report marked packets to the sender.
type MarkEcho uint8

// The rules for a receiver that acknowledges several packets at once.
const (
	// EchoAny marks an ACK if any packet that it acknowledges was marked.
	EchoAny MarkEcho = iota
	// EchoChange never lets one ACK acknowledge both marked and unmarked packets (RFC 8257 §3.2,
	// with two ACKs). When the mark changes, the receiver acknowledges the packets before at once,
	// and also the packet itself.
	EchoChange
	// EchoLatch marks ACKs from the first marked packet until the sender reports that it has
	// reacted (RFC 3168 §6.1.3).
	EchoLatch
)

// Config holds the parameters of all flows. The zero Config is not valid.
type Config struct {
	Recovery Recovery

	Segment   unit.Bytes // largest payload of a packet
	Header    unit.Bytes // of a data packet on the wire, without telemetry
	Telemetry unit.Bytes // on every data packet when it leaves its source
	AckHeader unit.Bytes // of an ACK on the wire, without echoed telemetry
	Echo      bool       // an ACK carries the telemetry of the data packet
	AckField  unit.Bytes // size of the telemetry field of ACKs
	AckMin    unit.Bytes // smallest ACK on the wire

	AckEvery   int       // in-order packets per ACK; the last packet of a flow is always acknowledged
	DelayedAck unit.Time // longest delay of an ACK when AckEvery > 1; 0 means no timer
	Marks      MarkEcho  // EchoChange needs DelayedAck, EchoLatch TCP
	// NackInterval is the shortest time between two NACKs that report the same gap.
	NackInterval unit.Time
	// IgnoreDuplicates makes the receiver send no ACK for data that it has already (GoBackN).
	IgnoreDuplicates bool

	// AckClass is the traffic class of ACKs and NACKs; 0 means the class of the data.
	AckClass uint8
	// Inspected gives every flow its sender when it starts instead of with its first packet, so
	// that Inspect sees it.
	Inspected bool
	// Strict serves the flows of a host by class, highest first, and round robin within a class. It
	// has no effect with a Discipline.
	Strict bool

	DupThreshold int // duplicate ACKs that indicate a loss
	// The retransmission timer. RTOMin 0 turns it off. A ReceiverDriven needs it off and has its
	// own timer.
	RTOMin, RTOInitial, RTOMax unit.Time
	MaxTimeouts                int // in a row without progress; with one more the flow fails
	// With IRN the timer does not adapt to the round-trip time. It is RTOMin (RTO_low) while fewer
	// than FewPackets are in flight, and RTOMax (RTO_high) otherwise.
	FewPackets int
	// FlightCap is the largest number of bytes of a flow in flight with IRN, its BDP-FC; 0 means no
	// limit.
	FlightCap unit.Bytes

	// Overshoot lets a flow send while less than the window is in flight, so that it may exceed the
	// window by less than a packet. Without it a packet must fit into the window.
	Overshoot bool
	// Unpaced lets packets leave as the window allows and ignores the controller's rate.
	Unpaced bool
	// Pace returns how long a packet takes at a pacing rate. If it is nil, the time is size/rate in
	// picoseconds.
	Pace func(unit.Rate, unit.Bytes) unit.Time
	// PaceAtLine also paces flows at line rate, which the port limits anyway.
	PaceAtLine bool
	// Discipline serves the flows of a host. If it is nil, flows that may send are served round
	// robin.
	Discipline Discipline
	// LastAck also passes the ACK that ends a flow to its controller.
	LastAck bool
	// IdealSegment is the payload of a full packet without telemetry, for Ideal; 0 means Segment.
	IdealSegment unit.Bytes
	// IdealFCT replaces Ideal if it is not nil.
	IdealFCT func(size unit.Bytes, forth, back []netsim.PortID) unit.Time
	// PayloadRTT makes BaseRTT count only payload.
	PayloadRTT bool

	// Balancer, if not nil, chooses among equal next hops at each switch. The network must be
	// configured for it (netsim.Config.PerPacket).
	Balancer route.Balancer
	// Spread reports that the Balancer sends packets of a flow on different paths, so that a flow
	// gets the rate of all its paths together.
	Spread bool

	// ByHost contains the factories of flows whose slower host has a link of this rate. The factory of
	// New makes the controllers of all other flows.
	ByHost map[unit.Rate]Factory

	// Tell, if not nil, changes the FlowInfo of a controller. It is used when the network
	// represents a part of another one.
	Tell func(*FlowInfo)

	// Follower, if not nil, starts flows that wait for others. Ties must be seeded.
	Follower Follower

	// Trace, if not nil, is called after each ACK and each alarm of a controller that is an
	// Explainer. The Step is valid only during the call. Several engines call it at the same time.
	Trace func(now unit.Time, s *Step)
}

// PacketSize returns the size on the wire of a data packet with n bytes of payload.
func (c *Config) PacketSize(n unit.Bytes) unit.Bytes { return n + c.Header + c.Telemetry }

// AckSize returns the size on the wire of an ACK for a packet with the telemetry that it has when
// it leaves its source.
func (c *Config) AckSize() unit.Bytes { return c.ackSize(c.Telemetry, 0) }

// LargestAck returns the size of an ACK with all options.
func (c *Config) LargestAck() unit.Bytes {
	wire, _ := c.Recovery.Options()
	return c.ackSize(c.Telemetry, wire)
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
		return errors.New("transport: bad config: no recovery")
	}
	if err := c.Recovery.Check(&c); err != nil {
		errs = append(errs, err)
	}
	errs.If(c.Segment < 1, "segment = %d bytes, want >= 1: headers and telemetry leave no room for payload", c.Segment)
	errs.If(c.Header < 0 || c.Telemetry < 0 || c.AckHeader < 0 || c.AckField < 0 || c.AckMin < 0, "header sizes must not be negative")
	errs.If(c.PacketSize(c.Segment) > 65535 || c.LargestAck() > 65535, "packets of %d and ACKs of %d bytes, want at most 65535", c.PacketSize(c.Segment), c.LargestAck())
	errs.If(c.AckSize() < 1, "ACKs of %d bytes, want >= 1", c.AckSize())
	errs.If(c.AckEvery < 1, "ACK every %d packets, want >= 1", c.AckEvery)
	errs.If(c.DelayedAck < 0 || c.NackInterval < 0, "delays must not be negative")
	errs.If(c.Marks > EchoLatch || c.Marks == EchoChange && c.DelayedAck == 0, "echo of marks = %d, want EchoAny, EchoChange with delayed ACKs, or EchoLatch", c.Marks)
	errs.If(c.RTOMin < 0 || c.RTOMin > 0 && (c.RTOInitial < c.RTOMin || c.RTOMax < c.RTOInitial), "retransmission timeouts min %v, initial %v, max %v: want 0 or 0 < min <= initial <= max", c.RTOMin, c.RTOInitial, c.RTOMax)
	if a, ok := c.Recovery.(Avoider); ok && a.Penalty() != nil {
		_, ok := c.Balancer.(route.PathBalancer)
		errs.If(!ok, "senders leave paths out: want a balancer by which they choose paths")
		if err := a.Penalty().Check(); err != nil {
			errs = append(errs, err)
		}
	}
	errs.If(c.AckClass >= buffer.Classes, "class of ACKs = %d, want 0 to %d", c.AckClass, buffer.Classes-1)
	errs.If(c.MaxTimeouts < 0, "max timeouts = %d, want >= 0", c.MaxTimeouts)
	return errs.Err("transport: bad config")
}
