package transport

import (
	"fmt"

	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// Control is a congestion control with its parameters: a struct whose tags are its keys
// in a scenario (package internal/schema), with these methods. experiments/protocols
// lists the controls, a line each.
type Control interface {
	// Needs returns what the control needs of the rest of a scenario.
	Needs() Needs
	// New makes the controllers of a run.
	New(*Setting) (Factory, error)
}

// Targeted is a Control that keeps links below their rate.
type Targeted interface {
	Target() float64 // share of the rate of a link that it aims at, 0 < Target <= 1
}

// Receiving is a Control whose receivers say when senders send. It brings its own loss recovery, and is the only
// control that goes with it: transport.kind is the name of the control.
type Receiving interface {
	Control
	// Receivers says what the receivers do.
	Receivers() Receivers
	// Recovery returns the hosts of a run, whose Strategy is a ReceiverDriven. Its Options do not depend on the
	// Setting: they are asked before there is a network.
	Recovery(*Setting) Recovery
}

// Receivers holds what the rest of a scenario knows of receivers that say when senders send.
type Receivers struct {
	Packets  float64 // that a receiver sends for each data packet, all as large as ACKs
	Trimming bool    // switches must trim packets
	Ask      bool    // they ask for packets, those of the highest class first with Setting.ByClass
	// Brings are settings of switches, as assignments, that a scenario gets with the transport unless it gives them itself.
	Brings []string
}

// Waiting is a Receiving that says how long its senders wait for an answer.
type Waiting interface {
	// Timeout returns transport.rto_initial if the scenario leaves it to the network, and the rule.
	Timeout(*Setting) (wait unit.Time, from string)
}

// Avoider is a Receiving, or its Recovery, whose senders may stop using bad paths.
type Avoider interface {
	// Penalty returns the rule by which senders avoid paths, nil if they do not.
	Penalty() *route.Penalty
}

// Needs holds what a congestion control needs of the rest of a scenario. The zero Needs is
// a control that works with everything and reads no telemetry.
type Needs struct {
	Loss     LossSignal
	Pacing   Pacing
	Feedback []telemetry.Quantity // one of them; nil for none
	Marking  bool                 // switches must mark packets (ECN)
	// Balancing is the balancer for packets of which the network must take each on its own; "" if the control
	// is for any. A scenario gets it unless it names one that does so, too.
	Balancing string
	// NextPacket makes a new rate apply from the next packet on, on the hosts of the
	// published simulator. Otherwise the new rate also moves the time at which the next
	// packet is due, as if the last packet had been sent at the new rate.
	NextPacket bool
}

// LossSignal is which ways of loss recovery a control understands.
type LossSignal uint8

// The families of loss recovery.
const (
	AnyLoss  LossSignal = iota
	TCPLoss             // one of TCP's
	RDMALoss            // GoBackN or IRN
)

// Pacing is whether a control needs senders that pace.
type Pacing uint8

// What a control says of pacing.
const (
	AnyPacing Pacing = iota
	Paced            // its rate is what counts
	Unpaced          // it sets no rate
)

// Setting is the run that a control is made for.
type Setting struct {
	Feedback    telemetry.Feedback // of the telemetry that the scenario has
	HostRate    unit.Rate          // of the slowest host's link
	FastestHost unit.Rate          // of the fastest host's link
	Slowest     unit.Rate          // of all links
	Fastest     unit.Rate          // of all links
	Payload     unit.Bytes         // of a full data packet
	Packet      unit.Bytes         // a full data packet on the wire
	// Published says that the hosts are those of the published simulator.
	Published bool
	// Warn records a warning for the user; it may be nil.
	Warn     func(string)
	PortRate func(netsim.PortID) unit.Rate
	MaxHops  int        // switches on the longest path
	Queue    unit.Bytes // of data that may wait at a port with trimming; 0 without
	Drops    bool       // switches drop what they would trim
	ByClass  bool       // receivers ask for packets of the highest class first
	// Farthest is the largest base RTT of any pair of hosts, and the largest product of
	// base RTT and path rate.
	Farthest func() (unit.Time, unit.Bytes)
}

// Window returns the window of a control that computes rates: "none", or "scaled" with the rate,
// or "constant"; for the largest base RTT of the network ("max") or that of each flow's own
// path ("path").
func (s *Setting) Window(rule, rtt string) RateWindow {
	w := RateWindow{Rule: map[string]WindowRule{"none": Windowless, "scaled": Scaled, "constant": Constant}[rule]}
	if w.Rule != Windowless && rtt == "max" {
		_, w.BDP = s.Farthest()
	}
	return w
}

// CheckMinRate refuses a cc.min_rate that is not below the rate of the slowest link, because
// flows could not slow down to that link. With the published simulator's profile it only
// warns.
func (s *Setting) CheckMinRate(least unit.Rate) error {
	if least < s.Slowest {
		return nil
	}
	err := fmt.Errorf("cc.min_rate = %v: want less than %v, the rate of the slowest link, or no flow could ever slow down there", least, s.Slowest)
	if !s.Published {
		return err
	}
	if s.Warn != nil {
		s.Warn(err.Error())
	}
	return nil
}

// signalQuantities are what the signals of controls of round-trip times are made of; with "host" they take the host's own
// time stamps.
var signalQuantities = map[string]telemetry.Quantity{"switch": telemetry.RoundTrip, "hop": telemetry.HopDelay}

// SignalNeeds returns the feedback that a signal of round-trip times needs.
func SignalNeeds(signal string) []telemetry.Quantity {
	if q, ok := signalQuantities[signal]; ok {
		return []telemetry.Quantity{q}
	}
	return nil
}

// SignalKey returns the key and the value under which a control of round-trip times reads a quantity.
func SignalKey(q telemetry.Quantity) (key, value string) {
	for signal, of := range signalQuantities {
		if of == q {
			return "signal", signal
		}
	}
	return "", ""
}

// RoundTrips is where a control takes round-trip times from.
type RoundTrips struct {
	digest *telemetry.Digest // nil: the host's time stamps
	hop    bool              // it holds the delay of a hop
}

// RoundTrips finds the round-trip times of a signal.
func (s *Setting) RoundTrips(signal string) (RoundTrips, error) {
	q, ok := signalQuantities[signal]
	if !ok {
		return RoundTrips{}, nil
	}
	d, err := s.Feedback.Digest(q)
	return RoundTrips{d, q == telemetry.HopDelay}, err
}

// Of returns the round-trip time that an ACK tells, if it tells one. The delay of the worst hop takes the place of what a
// packet waits in all; base is what it takes without.
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

// Averager is a Control that makes switches average utilisation over its base RTT.
type Averager interface {
	// Horizon returns T, or why there is none for all flows.
	Horizon(*Setting) (unit.Time, error)
}
