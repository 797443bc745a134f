package trace

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/hash"
	"pintlab/netsim/topo"
	"pintlab/pint/coding"
	"pintlab/pint/global"
)

func newCode(t interface{ Fatal(...any) }, c coding.Config) *coding.Code {
	code, err := coding.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func newTracer(t interface{ Fatal(...any) }, m *Map, c coding.Config, o Options) *Tracer {
	tr, err := NewTracer(m, newCode(t, c), o)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// drawCode returns a code whose digests carry few bits, so that ambiguity is common.
func drawCode(t *rapid.T) coding.Config {
	c := coding.Config{
		Mode:      rapid.SampledFrom([]coding.Mode{coding.Hash, coding.Linear, coding.Fragments}).Draw(t, "mode"),
		Bits:      rapid.IntRange(1, 4).Draw(t, "bits"),
		Instances: rapid.IntRange(1, 3).Draw(t, "instances"),
		Family:    rapid.SampledFrom([]global.Family{global.Fast(3), global.CRC(4)}).Draw(t, "family"),
	}
	if c.Mode != coding.Hash {
		c.ValueBits = 4
	}
	for range c.Instances {
		c.Schemes = append(c.Schemes, rapid.SampledFrom([]coding.Scheme{
			coding.Baseline(), coding.XOR(1), coding.XOR(0.1), coding.Interleaved(0.5, 0.3), coding.MultiLayer(20, 2),
		}).Draw(t, "scheme"))
	}
	return c
}

// The test compares decoders with a list of all paths after every packet. An eager decoder is done exactly when one
// simple path agrees with all digests, and a patient decoder is not done before that. Neither excludes a possible
// switch.
func TestDecoderAgainstAllPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMap(t, drawGraph(t, 9), nil)
		hops := rapid.SampledFrom([]int{1, 2, 3, 4, 5, 6}).Draw(t, "hops")
		left := simplePaths(m, hops)
		c := drawCode(t)
		eager := newTracer(t, m, c, Options{eager: true})
		a, err := eager.Decoder(hops)
		if len(left) == 0 {
			if err == nil && hops <= m.window {
				t.Fatal("a decoder for a length that no path has")
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		patient := newTracer(t, m, c, Options{})
		b, err := patient.Decoder(hops)
		if err != nil {
			t.Fatal(err)
		}
		path := rapid.SampledFrom(left).Draw(t, "path")
		for n := range rapid.SampledFrom([]int{1, 5, 15, 30}).Draw(t, "packets") {
			id := uint64(n)
			digest := a.encode(id, path)
			left = slices.DeleteFunc(left, func(p []int32) bool { return a.encode(id, p) != digest })
			for _, d := range []*Decoder{a, b} {
				if err := d.Add(id, digest); err != nil {
					t.Fatal(err)
				}
				if d.Done() && len(left) != 1 {
					t.Fatalf("done with %d paths left", len(left))
				}
				checkPossible(t, d, left)
			}
			if a.Done() != (len(left) == 1) || a.Paths() != len(left) {
				t.Fatalf("done: %v with %d paths, there are %d", a.Done(), a.Paths(), len(left))
			}
		}
	})
}

func checkPossible(t *rapid.T, d *Decoder, left [][]int32) {
	determined := 0
	for hop := 1; hop <= d.hops; hop++ {
		var want []topo.NodeID
		for _, p := range left {
			want = append(want, d.t.m.switches[p[hop-1]])
		}
		slices.Sort(want)
		want = slices.Compact(want)
		if len(want) == 1 {
			determined++
		}
		got := d.Switches(hop)
		for _, sw := range want {
			if !slices.Contains(got, sw) {
				t.Fatalf("hop %d: switch %d is ruled out, but possible", hop, sw)
			}
		}
		if v, ok := d.Value(hop); ok && (len(want) != 1 || v != d.t.m.values[d.t.m.index[want[0]]]) {
			t.Fatalf("hop %d: claims %d, possible are %v", hop, v, want)
		}
		if d.Candidates(hop) != len(got) {
			t.Fatalf("hop %d: %d candidates, %d switches", hop, d.Candidates(hop), len(got))
		}
	}
	if d.Known() > determined {
		t.Fatalf("%d hops known, %d are determined", d.Known(), determined)
	}
}

// In a diamond 0-1-3, 0-2-3 the end switches do not determine the branch. With one bit per packet and XORs of all hops,
// each packet distinguishes the two paths (and their reverses) with probability 1/2.
func TestDiamondByHand(t *testing.T) {
	m := newMap(t, graphOf(4, [2]int{0, 1}, [2]int{1, 3}, [2]int{0, 2}, [2]int{2, 3}), nil)
	tr := newTracer(t, m, coding.Config{Schemes: []coding.Scheme{coding.Baseline()}, Mode: coding.Full, Bits: 2,
		Instances: 1, ValueBits: 2}, Options{eager: true})
	d, err := tr.Decoder(3)
	if err != nil {
		t.Fatal(err)
	}
	find := func(hop int) uint64 {
		for p := uint64(0); ; p++ {
			if set, _ := tr.code.Actors(0, p, 3); set.Has(hop) {
				return p
			}
		}
	}
	// Paths of three switches connect every pair of opposite corners, in both directions and over both branches.
	steps := []struct {
		hop   int
		value uint64
		left  int
	}{
		{1, 0, 2}, // from 0 to 3, over 1 or over 2, but never back to 0
		{3, 3, 2}, // known before
		{2, 1, 1}, // by 1
	}
	for _, s := range steps {
		if err := d.Add(find(s.hop), s.value); err != nil {
			t.Fatal(err)
		}
		if d.Paths() != s.left {
			t.Fatalf("after hop %d: %d paths left, want %d", s.hop, d.Paths(), s.left)
		}
	}
	if path, ok := d.Path(); !ok || !slices.Equal(path, []topo.NodeID{0, 1, 3}) {
		t.Errorf("path %v (%v), want [0 1 3]", path, ok)
	}
	if d.Walks() != 0 {
		t.Errorf("one path left, but 2^%v walks", d.Walks())
	}
	// Switch 3 is not a neighbour of both 0 and 3, so there is a contradiction.
	if err := d.Add(find(2)+0, 3); !errors.Is(err, coding.ErrInconsistent) {
		t.Errorf("3 between 0 and 3: %v", err)
	}
}

// If only one path is possible, the first packet determines it.
func TestOnePathIsKnownAtOnce(t *testing.T) {
	m := newMap(t, graphOf(1), nil)
	d, err := newTracer(t, m, LinearCode(m, 2, 8), Options{}).Decoder(1)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Add(7, d.encode(7, []int32{0})); err != nil || !d.Done() {
		t.Errorf("after one packet: done %v, %v", d.Done(), err)
	}
}

// A path longer than any in the network is an error.
func TestDecoderErrors(t *testing.T) {
	m := newMap(t, graphOf(3, [2]int{0, 1}, [2]int{1, 2}), []uint64{1, 2, 900})
	c := coding.Config{Schemes: []coding.Scheme{coding.Baseline()}, Mode: coding.Hash, Bits: 8, Instances: 1}
	tr := newTracer(t, m, c, Options{})
	for hops, want := range map[int]string{
		0: "path of 0 switches: want 1 to 256", 257: "path of 257 switches",
		4: "path of 4 switches: the network of 3 switches has none",
	} {
		if _, err := tr.Decoder(hops); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d hops: %v, want %q", hops, err, want)
		}
	}
	d, err := tr.Decoder(3)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Add(9, 256); err == nil ||
		!strings.Contains(err.Error(), "packet 9: digest 0x100 has more than 8 bits") {
		t.Errorf("a digest too wide: %v", err)
	}
	c.Mode, c.ValueBits = coding.Linear, 4
	if _, err := NewTracer(m, newCode(t, c), Options{}); err == nil ||
		!strings.Contains(err.Error(), "value 900 has more than 4 bits") {
		t.Errorf("an ID too wide: %v", err)
	}
	for _, effort := range []int{-1, maxEffort + 1} {
		if _, err := NewTracer(m, tr.code, Options{Effort: effort}); err == nil ||
			!strings.Contains(err.Error(), "effort") {
			t.Errorf("effort %d: %v", effort, err)
		}
	}
}

