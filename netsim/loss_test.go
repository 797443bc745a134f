package netsim_test

import (
	"math"
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
)

// 20000 packets cross two links with loss rates of 1 % and 10 %. The number of lost packets among n packets on a link
// with loss rate p is n·p ± √(n·p·(1-p)). The test allows 4.5 standard deviations, which each link exceeds with
// probability 7e-6.
func TestLinksLoseTheShareThatIsDeclared(t *testing.T) {
	const packets = 20_000
	g := netsimtest.Star(2)
	g.Links[0].ErrorRate, g.Links[1].ErrorRate = 0.01, 0.1
	seen := 0
	n := netsimtest.New(t, g, netsimtest.Options{Seed: 3, Taps: func(*netsim.Network) []netsim.Tap {
		return []netsim.Tap{tap(func(*netsim.Hop) { seen++ })}
	}})
	sends := make([]netsimtest.Send, packets)
	for i := range sends {
		sends[i] = netsimtest.Send{Src: 0, Dst: 1, Size: 100}
	}
	arrived := 0
	for _, a := range netsimtest.Play(t, n, sends) {
		if a.At != unit.Never {
			arrived++
		}
	}
	within := func(what string, lost, of int, p float64) {
		mean := float64(of) * p
		if d := math.Abs(float64(lost) - mean); d > 4.5*math.Sqrt(mean*(1-p)) {
			t.Errorf("%s lost %d of %d, want %.0f", what, lost, of, mean)
		}
	}
	within("first link", packets-seen, packets, 0.01)
	within("second link", seen-arrived, seen, 0.1)
	if c := n.Engine.Counters(); c.Lost != int64(packets-arrived) {
		t.Errorf("%d packets counted as lost, %d did not arrive", c.Lost, packets-arrived)
	}
	n.CheckEnd(t)
}

// Two symmetric links do not lose the same packets. If draws are independent, both links lose packet i for about 1/100
// of 10000 values of i.
func TestLossesOfDifferentLinksAreIndependent(t *testing.T) {
	const packets = 10_000
	g := netsimtest.Star(4)
	g.Links[0].ErrorRate, g.Links[1].ErrorRate = 0.1, 0.1
	n := netsimtest.New(t, g, netsimtest.Options{Seed: 5})
	var sends []netsimtest.Send
	for range packets {
		sends = append(sends, netsimtest.Send{Src: 0, Dst: 2, Size: 100}, netsimtest.Send{Src: 1, Dst: 3, Size: 100})
	}
	got := netsimtest.Play(t, n, sends)
	both := 0
	for i := 0; i < len(got); i += 2 {
		if got[i].At == unit.Never && got[i+1].At == unit.Never {
			both++
		}
	}
	// The number is binomial, for 10000 pairs and probability 1/100. Its mean is 100, and its standard deviation 10.
	if both < 55 || both > 145 {
		t.Errorf("both links lose the same packet %d times, want 100 ± 10", both)
	}
}

// A lossy link loses data but no PFC frames, because a lost resume frame would stop the port forever.
func TestPFCFramesAreNotLostToBitErrors(t *testing.T) {
	g := slowReceiver()
	for i := range g.Links {
		g.Links[i].ErrorRate = 0.5
	}
	n := netsimtest.New(t, g, netsimtest.Options{Seed: 1, Config: fixedPause})
	sends := make([]netsimtest.Send, 400)
	for i := range sends {
		sends[i] = netsimtest.Send{Src: 0, Dst: 2, Size: 1000}
	}
	got := netsimtest.Play(t, n, sends)
	for i, a := range got {
		if a.Sent == unit.Never {
			t.Fatalf("packet %d was never sent", i)
		}
	}
	if c := n.Engine.Counters(); c.Pauses == 0 {
		t.Error("no pause: the test needs some")
	}
	n.CheckEnd(t)
	checkMemory(t, n)
}
