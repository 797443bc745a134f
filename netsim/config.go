package netsim

import (
	"math/bits"

	"pintlab/internal/rules"
	"pintlab/netsim/buffer"
	"pintlab/netsim/schema"
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

// LargestPacket is the largest packet on the wire: Packet.Size has 16 bits.
const LargestPacket unit.Bytes = 1<<16 - 1

// Config holds the settings of the whole network. Make one with Default; the zero Config is not valid.
type Config struct {
	Params
	Seed uint64
	Ties Ties

	// TxTime returns how long a link takes to send a packet. The default is unit.Rate.TxTime.
	TxTime func(unit.Rate, unit.Bytes) unit.Time

	MaxPacket  unit.Bytes // largest packet on the wire, telemetry included, at most LargestPacket
	StackDepth int        // entries of a packet's telemetry stack, 0 for none

	// HopCost returns the extra time that a packet takes at a port of the given rate because of its telemetry bits. If
	// HopCost is nil, there is no extra time.
	HopCost func(unit.Rate, *Packet) unit.Time

	Classes int // traffic classes in use, 0 to 8, each with reserve and headroom at each port; 0 means 1
	// FreePool returns how much of the shared memory of a switch counts as free (buffer.Config.Free).
	FreePool func(pool, used unit.Bytes) unit.Bytes
	// Headroom returns the memory for packets that arrive at a port after a pause. If it is nil,
	// PFC.Headroom decides.
	Headroom func(unit.Rate, unit.Time) unit.Bytes
	// ShiftFrom is the rate up to which PFC.ShiftByRate changes nothing. 0 stands for the rate of the slowest host.
	ShiftFrom unit.Rate

	// MarkTimes returns a factor for the ECN thresholds at the ports of a node. If it is nil, the
	// factor is 1.
	MarkTimes func(topo.NodeID) unit.Bytes
	// HeaderClass is the class of trimmed packets, 1 to 7. Senders use it for acknowledgements and other
	// control packets.
	HeaderClass uint8
	// FreeAcks lets a host send acknowledgements even if their class is paused.
	FreeAcks bool
	// KeepFlushed never releases the switch memory of packets that were dropped because a link
	// broke.
	KeepFlushed bool

	// PerPacket makes every switch ask Stack.Reroute for the next port of each packet,
	// instead of following the path of the flow.
	PerPacket bool

	// Crowd is the expected number of flows in progress at the same time, 0 if unknown. Long lists of flows and packets
	// grow to this size at once. Crowd changes no result.
	Crowd int

	// Options is the size of the transport's part of each packet, in bytes.
	Options int
	// For monitors: Cargo is the size of their part of each packet, in bytes. ReportQueue is how
	// many bytes of a node's own reports may wait at a port. ReportRoute returns the port on which
	// a report leaves a node; the key selects among equal ports.
	Cargo       int
	ReportQueue unit.Bytes
	ReportRoute func(at, to NodeID, key uint64) (PortID, bool)
	// FreeReports delivers reports to their collectors at once, without using the network. The network must run on one
	// engine.
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

// Draws makes the random decisions of a network. Its methods are called in the order of events, so a network with Draws
// needs a single engine.
type Draws interface {
	// Mark reports whether to mark a packet that leaves a queue of this many bytes, where min <
	// queued <= max.
	Mark(queued, min, max unit.Bytes, pmax float64) bool
	// Lose reports whether a lossy link loses the packet, of any kind, that would arrive on port in.
	Lose(in PortID) bool
	// Frame is called when a PFC frame is made.
	Frame()
}

// Default returns a network with the defaults of the tags, exact transmission times and seeded ties.
// MaxPacket must be set.
func Default() Config {
	c := Config{TxTime: unit.Rate.TxTime}
	schema.Defaults(&c.Params)
	return c
}

// memory returns the configuration of a switch with these ports.
func (c *Config) memory(ports []buffer.Port) buffer.Config {
	b := buffer.Config{Total: c.Buffer, Classes: c.Classes, Ports: ports}
	if c.PortLimit != unit.NoLimit {
		b.QueueCap = unit.Bytes(c.PortLimit)
	}
	if p := &c.PFC; p.Enabled {
		b.Lossless, b.Reserve, b.Resume, b.Free = true, p.Reserve, p.Hysteresis, c.FreePool
		if p.Threshold == "static" {
			b.Threshold = p.XOff
		}
	}
	return b
}

// ingress returns the memory settings of the ports at the ends of a link.
func (c *Config) ingress(g *topo.Graph, l topo.Link) (p buffer.Port) {
	if !c.PFC.Enabled {
		return p
	}
	p.Shift = uint(c.PFC.Shift)
	if c.PFC.ShiftByRate {
		for r := l.Rate; r > c.ShiftFrom && p.Shift > 0; r /= 2 {
			p.Shift--
		}
	}
	switch {
	case c.PFC.Headroom == "3-delays":
		p.Headroom = 3 * l.Rate.In(l.Delay)
	case c.Headroom != nil:
		p.Headroom = c.Headroom(l.Rate, l.Delay)
	default:
		frames := unit.Bytes(max(1, c.Classes)) * c.PFC.Frame
		delay := l.Delay + c.ProcessingDelay + max(g.Nodes[l.A].Delay, g.Nodes[l.B].Delay)
		p.Headroom = buffer.Headroom(l.Rate, delay, c.MaxPacket, frames)
	}
	return p
}

// slowestHost returns the rate of the slowest link of a host; 0 without hosts.
func slowestHost(g *topo.Graph) (slowest unit.Rate) {
	for _, l := range g.Links {
		host := g.Nodes[l.A].Kind == topo.Host || g.Nodes[l.B].Kind == topo.Host
		if host && (slowest == 0 || l.Rate < slowest) {
			slowest = l.Rate
		}
	}
	return slowest
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
	errs.If(c.MaxPacket <= 0 || c.MaxPacket > LargestPacket, "largest packet = %d bytes, want 1 to %d",
		c.MaxPacket, LargestPacket)
	errs.If(c.StackDepth < 0 || c.StackDepth >= unread, "stack depth = %d, want 0 to %d", c.StackDepth, unread-1)
	errs.If(c.Cargo < 0 || c.Options < 0 || c.ReportQueue < 0, "room for monitors and options must not be negative")
	errs.If(c.TxTime == nil, "no rule for transmission times")
	for _, p := range schema.CheckValues(&c.Params,
		func(to *schema.Checker) { c.agree(to, ""); c.CheckTrimming(to, "") }) {
		errs = append(errs, p)
	}
	for _, key := range schema.Autos(&c.Params) {
		errs.If(true, "%s: auto: want a value", key)
	}
	errs.If(c.Classes < 0 || c.Classes > buffer.Classes, "classes = %d, want 0 to %d", c.Classes, buffer.Classes)
	errs.If(c.PFC.Enabled && c.PFC.Frame > c.MaxPacket, "pfc.frame = %v, want at most the largest packet, %v",
		c.PFC.Frame, c.MaxPacket)
	errs.If(c.Trimming.Enabled && (c.HeaderClass < 1 || c.HeaderClass >= buffer.Classes),
		"class of trimmed packets = %d, want 1 to %d", c.HeaderClass, buffer.Classes-1)
	return errs.Err("netsim: bad config")
}
