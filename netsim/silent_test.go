package netsim_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
)

// steady returns packets of 1000 B from host 0 to host 1, one per microsecond.
func steady(n int) []netsimtest.Send {
	sends := make([]netsimtest.Send, n)
	for i := range sends {
		sends[i] = netsimtest.Send{At: unit.Time(i) * unit.Microsecond, Src: 0, Dst: 1, Size: 1000}
	}
	return sends
}

// at runs up to a time and then calls a function.
func at(n *netsimtest.Net, t unit.Time, do func()) {
	n.Engine.Run(t - 1)
	n.Engine.Advance(t)
	do()
}

// balance checks that every packet and byte of a script has arrived or was lost to a silent fault of the given causes.
func balance(t testing.TB, n *netsimtest.Net, s *netsimtest.Script, sends []netsimtest.Send,
	want map[netsim.Cause]int64) {
	t.Helper()
	var arrived, sent unit.Bytes
	for i, a := range s.Arrivals() {
		sent += sends[i].Size
		if a.At != unit.Never {
			arrived += sends[i].Size
		}
	}
	c := n.Engine.Counters()
	var packets int64
	for by := range netsim.Causes {
		toll := c.Tolls[by]
		arrived += toll.Bytes
		packets += toll.Packets
		if toll.Packets != want[by] {
			t.Errorf("cause %d ended %d packets, want %d", by, toll.Packets, want[by])
		}
	}
	if arrived != sent {
		t.Errorf("%d bytes arrived or were ended by faults, %d were sent", arrived, sent)
	}
	if packets != c.Dropped+c.Lost {
		t.Errorf("faults ended %d packets, %d were dropped and %d lost", packets, c.Dropped, c.Lost)
	}
	n.CheckEnd(t)
}

// A packet of 1000 B crosses a chain of three switches, 2 to 4. It takes 80 ns and 1 us per link: it reaches switch 2
// after 1.08 us, switch 3 after 2.16 us, switch 4 after 3.24 us, and host 1 after 4.32 us.
//
// From 5 to 8 us the link from switch 3 to 4 loses all packets at its end: packets 2 to 4, which would reach switch 4
// at 5.24, 6.24 and 7.24 us.
func TestBlackholeOfALink(t *testing.T) {
	n := netsimtest.New(t, netsimtest.Chain(3), netsimtest.Options{})
	sends := steady(10)
	s := netsimtest.NewScript(t, n, sends)
	link := int(n.Between(3, 4)) / 2
	at(n, 5*unit.Microsecond, func() { n.Engine.FailLink(link, netsim.LinkFault{Hole: true, By: netsim.Blackholed}) })
	at(n, 8*unit.Microsecond, func() { n.Engine.FailLink(link, netsim.LinkFault{}) })
	n.Engine.Run(unit.Never - 1)
	for i, a := range s.Arrivals() {
		if lost := a.At == unit.Never; lost != (i >= 2 && i <= 4) {
			t.Errorf("packet %d arrives at %v", i, a.At)
		}
	}
	balance(t, n, s, sends, map[netsim.Cause]int64{netsim.Blackholed: 3})
}

// A wrong entry for host 1 at switch 3 loses only the packets for host 1.
func TestBlackholeOfAnEntry(t *testing.T) {
	n := netsimtest.New(t, netsimtest.Chain(3), netsimtest.Options{})
	sends := steady(4)
	for i := range unit.Time(4) {
		sends = append(sends, netsimtest.Send{At: i * unit.Microsecond, Src: 1, Dst: 0, Size: 700})
	}
	s := netsimtest.NewScript(t, n, sends)
	n.Engine.Misforward(3, []netsim.Misforwarding{{To: 1, From: netsim.NoPort, Out: netsim.NoPort,
		By: netsim.Blackholed, Part: 1, TTL: 64}})
	n.Engine.Run(unit.Never - 1)
	for i, a := range s.Arrivals() {
		if lost := a.At == unit.Never; lost != (i < 4) {
			t.Errorf("packet %d arrives at %v", i, a.At)
		}
	}
	balance(t, n, s, sends, map[netsim.Cause]int64{netsim.Blackholed: 4})
}