// The decoder detects a route change, reports it until Reset, and then finds the new path.
func TestRouteChange(t *testing.T) {
	m := ispMap(t, topo.USCarrierISP())
	tr := newTracer(t, m, AwareCode(m, 36, 2, 8), Options{})
	p, err := NewPaths(m, nil, []int{12})
	if err != nil {
		t.Fatal(err)
	}
	draw := func(i uint64) []uint64 {
		path := make([]uint64, 12)
		p.Draw(hash.Stream(1, "test/route", i), path)
		return path
	}
	for i := range uint64(20) {
		before, after := draw(2*i), draw(2*i+1)
		d, err := tr.Decoder(12)
		if err != nil {
			t.Fatal(err)
		}
		feed := func(path []uint64, from uint64) (err error) {
			for id := from; id < from+60 && err == nil; id++ {
				err = d.Add(id, tr.code.Encode(id, path))
			}
			return err
		}
		if err := feed(before, 0); err != nil || !d.Done() {
			t.Fatalf("flow %d: %v, done: %v", i, err, d.Done())
		}
		if err := feed(after, 1000); !errors.Is(err, coding.ErrInconsistent) || d.Done() || d.Known() != 0 ||
			d.Switches(3) != nil {
			t.Fatalf("flow %d: the new route is not noticed: %v", i, err)
		}
		if err := d.Add(5, tr.code.Encode(5, before)); !errors.Is(err, coding.ErrInconsistent) {
			t.Fatalf("flow %d: the contradiction is forgotten: %v", i, err)
		}
		d.Reset()
		if err := feed(after, 2000); err != nil || !d.Done() {
			t.Fatalf("flow %d after Reset: %v, done: %v", i, err, d.Done())
		}
	}
}

