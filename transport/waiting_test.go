package transport

import (
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
)

// counted is a Source of flows from host 0 to host 1. All flows have one byte and start at time 0.
type counted struct{ given, flows int32 }

func (c *counted) Next(f *Flow) bool {
	*f = Flow{Number: c.given, Src: 0, Dst: 1, SrcPort: uint16(c.given), Class: 3, Size: 1}
	c.given++
	return c.given <= c.flows
}

// Flows that have begun and not sent a packet yet occupy at most 40 bytes each.
func TestFlowsThatWaitAreSmall(t *testing.T) {
	const flows = 200_000
	n := netsimtest.New(t, netsimtest.Star(3), netsimtest.Options{})
	s, err := New(n.Engine, n.Routes, plain(), 1, func() Controller {
		return &window{}
	}, &counted{flows: flows}, func(*Record) {})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n.Engine.Run(unit.Nanosecond)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if s.Active() != flows || s.senders.n != 1 {
		t.Fatalf("%d flows have begun, %d have slots", s.Active(), s.senders.n)
	}
	// The first slot allocates a slab of some 100 kB.
	if held := float64(after.HeapAlloc-before.HeapAlloc) / flows; held > 40 {
		t.Errorf("%.1f bytes a flow", held)
	}
	runtime.KeepAlive(s)
}

// A waiting room is a first-in, first-out queue for any order of adding and taking.
func TestWaitingRoomIsAQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r waitingRoom
		var spare batches
		var want []int32
		next, begun := int32(0), 0
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			for range rapid.IntRange(0, 150).Draw(t, "add") {
				r.add(&spare, &Flow{Number: next, Dst: 7, SrcPort: 8, DstPort: 9, Class: 3, Size: 10, Start: 11})
				want = append(want, next)
				next++
			}
			begun += rapid.IntRange(0, len(want)-begun).Draw(t, "begin")
			for r.begun < begun {
				r.begin()
			}
			if later := r.next() != unit.Never; later != (begun < len(want)) {
				t.Fatalf("%d of %d flows have begun; another will: %v", begun, len(want), later)
			}
			for range min(begun, rapid.IntRange(0, 150).Draw(t, "take")) {
				w := r.take(&spare)
				if f := w.flow(6); f != (Flow{Number: want[0], Src: 6, Dst: 7, SrcPort: 8, DstPort: 9, Class: 3,
					Size: 10, Start: 11}) {
					t.Fatalf("%+v, want flow %d", f, want[0])
				}
				want = want[1:]
				begun--
			}
			i := 0
			r.each(func(w *waitingFlow) {
				if i >= begun || w.number != want[i] {
					t.Fatalf("flow %d at %d, want %v", w.number, i, want)
				}
				i++
			})
			if i != begun || r.empty() != (begun == 0) {
				t.Fatalf("%d flows, want %d; empty: %v", i, begun, r.empty())
			}
		}
	})
}
