package transport

import (
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Recovery is a way of recovering from loss. In the recoveries of package transport/recovery,
// senders decide what to retransmit. Receiver-driven transports have their own recovery.
type Recovery interface {
	// Options returns the largest size of the options of an ACK: on the wire, and in the
	// transport's part of the packet (netsim.Config.Options).
	Options() (wire unit.Bytes, room int)
	// Kind returns the kind of transport: one of the constants from GoBackN on.
	Kind() string
	// Strategy makes the strategy of a run from its Config and network.
	Strategy(*Config, *netsim.Network) Strategy
}

// Sparing is a Recovery whose receivers decide themselves which packets they acknowledge.
type Sparing interface {
	// Spares reports whether a receiver may leave the packet before the last of a flow without an ACK. Then the ideal
	// time of the flow is a lower bound: it ignores that the last ACK may wait for the ACK before it. packet is the
	// size of a full packet on the wire.
	Spares(packets int64, packet unit.Bytes) bool
}

// Strategy recovers the flows of a run from loss. Every Strategy is also a SenderDriven or a
// ReceiverDriven. Several engines call a Strategy in parallel, each for the ends of flows at its
// own hosts. A Strategy stores the state of flows by slot.
type Strategy interface {
	// Open initialises a slot for another flow. It is called while no engine runs, unless there is only one engine.
	Open(*Sender, *Receiver)
	// State returns whether a flow can send.
	State(*Sender) EntryState
	// Pick selects the segment that is sent now and returns its first byte.
	Pick(*Stack, *Sender) int64
	// Sent is called with the packet that carries the segment.
	Sent(*Stack, *Sender, netsim.PacketID, *netsim.Packet)
	// Expire is called when Sender.Alarm is due.
	Expire(*Stack, *Sender)
	// Audit checks invariants of the source of a flow.
	Audit(*Sender)
}

// SenderDriven is a Strategy in which senders send what their window allows. The Stack sends
// acknowledgements and runs the retransmission timer.
type SenderDriven interface {
	Strategy
	// Ack updates the state of losses from an ACK. The result lost means that Ack has reported a
	// loss to the controller.
	Ack(t *Stack, s *Sender, a *Ack, id netsim.PacketID) (lost bool)
	// Timeout decides what is retransmitted after a timeout.
	Timeout(*Stack, *Sender)
	// Wait returns the time after which the retransmission timer expires.
	Wait(*Sender) unit.Time
	// Gap handles data beyond a gap. It returns the kind of answer and whether all the data is a
	// duplicate. answer is false if there is no answer.
	Gap(t *Stack, r *Receiver, slot int32, d Span) (kind netsim.Kind, twice, answer bool)
	// Tell writes the options of an ACK or NACK and returns their size on the wire. d is the data
	// that the ACK answers, if the ACK is sent at once; twice reports that all of d is a duplicate. Tell is
	// called only if Options has room.
	Tell(t *Stack, r *Receiver, id netsim.PacketID, d Span, twice bool) unit.Bytes
}

// ReceiverDriven is a Strategy in which receivers decide when senders send. Its hosts answer
// packets themselves. Receivers answer on the port on which data arrives. Each receiver has a
// timer.
type ReceiverDriven interface {
	Strategy
	// Begin starts a flow, after its controller was started.
	Begin(*Stack, *Sender)
	// TakeData handles a data packet that has reached its destination. It frees the packet or turns
	// it into an answer.
	TakeData(*Stack, netsim.PacketID, *netsim.Packet)
	// TakeAnswer handles another packet that has reached the source of an active flow.
	TakeAnswer(*Stack, *Sender, netsim.PacketID, *netsim.Packet)
	// Timer is called when the timer of a receiver is due.
	Timer(t *Stack, slot int32)
	// Move is called when a receiver has moved to another port of its host.
	Move(t *Stack, r *Receiver, slot int32)
	// AuditReceiver checks invariants of the destination of a flow.
	AuditReceiver(*Stack, *Sender, *Receiver)
}

// Pulling is a ReceiverDriven whose receivers send due packets when a port becomes free, before the
// senders of the port.
type Pulling interface {
	ReceiverDriven
	// Due returns the earliest time at which Next may make a packet, like netsim.Stack.Due.
	Due(netsim.PortID) unit.Time
	// Next makes the packet of a receiver that a free port sends now. It sets all fields except
	// those that netsim.Engine.Make sets. If no packet is due, Next returns NoPacket. It then
	// schedules a wake-up if a packet will be due later.
	Next(*Stack, netsim.PortID) netsim.PacketID
}

// Arbitrated is a ReceiverDriven whose hosts share their ports between control packets and data.
// Control packets leave in the order in which they are made. Flows that may send wait in a queue
// and return to its end after each packet.
type Arbitrated interface {
	ReceiverDriven
	// Controls returns the number of control packets that leave per data packet while both wait.
	Controls() int
	// Offer queues the packets that receivers send now at a port, like netsim.Arbiter.Offer.
	Offer(*Stack, netsim.PortID)
}

// Engine returns the engine that runs the hosts of this stack.
func (t *Stack) Engine() *netsim.Engine { return t.e }

// Sender returns the source of the flow in a slot.
func (s *shared) Sender(slot int32) *Sender { return s.senders.at(slot) }

// Receiver returns the destination of the flow in a slot.
func (s *shared) Receiver(slot int32) *Receiver { return s.receivers.at(slot) }

// Acknowledge advances Una, and Nxt if Una overtakes it. It returns the number of newly
// acknowledged bytes.
func (t *Stack) Acknowledge(s *Sender, upto int64) int64 {
	n := max(0, upto-s.Una)
	t.acked += n
	s.Una += n
	s.Nxt = max(s.Nxt, s.Una)
	return n
}

// Lost informs the controller of a flow about a loss that an ACK has revealed.
func (t *Stack) Lost(s *Sender, kind LossKind, flight int64) {
	s.cut = s.Top
	s.ctrl.OnLoss(t.e.Now(), Loss{Kind: kind, Seq: s.Una, Flight: unit.Bytes(flight)})
}

// SetReceiverTimer sets the timer of the receiver of a receiver-driven flow.
func (t *Stack) SetReceiverTimer(slot int32, at unit.Time) {
	t.e.SetTimer(t.receivers.at(slot).Port, t.timers*slot+1, at, ^t.net.FlowKey(slot))
}

// CancelReceiverTimer cancels the timer of a receiver, if it is set.
func (t *Stack) CancelReceiverTimer(slot int32) { t.e.CancelTimer(t.timers*slot + 1) }