// Switches 3 and 4 send packets for host 1 to each other. With a TTL of 6 a packet crosses the switches 2, 3, 4, 3, 4,
// 3 and is dropped when it reaches switch 4 again.
func TestLoopEndsByTTL(t *testing.T) {
	seen := map[netsim.NodeID]int{}
	n := netsimtest.New(t, netsimtest.Chain(3), netsimtest.Options{Taps: func(*netsim.Network) []netsim.Tap {
		return []netsim.Tap{visits(seen)}
	}})
	sends := steady(3)
	s := netsimtest.NewScript(t, n, sends)
	loop := netsim.Misforwarding{To: 1, From: netsim.NoPort, Back: true, Part: 1, TTL: 6}
	there, back := loop, loop
	there.Out, back.Out = n.Between(3, 4), n.Between(4, 3)
	n.Engine.Misforward(3, []netsim.Misforwarding{there})
	n.Engine.Misforward(4, []netsim.Misforwarding{back})
	n.Engine.Run(unit.Never - 1)
	if seen[2] != 3 || seen[3] != 3*3 || seen[4] != 3*2 {
		t.Errorf("3 packets passed the switches %v times, want 1, 3 and 2 times each", seen)
	}
	balance(t, n, s, sends, map[netsim.Cause]int64{netsim.Expired: 3})
}

type visits map[netsim.NodeID]int

func (v visits) Dequeue(h *netsim.Hop) { v[h.Switch]++ }

// Half of the packets take a slow parallel link of 1 Gb/s with 3 us more delay, on which a packet of 1000 B takes 8 us.
// Such a packet arrives 8 − 0.08 + 3 us later than on the normal link, or even later if it must wait for the previous
// packet. No packet is lost, and packets overtake each other.
func TestSlowParallelLink(t *testing.T) {
	n := netsimtest.New(t, netsimtest.Chain(3), netsimtest.Options{})
	sends := make([]netsimtest.Send, 200)
	for i := range sends {
		sends[i] = netsimtest.Send{At: unit.Time(i) * 20 * unit.Microsecond, Src: 0, Dst: 1, Size: 1000}
	}
	s := netsimtest.NewScript(t, n, sends)
	n.Engine.FailLink(int(n.Between(3, 4))/2,
		netsim.LinkFault{Share: 0.5, Rate: unit.Gbps, ExtraDelay: 3 * unit.Microsecond})
	n.Engine.Run(unit.Never - 1)
	slow := 0
	for i, a := range s.Arrivals() {
		switch took := a.At - a.Sent; took {
		case 4320 * unit.Nanosecond:
		case 4320*unit.Nanosecond + 10920*unit.Nanosecond:
			slow++
		default:
			t.Errorf("packet %d takes %v", i, took)
		}
	}
	// The number of successes in 200 trials with probability 1/2 is outside of these bounds less than once in 10^6.
	if slow < 65 || slow > 135 {
		t.Errorf("%d of 200 packets took the slow link", slow)
	}
	balance(t, n, s, sends, nil)

	// If all packets are slow and wait back to back, the port is as slow as the slow link.
	n = netsimtest.New(t, netsimtest.Chain(3), netsimtest.Options{})
	sends = steady(20)
	s = netsimtest.NewScript(t, n, sends)
	n.Engine.FailLink(int(n.Between(3, 4))/2, netsim.LinkFault{Share: 1, Rate: unit.Gbps})
	n.Engine.Run(unit.Never - 1)
	for i, a := range s.Arrivals() {
		if want := (4320 - 80 + 8000*unit.Time(i+1)) * unit.Nanosecond; a.At != want {
			t.Errorf("packet %d arrives at %v, want %v", i, a.At, want)
		}
	}
	balance(t, n, s, sends, nil)
}

// Packets of both links that arrive at the same time keep the order in which they were sent. Packets are sent 10.92 us
// apart, which is the extra time of the slow link.
func TestSlowParallelLinkAtTheSameInstant(t *testing.T) {
	n := netsimtest.New(t, netsimtest.Chain(3), netsimtest.Options{})
	sends := make([]netsimtest.Send, 200)
	for i := range sends {
		sends[i] = netsimtest.Send{At: unit.Time(i) * 10920 * unit.Nanosecond, Src: 0, Dst: 1, Size: 1000}
	}
	s := netsimtest.NewScript(t, n, sends)
	n.Engine.FailLink(int(n.Between(3, 4))/2,
		netsim.LinkFault{Share: 0.5, Rate: unit.Gbps, ExtraDelay: 3 * unit.Microsecond})
	n.Engine.Run(unit.Never - 1)
	met := 0
	for i, a := range s.Arrivals()[:199] {
		switch b := s.Arrivals()[i+1]; b.At - a.At {
		case 80 * unit.Nanosecond: // packet a did not wait, and b waited for a
			met++
		case 10920 * unit.Nanosecond, 2 * 10920 * unit.Nanosecond, 10840 * unit.Nanosecond, 11000 * unit.Nanosecond,
			2*10920*unit.Nanosecond - 80*unit.Nanosecond:
		default:
			t.Errorf("packet %d arrives at %v, the next at %v", i, a.At, b.At)
		}
	}
	// Each pair arrives together with probability 1/4. Fewer than 20 of 199 pairs do so once in 10^6 tests.
	if met < 20 {
		t.Errorf("%d packets met the next one", met)
	}
}

