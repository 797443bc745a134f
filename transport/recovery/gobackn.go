package recovery

import (
	"pintlab/netsim"
	"pintlab/transport"
)

// goBackN implements GoBackN.
type goBackN struct{ plain }

func (g *goBackN) State(s *transport.Sender) transport.EntryState {
	if s.Nxt >= int64(s.Flow.Size) {
		return transport.Idle
	}
	return g.allows(s, s.Nxt-s.Una, g.next(s))
}

func (g *goBackN) Pick(_ *transport.Stack, s *transport.Sender) int64 { return s.Nxt }

// Ack implements transport.SenderDriven. A NACK makes the sender go back to the first missing byte.
func (g *goBackN) Ack(t *transport.Stack, s *transport.Sender, a *transport.Ack, _ netsim.PacketID) (lost bool) {
	if a.Seq < s.Una || !a.Nack || s.Nxt == s.Una { // a.Seq < s.Una: another packet overtook it on another path
		return false
	}
	t.Lost(s, transport.Gap, s.Nxt-s.Una)
	s.Nxt = s.Una
	return true
}

func (g *goBackN) Timeout(_ *transport.Stack, s *transport.Sender) { s.Nxt = s.Una }

// Gap implements transport.SenderDriven. The receiver discards out-of-order data.
func (g *goBackN) Gap(t *transport.Stack, r *transport.Receiver, _ int32, _ transport.Span) (netsim.Kind, bool, bool) {
	return netsim.Nack, false, r.Report(t.Engine().Now(), g.NackInterval)
}
