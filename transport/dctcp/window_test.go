package dctcp

import (
	"testing"

	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/reno"
)

// RFC 8257 §3.3 in segments of 1000 bytes: slow start begins with ten segments. Then a quarter of a window is marked,
// which causes one cut. g is 1/4.
func TestWindowFormByHand(t *testing.T) {
	s := &windowSender{Sender: reno.NewSender(reno.Params{InitialWindow: 10}), gain: 0.25}
	s.Start(0, info())
	ack := func(seq, next int64, acked unit.Bytes, marked bool) bool {
		return s.OnAck(0, &transport.Ack{Seq: seq, Next: next, Acked: acked, Marked: marked,
			Flight: unit.Bytes(next - seq)})
	}
	want := func(what string, w unit.Bytes, alpha float64) {
		t.Helper()
		if s.Window() != w || !near(s.alpha, alpha) {
			t.Errorf("%s: window %d, alpha %v, want %d, %v", what, s.Window(), s.alpha, w, alpha)
		}
	}
	// The first window ends with byte 0, so the first ACK ends this window. The window has no marks: alpha = 3/4.
	ack(1000, 12_000, 1000, false)
	want("slow start", 11_000, 0.75)
	// In the window that ends at 12000, the first 3000 of 12000 bytes are marked. The first mark cuts by 3/8, to 6875.
	// The other two do not change the window.
	ack(2000, 12_000, 1000, true)
	want("first mark", 6875, 0.75)
	ack(3000, 12_000, 1000, true)
	ack(4000, 12_000, 1000, true)
	want("other marks", 6875, 0.75)
	// The ACK past 12000 ends the window: 3000 of 12000 bytes were marked, so alpha = 9/16 + 1/16. The window grows by
	// congestion avoidance, because this ACK acknowledges 9000 bytes, more than the window of 6875.
	ack(13_000, 20_000, 9000, false)
	want("end of the window", 7875, 0.625)
	// A loss halves the data in flight, and marks on packets of this flight have no effect.
	s.OnLoss(0, transport.Loss{Kind: transport.FastRetransmit, Seq: 13_000, Flight: 7000})
	ack(20_000, 21_000, 7000, true)
	if s.Window() < 3500 {
		t.Errorf("window %d after a mark of the flight that was lost from", s.Window())
	}
	// The window never falls below two segments.
	for seq := int64(22_000); seq < 80_000; seq += 1000 {
		ack(seq, seq, 1000, true)
	}
	want("many marks", 2000, s.alpha)
}
