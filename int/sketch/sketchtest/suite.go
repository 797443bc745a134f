package sketchtest

import (
	"math"
	"testing"

	"pintlab/int/sketch"
)

// Suite tests the properties of sketches on which the commands of pintlab sketch depend. The memory must be ample for a
// thousand flows.
func Suite(t *testing.T, k sketch.Kind, memory int) {
	fresh := func(seed uint64) sketch.Sketch {
		s, err := k.New(sketch.Config{Memory: memory, Rows: 3, Bits: []int{2, 4, 8, 16, 32}, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if n := fresh(1).Memory(); n > memory {
		t.Errorf("%d bytes, want at most %d", n, memory)
	}
	if _, ok := fresh(1).(Frequency); ok {
		Run(t, Promise{}, func(seed uint64) Frequency { return fresh(seed).(Frequency) })
	}
	t.Run("Answers", func(t *testing.T) {
		s := fresh(1)
		empty(t, s)
		for key := range uint64(1000) {
			s.Insert(key, 1)
		}
		s.Insert(7, 9999)
		answers(t, s)
	})
	t.Run("Merge", func(t *testing.T) {
		if k.Merge == nil {
			return
		}
		a, b := fresh(1), fresh(1)
		a.Insert(3, 20)
		b.Insert(3, 5)
		b.Insert(4, 6)
		if err := k.Merge(a, b); err != nil {
			t.Fatal(err)
		}
		for key, want := range map[uint64]uint64{3: 25, 4: 6} {
			if e, ok := a.(sketch.Estimator); ok {
				if n, _ := e.Estimate(key); n != want {
					t.Errorf("after merging a flow has the size %d, want %d", n, want)
				}
			}
		}
	})
}

// empty checks the answers of a sketch without packets.
func empty(t *testing.T, s sketch.Sketch) {
	if c, ok := s.(sketch.FlowCounter); ok {
		if n, ok := c.Cardinality(); n != 0 || !ok {
			t.Errorf("an empty sketch counts %v flows (%t)", n, ok)
		}
	}
	if f, ok := s.(sketch.Finder); ok {
		if n := f.CountHeavy(1); n != 0 {
			t.Errorf("an empty sketch has %d heavy flows", n)
		}
	}
}

// answers checks the answers of a sketch with 999 flows of one packet, and flow 7 with 10,000.
func answers(t *testing.T, s sketch.Sketch) {
	if c, ok := s.(sketch.FlowCounter); ok {
		if n, ok := c.Cardinality(); !ok || math.Abs(n-1000) > 200 {
			t.Errorf("%v flows (%t), want about 1000", n, ok)
		}
	}
	if f, ok := s.(sketch.Finder); ok {
		if n, ok := f.Heavy(7); !ok || n < 5000 || f.CountHeavy(5000) != 1 {
			t.Errorf("the only heavy flow has the size %d (%t), of %d flows", n, ok, f.CountHeavy(5000))
		}
	}
	if c, ok := s.(sketch.SizeCounter); ok {
		flows, last := 0.0, uint64(0)
		for _, p := range c.Distribution(20) {
			if p.Size <= last || p.Flows < 0 {
				t.Errorf("%v flows of size %d after size %d", p.Flows, p.Size, last)
			}
			flows, last = flows+p.Flows, p.Size
		}
		if math.Abs(flows-1000) > 200 {
			t.Errorf("sizes of %v flows, want about 1000", flows)
		}
	}
	if e, ok := s.(sketch.EntropyMeter); ok {
		if x := e.Entropy(); !(x >= 0 && x <= 10) {
			t.Errorf("an entropy of %v bits, want at most log2 of 1000 flows", x)
		}
	}
}
