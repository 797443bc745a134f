package validate

import (
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/rng"
)

// Fig. 2 of the document: buckets 6, 9 and 3, a packet that adds 3.
func TestSumCellsOfFigure2(t *testing.T) {
	s := newSumCells(3, 1, 1)
	for i, v := range []uint32{6, 9, 3} {
		s.buckets[i][0] = v
	}
	at := []uint32{0, 0, 0}
	s.insert(at, 0, 3)
	if a, b, c := s.buckets[0][0], s.buckets[1][0], s.buckets[2][0]; a != 9 || b != 9 || c != 6 {
		t.Errorf("cells %d, %d, %d, want 9, 9, 6", a, b, c)
	}
	if q := s.query(at, 0); q != 6 {
		t.Errorf("query %d, want 6", q)
	}
}

// SuMax never says less than what a flow has, and never more than a CM sketch (section
// 4.3: its error is bounded between those of CM and CU).
func TestSumCellsBetweenTruthAndCM(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const d, w, flows = 3, 8, 20
		s := newSumCells(d, w, 1)
		var cm [d][w]uint32
		var truth [flows]uint32
		where := func(f int) []uint32 {
			return []uint32{uint32(f * 7 % w), uint32(f * f % w), uint32(f * 5 / 3 % w)}
		}
		for _, x := range rapid.SliceOfN(rapid.IntRange(0, 1<<16-1), 1, 200).Draw(t, "packets") {
			f, alpha := x%flows, uint32(x>>8+1)
			truth[f] += alpha
			for i, at := range where(f) {
				cm[i][at] += alpha
			}
			s.insert(where(f), 0, alpha)
		}
		for f, v := range truth {
			at := where(f)
			most := min(cm[0][at[0]], cm[1][at[1]], cm[2][at[2]])
			if q := s.query(at, 0); q < v || q > most {
				t.Fatalf("flow %d: %d, true %d, CM %d", f, q, v, most)
			}
		}
	})
}

// Section 4.4 by hand: packets at 10, 25, 30 of a flow that shares one of its buckets.
func TestMaxCells(t *testing.T) {
	m := newMaxCells(2, 4)
	flow, other := []uint32{1, 2}, []uint32{1, 3}
	m.insert(flow, 10)
	if q := m.query(flow); q != 0 {
		t.Errorf("after one packet: %d", q)
	}
	m.insert(other, 20)
	m.insert(flow, 25)
	m.insert(flow, 30)
	if q := m.query(flow); q != 10 || m.longest[1][2] != 15 {
		t.Errorf("query %d, want 10 (the shared bucket saw 10, 5 and 5); alone %d, want 15", q, m.longest[1][2])
	}
}

// From the sketchlets that packets carry away the idle sketch is put together again, and
// it is the one that recorded. Chances are 1 - (1 - 1/N)^n of a sketchlet to be chosen by
// the first of n choices; those that are chosen twice send another one.
func TestSketchletsMakeTheSketch(t *testing.T) {
	pipe := pipeline(t, "sumax")
	made, err := newSumaxTwin()
	if err != nil {
		t.Fatal(err)
	}
	tw := made.(*sumaxTwin)
	if err := tw.configure(pipe); err != nil {
		t.Fatal(err)
	}
	tw.until = 1 << 30 // nobody swaps
	tw.carry = 1<<32 - 1
	if err := tw.decide(); err != nil {
		t.Fatal(err)
	}
	const packets = 40_000
	r := rng.New(1, "test")
	got := map[uint32]bool{}
	carried, inBoth := 0, [2]int{}
	for range packets {
		tw.draw(r)
		tw.form = sumaxForm{tag: true}
		in := tw.build()
		pipe.SetTime(tw.now)
		outs, err := pipe.Process(0, in)
		if err != nil || len(outs) != 1 || len(outs[0].Data) != len(in)+sketchletBytes {
			t.Fatalf("%v, %v", outs, err)
		}
		b := outs[0].Data[18:]
		id := uint32(b[4])<<24 | uint32(b[5])<<16 | uint32(b[6])<<8 | uint32(b[7])
		if b[0] != 0 || b[1] != 1 || b[2] != 0x80 || id >= sketchlets {
			t.Fatalf("device, sketch and id: %x", b[:8])
		}
		for i, want := range tw.sketches[1].sketchlet(id) {
			c := b[8+4*i:]
			if got := uint32(c[0])<<24 | uint32(c[1])<<16 | uint32(c[2])<<8 | uint32(c[3]); got != want {
				t.Fatalf("cell %d of sketchlet %d is %d, want %d", i, id, got, want)
			}
		}
		carried++
		got[id] = true
		inBoth[id>>16]++
	}
	// n = 40000 of N = 131072: 34500 different first choices on average, and most of the
	// 5500 other ones are new too. Standard deviations are below 100.
	if n := len(got); n < 38_000 || n > 39_700 {
		t.Errorf("%d packets carried %d different sketchlets", carried, n)
	}
	if d := inBoth[0] - inBoth[1]; d < -1000 || d > 1000 { // five standard deviations
		t.Errorf("%d of the delay part, %d of the interval part", inBoth[0], inBoth[1])
	}
}
