package trace

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/hash"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/pint/coding"
	"pintlab/pint/global"
)

// A mark has 16 bits: 3 for the number, 5 for the distance and 8 for the content.
func TestMarkLayout(t *testing.T) {
	m := mark{number: 5, distance: 19, content: 0xa7}
	if got := m.pack(); got != 5<<13|19<<8|0xa7 {
		t.Errorf("pack = %#x", got)
	}
	if got := unpackMark(m.pack()); got != m {
		t.Errorf("unpack = %+v, want %+v", got, m)
	}
}

func TestPPMInterleaving(t *testing.T) {
	if got := spread(0b1011); got != 0b1000101 {
		t.Errorf("spread(1011) = %b, want 1000101", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Uint32().Draw(t, "x")
		if got := gather(spread(x)); got != x {
			t.Fatalf("gather(spread(%#x)) = %#x", x, got)
		}
	})
}

// Encode computes a mark in one step. The result equals the mark that the switches write one after the other.
func TestMarkingHopByHop(t *testing.T) {
	m := ispMap(t, topo.ISP{Nodes: 40, Links: 48, Diameter: 14, Rate: 1})
	rapid.Check(t, func(t *rapid.T) {
		// Draw the length separately, because rapid's slices rarely exceed the 31 hops that the distance can count.
		hops := rapid.SampledFrom([]int{1, 2, 3, 10, 31, 32, 33, 34, 50, 70}).Draw(t, "hops")
		path := rapid.SliceOfN(rapid.Uint64Range(0, 39), hops, hops).Draw(t, "path")
		f := global.Fast(rapid.Uint64().Draw(t, "seed"))
		ppm, err := NewPPM(f, len(path))
		if err != nil {
			t.Fatal(err)
		}
		ams, err := NewAMS2(f, m, 5, len(path))
		if err != nil {
			t.Fatal(err)
		}
		packet := rapid.Uint64().Draw(t, "packet")
		a, b := uint64(0), uint64(0)
		for i, v := range path {
			a, b = ppm.Hop(packet, i+1, v, a), ams.Hop(packet, i+1, v, b)
		}
		if want := ppm.Encode(packet, path); a != want {
			t.Fatalf("PPM: hop by hop %#x, at once %#x", a, want)
		}
		if want := ams.Encode(packet, path); b != want {
			t.Fatalf("AMS2: hop by hop %#x, at once %#x", b, want)
		}
	})
}

func TestPeersNoticeContradictions(t *testing.T) {
	m := ispMap(t, topo.ISP{Nodes: 40, Links: 48, Diameter: 14, Rate: 1})
	f := global.Fast(1)
	p, err := NewPaths(m, nil, []int{8})
	if err != nil {
		t.Fatal(err)
	}
	path := make([]uint64, 8)
	for i, sw := range p.pairs[8][0] {
		path[7*i] = uint64(sw)
	}
	ppm, err := NewPPM(f, 8)
	if err != nil {
		t.Fatal(err)
	}
	ams, err := NewAMS2(f, m, 5, 8)
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]struct {
		coding.Decoder
		encode func(uint64, []uint64) uint64
	}{"PPM": {ppm, ppm.Encode}, "AMS2": {ams, ams.Encode}} {
		p.Draw(hash.Stream(1, "test/trace"), path)
		for id := uint64(0); id < 100; id++ {
			if err := d.Add(id, d.encode(id, path)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		p.Draw(hash.Stream(2, "test/trace"), path)
		var got error
		for id := uint64(1000); id < 2000 && got == nil; id++ {
			got = d.Add(id, d.encode(id, path))
		}
		if !errors.Is(got, coding.ErrInconsistent) || d.Done() {
			t.Errorf("%s does not notice another path: %v", name, got)
		}
		if _, ok := d.Value(1); ok {
			t.Errorf("%s still knows hop 1", name)
		}
		d.Reset()
		if err := d.Add(1, 1<<16); err == nil || !strings.Contains(err.Error(), "mark 0x10000 has more than 16 bits") {
			t.Errorf("%s takes a mark of 17 bits: %v", name, err)
		}
		if err := d.Add(1, d.encode(1, path)^1<<13); !errors.Is(err, coding.ErrInconsistent) {
			t.Errorf("%s takes a mark with the wrong number: %v", name, err)
		}
	}
}

func TestPeerErrors(t *testing.T) {
	m := ispMap(t, topo.ISP{Nodes: 40, Links: 48, Diameter: 14, Rate: 1})
	if _, err := NewPPM(global.Fast(1), 0); err == nil || !strings.Contains(err.Error(), "path of 0 switches") {
		t.Errorf("no hops: %v", err)
	}
	if _, err := NewAMS2(global.Fast(1), m, 5, 300); err == nil ||
		!strings.Contains(err.Error(), "path of 300 switches") {
		t.Errorf("300 hops: %v", err)
	}
	for _, need := range []int{0, 9} {
		if _, err := NewAMS2(global.Fast(1), m, need, 5); err == nil || !strings.Contains(err.Error(), "want 1 to 8") {
			t.Errorf("m = %d: %v", need, err)
		}
	}
}

// Paths drawn together have the same ends and are shortest paths between them. The first of several paths is the path
// that the same seed draws alone.
func TestDrawTogether(t *testing.T) {
	g, err := schema.Default[topo.KAry]().Build()
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewMap(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPaths(m, HostSwitches(g), []int{5})
	if err != nil {
		t.Fatal(err)
	}
	draw := func(n int, seed uint64) [][]uint64 {
		paths := make([][]uint64, n)
		for i := range paths {
			paths[i] = make([]uint64, 5)
		}
		p.Draw(hash.Stream(seed, "test/together"), paths...)
		return paths
	}
	differ := false
	for seed := range uint64(20) {
		together := draw(8, seed)
		if !slices.Equal(together[0], draw(1, seed)[0]) {
			t.Errorf("seed %d: the first path depends on others", seed)
		}
		for _, path := range together {
			if path[0] != together[0][0] || path[4] != together[0][4] {
				t.Errorf("seed %d: from %d to %d, want from %d to %d",
					seed, path[0], path[4], together[0][0], together[0][4])
			}
			differ = differ || !slices.Equal(path, together[0])
		}
	}
	if !differ {
		t.Error("all paths are the same")
	}
}
