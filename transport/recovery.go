package transport

import (
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Recovery is a way of recovering from loss. Package transport/recovery has those in which
// senders decide what to send again; receiver-driven transports bring their own.
type Recovery interface {
	// Options returns the most bytes that an ACK spends on data beyond a gap: on the wire, and in
	// the transport's room beside the packet (netsim.Config.Options).
	Options() (wire unit.Bytes, room int)
	// Check returns what the recovery cannot work with in a Config, nil if nothing.
	Check(*Config) error
	// Strategy makes the strategy of a run. The Config and the network are those of the run.
	Strategy(*Config, *netsim.Network) Strategy
}

// Strategy recovers the flows of a run from loss. It also is a SenderDriven or a ReceiverDriven.
// Several engines call it in parallel, each for the ends of flows at its own hosts. What it
// keeps of a flow, it keeps by slot.
type Strategy interface {
	// Open begins to use a slot for another flow. No engine runs, unless there is only one.
	Open(*Sender, *Receiver)
	// State reports whether a flow has something to send.
	State(*Sender) EntryState
	// Pick takes the segment that is sent now and returns its first byte.
	Pick(*Stack, *Sender) int64
	// Sent is called for the packet that carries the segment.
	Sent(*Stack, *Sender, netsim.PacketID, *netsim.Packet)
	// Expire is called when Sender.Alarm is due.
	Expire(*Stack, *Sender)
	// Audit checks invariants of the source of a flow.
	Audit(*Sender)
}

// SenderDriven is a Strategy in which senders send what their window allows. The Stack
// acknowledges and has the retransmission timer.
type SenderDriven interface {
	Strategy
	// Ack takes what an ACK says of losses. It reports whether it has told the controller of one.
	Ack(t *Stack, s *Sender, a *Ack, id netsim.PacketID) (lost bool)
	// Timeout chooses what is sent again after a timeout.
	Timeout(*Stack, *Sender)
	// Wait returns the time after which the retransmission timer expires.
	Wait(*Sender) unit.Time
	// Gap takes data beyond a gap. It returns the kind of answer, whether all the data came before,
	// and false if there is no answer.
	Gap(t *Stack, r *Receiver, slot int32, d Span) (kind netsim.Kind, twice, answer bool)
	// Tell writes Options of an ACK or NACK and returns their bytes on the wire. d is the data that it
	// answers, if it is sent at once; twice says that all of these came before. Strategies without
	// room for options are not asked.
	Tell(t *Stack, r *Receiver, id netsim.PacketID, d Span, twice bool) unit.Bytes
}

// ReceiverDriven is a Strategy in which receivers say when senders send. Its hosts answer packets
// themselves. Receivers answer by the port on which data come, and have a timer each.
type ReceiverDriven interface {
	Strategy
	// Begin starts a flow, after its controller.
	Begin(*Stack, *Sender)
	// TakeData handles a data packet that has reached its destination, and gives it back or keeps it.
	TakeData(*Stack, netsim.PacketID, *netsim.Packet)
	// TakeAnswer handles another packet that has reached the source of a flow under way.
	TakeAnswer(*Stack, *Sender, netsim.PacketID, *netsim.Packet)
	// Timer is called when the timer of a receiver is due.
	Timer(t *Stack, slot int32)
	// Move is called when a receiver has moved to another port of its host.
	Move(t *Stack, r *Receiver, slot int32)
	// AuditReceiver checks invariants of the destination of a flow.
	AuditReceiver(*Stack, *Sender, *Receiver)
}

// Pulling is a ReceiverDriven whose receivers send what is due when a port gets free, before the port's senders.
type Pulling interface {
	ReceiverDriven
	// Due returns the earliest time at which Next may make a packet, as netsim.Stack.
	Due(netsim.PortID) unit.Time
	// Next makes the packet of a receiver that leaves a free port now; it sets all fields but those that netsim.Engine.Make sets.
	// If there is none it returns NoPacket, and asks for a wake-up if one will be due.
	Next(*Stack, netsim.PortID) netsim.PacketID
}

// Arbitrated is a ReceiverDriven whose hosts share out their ports between control packets, in the order in which they are made, and data. Flows
// that may send wait in a queue, to the end of which they return after each packet.
type Arbitrated interface {
	ReceiverDriven
	// Controls returns how many control packets leave for one of data while both wait.
	Controls() int
	// Offer queues the packets that receivers send now at a port, as netsim.Arbiter.
	Offer(*Stack, netsim.PortID)
}

// Engine returns the engine that runs the hosts of this stack.
func (t *Stack) Engine() *netsim.Engine { return t.e }

// Sender returns the source of the flow in a slot.
func (s *shared) Sender(slot int32) *Sender { return s.senders.at(slot) }

// Receiver returns the destination of the flow in a slot.
func (s *shared) Receiver(slot int32) *Receiver { return s.receivers.at(slot) }

// Acknowledge moves Una, and Nxt if it has been overtaken. It returns how many bytes are newly acknowledged.
func (t *Stack) Acknowledge(s *Sender, upto int64) int64 {
	n := max(0, upto-s.Una)
	t.acked += n
	s.Una += n
	s.Nxt = max(s.Nxt, s.Una)
	return n
}

// Lost tells the controller of a flow of a loss that was found by an ACK.
func (t *Stack) Lost(s *Sender, kind LossKind, flight int64) {
	s.cut = s.Top
	s.ctrl.OnLoss(t.e.Now(), Loss{Kind: kind, Seq: s.Una, Flight: unit.Bytes(flight)})
}

// SetReceiverTimer sets the timer of the receiver of a receiver-driven flow.
func (t *Stack) SetReceiverTimer(slot int32, at unit.Time) {
	t.e.SetTimer(t.receivers.at(slot).Port, t.timers*slot+1, at, ^t.net.FlowKey(slot))
}

// CancelReceiverTimer ends the timer of a receiver if it is set.
func (t *Stack) CancelReceiverTimer(slot int32) { t.e.CancelTimer(t.timers*slot + 1) }
