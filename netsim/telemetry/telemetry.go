// Package telemetry declares the interfaces of telemetry systems: what a system costs on the wire,
// which quantities senders learn from it, and how it is attached to a network. It contains only the
// two systems that carry no data; packages int and pint contain the others.
//
// A system is a struct of parameters whose tags are its keys in a scenario (package netsim/schema), with the methods of
// System. experiments/protocols lists the systems, one per line.
package telemetry

import (
	"pintlab/netsim"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// System is a telemetry system with its parameters.
type System interface {
	// Overhead returns the bytes of telemetry that every data packet carries when it leaves its
	// source.
	Overhead() unit.Bytes
	// Stack returns how many entries the telemetry stack of a packet needs in a network whose
	// longest path has maxHops hops. If detours is true, links may break, so that paths get longer.
	Stack(maxHops int, detours bool) int
	// Gives returns the quantities that senders can learn from the telemetry: from records of hops, or by
	// Feedback.Digest.
	Gives() []Quantity
	// Recorded reports whether hosts record the telemetry, so that it is useful even if no
	// congestion control reads it.
	Recorded() bool
	// Check reports settings that contradict each other. The keys are in the section telemetry.
	Check(*schema.Checker)
	// Attach attaches the system to a network.
	Attach(*Site) (*Parts, error)
}

// Variable is a System that supplies a quantity only with certain settings, or a congestion control that reads a
// quantity only with certain settings.
type Variable interface {
	// Otherwise returns the key and the value that would make the system supply a quantity that it does not supply now,
	// or make the control read a quantity that it does not read now. It returns "" if there is no such key.
	Otherwise(Quantity) (key, value string)
}

// Answering is a System with a field in every acknowledgement, which switches fill in on the way
// back.
type Answering interface {
	// AckField returns the size of the field on the wire.
	AckField() unit.Bytes
}

// AckField returns the size of a system's field in acknowledgements, 0 if it has none.
func AckField(s System) unit.Bytes {
	if a, ok := s.(Answering); ok {
		return a.AckField()
	}
	return 0
}

// Growing is a System to whose telemetry switches add bytes.
type Growing interface {
	// Growth returns the bytes that the given number of switches add, beyond Overhead.
	Growth(hops int) unit.Bytes
}

// Growth returns the bytes that switches add to the telemetry of a system, 0 if it is not Growing.
func Growth(s System, hops int) unit.Bytes {
	if g, ok := s.(Growing); ok {
		return g.Growth(hops)
	}
	return 0
}

// Quantity is a value that senders learn from telemetry.
type Quantity string

// The quantities.
const (
	// PerHop is a record of every hop: time, bytes sent, queue length
	// (transport.Ack.Hops).
	PerHop Quantity = "a record per hop"
	// HopRates is PerHop with the rate at which the port sent (bit/s) instead of the bytes sent.
	HopRates Quantity = "a rate per hop"
	// Utilisation is HPCC's U of the busiest link of the path (PINT §4.3, example 3).
	Utilisation Quantity = "utilisation"
	// Power is PowerTCP's Γ of the busiest link of the path (NSDI 2022, Algorithm 1).
	Power Quantity = "power"
	// RoundTrip is a round-trip time that a switch has measured, in picoseconds. Code 0 means that
	// the switch knows none.
	RoundTrip Quantity = "round-trip time"
	// HopDelay is the time that the packet has spent in the slowest switch of its path, in picoseconds.
	HopDelay Quantity = "delay of the worst hop"
)

// Site is the network and the run to which a system is attached.
type Site struct {
	Graph   *topo.Graph
	Net     *netsim.Network
	MaxHops int        // switches on the longest path
	Queue   unit.Bytes // longest possible queue of a port
	Seed    uint64     // seed of the run
	// Weights has the weights of the traffic classes in the scheduling of ports, 0 for classes without flows; it is
	// empty if the highest class is served first.
	Weights []int
	// Horizon returns the time over which switches average utilisation: T of the congestion control that reads it. It
	// returns an error if no control reads the utilisation.
	Horizon func() (unit.Time, error)
	// Watched reports that the run has its own sink, which replaces the sink of the system.
	Watched bool
	// Published reports that the run repeats the published simulator (profile ns3-artifact), including the wrapping of
	// its fields.
	Published bool
	// Splits reports that switches send packets of a flow over several paths.
	Splits bool
}

// Rates calls the function use once for each link rate, in the order of the links.
func (s *Site) Rates(use func(unit.Rate) error) error {
	seen := map[unit.Rate]bool{}
	for _, l := range s.Graph.Links {
		if seen[l.Rate] {
			continue
		}
		seen[l.Rate] = true
		if err := use(l.Rate); err != nil {
			return err
		}
	}
	return nil
}

// SwitchIDs returns the IDs that switches write, by node: 0, 1, … in the order of the graph's
// switches. The entries of hosts are also 0.
func (s *Site) SwitchIDs() []uint64 {
	ids := make([]uint64, len(s.Graph.Nodes))
	for i, id := range s.Graph.Switches() {
		ids[id] = uint64(i)
	}
	return ids
}

// Parts is a system that is attached to a network.
type Parts struct {
	Tap      netsim.Tap  // at every switch; nil for none
	Sink     netsim.Sink // at every host; nil for none
	Feedback Feedback
	// Notes returns, after the run, what a user should know about it; nil for nothing.
	Notes func() []string
	// Overflows returns how often a switch found no room for its telemetry; nil if that cannot
	// happen.
	Overflows func() int64
	// Tables returns the results of the run for its directory; nil for none.
	Tables func() []Table
	// System is the system's own type, which may implement further interfaces.
	System any
}

// Feedback describes how a sender reads the quantities of a system.
type Feedback struct {
	// Fields computes differences of fields of a per-hop record that may have wrapped around; nil
	// if the fields are exact.
	Fields Fields
	// Rates reports that records contain rates instead of bytes sent (HopRates).
	Rates bool
	// Digest returns where a digest holds a quantity. It returns an error if the digest does not
	// hold it.
	Digest func(Quantity) (*Digest, error)
	// Share is the share of packets that bring feedback to their sender. ShareOf is the key that
	// sets it. Share is 0 if every packet brings feedback, or none does.
	Share   float64
	ShareOf string
}

// Fields computes differences of telemetry fields that may have wrapped around.
type Fields interface {
	TimeSince(now, before unit.Time) unit.Time
	TxSince(now, before unit.Bytes) unit.Bytes
}

// Digest describes where a digest holds a quantity, and how to read it.
type Digest struct {
	Code interface{ Decode(code uint32) float64 }
	// Carries reports whether the packet with this key carried the quantity; nil means that every
	// packet does. It is called once for each ACK, in the order of time.
	Carries func(key uint64) bool
	// Shift and Mask give the position of the code in the digest.
	Shift uint
	Mask  uint64
	// A digest holds the quantity if its bits under TagMask equal Tag. With a mask of 0 every
	// digest does.
	Tag, TagMask uint64
	// SkipFirst makes the first digest of a flow only start the clock of updates, because the
	// published simulator treats it like a first INT stack.
	SkipFirst bool
}

// Holds reports whether a digest holds the quantity.
func (d *Digest) Holds(digest uint64) bool { return digest&d.TagMask == d.Tag }

// Field returns the code that a digest holds.
func (d *Digest) Field(digest uint64) uint32 { return uint32(digest >> d.Shift & d.Mask) }
