package trace

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"pintlab/netsim/topo"
	"pintlab/pint/coding"
	"pintlab/pint/global"
)

// The 16 bits: 3 of number, 5 of distance, 8 of content.
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

// What the study computes at once is what the switches do one after the other.
func TestMarkingHopByHop(t *testing.T) {
	m := ispMap(t, topo.ISP{Nodes: 40, Links: 48, Diameter: 14, Rate: 1})
	rapid.Check(t, func(t *rapid.T) {
		// Lengths drawn by hand: rapid's own slices are hardly ever longer than the 31 hops
		// that the distance can count.
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
		if want := ppm.encode(packet, path); a != want {
			t.Fatalf("PPM: hop by hop %#x, at once %#x", a, want)
		}
		if want := ams.encode(packet, path); b != want {
			t.Fatalf("AMS2: hop by hop %#x, at once %#x", b, want)
		}
	})
}

// PPM is a coupon collector of 8k fragments: n·H_n packets, standard deviation below
// n·π/√6; AMS2 waits for m of 8 functions at each of k hops: by an independent
// computation 1003 (m = 5) and 1318 (m = 6) packets for 59 hops. 200 runs, 4.5 standard
// errors; AMS2's deviation is below a fifth of its mean.
func TestPeersReference(t *testing.T) {
	m := ispMap(t, topo.DefaultISP())
	s := Study{Topology: "isp", Map: m, Lengths: []int{10, 59}, Trials: coding.Trials{Seed: 3, Runs: 200},
		Curves: []Curve{{Label: "PPM", Method: PPMMarks}, {Label: "AMS2 5", Method: AMS2Marks, Match: 5}, {Label: "AMS2 6", Method: AMS2Marks, Match: 6}}}
	rows, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		want := amsPackets(r.Hops, map[string]int{"AMS2 5": 5, "AMS2 6": 6}[r.Curve])
		deviation := want / 4
		if r.Method == "PPM" {
			n := 8 * r.Hops
			want = 0
			for i := 1; i <= n; i++ {
				want += float64(n) / float64(i)
			}
			deviation = float64(n) * math.Pi / math.Sqrt(6)
		}
		if limit := 4.5 * deviation / math.Sqrt(float64(r.Runs)); math.Abs(r.Mean-want) > limit {
			t.Errorf("%s, %d hops: %v packets, want %v ± %v", r.Curve, r.Hops, r.Mean, want, limit)
		}
		if r.Bits != 16 || r.Failed != 0 {
			t.Errorf("%s: %d bits, %d failed", r.Curve, r.Bits, r.Failed)
		}
	}
}

// amsPackets is the expected number of packets until each of k hops has shown at least
// m of 8 functions: the integral of the probability that it has not, with packets
// arriving as a Poisson process of rate one.
func amsPackets(k, m int) float64 {
	sum, dt := 0.0, 0.25
	for t := 0.0; t < 20000; t += dt {
		seen := 1 - math.Exp(-t/float64(8*k))
		enough := 0.0
		for n := m; n <= 8; n++ {
			enough += float64(choose8[n]) * math.Pow(seen, float64(n)) * math.Pow(1-seen, float64(8-n))
		}
		sum += (1 - math.Pow(enough, float64(k))) * dt
	}
	return sum
}

var choose8 = [9]int{1, 8, 28, 56, 70, 56, 28, 8, 1}

func TestPeersNoticeContradictions(t *testing.T) {
	m := ispMap(t, topo.ISP{Nodes: 40, Links: 48, Diameter: 14, Rate: 1})
	f := global.Fast(1)
	s := Study{Map: m, Lengths: []int{8}}
	p, err := s.newPaths()
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
	}{"PPM": {ppm, ppm.encode}, "AMS2": {ams, ams.encode}} {
		p.draw(testRand(1), path)
		for id := uint64(0); id < 100; id++ {
			if err := d.Add(id, d.encode(id, path)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		p.draw(testRand(2), path)
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
	if _, err := NewAMS2(global.Fast(1), m, 5, 300); err == nil || !strings.Contains(err.Error(), "path of 300 switches") {
		t.Errorf("300 hops: %v", err)
	}
	for _, need := range []int{0, 9} {
		if _, err := NewAMS2(global.Fast(1), m, need, 5); err == nil || !strings.Contains(err.Error(), "want 1 to 8") {
			t.Errorf("m = %d: %v", need, err)
		}
	}
}
