package netsim

import (
	"fmt"
	"math/bits"

	"pintlab/internal/rules"
	"pintlab/netsim/buffer"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Ties is the order of simultaneous events.
type Ties uint8

// The orders of simultaneous events.
const (
	Seeded Ties = iota // by a hash of seed, port and count
	FIFO               // by the order in which they were scheduled
)

// ECN configures marking at a port. Packets are never marked below Min queued bytes and always
// above Max. Between them the probability grows linearly to PMax. Min and Max hold for a port of
// rate Rate and scale with the rates of other ports.
type ECN struct {
	Min, Max unit.Bytes
	PMax     float64
	Rate     unit.Rate
	// NotAtHosts disables marking at ports to hosts.
	NotAtHosts bool
}

// LargestPacket is the largest packet on the wire: Packet.Size has 16 bits.
const LargestPacket unit.Bytes = 1<<16 - 1

// Config holds the settings of the whole network. Make one with DefaultConfig; the zero Config is
// not valid.
type Config struct {
	Seed uint64
	Ties Ties

	// TxTime returns how long a link takes to send a packet. The default is unit.Rate.TxTime.
	TxTime func(unit.Rate, unit.Bytes) unit.Time

	MaxPacket  unit.Bytes // largest packet on the wire, telemetry included, at most LargestPacket
	StackDepth int        // entries of a packet's telemetry stack, 0 for none

	Processing unit.Time // in every switch, between arrival and egress queue, >= 0
	// HopCost returns the extra time that a packet takes at a port of the given rate because of the
	// telemetry bits that it carries. If it is nil, there is none.
	HopCost func(unit.Rate, *Packet) unit.Time

	// Buffer configures switch memory. The network fills in Ports.
	Buffer buffer.Config
	// Headroom returns the memory for packets that arrive at a port after a pause. If it is nil,
	// buffer.Headroom is used.
	Headroom func(unit.Rate, unit.Time) unit.Bytes
	// Shift returns the shift of the dynamic threshold at a port of the given rate. If it is nil,
	// the shift is 3, an eighth of the free pool.
	Shift func(unit.Rate) uint

	ECN *ECN // nil: no marking
	// MarkTimes returns a factor for the ECN thresholds at the ports of a node. If it is nil, the
	// factor is 1.
	MarkTimes  func(topo.NodeID) unit.Bytes
	Trim       *Trimming  // nil: a packet that finds no room is dropped, not trimmed
	PauseFrame unit.Bytes // size of a PFC frame on the wire, > 0
	// FreeAcks lets a host send acknowledgements even if their class is paused.
	FreeAcks bool
	// KeepFlushed never releases the switch memory of packets that were dropped because a link
	// broke.
	KeepFlushed bool

	Scheduling Scheduling // among the classes at a port
	// Quanta are the shares of the classes in a round: bytes for Deficit, at least MaxPacket each,
	// and packets for Weighted.
	Quanta [buffer.Classes]unit.Bytes

	// PerPacket makes every switch ask Stack.Reroute for the next port of each packet,
	// instead of following the path of the flow.
	PerPacket bool

	// Crowd is the expected number of flows in progress at the same time, 0 if unknown. Long lists
	// of flows and packets grow to this size at once. It changes no result.
	Crowd int

	// Options is the size of the transport's part of each packet, in bytes.
	Options int
	// For monitors: Cargo is the size of their part of each packet, in bytes. ReportQueue is how
	// many bytes of a node's own reports may wait at a port. ReportRoute returns the port on which
	// a report leaves a node; the key selects among equal ports.
	Cargo       int
	ReportQueue unit.Bytes
	ReportRoute func(at, to NodeID, key uint64) (PortID, bool)
	// FreeReports delivers reports to their collectors at once, without using the network. It needs
	// a network that runs on one engine.
	FreeReports bool

	// Draws makes the random decisions. If it is nil, hashes of the port and packet decide, and no
	// PFC frame is lost to bit errors.
	Draws Draws
	// Divide lets an engine run the domains of the network one after another in each window of time,
	// which is faster. The stack must then be Windowed. Taps, sinks and OnPFC see the events of one
	// node in the order of time, but not those of different nodes. Divide has no effect with Ties
	// FIFO and must not be set with Draws or FreeReports.
	Divide bool
	// OnPFC, if not nil, is called for each PFC frame that arrives on port in.
	OnPFC func(now unit.Time, in PortID, kind Kind)
}

// Draws makes the random decisions of a network. It is called in the order of events, so a network
// with Draws needs a single engine.
type Draws interface {
	// Mark reports whether to mark a packet that leaves a queue of this many bytes, where min <
	// queued <= max.
	Mark(queued, min, max unit.Bytes, pmax float64) bool
	// Lose reports whether a link that loses packets loses this one, of any kind, which arrives on
	// port in.
	Lose(in PortID) bool
	// Frame is called when a PFC frame is made.
	Frame()
}

// DefaultConfig has exact serialisation, seeded ties and the 32 MB lossless
// switch of PINT §6.1. MaxPacket must be set.
func DefaultConfig() Config {
	return Config{
		Ties:       Seeded,
		TxTime:     unit.Rate.TxTime,
		Buffer:     buffer.Config{Total: 32 * unit.MB, Reserve: 4096, Lossless: true, Resume: 3072},
		PauseFrame: 64, // IEEE 802.1Qbb: a minimum-size Ethernet frame
	}
}

// cacheLine is the size of a cache line in bytes.
const cacheLine = 64

// aside returns the size of the memory that each packet has in addition to its slab entry. It is
// rounded up so that it spans as few cache lines as possible.
func (c *Config) aside() int {
	n := c.Cargo + c.Options
	switch {
	case n == 0:
		return 0
	case n <= cacheLine:
		return 1 << bits.Len(uint(n-1))
	}
	return (n + cacheLine - 1) / cacheLine * cacheLine
}

// Validate reports every rule that c breaks.
func (c Config) Validate() error {
	var errs rules.Broken
	errs.If(c.MaxPacket <= 0 || c.MaxPacket > LargestPacket, "largest packet = %d bytes, want 1 to %d", c.MaxPacket, LargestPacket)
	errs.If(c.StackDepth < 0 || c.StackDepth >= unread, "stack depth = %d, want 0 to %d", c.StackDepth, unread-1)
	errs.If(c.Cargo < 0 || c.Options < 0 || c.ReportQueue < 0, "room for monitors and options must not be negative")
	if !c.validQuanta() {
		errs = append(errs, fmt.Errorf("scheduling %d with quanta of %v: want RoundRobin, Strict, Deficit with at least the largest packet and at most 1GB for each class from 1 on, or Weighted with at least a packet", c.Scheduling, c.Quanta))
	}
	errs.If(c.TxTime == nil, "no rule for transmission times")
	errs.If(c.Processing < 0, "processing delay = %d ps, want >= 0", c.Processing)
	errs.If(c.PauseFrame <= 0 || c.PauseFrame > c.MaxPacket && c.Buffer.Lossless, "pause frame = %d bytes, want 1 to %d", c.PauseFrame, c.MaxPacket)
	if e := c.ECN; e != nil {
		errs.If(e.Min < 0 || e.Max < e.Min || !(e.PMax >= 0 && e.PMax <= 1) || e.Rate <= 0, "ECN %+v: want 0 <= min <= max, 0 <= pmax <= 1, rate > 0", *e)
	}
	if err := c.validTrim(); err != nil {
		errs = append(errs, err)
	}
	return errs.Err("netsim: bad config")
}
