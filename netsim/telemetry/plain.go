package telemetry

import (
	"pintlab/netsim"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// None is no telemetry.
type None struct{}

// Overhead returns 0.
func (None) Overhead() unit.Bytes { return 0 }

// Stack returns 0.
func (None) Stack(int, bool) int { return 0 }

// Gives returns no quantities.
func (None) Gives() []Quantity { return nil }

// Recorded returns false.
func (None) Recorded() bool { return false }

// Check reports no errors.
func (None) Check(*schema.Checker) {}

// Attach returns no parts.
func (None) Attach(*Site) (*Parts, error) { return &Parts{}, nil }

// Bytes is telemetry without content, which only costs bytes (PINT §2).
type Bytes struct {
	None
	// Telemetry on every data packet.
	Bytes unit.Bytes `yaml:"bytes" default:"48B" range:">=1B <=1024B" draw:"1..200B"`
}

// Overhead returns b.Bytes.
func (b *Bytes) Overhead() unit.Bytes { return b.Bytes }

// Attach returns no tap and no sink.
func (b *Bytes) Attach(*Site) (*Parts, error) { return &Parts{System: b}, nil }

// Answers returns the answers that INT of this size would give.
func (*Bytes) Answers(w Window) (any, error) { return NewEchoed(w), nil }

// Witness records the truth for each data packet, at no cost in bytes. The telemetry stack gets an
// entry per switch with the egress port, the queue, and in TS the time that the packet spent in the
// switch. It implements netsim.Tap.
type Witness struct{}

// Dequeue pushes the entry of a switch.
func (Witness) Dequeue(h *netsim.Hop) {
	if h.Packet.Kind == netsim.Data {
		h.Push(netsim.PortSample{TS: h.Now - h.Packet.At, Sent: h.Sent, Queue: int32(h.Queue), Port: h.Port})
	}
}
