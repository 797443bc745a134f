package netsim_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
)

// trimming returns settings for switches with queues of two packets of 1000 B, and strict priority for headers.
func trimming(change func(*netsim.Trimming)) func(*netsim.Config) {
	return func(c *netsim.Config) {
		t := netsim.Trimming{Enabled: true, Action: "trim", Queue: 2, HeaderQueue: 1, Return: true}
		if change != nil {
			change(&t)
		}
		c.MaxPacket, c.Trimming, c.HeaderClass = 1000, t, 7
		c.Scheduling.Kind, c.PFC.Enabled = netsim.Strict, false
	}
}

// burst sends packets with 936 B of payload and 64 B of headers into a port so slow (10 Gb/s) that all arrive before
// the first has left. burst returns the packets in the order in which they leave, with a dash behind those that are
// trimmed.
func burst(t *testing.T, packets int, config func(*netsim.Config)) (string, []netsimtest.Arrival, *netsimtest.Net) {
	t.Helper()
	var order []string
	n := netsimtest.New(t, rates(10*unit.Tbps, 10*unit.Gbps), netsimtest.Options{
		Config: config,
		Taps: func(*netsim.Network) []netsim.Tap {
			return []netsim.Tap{tap(func(h *netsim.Hop) {
				if h.Packet.Kind != netsim.Data {
					return
				}
				word := fmt.Sprint(h.Packet.Seq)
				if h.Packet.Flags&netsim.FlagTrimmed != 0 {
					word += "-"
					if h.Packet.Size != 64 || h.Packet.Payload != 0 || h.Packet.Class != 7 {
						t.Errorf("headers of %d bytes with %d of payload in class %d",
							h.Packet.Size, h.Packet.Payload, h.Packet.Class)
					}
				}
				order = append(order, word)
			})}
		},
	})
	sends := slices.Repeat([]netsimtest.Send{{Src: 0, Dst: 1, Size: 1000, Header: 64}}, packets)
	got := netsimtest.Play(t, n, sends)
	return strings.Join(order, " "), got, n
}

// NDP §3.1: one packet is being sent and two packets wait. Packets that arrive then lose their payload, and their
// headers precede the data. Or the last packet in the queue loses its payload, and the new packet takes its place.
func TestTrimmingByHand(t *testing.T) {
	for _, tt := range []struct {
		tail    float64
		want    string
		trimmed int64
		counts  bool // whether the packet that is being sent counts as queued
	}{{0, "0 3- 4- 1 2", 2, false}, {1, "0 2- 3- 1 4", 2, false}, {0, "0 2- 3- 4- 1", 3, true},
		{1, "0 1- 2- 3- 4", 3, true}} {
		order, got, n := burst(t, 5,
			trimming(func(x *netsim.Trimming) { x.Tail, x.HeaderQueue, x.Sending = tt.tail, 2, tt.counts }))
		n.CheckEnd(t)
		if order != tt.want {
			t.Errorf("tail %v: %s, want %s", tt.tail, order, tt.want)
		}
		c := n.Counters()
		if c.Trimmed != tt.trimmed || int64(c.TrimmedBytes) != tt.trimmed*936 || c.Returned != 0 || c.Dropped != 0 {
			t.Errorf("tail %v: %+v", tt.tail, c)
		}
		for i, a := range got {
			if a.At == unit.Never || a.Trimmed != strings.Contains(tt.want, fmt.Sprint(i, "-")) {
				t.Errorf("tail %v: packet %d: %+v", tt.tail, i, a)
			}
		}
	}
}

// Each class has its own limit. So the last packet of a class may be trimmed although packets of another class that
// arrived later still wait.
func TestClassesAreFullEachForItself(t *testing.T) {
	n := netsimtest.New(t, rates(10*unit.Tbps, 10*unit.Gbps), netsimtest.Options{Config: trimming(nil)})
	var sends []netsimtest.Send
	for i := range 6 {
		sends = append(sends, netsimtest.Send{Src: 0, Dst: 1, Size: 1000, Header: 64, Class: uint8(1 + i%2)})
	}
	netsimtest.Play(t, n, sends) // packet 0 is being sent; 1, 3 and 2, 4 wait; 5 finds no room
	n.CheckEnd(t)
	if c := n.Counters(); c.Trimmed != 1 {
		t.Errorf("%d packets trimmed, want 1", c.Trimmed)
	}
}

// 1000 B have room for fifteen headers of 64 B. The sixteenth header returns to its source (NDP §3.2.4) or is dropped.
func TestHeadersWithoutRoomGoBack(t *testing.T) {
	for _, back := range []bool{true, false} {
		_, got, n := burst(t, 3+16, trimming(func(x *netsim.Trimming) { x.Return = back }))
		c := n.Counters()
		if c.Trimmed != 16 || c.Returned != map[bool]int64{true: 1}[back] || c.Dropped != 1-c.Returned {
			t.Errorf("return %v: %+v", back, c)
		}
		if came := got[18].Returned > 0; came != back || got[18].At != unit.Never {
			t.Errorf("return %v: %+v", back, got[18])
		}
		n.CheckEnd(t)
	}
}

