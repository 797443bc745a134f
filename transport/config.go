package transport

import (
	"errors"

	"pintlab/internal/rules"
	"pintlab/netsim"
	"pintlab/netsim/buffer"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
)

// MarkEcho says which ACKs tell the sender of marked packets.
type MarkEcho uint8

// The rules of a receiver that acknowledges every few packets.
const (
	// EchoAny marks an ACK if one of the packets that it answers was marked.
	EchoAny MarkEcho = iota
	// EchoChange never lets an ACK answer marked and unmarked packets (RFC 8257 §3.2, with
	// two ACKs): when the mark of packets changes, what came before is acknowledged at once,
	// and so is the packet itself.
	EchoChange
	// EchoLatch marks ACKs from the first marked packet on until the sender says that it has
	// answered (RFC 3168 §6.1.3).
	EchoLatch
)

// Config holds the parameters of all flows. The zero Config is not valid.
type Config struct {
	Recovery Recovery

	Segment   unit.Bytes // most payload in a packet
	Header    unit.Bytes // of a data packet on the wire, without telemetry
	Telemetry unit.Bytes // that every data packet carries when it leaves its source
	AckHeader unit.Bytes // of an ACK on the wire, without echoed telemetry
	Echo      bool       // an ACK carries the telemetry of the data packet back
	AckField  unit.Bytes // that every ACK has for telemetry of its own way
	AckMin    unit.Bytes // smallest ACK on the wire

	AckEvery   int       // in-order packets for an ACK; the last of a flow always gets one
	DelayedAck unit.Time // longest delay of an ACK when AckEvery > 1; 0 means no timer
	Marks      MarkEcho  // EchoChange needs DelayedAck, EchoLatch TCP
	// NackInterval is the least time between two NACKs that report the same gap.
	NackInterval unit.Time
	// IgnoreDuplicates leaves data that came before without an ACK (GoBackN).
	IgnoreDuplicates bool

	// AckClass is the traffic class of ACKs and NACKs; 0 means that of the data.
	AckClass uint8
	// Inspected gives every flow its sender when it starts, not with its first packet, so
	// that Inspect sees it.
	Inspected bool
	// Strict serves the flows of a host by their classes, the highest first, and by round
	// robin within a class. A Discipline has its own rule.
	Strict bool

	DupThreshold int // duplicate ACKs that mean a loss
	// The retransmission timer. RTOMin 0 turns it off; a ReceiverDriven, which wants that, has its own.
	RTOMin, RTOInitial, RTOMax unit.Time
	MaxTimeouts                int // in a row without progress; one more fails the flow
	// With IRN the timer is not adapted to the round-trip time: it is RTOMin, RTO_low of IRN,
	// while fewer than FewPackets are in flight, and RTOMax, RTO_high, otherwise.
	FewPackets int
	// FlightCap is the most bytes of a flow in flight with IRN, its BDP-FC; 0 means no cap.
	FlightCap unit.Bytes

	// Overshoot lets a flow send while less than the window is in flight, so that
	// it may exceed the window by less than a packet; else a packet must fit.
	Overshoot bool
	// Unpaced lets packets go as the window allows, whatever the controller's rate.
	Unpaced bool
	// Pace is how long a packet takes at a pacing rate; nil means size/rate to the
	// picosecond.
	Pace func(unit.Rate, unit.Bytes) unit.Time
	// PaceAtLine also paces flows at line rate, although the port itself limits them.
	PaceAtLine bool
	// Discipline serves the flows of a host; nil means round robin over those that may
	// send.
	Discipline Discipline
	// LastAck passes the ACK that ends a flow to its controller, too.
	LastAck bool
	// IdealSegment is the payload of a full packet without telemetry, which Ideal
	// assumes; 0 means Segment.
	IdealSegment unit.Bytes
	// IdealFCT takes the place of Ideal if it is not nil.
	IdealFCT func(size unit.Bytes, forth, back []netsim.PortID) unit.Time
	// PayloadRTT makes BaseRTT count payload alone.
	PayloadRTT bool

	// Balancer chooses among equally short ways at each switch if it is not nil; the network
	// must ask for it (netsim.Config.PerPacket).
	Balancer route.Balancer
	// Spread says that the Balancer gives each packet a path of its own, so that a flow has the
	// rate of all its paths.
	Spread bool

	// Tell changes what a controller is told of its flow, unless it is nil: the network may stand for a part of another
	// one.
	Tell func(*FlowInfo)

	// Follower starts flows that wait for others if it is not nil. Ties must be seeded.
	Follower Follower

	// Trace, if not nil, is called after each ACK and each alarm of a controller that is an
	// Explainer. The Step is valid only during the call. Several engines call it side by
	// side.
	Trace func(now unit.Time, s *Step)
}

// PacketSize returns the size on the wire of a data packet with n bytes of payload.
func (c *Config) PacketSize(n unit.Bytes) unit.Bytes { return n + c.Header + c.Telemetry }

// AckSize returns the size on the wire of an ACK for a packet that has just left its
// source.
func (c *Config) AckSize() unit.Bytes { return c.ackSize(c.Telemetry, 0) }

// LargestAck returns the size of an ACK with as many options as fit.
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
