package netsim_test

import (
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
)

// dice is a Draws that marks at every second call, loses every tenth packet, and counts its calls.
type dice struct {
	t                    *testing.T
	marks, frames, draws int
}

func (d *dice) Mark(queued, lo, hi unit.Bytes, pmax float64) bool {
	if queued <= lo || queued > hi || pmax != 0.5 {
		d.t.Errorf("asked about a queue of %d bytes between %d and %d with %v", queued, lo, hi, pmax)
	}
	d.marks++
	return d.marks%2 == 0
}

func (d *dice) Lose(in netsim.PortID) bool {
	if in/2 != 0 {
		d.t.Errorf("asked about port %d, whose link loses nothing", in)
	}
	d.draws++
	return d.draws%10 == 0
}

func (d *dice) Frame() { d.frames++ }

// Draws decides about marks between the thresholds, and about losses on links that lose packets, including losses of
// PFC frames. It is also called for every frame.
func TestDrawsDecide(t *testing.T) {
	g := slowReceiver()
	g.Links[0].ErrorRate = 0.5
	d := &dice{t: t}
	frames := 0
	n := netsimtest.New(t, g, netsimtest.Options{Config: func(c *netsim.Config) {
		fixedPause(c)
		c.Ties = netsim.FIFO
		c.ECN = netsim.ECN{Enabled: true, KMin: 2000, KMax: 10_000_000, PMax: 0.5,
			AtRate: 30 * unit.Gbps, AtHosts: true}
		c.Draws = d
		c.OnPFC = func(_ unit.Time, in netsim.PortID, kind netsim.Kind) {
			if in/2 > 1 || kind != netsim.Pause && kind != netsim.Resume {
				t.Errorf("frame of kind %d on port %d", kind, in)
			}
			frames++
		}
	}})
	var sends []netsimtest.Send
	for i := range 400 {
		sends = append(sends, netsimtest.Send{Src: netsim.NodeID(i % 2), Dst: 2, Size: 1000})
	}
	got := netsimtest.Play(t, n, sends)
	marked, lost := 0, 0
	for i := range got {
		if got[i].Marked {
			marked++
		}
		if got[i].Sent != unit.Never && got[i].At == unit.Never {
			lost++
		}
	}
	c := n.Engine.Counters()
	if d.marks == 0 || marked != d.marks/2 {
		t.Errorf("%d packets are marked after %d draws", marked, d.marks)
	}
	if lost == 0 || c.Lost != int64(d.draws/10) || int64(lost+d.frames-frames) != c.Lost {
		t.Errorf("%d packets and %d of %d frames are lost after %d draws", lost, d.frames-frames, d.frames, d.draws)
	}
	if c.Pauses == 0 || d.frames < int(c.Pauses) {
		t.Errorf("%d frames for %d pauses", d.frames, c.Pauses)
	}
}

// At 5 us host 0 is paused (TestPauseAndResumeByHand). An acknowledgement waits for the resume frame at 9.818 us, or
// leaves at once with FreeAcks. Data waits in both cases.
func TestFreeAcks(t *testing.T) {
	for _, free := range []bool{false, true} {
		n := netsimtest.New(t, slowReceiver(), netsimtest.Options{Config: func(c *netsim.Config) {
			fixedPause(c)
			c.FreeAcks = free
		}})
		sends := make([]netsimtest.Send, 34)
		for i := range sends {
			sends[i] = netsimtest.Send{Src: 0, Dst: 2, Size: 1000}
		}
		s := netsimtest.NewScript(t, n, sends)
		n.Engine.Run(5 * unit.Microsecond)
		port := n.Net.Home(0)
		if !n.Engine.Paused(port, 3) || !n.Net.PortPaused(port) {
			t.Fatal("host 0 is not paused")
		}
		before := n.Net.PortPackets(port)
		id := n.Engine.Make(0)
		k := n.Engine.Packet(id)
		k.Kind, k.Class, k.Seq, k.Size = netsim.Ack, 3, 0, 60
		n.Engine.Reply(port, id)
		n.Engine.Kick(port)
		if sent := n.Net.PortPackets(port) > before; sent != free {
			t.Errorf("free %v: the acknowledgement is sent: %v", free, sent)
		}
		n.Engine.Run(unit.Never - 1)
		if got, want := s.Arrivals()[33].Sent, unit.Time(9_818_463); got < want {
			t.Errorf("free %v: the last packet is sent at %v, before %v", free, got, want)
		}
		if _, paused := n.Net.PortPauses(port, n.Engine.Now()); paused != 9_818_463-2_565_120 {
			t.Errorf("free %v: host 0 was paused for %v", free, paused)
		}
	}
}

// Host 0 is paused because packets wait for the link to host 2. When this link breaks, the switch drops them and
// resumes host 0. With KeepFlushed the dropped packets count forever, and host 0 stays paused.
func TestKeepFlushed(t *testing.T) {
	for _, keep := range []bool{false, true} {
		n := netsimtest.New(t, slowReceiver(), netsimtest.Options{Config: func(c *netsim.Config) {
			fixedPause(c)
			c.KeepFlushed = keep
		}})
		sends := make([]netsimtest.Send, 34)
		for i := range sends {
			sends[i] = netsimtest.Send{Src: 0, Dst: 2, Size: 1000}
		}
		netsimtest.NewScript(t, n, sends)
		at := 5 * unit.Microsecond
		n.Engine.Run(at - 1)
		n.Engine.Advance(at)
		n.Engine.SetLink(2, true)
		n.Engine.Run(at + 2*unit.Microsecond)
		if paused := n.Engine.Paused(n.Net.Home(0), 3); paused != keep {
			t.Errorf("keep %v: host 0 is paused: %v", keep, paused)
		}
	}
}