// Half of the time the last packet of the queue is trimmed. With 2000 draws the share deviates by more than 0.06 in one
// of 10^7 tests (the standard deviation is 0.011).
func TestWhichPacketIsTrimmedIsAToss(t *testing.T) {
	const packets = 2000
	order, _, _ := burst(t, packets+3, trimming(func(x *netsim.Trimming) { x.Tail, x.HeaderQueue = 0.5, 1<<10 }))
	// The arriving packet was trimmed if its headers leave right after the first packet.
	words := strings.Fields(order)
	own, headers := 0, 0
	waits := 2 // the last packet of the queue, before packet 3 comes
	for _, w := range words {
		if !strings.HasSuffix(w, "-") {
			continue
		}
		if now := 3 + headers; w == fmt.Sprintf("%d-", now) {
			own++
		} else if w != fmt.Sprintf("%d-", waits) {
			t.Fatalf("header %d is %s, want %d or %d", headers, w, now, waits)
		} else {
			waits = now
		}
		headers++
	}
	if share := float64(own) / packets; headers != packets || math.Abs(share-0.5) > 0.06 {
		t.Errorf("%d headers, of which %v are of the packet that came; want %d, a half", headers, share, packets)
	}
}

// NDP §3.1: while headers and data both wait, ten headers leave for each data packet.
func TestHeadersDoNotStarveData(t *testing.T) {
	order, _, n := burst(t, 3+25, func(c *netsim.Config) {
		trimming(func(x *netsim.Trimming) { x.HeaderQueue = 10 })(c)
		c.Scheduling = netsim.Scheduling{Kind: netsim.Weighted, Weights: []string{"7=10"}}
	})
	n.CheckEnd(t)
	kinds := ""
	for _, w := range strings.Fields(order) {
		if strings.HasSuffix(w, "-") {
			kinds += "h"
		} else {
			kinds += "D"
		}
	}
	if want := "D" + strings.Repeat("h", 10) + "D" + strings.Repeat("h", 10) + "D" + "hhhhh"; kinds != want {
		t.Errorf("%s, want %s", kinds, want)
	}
}

// For any traffic, no packet is dropped, each arrives whole or trimmed, and the counters agree.
func TestTrimmingLosesNoHeaders(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		hosts := rapid.IntRange(2, 6).Draw(rt, "hosts")
		cfg := trimming(func(x *netsim.Trimming) {
			queue := rapid.IntRange(1000, 5000).Draw(rt, "queue") // bytes at a port of 100 Gb/s
			x.Queue, x.AtRate = 5, 100*unit.Gbps*5000/unit.Rate(queue)
			x.HeaderQueue = rapid.SampledFrom([]int{5, 10, 5000}).Draw(rt, "headers")
			x.Tail = rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(rt, "tail")
			x.Return = rapid.Bool().Draw(rt, "return")
		})
		n := netsimtest.New(rt, netsimtest.Star(hosts), netsimtest.Options{Config: cfg})
		var sends []netsimtest.Send
		var sent unit.Bytes
		for range rapid.IntRange(1, 150).Draw(rt, "packets") {
			src := rapid.IntRange(0, hosts-1).Draw(rt, "src")
			x := netsimtest.Send{
				At: unit.Time(rapid.IntRange(0, 5_000_000).Draw(rt, "at")), Src: netsim.NodeID(src),
				Dst:  netsim.NodeID((src + 1) % hosts),
				Size: unit.Bytes(rapid.IntRange(65, 1000).Draw(rt, "size")), Header: 64,
				Class: uint8(rapid.IntRange(1, 6).Draw(rt, "class")),
			}
			if rapid.Bool().Draw(rt, "to host 0") && src != 0 {
				x.Dst = 0
			}
			sends, sent = append(sends, x), sent+x.Size-64
		}
		var whole unit.Bytes
		var trimmed, back int64
		for i, a := range netsimtest.Play(rt, n, sends) {
			switch {
			case a.Returned > 0:
				back++
			case a.At == unit.Never:
			case a.Trimmed:
				trimmed++
			default:
				whole += sends[i].Size - 64
			}
		}
		n.CheckEnd(rt)
		c := n.Counters()
		if whole+c.TrimmedBytes != sent || back != c.Returned || trimmed+back+c.Dropped != c.Trimmed {
			rt.Errorf("%d bytes sent, %d come; %d headers come, %d back; %+v", sent, whole, trimmed, back, c)
		}
	})
}

func TestTrimmingThatCannotBe(t *testing.T) {
	for name, change := range map[string]func(*netsim.Config){
		"pauses":        func(c *netsim.Config) { c.PFC = netsim.Default().PFC },
		"short queue":   func(c *netsim.Config) { c.Trimming.Queue = 0 },
		"short headers": func(c *netsim.Config) { c.Trimming.HeaderQueue = 0 },
		"class":         func(c *netsim.Config) { c.HeaderClass = 0 },
		"no class":      func(c *netsim.Config) { c.HeaderClass = 8 },
		"probability":   func(c *netsim.Config) { c.Trimming.Tail = math.NaN() },
	} {
		c := netsim.Default()
		trimming(nil)(&c)
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "trimm") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BenchmarkTrimming sends bursts of which most packets are trimmed.
func BenchmarkTrimming(b *testing.B) {
	sends := make([]netsimtest.Send, 0, 8000)
	for i := range 8000 {
		sends = append(sends, netsimtest.Send{Src: netsim.NodeID(i % 8), Dst: 8, Size: 1000, Header: 64})
	}
	b.ReportAllocs()
	var hops int64
	for range b.N {
		n := netsimtest.New(b, netsimtest.Star(9),
			netsimtest.Options{Config: trimming(func(x *netsim.Trimming) { x.HeaderQueue = 1 << 10 })})
		netsimtest.Play(b, n, sends)
		hops += n.Counters().PacketHops
	}
	b.ReportMetric(float64(hops)/b.Elapsed().Seconds()/1e6, "Mhops/s")
}
