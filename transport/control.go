package transport

import (
	"fmt"

	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// Control is a congestion control with its parameters: a struct whose tags are its keys in a
// scenario (package netsim/schema). experiments/protocols lists all controls.
type Control interface {
	// Needs returns what the control requires of the other parts of a scenario.
	Needs() Needs
	// New makes the controllers of a run.
	New(*Setting) (Factory, error)
}

// Targeted is a Control that keeps the utilisation of links below 1.
type Targeted interface {
	Target() float64 // target utilisation of a link, 0 < Target <= 1
}

// Receiving is a Control whose receivers decide when senders send. It has its own loss recovery,
// which no other control can use. So transport.kind is the name of the control.
type Receiving interface {
	Control
	// Receivers describes what the receivers do.
	Receivers() Receivers
	// Recovery returns the loss recovery of the hosts; its Strategy must be a ReceiverDriven. Its Options
	// must not depend on the Setting, because they are read before the network exists.
	Recovery(*Setting) Recovery
}

// Receivers describes receivers that decide when senders send.
type Receivers struct {
	// Answers returns how many packets a receiver sends for a flow with this many data packets, which together have
	// wire bytes. All packets of the receiver have the size of ACKs. The count is for a flow without loss and marks.
	Answers  func(packets int64, wire unit.Bytes) int64
	Trimming bool // switches must trim packets
	Ask      bool // receivers request packets; if Setting.ByClass is set, the highest class first
	// Brings lists settings of switches, as assignments. They are the defaults of a scenario with
	// this transport.
	Brings []string
}

// Waiting is a Receiving with a timeout: its senders wait only so long for an answer.
type Waiting interface {
	// Timeout returns the default of transport.rto_initial and its rule.
	Timeout(*Setting) (wait unit.Time, from string)
}

// Avoider is a Receiving whose senders may stop using bad paths. The Recovery of such a Receiving may also be an
// Avoider.
type Avoider interface {
	// Penalty returns the rule by which senders avoid paths, or nil if they do not.
	Penalty() *route.Penalty
}

// Needs holds the requirements of a congestion control. The zero Needs describes a control that
// works with everything and reads no telemetry.
type Needs struct {
	Loss     LossSignal
	Pacing   Pacing
	Feedback []telemetry.Quantity // the control needs any one of these; nil if it needs none (see Averager)
	Marking  bool                 // switches must mark packets (ECN)
	// Balancing is the default balancer of a control that needs each packet to take its own path.
	// It is "" if the control works with any balancer. A scenario may replace it by another
	// balancer that works per packet.
	Balancing string
	// NextPacket concerns the hosts of the published simulator. If it is set, a new rate applies
	// from the next packet on. Otherwise a new rate also changes when the next packet is due, as if
	// the last packet had been sent at the new rate.
	NextPacket bool
	// Notice is the number of bytes that receivers return in place of telemetry; 0 if they return the telemetry.
	Notice unit.Bytes
	// Probes means that probes carry the telemetry, and data packets do not.
	Probes bool
	// AnyPath means that records of hops may come from packets on different paths.
	AnyPath bool
}

// LossSignal is the family of loss recovery that a control works with.
type LossSignal uint8

// The families of loss recovery.
const (
	AnyLoss  LossSignal = iota
	TCPLoss             // TCP
	RDMALoss            // GoBackN or IRN
)

// Pacing is the requirement of a control on the pacing of senders.
type Pacing uint8

// The requirements on pacing.
const (
	AnyPacing Pacing = iota // works with and without
	Paced                   // the control sets a rate
	Unpaced                 // the control sets no rate
)

// Setting describes the run of a control.
type Setting struct {
	Feedback telemetry.Feedback // what the scenario's telemetry measures and how it is encoded
	// HostRate is the rate of the slowest host's link. If the control is made for only some flows, it is the link rate
	// of the slower of their hosts.
	HostRate    unit.Rate
	FastestHost unit.Rate  // rate of the fastest host's link
	Slowest     unit.Rate  // smallest rate of all links; idle hosts that are slower than the others do not count
	Fastest     unit.Rate  // largest rate of all links
	Payload     unit.Bytes // payload of a full data packet
	Packet      unit.Bytes // size of a full data packet on the wire
	// Published reports that the hosts follow the published simulator.
	Published bool
	// Warn records a warning for the user; it may be nil.
	Warn     func(string)
	PortRate func(netsim.PortID) unit.Rate
	MaxHops  int        // switches on the longest path
	Queue    unit.Bytes // longest queue of data at a port with trimming; 0 if there is no trimming
	Drops    bool       // switches drop packets instead of trimming them
	ByClass  bool       // receivers request packets of the highest class first
	// Farthest returns the largest base RTT of any pair of hosts, and the largest product of base
	// RTT and path rate.
	Farthest func() (unit.Time, unit.Bytes)
}

// Window returns the window of a control that computes rates. rule is "none", "scaled" (with the rate) or "constant".
// rtt is "max" for the largest base RTT of the network, or "path" for the base RTT of each flow's path. Flows of a slow
// host do not get the bandwidth-delay product of faster hosts, except in the published simulator.
func (s *Setting) Window(rule, rtt string) RateWindow {
	w := RateWindow{Rule: map[string]WindowRule{"none": windowless, "scaled": Scaled, "constant": constant}[rule]}
	if w.Rule != windowless && rtt == "max" {
		if w.RTT, w.BDP = s.Farthest(); s.Published {
			w.RTT = 0
		}
	}
	return w
}

// CheckMinRate returns an error for a cc.min_rate that is not below the rate of the slowest link,
// because flows could not slow down to that link. With the published simulator's profile it only
// warns.
func (s *Setting) CheckMinRate(least unit.Rate) error {
	if least < s.Slowest {
		return nil
	}
	err := fmt.Errorf("cc.min_rate = %v: want less than %v, the rate of the slowest link; otherwise no flow could "+
		"slow down on this link", least, s.Slowest)
	if !s.Published {
		return err
	}
	if s.Warn != nil {
		s.Warn(err.Error())
	}
	return nil
}

// signalQuantities maps signals of controls that read round-trip times to the quantities that they
// need. The signal "host" uses the host's time stamps and needs no quantity.
var signalQuantities = map[string]telemetry.Quantity{"switch": telemetry.RoundTrip, "hop": telemetry.HopDelay}

// SignalNeeds returns the quantities that a round-trip signal needs.
func SignalNeeds(signal string) []telemetry.Quantity {
	if q, ok := signalQuantities[signal]; ok {
		return []telemetry.Quantity{q}
	}
	return nil
}

// SignalKey returns the key and the value with which a control reads a quantity as its round-trip
// signal.
func SignalKey(q telemetry.Quantity) (key, value string) {
	for signal, of := range signalQuantities {
		if of == q {
			return "signal", signal
		}
	}
	return "", ""
}

// RoundTrips is the source from which a control reads round-trip times.
type RoundTrips struct {
	digest *telemetry.Digest // nil: the host's time stamps
	hop    bool              // the digest holds the delay of a hop
}

// RoundTrips returns the source for a signal.
func (s *Setting) RoundTrips(signal string) (RoundTrips, error) {
	q, ok := signalQuantities[signal]
	if !ok {
		return RoundTrips{}, nil
	}
	d, err := s.Feedback.Digest(q)
	return RoundTrips{d, q == telemetry.HopDelay}, err
}

// Of returns the round-trip time in an ACK; ok is false if the ACK has none. If the signal is the
// delay of the worst hop, Of adds it to base, the round-trip time without queueing.
func (r *RoundTrips) Of(a *Ack, base unit.Time) (rtt unit.Time, ok bool) {
	switch {
	case r.digest == nil:
		return a.RTT, a.HasRTT
	case !r.digest.Holds(a.Digest):
		return 0, false
	}
	code := r.digest.Field(a.Digest)
	rtt = unit.Time(r.digest.Code.Decode(code))
	if r.hop {
		return base + rtt, true
	}
	return rtt, code != 0
}

// Averager is a Control that needs switches to average utilisation over a time T, the base RTT.
type Averager interface {
	// Horizon returns T. It returns an error if T is not the same for all flows.
	Horizon(*Setting) (unit.Time, error)
}
