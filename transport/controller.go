package transport

import (
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Controller decides how fast a flow may send. The sender calls it in the order of simulated time.
type Controller interface {
	// Start is called when a flow starts. A controller may serve several flows, one after another.
	// Start must reset all state.
	Start(now unit.Time, f FlowInfo)
	// OnAck handles an acknowledgement. It is called after the sender has moved its window, once
	// for each ACK or NACK, including duplicates. The Ack is valid only during the call. OnAck
	// reports whether Window or Rate has changed.
	OnAck(now unit.Time, a *Ack) bool
	// OnLoss is called when the sender has detected a loss and is about to retransmit.
	OnLoss(now unit.Time, l Loss)
	// Window returns the largest number of unacknowledged bytes in flight, at least 1. The sender reads it
	// after Start and OnLoss, and after OnAck if OnAck returned true.
	Window() unit.Bytes
	// Rate returns the pacing rate, at least 1 bit/s. A controller that does not pace returns the line
	// rate; higher rates have the same effect. The sender reads it together with Window. If one of them is
	// too small, the run panics.
	Rate() unit.Rate
}

// Timed is a controller that also acts on timers.
type Timed interface {
	Controller
	// Alarms returns the number of alarms of the controller.
	Alarms() int
	// OnAlarm is called when an alarm is due. It reports whether Window or Rate has changed.
	OnAlarm(now unit.Time, i int) bool
}

// Alarms sets the alarms of a Timed controller. They end with the flow.
type Alarms interface {
	// Set makes alarm i due at the given time. An earlier setting is replaced.
	Set(i int, at unit.Time)
	// Cancel ends alarm i if it is set.
	Cancel(i int)
}

// Loaded is a controller that estimates the utilisation of its path.
type Loaded interface {
	// Load returns the latest utilisation, or NaN before the first estimate.
	Load() float64
}

// Factory makes a controller. Controllers share no state.
type Factory func() Controller

// FlowInfo describes a flow to its controller.
type FlowInfo struct {
	Number   int32      // number of the flow in the workload
	Key      uint64     // identifies the flow to hashes
	Size     unit.Bytes // payload
	Segment  unit.Bytes // largest payload of a packet
	Packet   unit.Bytes // wire size of a full data packet
	LineRate unit.Rate  // rate of the sender's port
	PathRate unit.Rate  // rate of the slowest link on the path
	BaseRTT  unit.Time  // see BaseRTT
	Hops     int        // number of switches on the path
	Alarms   Alarms     // for a Timed controller
}

// Ack is an acknowledgement as the sender sees it.
type Ack struct {
	Seq    int64      // next byte that the receiver expects
	Acked  unit.Bytes // newly acknowledged bytes, 0 for a duplicate
	Flight unit.Bytes // unacknowledged bytes after the ACK
	Next   int64      // first byte not sent yet
	Phase  Phase
	Nack   bool // the receiver reports a gap
	Marked bool // the data packet met a queue above the marking threshold
	Probe  bool // the ACK answers a probe and acknowledges no data
	AtHost bool // a NACK for a packet that was trimmed at the port to its host
	// Congested equals Marked, with one exception: it is false if the sender has already reacted to
	// a mark or a loss since it sent the acknowledged bytes. A sender reacts once per window (RFC
	// 3168 §6.1.2).
	Congested bool
	RTT       unit.Time // round-trip time of the acknowledged packet
	HasRTT    bool      // false for an ACK that was not triggered by a packet

	// Telemetry of the data packet or probe that caused the ACK.
	Hops    []netsim.PortSample
	Digest  uint64
	ID      uint32
	FlowKey uint64
}

// Key returns the identifier of the data packet that caused the ACK.
func (a *Ack) Key() uint64 { return netsim.PacketKey(a.FlowKey, a.ID) }

// Phase is the meaning of an acknowledgement for loss recovery.
type Phase uint8

// The phases of loss recovery. The middle three are from RFC 6582.
const (
	Open      Phase = iota // no loss known
	Duplicate              // one more duplicate in fast recovery
	Partial                // new data, but not all that was in flight when the loss was detected
	Exit                   // all data in flight when the loss was detected: fast recovery ends
	// Repair is any ACK during recovery with selective acknowledgements. The sender knows which
	// bytes are in the network, and the window stays the same.
	Repair
)

// LossKind is how a loss was detected.
type LossKind uint8

// The ways to detect a loss.
const (
	FastRetransmit LossKind = iota // by duplicate acknowledgements
	Timeout                        // by the retransmission timer
	Gap                            // by a NACK
	Selective                      // by selective acknowledgements
)

// Loss is a loss that the sender has detected.
type Loss struct {
	Kind   LossKind
	Seq    int64      // first byte to be retransmitted
	Flight unit.Bytes // unacknowledged bytes when the loss was detected
	Again  bool       // the same bytes timed out before
}
