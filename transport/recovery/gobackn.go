package recovery

import (
	"pintlab/netsim"
	"pintlab/transport"
)

// goBackN is GoBackN.
type goBackN struct{ plain }

func (g *goBackN) State(s *transport.Sender) transport.EntryState {
	if s.Nxt >= int64(s.Flow.Size) {
		return transport.Idle
	}
	return g.allows(s, s.Nxt-s.Una, g.next(s))
}

func (g *goBackN) Pick(_ *transport.Stack, s *transport.Sender) int64 { return s.Nxt }

// Ack implements transport.SenderDriven: a NACK sends the sender back.
func (g *goBackN) Ack(t *transport.Stack, s *transport.Sender, a *transport.Ack, _ netsim.PacketID) (lost bool) {
	if a.Seq < s.Una || !a.Nack || s.Nxt == s.Una { // the first: overtaken on another path
		return false
	}
	t.Lost(s, transport.Gap, s.Nxt-s.Una)
	s.Nxt = s.Una
	return true
}

func (g *goBackN) Timeout(_ *transport.Stack, s *transport.Sender) { s.Nxt = s.Una }

// Gap implements transport.SenderDriven: the receiver keeps nothing.
func (g *goBackN) Gap(t *transport.Stack, r *transport.Receiver, _ int32, _ transport.Span) (netsim.Kind, bool, bool) {
	return netsim.Nack, false, r.Report(t.Engine().Now(), g.NackInterval)
}