// For any digests the decoder does not panic. A decoded path agrees with every accepted digest, is a path of the
// network, and crosses no switch twice.
func FuzzDecoder(f *testing.F) {
	f.Add([]byte{0, 9, 1, 2, 3, 4, 5, 6})
	f.Add([]byte{1, 30, 255, 0, 255, 0, 1, 1, 2, 2})
	f.Add([]byte{2, 0, 7, 7, 8, 8, 9, 9, 7, 6})
	m := ispMap(f, topo.ISP{Nodes: 40, Links: 48, Diameter: 14, Rate: 1})
	codes := []coding.Config{AwareCode(m, 40, 2, 8), AwareCode(m, 40, 1, 1), AwareCode(m, 15, 1, 4),
		HashCode(1, 4, coding.Interleaved(0.5, 0.1))}
	var tracers []*Tracer
	for _, c := range codes {
		tracers = append(tracers, newTracer(f, m, c, Options{Effort: 1 << 12}))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 {
			return
		}
		tr := tracers[int(data[0])%len(tracers)]
		d, err := tr.Decoder(1 + int(data[1])%15)
		if err != nil {
			t.Fatal(err)
		}
		var accepted []received
		for i := 2; i+1 < len(data); i += 2 {
			r := received{uint64(data[i]), uint64(data[i+1])<<8 | uint64(data[i])}
			r.digest &= 1<<tr.code.Width() - 1
			if d.Add(r.packet, r.digest) != nil {
				break
			}
			accepted = append(accepted, r)
			if !d.Done() {
				continue
			}
			path := d.paths
			for j, sw := range path {
				if slices.Contains(path[:j], sw) || j > 0 && !slices.Contains(m.neighbours.of(path[j-1]), sw) {
					t.Fatalf("%v is not a path", path)
				}
			}
			for _, r := range accepted {
				if d.encode(r.packet, path) != r.digest {
					t.Fatalf("path %v does not agree with packet %d", path, r.packet)
				}
			}
		}
		d.Known()
	})
}

// One bit of an early packet is wrong, so that the decoder excludes the true path. It may report a false path for some
// time, but after 40 more packets (640 bits) it detects a contradiction for every such flow.
func TestCorruptionIsNoticed(t *testing.T) {
	m := ispMap(t, topo.USCarrierISP())
	tr := newTracer(t, m, AwareCode(m, 36, 2, 8), Options{})
	p, err := NewPaths(m, nil, []int{20})
	if err != nil {
		t.Fatal(err)
	}
	d, err := tr.Decoder(20)
	if err != nil {
		t.Fatal(err)
	}
	path := make([]uint64, 20)
	for i := range uint64(100) {
		r := hash.Stream(2, "test/corrupt", i)
		p.Draw(r, path)
		d.Reset()
		var got error
		for n := uint64(0); n < 42 && got == nil; n++ {
			digest := tr.code.Encode(i<<32|n, path)
			if n == 1 {
				digest ^= 1 << r.IntN(16)
			}
			got = d.Add(i<<32|n, digest)
		}
		if !errors.Is(got, coding.ErrInconsistent) {
			t.Fatalf("flow %d: a wrong bit is not noticed: %v, done: %v", i, got, d.Done())
		}
	}
}

// The benchmark measures the mean time per packet while whole paths of 59 switches out of 754 are decoded, including
// the encoding.
func BenchmarkDecode(b *testing.B) {
	m := ispMap(b, topo.DefaultISP())
	for _, budget := range []struct{ instances, bits int }{{1, 1}, {1, 4}, {2, 8}} {
		b.Run(fmt.Sprintf("topology/%dx%d", budget.instances, budget.bits), func(b *testing.B) {
			tr := newTracer(b, m, AwareCode(m, 59, budget.instances, budget.bits), Options{})
			d, err := tr.Decoder(59)
			if err != nil {
				b.Fatal(err)
			}
			p, err := NewPaths(m, nil, []int{59})
			if err != nil {
				b.Fatal(err)
			}
			path := make([]uint64, 59)
			run := uint64(0)
			p.Draw(hash.Stream(1, "test/bench", run), path)
			b.ReportAllocs()
			b.ResetTimer()
			for n := range b.N {
				if err := d.Add(uint64(n), tr.code.Encode(uint64(n), path)); err != nil {
					b.Fatal(err)
				}
				if d.Done() {
					run++
					p.Draw(hash.Stream(1, "test/bench", run), path)
					d.Reset()
				}
			}
			b.ReportMetric(float64(b.N)/float64(run+1), "packets/path")
		})
	}
}
