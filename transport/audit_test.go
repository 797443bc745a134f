package transport

import (
	"fmt"
	"strings"
	"testing"

	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
)

// Each case breaks one rule for a flow in the middle of its transfer. An audit before the fault finds nothing, and an
// audit after the fault names the broken rule.
func TestAuditFindsWhatIsBroken(t *testing.T) {
	tests := []struct {
		name, want string
		fault      func(*Stack, *Sender, *Receiver)
	}{
		{"sequence", "acknowledged, ", func(_ *Stack, s *Sender, _ *Receiver) { s.Nxt = s.Una - 1 }},
		{"beyond the end", "of 500000 bytes", func(_ *Stack, s *Sender, _ *Receiver) {
			s.Top = int64(s.Flow.Size) + 1
		}},
		{"not ended", "goes on", func(_ *Stack, s *Sender, r *Receiver) {
			s.Una = int64(s.Flow.Size)
			s.Nxt, s.Top, r.Expected = s.Una, s.Una, s.Una
		}},
		{"window", "window -5", func(_ *Stack, s *Sender, _ *Receiver) { s.Window = -5 }},
		{"entry", "has the entry of slot", func(t *Stack, s *Sender, _ *Receiver) {
			t.rounds[s.Port].Entries[s.entry].slot = 7
		}},
		{"state", "and marked", func(t *Stack, s *Sender, _ *Receiver) {
			t.rounds[s.Port].Entries[s.entry].State = Idle
		}},
		{"timeout", "no timeout", func(_ *Stack, s *Sender, _ *Receiver) { s.Deadline = unit.Never }},
		{"timer", "its timer is set to never", func(_ *Stack, s *Sender, _ *Receiver) { s.timerAt = unit.Never }},
		{"receiver behind", "received", func(_ *Stack, s *Sender, r *Receiver) { r.Expected = s.Una - 1 }},
		{"gaps", "has all up to", func(_ *Stack, _ *Sender, r *Receiver) {
			r.disordered().gaps = []Span{{r.Expected, r.Expected + 9}}
		}},
		{"count", "1 flows are active, 2 by the count", func(t *Stack, _ *Sender, _ *Receiver) { t.active++ }},
		{"tree", "and its tree another one", func(t *Stack, s *Sender, _ *Receiver) {
			r := t.round(s.Port)
			r.plant()
			r.trees.byClass[s.Flow.Class].set(s.entry, 5)
		}},
		{"asleep", "nothing wakes the port", func(t *Stack, s *Sender, _ *Receiver) {
			s.Window = 1 << 40
			t.rounds[s.Port].Entries[s.entry].State = Ready
		}},
	}
	for _, tt := range tests {
		n := netsimtest.New(t, netsimtest.Star(3), netsimtest.Options{})
		c := plain()
		source := &oneByOne{flows: []Flow{{Src: 0, Dst: 1, Class: 3, Size: 500_000}}}
		s, err := New(n.Engine, n.Routes, c, 1, func() Controller { return &window{} }, source, func(*Record) {})
		if err != nil {
			t.Fatal(err)
		}
		// After 1.7 us the source has sent the first window: 20 packets, each of which takes 83.84 ns. The ACKs of this
		// window return between 4.2 us and 5.9 us, so the port is idle at 7 us.
		n.Engine.Run(7 * unit.Microsecond)
		s.Audit()
		got := func() (message string) {
			defer func() { message = fmt.Sprint(recover()) }()
			tt.fault(s, s.senders.at(0), s.receivers.at(0))
			s.Audit()
			return ""
		}()
		if !strings.HasPrefix(got, "invariant broken: ") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q in it", tt.name, got, tt.want)
		}
	}
}

// window is a controller that allows 20 kB in flight.
type window struct{ line unit.Rate }

func (w *window) Start(_ unit.Time, f FlowInfo) { w.line = f.LineRate }
func (w *window) OnAck(unit.Time, *Ack) bool    { return false }
func (w *window) OnLoss(unit.Time, Loss)        {}
func (w *window) Window() unit.Bytes            { return 20_000 }
func (w *window) Rate() unit.Rate               { return w.line }
