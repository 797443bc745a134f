package netsim_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
)

// contest sends six packets of class 1, of the given size, from host 0, and 10 ns later six packets of class 5, of 1000
// bytes, from host 1. The port is so slow (10 Gb/s) that all packets arrive before the first has left. contest returns
// the classes in the order in which packets leave.
func contest(t *testing.T, s netsim.Scheduling, size unit.Bytes) string {
	t.Helper()
	var order []string
	n := netsimtest.New(t, rates(10*unit.Tbps, 10*unit.Tbps, 10*unit.Gbps), netsimtest.Options{
		Config: func(c *netsim.Config) { c.MaxPacket, c.Scheduling, c.Classes = 1000, s, 2 },
		Taps: func(*netsim.Network) []netsim.Tap {
			return []netsim.Tap{tap(func(h *netsim.Hop) { order = append(order, fmt.Sprint(h.Packet.Class)) })}
		},
	})
	var sends []netsimtest.Send
	for range 6 {
		sends = append(sends,
			netsimtest.Send{Src: 0, Dst: 2, Size: size, Class: 1},
			netsimtest.Send{At: 10 * unit.Nanosecond, Src: 1, Dst: 2, Size: 1000, Class: 5})
	}
	netsimtest.Play(t, n, sends)
	n.CheckEnd(t)
	return strings.Join(order, " ")
}

// The first packet finds the port free. Then
//
//   - classes take turns;
//   - the higher class goes first until it is empty;
//   - with quanta of 1000 and 2000 bytes a round has one packet of class 1 and two of class 5;
//   - with quanta of 1000 bytes and packets of 600 bytes in class 1, a round has one packet of class 5. Class 1 sends
//     one packet and keeps 400 bytes, then sends two with 1400 bytes and keeps 200, then sends two with 1200 bytes, and
//     is empty;
//   - with weights of 1 and 3 packets a round has one packet of class 1 and three of class 5, of any size.
func TestSchedulingByHand(t *testing.T) {
	for _, tt := range []struct {
		kind    string
		weights []string
		size    unit.Bytes
		want    string
	}{
		{netsim.Turns, nil, 1000, "1 5 1 5 1 5 1 5 1 5 1 5"},
		{netsim.Strict, nil, 1000, "1 5 5 5 5 5 5 1 1 1 1 1"},
		{netsim.Deficit, []string{"5=2"}, 1000, "1 5 5 1 5 5 1 5 5 1 1 1"},
		{netsim.Deficit, nil, 600, "1 5 1 5 1 1 5 1 1 5 5 5"},
		{netsim.Weighted, []string{"5=3"}, 600, "1 5 5 5 1 5 5 5 1 1 1 1"},
	} {
		if got := contest(t, netsim.Scheduling{Kind: tt.kind, Weights: tt.weights}, tt.size); got != tt.want {
			t.Errorf("scheduling %s, packets of %d: %s, want %s", tt.kind, tt.size, got, tt.want)
		}
	}
}

// Shreedhar and Varghese, theorem on fairness: consider two classes that both have packets, and divide the bytes that
// each class has sent by the weight of the class. The two results differ by at most the quantum of weight 1, plus a
// packet of each class, also divided by the weight of its class.
func TestDeficitRoundsAreFair(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		weight := unit.Bytes(rapid.IntRange(1, 5).Draw(rt, "weight"))
		sent := map[uint8]unit.Bytes{}
		left := map[uint8]int{}
		n := netsimtest.New(t, rates(10*unit.Tbps, 10*unit.Tbps, 10*unit.Gbps), netsimtest.Options{
			Config: func(c *netsim.Config) {
				c.MaxPacket, c.Classes = 1000, 2
				c.Scheduling = netsim.Scheduling{Kind: netsim.Deficit,
					Weights: []string{fmt.Sprintf("5=%d", int64(weight))}}
			},
			Taps: func(*netsim.Network) []netsim.Tap {
				return []netsim.Tap{tap(func(h *netsim.Hop) {
					class := h.Packet.Class
					if left[class]--; h.Now > unit.Microsecond && left[1] > 0 && left[5] > 0 {
						sent[class] += unit.Bytes(h.Packet.Size)
					}
					if d := sent[5] - weight*sent[1]; d > weight*2000+1000 || d < -weight*2000-1000 {
						rt.Fatalf("%d bytes of class 5, %d of class 1, weights %d to 1", sent[5], sent[1], weight)
					}
				})}
			},
		})
		var sends []netsimtest.Send
		for _, class := range []uint8{1, 5} {
			left[class] = rapid.IntRange(1, 60).Draw(rt, "packets")
			for range left[class] {
				sends = append(sends, netsimtest.Send{Src: netsim.NodeID(class / 5), Dst: 2,
					Size: unit.Bytes(rapid.IntRange(64, 1000).Draw(rt, "size")), Class: class})
			}
		}
		netsimtest.Play(t, n, sends)
		n.CheckEnd(t)
	})
}

// Under any rule, no packet is lost and the packets of a class from one host stay in order, while PFC pauses single
// classes. Without pauses, the port is never idle while packets wait: from the first arrival on, all packets leave back
// to back.
func TestSchedulingKeepsOrderAndWorks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		kind := []string{netsim.Turns, netsim.Strict, netsim.Deficit}[rapid.IntRange(0, 2).Draw(rt, "kind")]
		pauses := rapid.Bool().Draw(rt, "pauses")
		n := netsimtest.New(t, rates(40*unit.Gbps, 40*unit.Gbps, 40*unit.Gbps, 10*unit.Gbps), netsimtest.Options{
			Config: func(c *netsim.Config) {
				c.MaxPacket, c.Classes = 1000, 7
				c.Scheduling = netsim.Scheduling{Kind: kind, Weights: []string{"3=4", "7=2"}}
				if pauses {
					c.PFC.Threshold, c.PFC.XOff, c.PFC.Reserve, c.PFC.Hysteresis = "static", 1000, 0, 500
				}
			},
		})
		var sends []netsimtest.Send
		var bytes unit.Bytes
		for range rapid.IntRange(1, 100).Draw(rt, "packets") {
			size := unit.Bytes(rapid.IntRange(64, 1000).Draw(rt, "size"))
			bytes += size
			sends = append(sends, netsimtest.Send{Src: netsim.NodeID(rapid.IntRange(0, 2).Draw(rt, "src")), Dst: 3,
				Size: size, Class: uint8(rapid.IntRange(1, 7).Draw(rt, "class"))})
		}
		arrivals := netsimtest.Play(t, n, sends)
		n.CheckEnd(t)
		last := map[[2]int]unit.Time{}
		end := unit.Time(0)
		for i, a := range arrivals {
			if a.At == unit.Never {
				rt.Fatalf("packet %d is lost", i)
			}
			key := [2]int{int(sends[i].Src), int(sends[i].Class)}
			if a.At < last[key] {
				rt.Fatalf("packet %d of class %d overtakes another of its host", i, sends[i].Class)
			}
			last[key], end = a.At, max(end, a.At)
		}
		// Before the first packets arrive, at most the time of a packet at 40 Gb/s and two delays pass.
		delays := n.Net.PortDelay(0) + n.Net.PortDelay(6)
		busy := (10 * unit.Gbps).TxTime(bytes)
		if longest := (40 * unit.Gbps).TxTime(1000) + delays; end < busy+delays || !pauses && end > busy+longest {
			rt.Fatalf("the last packet arrives at %v, the port is busy for %v", end, busy)
		}
	})
}
