package transport

import (
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// probe is the state of a flow's probes. At most one of them is in the network.
type probe struct {
	id    uint32    // Packet.ID of the latest probe; probes are counted from 1
	until unit.Time // when the latest probe counts as lost; 0 once it is answered
}

// probe sends a probe if Config.Probes is set and a probe is due. A probe is a packet without data
// that carries telemetry. It takes the path and the queues of data. A flow sends its next probe
// when the answer to the latest one has arrived, or is not back after a retransmission timeout. It
// sends no probe before its first data, after its last data, or while nothing is in flight. The
// caller must kick the port afterwards.
func (t *Stack) probe(s *Sender) {
	x, now := t.probes.at(s.Slot), t.e.Now()
	if s.Una >= s.Nxt || s.Nxt >= int64(s.Flow.Size) || x.until > now {
		return
	}
	x.id++
	x.until = now + t.sends.Wait(s)
	id := t.e.Make(s.Slot)
	p := t.e.Packet(id)
	p.Kind, p.Class = netsim.Data, s.Flow.Class
	p.Seq, p.ID, p.Payload = s.Nxt, x.id, 0
	p.Size = uint16(t.cfg.ProbeSize())
	p.Sent = uint32(now / unit.Nanosecond)
	if s.Order != nil {
		p.Path = s.Order.Next()
	} else if s.Entropy != nil {
		p.Path = s.Entropy.Next(now)
	}
	t.e.Reply(s.Port, id)
}

// answerProbe sends a probe back with its telemetry.
func (t *Stack) answerProbe(r *Receiver, id netsim.PacketID, p *netsim.Packet) {
	telemetry := unit.Bytes(p.Size) - t.cfg.Header
	t.e.Reflect(id)
	p.Kind, p.Seq, p.Flags = netsim.Control, r.Expected, 0
	t.Control(r, p, t.cfg.ackSize(telemetry, t.cfg.Notice))
	t.e.Answer(r.Port, id)
}

// takeProbe handles the answer to a probe at the source. It acknowledges nothing.
func (t *Stack) takeProbe(s *Sender, id netsim.PacketID, p *netsim.Packet) {
	if s.ended {
		t.e.Free(id)
		return
	}
	now, a := t.e.Now(), &t.ack
	*a = Ack{Probe: true, Seq: p.Seq, Next: s.Nxt, Flight: unit.Bytes(s.Nxt - s.Una), HasRTT: true}
	a.Hops, a.Digest, a.ID, a.FlowKey = t.e.Telemetry(id), p.Digest, p.ID, s.key
	a.RTT = unit.Time(uint32(now/unit.Nanosecond)-p.Sent) * unit.Nanosecond
	set := s.ctrl.OnAck(now, a)
	if t.cfg.Trace != nil {
		t.tracer.Ack(now, s.ctrl, &s.Flow, a, set)
	}
	if set {
		t.ReadController(s)
	}
	if x := t.probes.at(s.Slot); x.id == p.ID {
		x.until = 0
	}
	t.e.Free(id)
	t.probe(s)
	t.e.Kick(s.Port)
}
