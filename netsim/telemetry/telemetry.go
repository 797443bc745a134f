// Package telemetry declares what a telemetry system must say about itself: what it costs
// on the wire, what senders learn from it, and how it is attached to a network. It knows
// no system but the two that carry nothing; int and pint have the others.
//
// A system is a struct of parameters whose tags are its keys in a scenario (package
// internal/schema), with the methods of System. experiments/protocols lists them, a
// line each.
package telemetry

import (
	"pintlab/internal/schema"
	"pintlab/netsim"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// System is a telemetry system with its parameters.
type System interface {
	// Overhead returns the telemetry that every data packet carries when it leaves its
	// source.
	Overhead() unit.Bytes
	// Stack returns how many entries the telemetry stack of a packet needs room for, in a
	// network whose longest path has that many hops. detours says that links may break,
	// so that paths get longer.
	Stack(maxHops int, detours bool) int
	// Gives returns what senders can learn from it.
	Gives() []Quantity
	// Recorded reports whether hosts record it, so that it is of use without a congestion
	// control that reads it.
	Recorded() bool
	// Check reports settings that contradict each other. The keys are those of the
	// section telemetry.
	Check(*schema.Checker)
	// Attach puts the system into a network.
	Attach(*Site) (*Parts, error)
}

// Variable is a System that gives a quantity, or a congestion control that reads one, only with
// certain settings.
type Variable interface {
	// Otherwise returns the key and the value with which it would give or read a quantity that it
	// does not give or read now; "" if there is none.
	Otherwise(Quantity) (key, value string)
}

// Answering is a System that also has a field in every acknowledgement, which switches fill in
// on the way back.
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

// Quantity is something that telemetry tells senders.
type Quantity string

// The quantities.
const (
	// PerHop is a record of every hop: time, bytes sent, queue length
	// (transport.Ack.Hops).
	PerHop Quantity = "a record per hop"
	// Utilisation is HPCC's U of the busiest link of the path (PINT §4.3, example 3).
	Utilisation Quantity = "utilisation"
	// Power is PowerTCP's Γ of the busiest link of the path (NSDI 2022, Algorithm 1).
	Power Quantity = "power"
	// RoundTrip is a round-trip time that a switch has measured, in picoseconds. Code 0 says
	// that it knows none.
	RoundTrip Quantity = "round-trip time"
	// HopDelay is the time that the packet has spent in the slowest switch of its path, in picoseconds.
	HopDelay Quantity = "delay of the worst hop"
)

// Site is the network that a system is put into, and the run.
type Site struct {
	Graph   *topo.Graph
	Net     *netsim.Network
	MaxHops int        // of the longest path
	Queue   unit.Bytes // longest queue of a port
	Seed    uint64     // of the run
	// Horizon is the time over which switches average utilisation: T of the congestion
	// control that reads it. It fails if there is none.
	Horizon func() (unit.Time, error)
	// Watched says that the run has a sink of its own, which takes the place of that of
	// the system.
	Watched bool
}

// Rates calls use once for each rate that links have, in the order of the links.
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

// SwitchIDs returns the IDs that switches write, by node: 0, 1, … in the order of the
// graph's switches. Hosts have 0, too.
func (s *Site) SwitchIDs() []uint64 {
	ids := make([]uint64, len(s.Graph.Nodes))
	for i, id := range s.Graph.Switches() {
		ids[id] = uint64(i)
	}
	return ids
}

// Parts is a system in a network.
type Parts struct {
	Tap      netsim.Tap  // at every switch; nil for none
	Sink     netsim.Sink // at every host; nil for none
	Feedback Feedback
	// Notes says, after the run, what a user should know of it; nil for nothing.
	Notes func() []string
	// Overflows is how often a switch had something to add and found no room for it;
	// nil if that cannot happen.
	Overflows func() int64
	// Tables are what the system has to say of the run, for its directory; nil for nothing.
	Tables func() []Table
	// System is what the package of the system has to say about it.
	System any
}

// Feedback is how a sender reads the quantities that a system gives.
type Feedback struct {
	// Fields takes differences of the fields of a record per hop that may have wrapped
	// around; nil if they are exact.
	Fields Fields
	// Digest returns where a digest holds a quantity. It fails if the digest does not hold
	// it.
	Digest func(Quantity) (*Digest, error)
	// Share is the share of packets with feedback for their sender, and ShareOf the key that sets it. It is
	// 0 if every packet has feedback, or none.
	Share   float64
	ShareOf string
}

// Fields takes differences of telemetry fields that may have wrapped around.
type Fields interface {
	TimeSince(now, before unit.Time) unit.Time
	TxSince(now, before unit.Bytes) unit.Bytes
}

// Digest is where a digest holds a quantity, and how it is read.
type Digest struct {
	Code interface{ Decode(code uint32) float64 }
	// Carries says whether the packet with that key carried the quantity; nil means
	// that every one does. It is called once for each ACK, in the order of time.
	Carries func(key uint64) bool
	// Shift and Mask say where in the digest the code is.
	Shift uint
	Mask  uint64
	// Digests with other bits under TagMask than Tag hold something else. A mask of 0 means that every
	// one holds the quantity.
	Tag, TagMask uint64
	// SkipFirst makes the first digest of a flow only start the clock of updates,
	// as the published simulator does, which treats it like a first INT stack.
	SkipFirst bool
}

// Holds reports whether a digest holds the quantity.
func (d *Digest) Holds(digest uint64) bool { return digest&d.TagMask == d.Tag }

// Field returns the code that a digest holds.
func (d *Digest) Field(digest uint64) uint32 { return uint32(digest >> d.Shift & d.Mask) }
