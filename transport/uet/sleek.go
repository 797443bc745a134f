package uet

import (
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// sleek is the state of the loss recovery for switches that drop (§9).
type sleek struct {
	inRepair bool
	upto     int64     // segments that had been sent when the recovery began
	probing  unit.Time // time of the next probe; 0: none
	probed   unit.Time // time of the last probe
}

// probeAt returns the time of the next probe.
func (x *sleek) probeAt() unit.Time {
	if x.probing == 0 {
		return unit.Never
	}
	return x.probing
}

// followSleek detects losses after an ACK. Recovery begins if one and a half windows of segments
// were received beyond a gap, or if a probe was faster than queued segments could be. Then all
// missing segments of the window are considered lost.
func (h *hosts) followSleek(s *transport.Sender, b *source, x *answer, now unit.Time) {
	c := s.Controller().(*sender)
	mss := int64(h.Segment)
	if b.inRepair && b.Low >= b.upto {
		b.inRepair = false
	}
	threshold := max(min(c.window*3/2, c.most), 5*mss) / mss
	fast := x.kind == probe && now-b.probed < c.base+c.Target
	if !b.inRepair && b.LostOut == 0 && (int64(x.beyond) >= threshold || fast) {
		b.inRepair, b.upto = true, b.High
	}
	if b.inRepair {
		for i := b.Low; i < min(b.Low+c.window/mss, b.upto); i++ {
			if g := b.At(i); g.InFlight() && g.Epoch == 0 {
				b.Lose(i)
				b.flight -= h.wire(s, i)
			}
		}
	}
	b.probing = now + 3*c.base
	if s.Nxt >= int64(s.Flow.Size) {
		b.probing = now + c.base + c.Target
	}
}

// sendProbe sends a probe: a packet without data that takes a path for data and is acknowledged.
func (h *hosts) sendProbe(t *transport.Stack, s *transport.Sender, b *source, now unit.Time) {
	b.probed, b.probing = now, now+5*s.Controller().(*sender).base
	h.sendHeader(t, s, b, probe, s.Flow.Class)
}
