package netsim_test

import (
	"testing"

	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
)

// breakLink breaks or repairs the link of a host at the given time.
func breakLink(n *netsimtest.Net, at unit.Time, link int, down bool) {
	n.Engine.Run(at - 1)
	n.Engine.Advance(at)
	n.Engine.SetLink(link, down)
}

// Host 0 sends a packet of 1000 B (80 ns and 1 us to the switch) every 500 ns. Its link is broken from 2.2 to 2.7 us.
// Packets 3 (sent at 1.5 us) and 4 (at 2 us) are on the wire when the link breaks. Packet 5 (at 2.5 us) is put on the
// broken link, and is lost although the link is repaired before the packet would arrive. All other packets arrive.
func TestBrokenLinkLosesWhatIsOnIt(t *testing.T) {
	n := netsimtest.New(t, netsimtest.Star(2), netsimtest.Options{})
	var sends []netsimtest.Send
	for i := range unit.Time(10) {
		sends = append(sends, netsimtest.Send{At: i * 500 * unit.Nanosecond, Src: 0, Dst: 1, Size: 1000})
	}
	s := netsimtest.NewScript(t, n, sends)
	breakLink(n, 2200*unit.Nanosecond, 0, true)
	breakLink(n, 2700*unit.Nanosecond, 0, false)
	n.Engine.Run(unit.Never - 1)
	for i, a := range s.Arrivals() {
		if lost := a.At == unit.Never; lost != (i >= 3 && i <= 5) {
			t.Errorf("packet %d arrives at %v", i, a.At)
		}
	}
	if c := n.Engine.Counters(); c.Lost != 3 || c.Dropped != 0 {
		t.Errorf("%d lost, %d dropped, want 3 and 0", c.Lost, c.Dropped)
	}
	n.CheckEnd(t)
}

// Packets that wait for a link are dropped when the link breaks, and so are later packets, because there is no other
// route. As in TestPauseAndResumeByHand, packet i arrives at 1080 + 80·i ns. At 2 us, 12 packets have arrived, the last
// at 1960 ns. Four have left, at 1080, 1346.667, 1613.333 and 1880 ns, so 8 wait.
func TestBrokenLinkDropsWhatWaits(t *testing.T) {
	n := netsimtest.New(t, slowReceiver(), netsimtest.Options{})
	sends := make([]netsimtest.Send, 20)
	for i := range sends {
		sends[i] = netsimtest.Send{Src: 0, Dst: 2, Size: 1000}
	}
	s := netsimtest.NewScript(t, n, sends)
	out := n.Between(3, 2)
	n.Engine.Run(2*unit.Microsecond - 1)
	if q := n.Net.PortQueue(out); q != 8000 {
		t.Errorf("%d bytes wait, want 8000", q)
	}
	breakLink(n, 2*unit.Microsecond, 2, true)
	if q := n.Net.PortQueue(out); q != 0 || n.Net.Memory(3).Used() != 0 {
		t.Errorf("%d bytes wait and %d are held after the break", q, n.Net.Memory(3).Used())
	}
	n.Engine.Run(unit.Never - 1)
	// Packet 0 would arrive at 2346.667 ns at the earliest, so all four packets on the wire are lost.
	for i, a := range s.Arrivals() {
		if a.At != unit.Never {
			t.Errorf("packet %d arrives at %v", i, a.At)
		}
	}
	if c := n.Engine.Counters(); c.Lost != 4 || c.Dropped != 16 || n.Net.PortDrops(out) != 8 {
		t.Errorf("%d lost, %d dropped, %d of these at the port; want 4, 16 and 8",
			c.Lost, c.Dropped, n.Net.PortDrops(out))
	}
	n.CheckEnd(t)
}

// A port forgets a pause when its link breaks. After the repair, the switch pauses the port again if necessary. In
// TestPauseAndResumeByHand, host 0 is paused from 2565 to 9818 ns. If its link is broken from 4 to 5 us, host 0 sends
// packets onto the broken link, and continues after the repair until the new pause frame arrives.
func TestRepairedLinkIsPausedAgain(t *testing.T) {
	n := netsimtest.New(t, slowReceiver(), netsimtest.Options{Config: fixedPause})
	sends := make([]netsimtest.Send, 100)
	for i := range sends {
		sends[i] = netsimtest.Send{Src: 0, Dst: 2, Size: 1000}
	}
	s := netsimtest.NewScript(t, n, sends)
	up := n.Between(0, 3)
	n.Engine.Run(3 * unit.Microsecond)
	if !n.Net.PortPaused(up) {
		t.Fatal("host 0 is not paused at 3 us")
	}
	breakLink(n, 4*unit.Microsecond, 0, true)
	if n.Net.PortPaused(up) {
		t.Error("host 0 is still paused on a broken link")
	}
	breakLink(n, 5*unit.Microsecond, 0, false)
	// The pause frame takes 5.12 ns to send and 1 us on the link.
	n.Engine.Run(6_005_119)
	if n.Net.PortPaused(up) {
		t.Error("host 0 is paused before the frame is there")
	}
	n.Engine.Run(6_005_120)
	if !n.Net.PortPaused(up) {
		t.Error("host 0 has not been paused again")
	}
	n.Engine.Run(unit.Never - 1)
	for i, a := range s.Arrivals() {
		// 33 packets leave before the pause. From 4 to 5 us, one packet is lost every 80 ns.
		if lost := a.At == unit.Never; lost != (i >= 33 && i < 33+13) {
			t.Errorf("packet %d, sent at %v, arrives at %v", i, a.Sent, a.At)
		}
	}
	if times, _ := n.Net.PortPauses(up, n.Engine.Now()); times < 2 {
		t.Errorf("paused %d times, want at least 2", times)
	}
	if c := n.Engine.Counters(); c.Dropped != 0 || c.Lost != 13 {
		t.Errorf("%d dropped, %d lost, want 0 and 13", c.Dropped, c.Lost)
	}
	n.CheckEnd(t)
}

// A halted host sends neither data nor acknowledgements. It still receives all packets. When it is released, it
// continues where it stopped.
func TestHaltedHostSendsNothing(t *testing.T) {
	n := netsimtest.New(t, netsimtest.Star(2), netsimtest.Options{})
	var sends []netsimtest.Send
	for i := range unit.Time(6) {
		sends = append(sends,
			netsimtest.Send{At: i * unit.Microsecond, Src: 0, Dst: 1, Size: 1000},
			netsimtest.Send{At: i * unit.Microsecond, Src: 1, Dst: 0, Size: 1000})
	}
	s := netsimtest.NewScript(t, n, sends)
	halt := func(at unit.Time, halted bool) {
		n.Engine.Run(at - 1)
		n.Engine.Advance(at)
		n.Engine.HaltHost(0, halted)
	}
	halt(1500*unit.Nanosecond, true)
	halt(4500*unit.Nanosecond, false)
	n.Engine.Run(unit.Never - 1)
	for i, a := range s.Arrivals() {
		want := sends[i].At
		if sends[i].Src == 0 && want > 1500*unit.Nanosecond && want < 4500*unit.Nanosecond {
			want = 4500*unit.Nanosecond + unit.Time(i/2-2)*80*unit.Nanosecond
		}
		if a.Sent != want || a.At != want+2160*unit.Nanosecond {
			t.Errorf("packet %d from host %d is sent at %v and arrives at %v, want %v and 2.16us later",
				i, sends[i].Src, a.Sent, a.At, want)
		}
	}
	n.CheckEnd(t)
}
