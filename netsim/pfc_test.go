package netsim_test

import (
	"testing"

	"pgregory.net/rapid"

	"pintlab/netsim"
	"pintlab/netsim/buffer"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// fixedPause returns settings for switches that pause a class of a port at 5000 B and resume it at 3000 B, without a
// reserve.
func fixedPause(c *netsim.Config) {
	c.PFC.Threshold, c.PFC.XOff, c.PFC.Reserve, c.PFC.Hysteresis = "static", 5000, 0, 2000
}

// slowReceiver returns hosts 0 and 1 at 100 Gb/s and host 2 at 30 Gb/s around a switch.
func slowReceiver() *topo.Graph { return rates(100*unit.Gbps, 100*unit.Gbps, 30*unit.Gbps) }

// Host 0 sends packets of 1000 B to host 2, one every 80 ns. The link of host 2 carries one every 266.667 ns. Packet i
// (from 0) reaches the switch at 1080 + 80·i ns. At this time i - floor(0.3·i) packets wait, which is 5 for i = 6, at
// 1560 ns. The pause frame of 64 B takes 5.12 ns and 1 us, so that the host stops at 2565.12 ns, after it has begun
// packet 32, the 33rd. Departure j is at 1080 + 266.667·j ns and leaves 33-(j+1) packets waiting: 3 at j = 29, at
// 8813.343 ns. Then the switch sends the resume frame, and host 0 sends packet 33 at 8813.343 + 5.12 + 1000 ns.
func TestPauseAndResumeByHand(t *testing.T) {
	n := netsimtest.New(t, slowReceiver(), netsimtest.Options{Config: fixedPause})
	sends := make([]netsimtest.Send, 34)
	for i := range sends {
		sends[i] = netsimtest.Send{Src: 0, Dst: 2, Size: 1000}
	}
	got := netsimtest.Play(t, n, sends)
	if want := unit.Time(32 * 80_000); got[32].Sent != want {
		t.Errorf("packet 32 is sent at %v, want %v", got[32].Sent, want)
	}
	if want := unit.Time(8_813_343 + 1_005_120); got[33].Sent != want {
		t.Errorf("packet 33 is sent at %v, want %v", got[33].Sent, want)
	}
	if c := n.Engine.Counters(); c.Pauses != 1 || c.Dropped != 0 {
		t.Errorf("%d pauses, %d drops, want 1 and 0", c.Pauses, c.Dropped)
	}
	n.CheckEnd(t)
}

// While class 3 of host 0 is paused (see above, from 2565 to 9818 ns), its packets of class 4 to host 1 continue, and
// so do packets of class 3 from host 1, which uses another port of the switch.
func TestPauseStopsItsClassAndPortOnly(t *testing.T) {
	n := netsimtest.New(t, slowReceiver(), netsimtest.Options{Config: fixedPause})
	var sends []netsimtest.Send
	for range 40 {
		sends = append(sends, netsimtest.Send{Src: 0, Dst: 2, Size: 1000})
	}
	at := 5 * unit.Microsecond
	sends = append(sends,
		netsimtest.Send{At: at, Src: 0, Dst: 1, Size: 1000, Class: 4},
		netsimtest.Send{At: at, Src: 0, Dst: 1, Size: 1000, Class: 3},
		netsimtest.Send{At: at, Src: 1, Dst: 0, Size: 1000, Class: 3})
	got := netsimtest.Play(t, n, sends)
	if a := got[40]; a.Sent != at || a.At != at+2_160_000 {
		t.Errorf("class 4 is sent at %v and arrives at %v, want %v and 2.16us later", a.Sent, a.At, at)
	}
	if a := got[41]; a.Sent < 9_818_463 {
		t.Errorf("class 3 is sent at %v, while it is paused", a.Sent)
	}
	if a := got[42]; a.Sent != at {
		t.Errorf("class 3 of another host is sent at %v, want %v", a.Sent, at)
	}
}

// There is only one flow, in class 6, because some simulators use the class as an index into a list of flows.
func TestPFCWithFewerFlowsThanPriorities(t *testing.T) {
	for class := uint8(1); class < buffer.Classes; class++ {
		n := netsimtest.New(t, slowReceiver(), netsimtest.Options{Config: fixedPause})
		sends := make([]netsimtest.Send, 34)
		for i := range sends {
			sends[i] = netsimtest.Send{Src: 0, Dst: 2, Size: 1000, Class: class}
		}
		got := netsimtest.Play(t, n, sends)
		if want := unit.Time(8_813_343 + 1_005_120); got[33].Sent != want {
			t.Errorf("class %d: packet 33 is sent at %v, want %v as in any class", class, got[33].Sent, want)
		}
	}
}

// Pauses spread from switch to switch: in a chain with a slow last link all switches fill up to their thresholds, and
// the sender stops without a loss.
func TestPauseSpreadsUpstream(t *testing.T) {
	g := netsimtest.Chain(4)
	for i := range g.Links {
		if g.Links[i].A == last || g.Links[i].B == last {
			g.Links[i].Rate = 10 * unit.Gbps
		}
	}
	paused := map[netsim.NodeID]bool{}
	n := netsimtest.New(t, g, netsimtest.Options{Config: fixedPause, Taps: func(*netsim.Network) []netsim.Tap {
		return []netsim.Tap{tap(func(h *netsim.Hop) {
			if h.Packet.Kind == netsim.Pause {
				paused[h.Switch] = true
			}
		})}
	}})
	sends := make([]netsimtest.Send, 300)
	for i := range sends {
		sends[i] = netsimtest.Send{Src: first, Dst: last, Size: 1000}
	}
	got := netsimtest.Play(t, n, sends)
	if len(paused) != 4 {
		t.Errorf("%d of 4 switches sent a pause", len(paused))
	}
	for i, a := range got {
		if a.At == unit.Never {
			t.Fatalf("packet %d did not arrive", i)
		}
	}
	n.CheckEnd(t)
}

// The headroom follows from port count, rate, delay and processing time. For any incast, links, classes and sizes,
// consider a lossless switch with memory for its headroom and hardly any shared pool. It drops no packet, never uses
// more than its memory, and is empty at the end.
func TestPFCNeverDropsWhateverTheIncast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.IntRange(2, 10).Draw(t, "hosts")
		g := netsimtest.Star(hosts)
		for i := range g.Links {
			g.Links[i].Rate = unit.Rate(rapid.SampledFrom([]int64{10, 25, 40, 100, 400}).Draw(t, "gbps")) * unit.Gbps
			g.Links[i].Delay = unit.Time(rapid.Int64Range(0, 3_000_000).Draw(t, "delay"))
		}
		inUse := rapid.IntRange(1, 7).Draw(t, "classes")
		dynamic := rapid.Bool().Draw(t, "dynamic")
		pool := unit.Bytes(rapid.Int64Range(1, 40_000).Draw(t, "pool"))
		processing := unit.Time(rapid.SampledFrom([]int64{0, 450_000}).Draw(t, "processing"))
		frame := unit.Bytes(rapid.SampledFrom([]int64{43, 64}).Draw(t, "frame"))
		total := unit.Bytes(0)
		var n *netsimtest.Net
		n = netsimtest.New(t, g, netsimtest.Options{
			Seed: rapid.Uint64().Draw(t, "seed"),
			Taps: func(*netsim.Network) []netsim.Tap {
				return []netsim.Tap{tap(func(h *netsim.Hop) {
					if used := n.Net.Memory(h.Switch).Used(); used > total {
						t.Fatalf("a switch of %d bytes holds %d", total, used)
					}
				})}
			},
			Config: func(c *netsim.Config) {
				c.MaxPacket, c.ProcessingDelay, c.PFC.Frame = 1500, processing, frame
				c.Classes = inUse
				c.PFC.Reserve = unit.Bytes(rapid.SampledFrom([]int64{0, 4096}).Draw(t, "reserve"))
				c.Buffer = pool
				for _, l := range g.Links {
					c.Buffer += unit.Bytes(inUse) * (c.PFC.Reserve + buffer.Headroom(l.Rate, l.Delay+processing,
						c.MaxPacket, unit.Bytes(inUse)*frame))
				}
				total = c.Buffer
				if !dynamic {
					c.PFC.Threshold, c.PFC.XOff = "static", min(pool, 3000)
					c.PFC.Hysteresis = min(c.PFC.XOff, 1000)
				}
			},
		})
		var sends []netsimtest.Send
		for h := 1; h < hosts; h++ {
			start := unit.Time(rapid.Int64Range(0, 2_000_000).Draw(t, "start"))
			dst := netsim.NodeID(rapid.SampledFrom([]int{0, 0, 0, (h + 1) % hosts}).Draw(t, "dst"))
			for i := range rapid.IntRange(1, 120).Draw(t, "packets") {
				sends = append(sends, netsimtest.Send{
					At: start, Src: netsim.NodeID(h), Dst: dst,
					Size:  unit.Bytes([]int{1500, 1500, 64, 1048}[i%4]),
					Class: uint8(1 + (h+i/8)%inUse),
				})
			}
		}
		got := netsimtest.Play(t, n, sends)
		if c := n.Engine.Counters(); c.Dropped != 0 {
			t.Fatalf("%d drops", c.Dropped)
		}
		for i, a := range got {
			if a.At == unit.Never {
				t.Fatalf("packet %d did not arrive", i)
			}
		}
		n.CheckEnd(t)
		checkMemory(t, n)
	})
}

// checkMemory fails the test unless all switches are empty and have forgotten all
// pauses.
func checkMemory(tb netsimtest.TB, n *netsimtest.Net) {
	tb.Helper()
	for i := range n.Graph.Nodes {
		b := n.Net.Memory(netsim.NodeID(i))
		if b == nil {
			continue
		}
		if b.Used() != 0 {
			tb.Errorf("switch %d still holds %d bytes", i, b.Used())
		}
	}
	for p := range netsim.PortID(n.Net.Ports()) {
		if n.Net.PortPaused(p) {
			tb.Errorf("port %d is still paused", p)
		}
	}
}
