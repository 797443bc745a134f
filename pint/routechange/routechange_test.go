package routechange

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pintlab/pint/coding"
	"pintlab/pint/global"
)

func mustCode(t testing.TB, f global.Family, s coding.Scheme, bits, instances int) *coding.Code {
	t.Helper()
	c, err := coding.New(coding.Config{
		Schemes: []coding.Scheme{s}, Mode: coding.Hash, Bits: bits, Instances: instances, Family: f})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// values returns the switch IDs 0 … 99.
func values() []uint64 {
	v := make([]uint64, 100)
	for i := range v {
		v[i] = uint64(i)
	}
	return v
}

func mustDecoder(t testing.TB, c *coding.Code, hops int) coding.Decoder {
	t.Helper()
	d, err := coding.NewDecoder(c, hops, values())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func know(m *monitor, path []uint64, hops ...int) {
	for _, h := range hops {
		m.learn(h, path[h-1])
	}
}

var (
	before = []uint64{10, 20, 30, 40, 50, 60}
	after  = []uint64{10, 20, 31, 41, 50, 60}
	all    = []int{1, 2, 3, 4, 5, 6}
)

// A digest of the known path is never reported as a change, for any known part of the path and any scheme.
func TestNoFalseAlarm(t *testing.T) {
	for _, s := range []coding.Scheme{coding.Baseline(), coding.XOR(0.3), coding.Hybrid(6), coding.MultiLayer(20, 2)} {
		for _, f := range []global.Family{global.Fast(1), global.CRC(1)} {
			c := mustCode(t, f, s, 8, 2)
			for _, hops := range [][]int{nil, {3}, {1, 2, 6}, all} {
				m, err := newMonitor(c, 6)
				if err != nil {
					t.Fatal(err)
				}
				know(m, before, hops...)
				consistent := 0
				for p := range uint64(2000) {
					v, err := m.Check(p, c.Encode(p, before))
					if err != nil || v == Inconsistent {
						t.Fatalf("%v, %v, hops %v: packet %d is %v, %v", s, f, hops, p, v, err)
					}
					if v == Consistent {
						consistent++
					}
				}
				if len(hops) == 6 && consistent != 2000 || len(hops) == 0 && s.Tau == 1 && consistent != 0 {
					t.Errorf("%v, hops %v: %d packets of 2000 are consistent", s, hops, consistent)
				}
			}
		}
	}
}

// Section 7: a Baseline packet of a changed hop is consistent with the old path with probability 2^-q. The test allows
// 4.5 standard deviations.
func TestMissOnBaseline(t *testing.T) {
	for _, q := range []int{1, 4, 8} {
		c := mustCode(t, global.Fast(uint64(q)), coding.Baseline(), q, 1)
		m, err := newMonitor(c, 6)
		if err != nil {
			t.Fatal(err)
		}
		know(m, before, all...)
		changed, missed := 0, 0
		for p := range uint64(120_000) {
			actors, _ := c.Actors(0, p, 6)
			if h := actors.First(); before[h-1] == after[h-1] {
				continue
			}
			changed++
			if v, _ := m.Check(p, c.Encode(p, after)); v == Consistent {
				missed++
			}
		}
		miss := math.Ldexp(1, -q)
		want := miss * float64(changed)
		if dev := math.Sqrt(want * (1 - miss)); math.Abs(float64(missed)-want) > 4.5*dev {
			t.Errorf("q = %d: %d of %d missed, want %.1f ± %.1f", q, missed, changed, want, dev)
		}
	}
}

// Chance agrees with measurements for all schemes, with unknown hops and with one and two instances, within 4.5
// standard deviations over 50 000 packets.
func TestChanceMeasured(t *testing.T) {
	const packets = 50_000
	for _, s := range []coding.Scheme{coding.Baseline(), coding.XOR(0.3), coding.Hybrid(6), coding.MultiLayer(20, 2)} {
		for _, instances := range []int{1, 2} {
			for _, hops := range [][]int{all, {1, 3, 4, 6}, {2, 3}} {
				c := mustCode(t, global.Fast(3), s, 4, instances)
				m, err := newMonitor(c, 6)
				if err != nil {
					t.Fatal(err)
				}
				know(m, before, hops...)
				ch := Change{Hops: 6, Unknown: 6 - len(hops)}
				for _, h := range hops {
					if before[h-1] != after[h-1] {
						ch.Changed++
					}
				}
				want, err := Chance(c, ch)
				if err != nil {
					t.Fatal(err)
				}
				seen := 0
				for p := range uint64(packets) {
					if v, _ := m.Check(p, c.Encode(p, after)); v == Inconsistent {
						seen++
					}
				}
				if dev := math.Sqrt(packets * want * (1 - want)); math.Abs(float64(seen)-packets*want) > 4.5*dev {
					t.Errorf("%v, %d instances, hops %v: %d of %d packets show the change, want %.0f ± %.0f",
						s, instances, hops, seen, packets, packets*want, dev)
				}
			}
		}
	}
}

// All packets are Baseline packets with 8 bits, and 2 of 6 hops have changed. One packet detects the change with
// probability 1/3·255/256 = 0.332. Because ln 0.01/ln(1−0.332) = 11.4, 12 packets detect the change with a probability
// of 99 %.
func TestChanceByHand(t *testing.T) {
	c := mustCode(t, global.Fast(1), coding.Baseline(), 8, 1)
	p, err := Chance(c, Change{Hops: 6, Changed: 2})
	if err != nil || math.Abs(p-255./768) > 1e-15 {
		t.Errorf("chance %v, %v; want %v", p, err, 255./768)
	}
	if n, ok := Packets(p, 0.99); !ok || n != 12 {
		t.Errorf("%d packets, %v; want 12", n, ok)
	}
	if _, ok := Packets(0, 0.5); ok {
		t.Error("a change that never shows is noticed")
	}
	if n, ok := Packets(1, 0.5); !ok || n != 1 {
		t.Errorf("a change that always shows takes %d packets", n)
	}
	if _, err := Chance(c, Change{Hops: 3, Changed: 2, Unknown: 2}); err == nil {
		t.Error("4 of 3 hops are accepted")
	}
}

// A flow changes its path twice. There are three epochs, each with its own path. The boundaries between them are at
// most 60 packets after the true boundaries, and never before them.
func TestTracker(t *testing.T) {
	c := mustCode(t, global.Fast(9), coding.Hybrid(6), 8, 2)
	tr, err := NewTracker(c, 6, mustDecoder(t, c, 6))
	if err != nil {
		t.Fatal(err)
	}
	third := []uint64{10, 21, 31, 42, 51, 60}
	paths := [][]uint64{before, after, third}
	changes := 0
	for p := range uint64(900) {
		changed, err := tr.Add(p, c.Encode(p, paths[p/300]))
		if err != nil {
			t.Fatal(err)
		}
		if changed {
			changes++
			if late := p % 300; late > 60 || p/300 != uint64(changes) {
				t.Errorf("change %d is noticed at packet %d", changes, p)
			}
		}
	}
	epochs := tr.Epochs()
	if len(epochs) != 3 || changes != 2 {
		t.Fatalf("%d epochs, %d changes: %+v", len(epochs), changes, epochs)
	}
	sum := 0
	for i, e := range epochs {
		if !slices.Equal(e.Path, paths[i]) || e.Decoded == 0 || e.Decoded > 60 || int(e.Last-e.First)+1 != e.Packets {
			t.Errorf("epoch %d: %+v, want path %v", i, e, paths[i])
		}
		sum += e.Packets
	}
	if sum != 900 {
		t.Errorf("the epochs have %d packets of 900", sum)
	}
}

// The decoder detects a change before the path is known. The epoch before the change then has no path.
func TestTrackerChangeWhileLearning(t *testing.T) {
	c := mustCode(t, global.Fast(2), coding.Baseline(), 4, 1)
	tr, err := NewTracker(c, 6, mustDecoder(t, c, 6))
	if err != nil {
		t.Fatal(err)
	}
	other := []uint64{70, 71, 72, 73, 74, 75}
	for p := range uint64(6) {
		if _, err := tr.Add(p, c.Encode(p, before)); err != nil {
			t.Fatal(err)
		}
	}
	for p := uint64(6); p < 600; p++ {
		if _, err := tr.Add(p, c.Encode(p, other)); err != nil {
			t.Fatal(err)
		}
	}
	epochs := tr.Epochs()
	if last := epochs[len(epochs)-1]; len(epochs) < 2 || epochs[0].Path != nil || !slices.Equal(last.Path, other) {
		t.Errorf("epochs %+v, want the last on %v", epochs, other)
	}
	if _, err := tr.Add(1000, 1<<20); err == nil {
		t.Error("a digest of 21 bits is accepted")
	}
}

// A flow uses three paths at once, one of them shorter. The separator separates the packets by
// checksum, and decodes each path from its own packets.
func TestSeparator(t *testing.T) {
	for _, f := range []global.Family{global.Fast(4), global.CRC(4)} {
		c := mustCode(t, f, coding.Hybrid(6), 8, 1)
		sum, err := NewChecksum(f, 8)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewSeparator(c, 10, func(hops int) (coding.Decoder, error) {
			return coding.NewDecoder(c, hops, values())
		})
		if err != nil {
			t.Fatal(err)
		}
		paths := [][]uint64{before, after, {10, 20, 33, 60}}
		share := []int{0, 0, 0, 1, 1, 2}
		for p := range uint64(1200) {
			path := paths[share[p%6]]
			checksum := uint32(0)
			for i, id := range path {
				checksum = sum.Hop(i+1, id, checksum)
			}
			if checksum != sum.Path(path) {
				t.Fatalf("checksum %d hop by hop, %d at once", checksum, sum.Path(path))
			}
			if err := s.Add(p, c.Encode(p, path), checksum, len(path)); err != nil {
				t.Fatal(err)
			}
		}
		lanes := s.Lanes()
		if len(lanes) != 3 {
			t.Fatalf("%v: %d lanes", f, len(lanes))
		}
		for i, l := range lanes {
			if l.Mixed || !l.Decoder.Done() || l.Hops != len(paths[i]) || l.Packets != []int{600, 400, 200}[i] {
				t.Errorf("%v: lane %d: %+v", f, i, l)
				continue
			}
			for h := range paths[i] {
				if v, _ := l.Decoder.Value(h + 1); v != paths[i][h] {
					t.Errorf("%v: lane %d: hop %d is %d, want %d", f, i, h+1, v, paths[i][h])
				}
			}
		}
	}
}

// Two paths with equal checksums share a lane. The separator detects this, and does not report one of the paths for
// packets of the other.
func TestSeparatorMixed(t *testing.T) {
	c := mustCode(t, global.Fast(4), coding.Hybrid(6), 8, 1)
	s, err := NewSeparator(c, 1, func(hops int) (coding.Decoder, error) { return coding.NewDecoder(c, hops, values()) })
	if err != nil {
		t.Fatal(err)
	}
	for p := range uint64(200) {
		path := before
		if p%2 == 1 {
			path = after
		}
		if err := s.Add(p, c.Encode(p, path), 5, 6); err != nil {
			t.Fatal(err)
		}
	}
	if l := s.Lanes()[0]; !l.Mixed || l.Packets != 200 {
		t.Errorf("lane %+v, want mixed", l)
	}
	if err := s.Add(1, 0, 6, 6); !errors.Is(err, ErrLanes) {
		t.Errorf("a second path: %v, want ErrLanes", err)
	}
	if err := s.Add(1, 256, 5, 6); err == nil || errors.Is(err, ErrLanes) {
		t.Errorf("a wide digest: %v", err)
	}
}

// Checksums of random paths collide as often as the birthday formula predicts: 20 paths with 8 bits, 4000 trials,
// within 4.5 standard deviations. The order of switches matters.
func TestChecksumCollisions(t *testing.T) {
	const paths, bits, trials = 20, 8, 4000
	for _, f := range []global.Family{global.Fast(6), global.CRC(6)} {
		sum, err := NewChecksum(f, bits)
		if err != nil {
			t.Fatal(err)
		}
		collided := 0
		for trial := range uint64(trials) {
			seen := map[uint32]bool{}
			for i := range uint64(paths) {
				path := []uint64{trial, 100*trial + i, trial + 7, 100*trial + 50 + i}
				seen[sum.Path(path)] = true
			}
			if len(seen) < paths {
				collided++
			}
		}
		want := Collision(paths, bits)
		if dev := math.Sqrt(trials * want * (1 - want)); math.Abs(float64(collided)-trials*want) > 4.5*dev {
			t.Errorf("%v: %d of %d trials collide, want %.0f ± %.0f", f, collided, trials, trials*want, dev)
		}
		if sum.Path([]uint64{1, 2, 3}) == sum.Path([]uint64{3, 2, 1}) &&
			sum.Path([]uint64{1, 2, 4}) == sum.Path([]uint64{4, 2, 1}) {
			t.Errorf("%v: the order of switches does not matter", f)
		}
	}
	if got := Collision(2, 8); got != 1./256 {
		t.Errorf("two paths collide with %v, want 1/256", got)
	}
	if got := Collision(300, 8); got != 1 {
		t.Errorf("300 paths in 8 bits collide with %v", got)
	}
}

func TestRefused(t *testing.T) {
	c := mustCode(t, global.Fast(1), coding.Baseline(), 8, 1)
	if _, err := newMonitor(c, 0); err == nil {
		t.Error("a path of 0 hops is accepted")
	}
	if _, err := NewTracker(c, 257, nil); err == nil {
		t.Error("a path of 257 hops is accepted")
	}
	if _, err := NewChecksum(global.Fast(1), 33); err == nil {
		t.Error("a checksum of 33 bits is accepted")
	}
	if _, err := NewSeparator(c, 0, nil); err == nil {
		t.Error("a limit of 0 paths is accepted")
	}
	full, err := coding.New(coding.Config{
		Schemes: []coding.Scheme{coding.Baseline()}, Mode: coding.Full, Bits: 8, ValueBits: 8, Instances: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Chance(full, Change{Hops: 5, Changed: 1}); err == nil {
		t.Error("a chance for full values is given")
	}
}

// With arbitrary digests neither tracker nor separator fails, and the path of an epoch explains the first packets of
// this epoch.
func FuzzTracker(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8})
	f.Add([]byte("a longer text of digests that no path of switches ever wrote on packets"))
	c := mustCode(f, global.Fast(1), coding.Hybrid(4), 4, 2)
	f.Fuzz(func(t *testing.T, digests []byte) {
		tr, err := NewTracker(c, 4, mustDecoder(t, c, 4))
		if err != nil {
			t.Fatal(err)
		}
		for p, d := range digests {
			if _, err := tr.Add(uint64(p), uint64(d)); err != nil && !errors.Is(err, coding.ErrInconsistent) {
				t.Fatal(err)
			}
		}
		for _, e := range tr.Epochs() {
			if e.Path == nil {
				continue
			}
			for p := e.First; p <= e.Last; p++ {
				if got := c.Encode(p, e.Path); got != uint64(digests[p]) {
					t.Fatalf("epoch %+v: packet %d has %#x, its path gives %#x", e, p, digests[p], got)
				}
			}
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	c := mustCode(b, global.Fast(1), coding.Hybrid(6), 8, 2)
	m, err := newMonitor(c, 6)
	if err != nil {
		b.Fatal(err)
	}
	know(m, before, all...)
	b.ReportAllocs()
	p := uint64(0)
	for b.Loop() {
		p++
		if _, err := m.Check(p, 0); err != nil {
			b.Fatal(err)
		}
	}
}
