package validate

import (
	"bytes"
	"testing"

	"pintlab/int/sketch/sumax"
	"pintlab/internal/hash"
)

// Each sketchlet on a packet equals its part of the idle sketch, so that the sketchlets together reconstruct the
// sketch. A sketchlet is the first choice of at least one of n packets with probability 1 - (1 - 1/N)^n. If a
// sketchlet is chosen again, the packet carries another sketchlet.
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
	tw.until = 1 << 30 // no swap
	tw.carry = 1<<32 - 1
	if err := tw.decide(); err != nil {
		t.Fatal(err)
	}
	const packets = 40_000
	r := hash.Stream(1, "test")
	got := map[uint32]bool{}
	carried, inBoth := 0, [2]int{}
	for range packets {
		tw.draw(r)
		tw.form = sumaxForm{tag: true}
		in := tw.build()
		pipe.SetTime(tw.now)
		outs, err := pipe.Process(0, in)
		if err != nil || len(outs) != 1 || len(outs[0].Data) != len(in)+sumax.SketchletBytes {
			t.Fatalf("%v, %v", outs, err)
		}
		b := outs[0].Data[18:]
		id := uint32(b[4])<<24 | uint32(b[5])<<16 | uint32(b[6])<<8 | uint32(b[7])
		if b[0] != 0 || b[1] != 1 || b[2] != 0x80 || int(id) >= tw.shape.Sketchlets() {
			t.Fatalf("device, sketch and id: %x", b[:8])
		}
		want := sumax.Sketchlet{Device: 1, Interval: 1, ID: id, Cells: tw.sketches[1].Column(id)}
		if want := want.AppendTo(nil); !bytes.Equal(b[:sumax.SketchletBytes], want) {
			t.Fatalf("sketchlet %d is %x, want %x", id, b[:sumax.SketchletBytes], want)
		}
		carried++
		got[id] = true
		inBoth[id>>16]++
	}
	// With n = 40000 packets and N = 131072 sketchlets there are 34500 different first choices on average, and most of
	// the other 5500 choices are also new. Standard deviations are below 100.
	if n := len(got); n < 38_000 || n > 39_700 {
		t.Errorf("%d packets carried %d different sketchlets", carried, n)
	}
	if d := inBoth[0] - inBoth[1]; d < -1000 || d > 1000 { // five standard deviations
		t.Errorf("%d of the delay part, %d of the interval part", inBoth[0], inBoth[1])
	}
}
