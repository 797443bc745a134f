package netsim_test

import (
	"fmt"
	"testing"
	"unsafe"

	"pintlab/internal/errtest"
	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// first and last are the hosts at the ends of netsimtest.Chain.
const (
	first netsim.NodeID = 0
	last  netsim.NodeID = 1
)

// On a link of 100 Gb/s, a packet of 1000 B takes 80 ns to send and 1 us to cross the link. Each switch stores and
// forwards the packet. So it takes 1080 ns for each of the k+1 links of k switches.
func TestAPacketIsStoredAndForwardedAtEveryHop(t *testing.T) {
	for k := 1; k <= 5; k++ {
		n := netsimtest.New(t, netsimtest.Chain(k), netsimtest.Options{})
		got := netsimtest.Play(t, n, []netsimtest.Send{{At: 7, Src: first, Dst: last, Size: 1000}})
		links := unit.Time(k + 1)
		if want := 7 + links*1_080*unit.Nanosecond; got[0].At != want {
			t.Errorf("%d switches: arrives at %v, want %v", k, got[0].At, want)
		}
		c := n.Engine.Counters()
		if c.PacketHops != int64(k+1) || c.Injected != 1 || c.Delivered != 1 {
			t.Errorf("%d switches: %+v, want %d packet-hops of 1 packet", k, c, k+1)
		}
		// No packet waits, so a hop costs one event. The timer is one more.
		if c.Events != int64(k+1)+1 {
			t.Errorf("%d switches: %d events, want %d", k, c.Events, k+2)
		}
		n.CheckEnd(t)
	}
}

// Ten packets that are handed over together leave back to back. The last arrives 9·80 ns after the first on paths of
// any length, because all links are equal.
func TestPacketsFollowBackToBack(t *testing.T) {
	for k := 1; k <= 5; k++ {
		n := netsimtest.New(t, netsimtest.Chain(k), netsimtest.Options{})
		var sends []netsimtest.Send
		for range 10 {
			sends = append(sends, netsimtest.Send{Src: first, Dst: last, Size: 1000})
		}
		for i, a := range netsimtest.Play(t, n, sends) {
			if want := unit.Time(k+1)*1_080_000 + unit.Time(i)*80_000; a.At != want {
				t.Errorf("%d switches, packet %d: arrives at %v, want %v", k, i, a.At, want)
			}
		}
	}
}

// A packet enters the egress queue of each switch 300 ns after its arrival.
func TestProcessingDelayCountsAtSwitchesOnly(t *testing.T) {
	n := netsimtest.New(t, netsimtest.Chain(3), netsimtest.Options{
		Config: func(c *netsim.Config) { c.ProcessingDelay = 300 * unit.Nanosecond },
	})
	got := netsimtest.Play(t, n, []netsimtest.Send{{Src: first, Dst: last, Size: 1000}})
	if want := unit.Time(4*1_080_000 + 3*300_000); got[0].At != want {
		t.Errorf("arrives at %v, want %v", got[0].At, want)
	}
}

// The cost is 10 ns at each interface of a switch, 20 ns per switch. A packet without the cost must not overtake the
// packet with the cost before it. The first link has one such interface. There the cost delays the first packet by 10
// ns, but the second packet takes only 8 ns to send. So the second packet waits 2 ns, and from then on it follows
// directly.
func TestHopCostIsPaidAtBothInterfacesAndKeepsTheOrder(t *testing.T) {
	n := netsimtest.New(t, netsimtest.Chain(3), netsimtest.Options{
		Config: func(c *netsim.Config) {
			c.HopCost = func(_ unit.Rate, p *netsim.Packet) unit.Time {
				if p.Size < 1000 {
					return 0
				}
				return 10 * unit.Nanosecond
			}
		},
	})
	got := netsimtest.Play(t, n, []netsimtest.Send{
		{Src: first, Dst: last, Size: 1000}, {Src: first, Dst: last, Size: 100},
	})
	if want := unit.Time(4*1_080_000 + 6*10_000); got[0].At != want {
		t.Errorf("arrives at %v, want %v", got[0].At, want)
	}
	if got[1].At < got[0].At {
		t.Errorf("the second packet overtakes the first: %v before %v", got[1].At, got[0].At)
	}
}

// classes runs a Script of sends and returns the classes of the packets in the order of their arrival.
func classes(n *netsimtest.Net, t *testing.T, sends []netsimtest.Send) []uint8 {
	got := netsimtest.Play(t, n, sends)
	order := make([]uint8, len(got))
	for i := range got {
		place := 0
		for j := range got {
			if got[j].At < got[i].At {
				place++
			}
		}
		order[place] = sends[i].Class
	}
	return order
}

// While the port sends a packet of class 5, three packets of class 3 arrive, and then, from another host, three packets
// of class 4. The port serves the two classes by round robin.
func TestClassesTakeTurns(t *testing.T) {
	n := netsimtest.New(t, netsimtest.Star(4), netsimtest.Options{})
	sends := []netsimtest.Send{{Src: 2, Dst: 3, Size: 2000, Class: 5}}
	for range 3 {
		sends = append(sends, netsimtest.Send{At: 1, Src: 0, Dst: 3, Size: 500, Class: 3},
			netsimtest.Send{At: 2, Src: 1, Dst: 3, Size: 500, Class: 4})
	}
	sends[0].At = 0
	// The packet of 2000 B arrives at 1160 ns and is sent until 1320 ns. The packets of 500 B would arrive earlier, at
	// 1040, 1080 and 1120 ns, so their host starts 200 ns later.
	for i := range sends[1:] {
		sends[i+1].At += 200_000
	}
	if got := classes(n, t, sends); fmt.Sprint(got) != "[5 3 4 3 4 3 4]" {
		t.Errorf("order of classes %v, want 5, then 3 and 4 in turn", got)
	}
}

// A packet of class 3 finds the port idle and leaves at once, which counts as the turn of class 3. Among the packets
// that arrive meanwhile, class 4 is next.
func TestAPacketThatDoesNotWaitTakesItsTurn(t *testing.T) {
	n := netsimtest.New(t, netsimtest.Star(4), netsimtest.Options{})
	got := classes(n, t, []netsimtest.Send{
		{At: 0, Src: 0, Dst: 3, Size: 2000, Class: 3},
		{At: 1_000, Src: 1, Dst: 3, Size: 1990, Class: 3},
		{At: 1_000, Src: 2, Dst: 3, Size: 1990, Class: 4},
	})
	if fmt.Sprint(got) != "[3 4 3]" {
		t.Errorf("order of classes %v, want 3 4 3", got)
	}
}

// Class 0 precedes all other classes, even if their packets have waited longer.
func TestClassZeroGoesFirst(t *testing.T) {
	// A Script cannot send data of class 0, because a Send of class 0 means class 3. So the packets of class 0 here are
	// PFC frames. They overtake data that waits at the switch port towards the paused host.
	g := rates(100*unit.Gbps, 100*unit.Gbps, 30*unit.Gbps)
	var at []unit.Time
	n := netsimtest.New(t, g, netsimtest.Options{
		Config: func(c *netsim.Config) { c.PFC.Threshold, c.PFC.XOff, c.PFC.Reserve = "static", 5000, 0 },
		Taps: func(*netsim.Network) []netsim.Tap {
			return []netsim.Tap{tap(func(h *netsim.Hop) {
				if h.Packet.Kind == netsim.Pause {
					at = append(at, h.Now)
				}
			})}
		},
	})
	// Host 1 sends 40 packets to host 0, so that the switch's port to host 0 is always busy. Host 2 sends two more
	// packets to host 0, so that some packets wait. Host 0 sends to slow host 2, whose queue causes the switch to pause
	// host 0.
	var sends []netsimtest.Send
	for i := range 40 {
		sends = append(sends, netsimtest.Send{Src: 1, Dst: 0, Size: 1000}, netsimtest.Send{Src: 0, Dst: 2, Size: 1000})
		if i < 5 {
			sends = append(sends, netsimtest.Send{Src: 2, Dst: 0, Size: 2000, Class: 4})
		}
	}
	netsimtest.Play(t, n, sends)
	// The switch decides to pause at 1560 ns, as in TestPauseAndResumeByHand. Its port to host 0 then sends a packet of
	// 1000 or 2000 B. The pause frame follows this packet, although other packets wait.
	if len(at) == 0 || at[0] < 1_560_000 || at[0] > 1_560_000+160_000 {
		t.Errorf("pause frames leave at %v, want the first within one packet of 1.56us", at)
	}
}

type tap func(*netsim.Hop)

func (f tap) Dequeue(h *netsim.Hop) { f(h) }

// rates returns a star whose hosts have links of the given rates, 1 us each.
func rates(r ...unit.Rate) *topo.Graph {
	g := netsimtest.Star(len(r))
	for i := range r {
		g.Links[i].Rate = r[i]
	}
	return g
}

// Two packets of 1000 and 600 B wait behind one of 2000 B at the second switch of a chain, because the last link is
// slow. The values that the tap must see there are worked out by hand.
func TestTapSeesThePortAsThePacketLeaves(t *testing.T) {
	g := netsimtest.Chain(2)
	for i := range g.Links {
		if g.Links[i].A == last || g.Links[i].B == last {
			g.Links[i].Rate = 10 * unit.Gbps
		}
	}
	type view struct {
		now, came   unit.Time
		sent, queue unit.Bytes
		number      int
		rate        unit.Rate
	}
	var got []view
	n := netsimtest.New(t, g, netsimtest.Options{
		Taps: func(*netsim.Network) []netsim.Tap {
			return []netsim.Tap{tap(func(h *netsim.Hop) {
				if h.Number == 1 {
					got = append(got, view{h.Now, h.Packet.At, h.Sent, h.Queue, h.Number, h.Rate()})
				}
			})}
		},
	})
	netsimtest.Play(t, n, []netsimtest.Send{
		{Src: first, Dst: last, Size: 2000}, {Src: first, Dst: last, Size: 1000}, {Src: first, Dst: last, Size: 600},
	})
	// On a link of 100 Gb/s, 2000 B take 160 ns, 1000 B take 80 ns, and 600 B take 48 ns. The first packet reaches the
	// second switch at 2·(160+1000) = 2320 ns, and the others follow at 2400 and 2448 ns. On the last link, 2000 B take
	// 1600 ns and 1000 B take 800 ns.
	want := []view{
		{2_320_000, 2_320_000, 0, 0, 1, 10 * unit.Gbps},
		{3_920_000, 2_400_000, 2000, 600, 1, 10 * unit.Gbps},
		{4_720_000, 2_448_000, 3000, 0, 1, 10 * unit.Gbps},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// On a path of three switches, a stack of two entries has no room for the third switch, and Push reports this.
func TestAFullStackRefusesMore(t *testing.T) {
	var pushed []bool
	n := netsimtest.New(t, netsimtest.Chain(3), netsimtest.Options{
		Config: func(c *netsim.Config) { c.StackDepth = 2 },
		Taps: func(*netsim.Network) []netsim.Tap {
			return []netsim.Tap{tap(func(h *netsim.Hop) {
				pushed = append(pushed, h.Push(netsim.PortSample{TS: h.Now, Port: h.Port}))
			})}
		},
	})
	got := netsimtest.Play(t, n, []netsimtest.Send{{Src: first, Dst: last, Size: 1000}})
	if fmt.Sprint(pushed) != "[true true false]" || len(got[0].Stack) != 2 {
		t.Errorf("pushes %v, stack of %d entries; want two", pushed, len(got[0].Stack))
	}
	if s := got[0].Stack; s[0].TS != 1_080_000 || s[1].TS != 2_160_000 {
		t.Errorf("stack %v: want the oldest hop first", s)
	}
}

// If a tap makes a packet longer, the packet takes longer on all later links.
func TestATapMayLengthenAPacket(t *testing.T) {
	n := netsimtest.New(t, netsimtest.Chain(2), netsimtest.Options{
		Taps: func(*netsim.Network) []netsim.Tap {
			return []netsim.Tap{tap(func(h *netsim.Hop) { h.Packet.Size += 100 })}
		},
	})
	got := netsimtest.Play(t, n, []netsimtest.Send{{Src: first, Dst: last, Size: 1000}})
	// The packet has 1000, 1100 and 1200 B on the three links.
	if want := unit.Time(3*1_000_000 + 80_000 + 88_000 + 96_000); got[0].At != want {
		t.Errorf("arrives at %v, want %v", got[0].At, want)
	}
	n.CheckEnd(t)
}

func TestPacketFillsOneCacheLine(t *testing.T) {
	if size := unsafe.Sizeof(netsim.Packet{}); size != 64 {
		t.Errorf("a packet takes %d bytes, want 64", size)
	}
}

// A host with two links is not a shortcut. Hosts 0 and 1 are at the ends of a chain of four switches, and host 2 is
// linked to both end switches. A path through host 2 would have two switches, but packets cross all four.
func TestMultiHomedHostDoesNotForward(t *testing.T) {
	g := &topo.Graph{Name: "multi-homed"}
	for range 3 {
		g.Nodes = append(g.Nodes, topo.Node{Kind: topo.Host})
	}
	for range 4 {
		g.Nodes = append(g.Nodes, topo.Node{Kind: topo.Switch})
	}
	for _, l := range [][2]netsim.NodeID{{0, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 1}, {2, 3}, {2, 6}} {
		g.Links = append(g.Links, topo.Link{A: l[0], B: l[1], Rate: 100 * unit.Gbps, Delay: unit.Microsecond})
	}
	n := netsimtest.New(t, g, netsimtest.Options{})
	got := netsimtest.Play(t, n, []netsimtest.Send{
		{Src: 0, Dst: 1, Size: 1000}, {At: 9 * unit.Microsecond, Src: 2, Dst: 1, Size: 1000},
		{At: 9 * unit.Microsecond, Src: 2, Dst: 0, Size: 1000},
	})
	if want := unit.Time(5 * 1_080_000); got[0].At != want {
		t.Errorf("between the ends: arrives at %v, want %v by way of four switches", got[0].At, want)
	}
	for i, a := range got[1:] {
		if want := unit.Time(9_000_000 + 2*1_080_000); a.At != want {
			t.Errorf("from the multi-homed host, packet %d: arrives at %v, want %v by its nearer switch", i, a.At, want)
		}
	}
}

func TestConfigValidate(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(*netsim.Config)
		want string
	}{
		{"default without a packet size", func(c *netsim.Config) { c.MaxPacket = 0 },
			"netsim: bad config: largest packet = 0 bytes, want 1 to 65535\npfc.frame = 64B, want at most the " +
				"largest packet, 0B"},
		{"packet too large", func(c *netsim.Config) { c.MaxPacket = 65536 },
			"netsim: bad config: largest packet = 65536 bytes, want 1 to 65535"},
		{"stack", func(c *netsim.Config) { c.StackDepth = 255 },
			"netsim: bad config: stack depth = 255, want 0 to 254"},
		{"no transmission times", func(c *netsim.Config) { c.TxTime = nil },
			"netsim: bad config: no rule for transmission times"},
		{"processing", func(c *netsim.Config) { c.ProcessingDelay = -1 },
			"netsim: bad config: processing_delay: -1ps: want >= 0s and <= 1s"},
		{"pause frame", func(c *netsim.Config) { c.PFC.Frame = 0 },
			"netsim: bad config: pfc.frame: 0B: want >= 1B and <= 1500B"},
		{"ECN and processing", func(c *netsim.Config) {
			c.ProcessingDelay = -5
			c.ECN = netsim.ECN{Enabled: true, KMin: 1, KMax: 1, PMax: 1.5, AtRate: 1}
		}, "netsim: bad config: processing_delay: -5ps: want >= 0s and <= 1s\necn.pmax: 1.5: want auto or >= 0 and " +
			"<= 1"},
		{"ECN from above to below", func(c *netsim.Config) {
			c.ECN = netsim.ECN{Enabled: true, KMin: 2, KMax: 1, PMax: 0.5, AtRate: 1}
		}, "netsim: bad config: ecn.kmin: 2B: want at most kmax = 1B"},
	} {
		c := netsim.Default()
		c.MaxPacket = 1500
		tt.edit(&c)
		if err := c.Validate(); !errtest.Says(err, tt.want) {
			t.Errorf("%s:\ngot  %v\nwant %s", tt.name, err, tt.want)
		}
	}
	c := netsim.Default()
	c.MaxPacket = 1500
	if err := c.Validate(); err != nil {
		t.Errorf("the default: %v", err)
	}
}

// A switch whose memory cannot hold the headroom of its ports is refused.
func TestTooLittleMemoryForHeadroomIsRefused(t *testing.T) {
	g := netsimtest.Star(4)
	c := netsim.Default()
	c.MaxPacket, c.Buffer = 1500, 100_000
	// Each of 4 ports has a headroom of 2·12500 + 1 + 3·1500 + 64 = 29565 and a reserve of 4096.
	want := "netsim: switch 4: buffer: bad config: total = 100KB, but headroom and reserve of 4 ports alone take " +
		"134.644KB"
	if _, err := netsim.New(g, 1, c); !errtest.Says(err, want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