// Packets arrive in the order of their arrival times, even if they overtake any number of other packets on a link. The
// port never carries more than its rate allows.
func TestOvertaking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := netsimtest.New(t, netsimtest.Chain(2), netsimtest.Options{})
		sends := make([]netsimtest.Send, rapid.IntRange(1, 60).Draw(t, "packets"))
		for i := range sends {
			sends[i] = netsimtest.Send{At: unit.Time(rapid.Int64Range(0, 5000).Draw(t, "at")) * unit.Nanosecond, Src: 0,
				Dst: 1, Size: rapid.SampledFrom([]unit.Bytes{64, 500, 1500}).Draw(t, "size")}
		}
		s := netsimtest.NewScript(t, n, sends)
		n.Engine.FailLink(int(n.Between(2, 3))/2, netsim.LinkFault{
			Share:      rapid.SampledFrom([]float64{0.1, 0.5, 0.9}).Draw(t, "share"),
			Rate:       rapid.SampledFrom([]unit.Rate{unit.Gbps, 40 * unit.Gbps, 100 * unit.Gbps}).Draw(t, "rate"),
			ExtraDelay: rapid.SampledFrom([]unit.Time{0, 300 * unit.Nanosecond, 5 * unit.Microsecond}).Draw(t, "delay"),
		})
		port := n.Between(2, 3)
		rate := n.Net.PortRate(port)
		step := rapid.SampledFrom([]unit.Time{unit.Nanosecond, 7 * unit.Nanosecond, unit.Microsecond / 3}).Draw(t,
			"step")
		var before netsim.Carried
		busy, last := 0.0, unit.Time(0)
		look := func(at unit.Time) {
			n.Engine.Run(at)
			now := n.Net.PortCarried(port, at)
			use := now.Use(before, rate, at-last)
			if use < 0 || use > 1 {
				t.Errorf("utilisation %v from %v to %v", use, last, at)
			}
			busy += use * (at - last).Seconds()
			before, last = now, at
		}
		for at := step; at < 20*unit.Microsecond; at += step {
			look(at)
		}
		look(unit.Never - 1)
		if want := float64(n.Net.PortSent(port)) / rate.BytesPerSecond(); math.Abs(busy/want-1) > 1e-9 {
			t.Errorf("the port has sent for %v s, want %v s", busy, want)
		}
		for i, a := range s.Arrivals() {
			if a.At == unit.Never {
				t.Errorf("packet %d does not arrive", i)
			}
		}
		n.CheckEnd(t)
	})
}

// A link that drops packets with probability 0.3 loses about that share. A dead host receives nothing until it is
// repaired.
func TestRandomDropAndDeadHost(t *testing.T) {
	n := netsimtest.New(t, netsimtest.Chain(3), netsimtest.Options{})
	sends := steady(1000)
	s := netsimtest.NewScript(t, n, sends)
	n.Engine.FailLink(int(n.Between(2, 3))/2, netsim.LinkFault{Drop: 0.3})
	n.Engine.Run(unit.Never - 1)
	lost := n.Engine.Counters().Tolls[netsim.Discarded].Packets
	// The number of successes in 1000 trials with probability 0.3 is outside of these bounds less than once in 10^6.
	if lost < 230 || lost > 371 {
		t.Errorf("%d of 1000 packets lost", lost)
	}
	balance(t, n, s, sends, map[netsim.Cause]int64{netsim.Discarded: lost})

	n = netsimtest.New(t, netsimtest.Chain(3), netsimtest.Options{})
	sends = steady(10)
	s = netsimtest.NewScript(t, n, sends)
	at(n, 5*unit.Microsecond, func() { n.Engine.KillHost(1, true) })
	at(n, 8*unit.Microsecond, func() { n.Engine.KillHost(1, false) })
	n.Engine.Run(unit.Never - 1)
	for i, a := range s.Arrivals() { // packet i would arrive at i + 4.32 us
		if lost := a.At == unit.Never; lost != (i >= 1 && i <= 3) {
			t.Errorf("packet %d arrives at %v", i, a.At)
		}
	}
	balance(t, n, s, sends, map[netsim.Cause]int64{netsim.Dead: 3})
}
