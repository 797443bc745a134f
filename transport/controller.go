package transport

import (
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Controller decides how fast one flow may send. The sender calls it in the
// order of simulated time.
type Controller interface {
	// Start is called when the flow starts, and again if the controller is used for another
	// flow. It must reset all state.
	Start(now unit.Time, f FlowInfo)
	// OnAck handles one acknowledgement. It is called after the sender has moved its window,
	// once for each ACK or NACK, duplicates included. The Ack is valid only during the call.
	// It reports whether Window and Rate have changed.
	OnAck(now unit.Time, a *Ack) bool
	// OnLoss is called when the sender has found a loss and is about to retransmit.
	OnLoss(now unit.Time, l Loss)
	// Window returns the most unacknowledged bytes the flow may have in flight. The
	// sender reads it after Start, OnLoss, and OnAck if that returned true.
	Window() unit.Bytes
	// Rate returns the pacing rate. A controller that does not pace returns the line
	// rate. The sender reads it together with Window.
	Rate() unit.Rate
}

// Timed is a controller that also acts on timers.
type Timed interface {
	Controller
	// Alarms returns how many alarms it has.
	Alarms() int
	// OnAlarm is called when an alarm is due. It reports whether Window and Rate have
	// changed.
	OnAlarm(now unit.Time, i int) bool
}

// Alarms are the alarms of a Timed controller. They end with the flow.
type Alarms interface {
	// Set makes alarm i due at the given time. An earlier setting is replaced.
	Set(i int, at unit.Time)
	// Cancel ends alarm i if it is set.
	Cancel(i int)
}

// Loaded is a controller that knows the utilisation of its path.
type Loaded interface {
	// Load returns the latest utilisation, NaN if none has been learnt.
	Load() float64
}

// Factory makes the controller of one flow. Controllers share no state.
type Factory func() Controller

// FlowInfo holds what a controller knows of its flow.
type FlowInfo struct {
	Number   int32      // of the flow in the workload
	Key      uint64     // by which hashes know the flow
	Size     unit.Bytes // payload
	Segment  unit.Bytes // most payload in a packet
	Packet   unit.Bytes // wire size of a full data packet
	LineRate unit.Rate  // of the sender's port
	PathRate unit.Rate  // slowest link on the path
	BaseRTT  unit.Time  // see BaseRTT
	Hops     int        // switches on the path
	Alarms   Alarms     // of a Timed controller
}

// Ack is one acknowledgement as the sender sees it.
type Ack struct {
	Seq    int64      // next byte that the receiver expects
	Acked  unit.Bytes // newly acknowledged, 0 for a duplicate
	Flight unit.Bytes // unacknowledged after it
	Next   int64      // first byte not sent yet
	Phase  Phase
	Nack   bool // the receiver reports a gap
	Marked bool // the data packet met a queue over its marking threshold
	AtHost bool // of a NACK for a trimmed packet: it was trimmed at the port of its host
	// Congested is Marked, unless the sender has already reacted to a mark or a loss since
	// it sent the acknowledged bytes: one reaction for each window (RFC 3168 §6.1.2).
	Congested bool
	RTT       unit.Time // of the packet that was acknowledged
	HasRTT    bool      // false for an ACK that no single packet caused

	// Telemetry of the data packet that caused the ACK.
	Hops    []netsim.PortSample
	Digest  uint64
	ID      uint32
	FlowKey uint64
}

// Key returns the identifier of the data packet that caused the ACK.
func (a *Ack) Key() uint64 { return netsim.PacketKey(a.FlowKey, a.ID) }

// Phase says what an acknowledgement means to loss recovery.
type Phase uint8

// The phases of loss recovery (RFC 6582 for the middle three).
const (
	Open      Phase = iota // no loss known
	Duplicate              // one more duplicate in fast recovery
	Partial                // new data, but not all that was in flight when the loss was found
	Exit                   // all of that: fast recovery ends
	// Repair is any ACK in recovery by selective acknowledgements. The sender then knows
	// what is in the network, and the window stays.
	Repair
)

// LossKind tells how a loss was found.
type LossKind uint8

// The ways to find a loss.
const (
	FastRetransmit LossKind = iota // by duplicate acknowledgements
	Timeout                        // by the retransmission timer
	Gap                            // by a NACK
	Selective                      // by selective acknowledgements
)

// Loss is a loss that the sender has found.
type Loss struct {
	Kind   LossKind
	Seq    int64      // first byte to be sent again
	Flight unit.Bytes // unacknowledged when it was found
	Again  bool       // the same bytes timed out before
}
