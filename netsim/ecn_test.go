package netsim_test

import (
	"math"
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// marked runs a 4:1 incast of bursts with the given ECN and calls the function see for every packet that leaves the
// switch towards the receiver.
func marked(t *testing.T, e netsim.ECN, g *topo.Graph, see func(h *netsim.Hop, marked bool)) *netsimtest.Net {
	t.Helper()
	n := netsimtest.New(t, g, netsimtest.Options{
		Config: func(c *netsim.Config) { c.ECN = e },
		Taps: func(*netsim.Network) []netsim.Tap {
			return []netsim.Tap{tap(func(h *netsim.Hop) {
				if h.Packet.Kind == netsim.Data {
					see(h, h.Packet.Flags&netsim.FlagCE != 0)
				}
			})}
		},
	})
	var sends []netsimtest.Send
	for h := range netsim.NodeID(4) {
		for range 400 {
			sends = append(sends, netsimtest.Send{Src: h, Dst: 4, Size: 1000})
		}
	}
	netsimtest.Play(t, n, sends)
	return n
}

// If min = max, marking is a step: a packet is marked if more than 50 kB remain in the queue behind it, and not marked
// if at most 50 kB remain. Queues below, above and of exactly 50 kB occur.
func TestECNStepMarksExactlyAboveTheThreshold(t *testing.T) {
	const k = 50_000
	var below, at, above int
	n := marked(t, netsim.ECN{Enabled: true, KMin: k, KMax: k, PMax: 1, AtRate: 100 * unit.Gbps, AtHosts: true},
		netsimtest.Star(5), func(h *netsim.Hop, marked bool) {
			switch {
			case h.Queue < k:
				below++
			case h.Queue == k:
				at++
			default:
				above++
			}
			if marked != (h.Queue > k) {
				t.Fatalf("queue of %d bytes: marked %v", h.Queue, marked)
			}
		})
	if below == 0 || at == 0 || above == 0 {
		t.Errorf("packets below, at and above the threshold: %d, %d, %d; the test needs all", below, at, above)
	}
	if got := n.Net.PortMarks(n.Between(5, 4)); got != int64(above) {
		t.Errorf("%d marks counted, %d made", got, above)
	}
}

// Between min and max, the probability grows linearly to pmax. Above max it is 1, and below min it is 0. A 4:1 incast
// of 400 packets each fills the queue to 1.2 MB and drains it, so that every queue length in between occurs twice. The
// number of marks on the ramp, from 100 to 900 kB, is a sum of independent draws. The test adds up their means and
// variances; a deviation of more than 4.5 standard deviations has probability 7e-6.
func TestECNProbabilityGrowsLinearly(t *testing.T) {
	const low, high, pmax = 100_000, 900_000, 0.4
	mean, variance, marks := 0.0, 0.0, 0.0
	marked(t, netsim.ECN{Enabled: true, KMin: low, KMax: high, PMax: pmax, AtRate: 100 * unit.Gbps, AtHosts: true},
		netsimtest.Star(5), func(h *netsim.Hop, marked bool) {
			switch {
			case h.Queue <= low && marked:
				t.Fatalf("marked with a queue of %d bytes", h.Queue)
			case h.Queue > high && !marked:
				t.Fatalf("not marked with a queue of %d bytes", h.Queue)
			case h.Queue > low && h.Queue <= high:
				p := pmax * float64(h.Queue-low) / (high - low)
				mean, variance = mean+p, variance+p*(1-p)
				if marked {
					marks++
				}
			}
		})
	if variance < 50 {
		t.Fatalf("variance %v: too few packets in the ramp", variance)
	}
	if d := math.Abs(marks - mean); d > 4.5*math.Sqrt(variance) {
		t.Errorf("%v marks, want %v ± %v", marks, mean, math.Sqrt(variance))
	}
}

// The thresholds apply to a port of 100 Gb/s. At a port of 25 Gb/s they are a quarter as large.
func TestECNThresholdsScaleWithTheRate(t *testing.T) {
	g := netsimtest.Star(5)
	g.Links[4].Rate = 25 * unit.Gbps
	above := 0
	marked(t, netsim.ECN{Enabled: true, KMin: 50_000, KMax: 50_000, PMax: 1, AtRate: 100 * unit.Gbps, AtHosts: true}, g,
		func(h *netsim.Hop, marked bool) {
			if marked != (h.Queue > 12_500) {
				t.Fatalf("queue of %d bytes: marked %v", h.Queue, marked)
			}
			if marked {
				above++
			}
		})
	if above == 0 {
		t.Error("nothing was marked")
	}
}
