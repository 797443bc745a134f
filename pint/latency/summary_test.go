package latency

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

// By definition, the φ-quantile of 10, 20, 20, 40 is the smallest code c such that the codes up to c make up a share φ.
func TestQuantileByHand(t *testing.T) {
	items := []Weighted{{40, 1}, {10, 1}, {20, 2}}
	tests := []struct {
		phi  float64
		want uint16
	}{
		{0, 10}, {0.25, 10}, {0.2500001, 20}, {0.5, 20}, {0.75, 20}, {0.76, 40}, {1, 40},
	}
	for _, tt := range tests {
		if got, ok := Quantile(slices.Clone(items), tt.phi); !ok || got != tt.want {
			t.Errorf("Quantile(%v) = %d, %v, want %d", tt.phi, got, ok, tt.want)
		}
	}
	if _, ok := Quantile(nil, 0.5); ok {
		t.Error("nothing has a quantile")
	}
}

// Every exact kind returns the quantiles of the sorted codes.
func TestExactKinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		codes := rapid.SliceOfN(rapid.Uint16Range(0, 15), 1, 200).Draw(t, "codes")
		ring, _ := newNewest[uint8](len(codes))
		counts, _ := NewCounts(4)
		sketch, _ := newKLL[uint8](max(len(codes), minDigests), 1)
		sorted := slices.Clone(codes)
		slices.Sort(sorted)
		phi := rapid.Float64Range(0, 1).Draw(t, "phi")
		want := sorted[Rank(phi, uint64(len(sorted)))-1]
		for _, s := range []Summary{ring, counts, sketch} {
			for _, c := range codes {
				s.Add(c)
			}
			if got, ok := Quantile(s.Append(nil), phi); !ok || got != want || s.N() != uint64(len(codes)) ||
				s.Error(0.1) != 0 {
				t.Fatalf("%T: quantile %v of %v = %d, want %d; N %d, error %v",
					s, phi, codes, got, want, s.N(), s.Error(0.1))
			}
			s.Reset()
			if s.N() != 0 || len(s.Append(nil)) != 0 {
				t.Fatalf("%T: not empty after Reset", s)
			}
		}
	})
}

// A ring is an exact window. A window of panes represents only the newest values, between 3/4 of
// its length and its length.
func TestWindows(t *testing.T) {
	ring, err := newNewest[uint16](10)
	if err != nil {
		t.Fatal(err)
	}
	exact := Config{Kind: Histogram, Bits: 10, Space: 100_000, Window: 40}
	w, err := exact.NewSummary(1<<10, 0)
	if err != nil {
		t.Fatal(err)
	}
	for v := range uint16(1000) {
		ring.Add(v)
		w.Add(v)
		n := int(w.N())
		if int(v) >= 40 && (n <= 30 || n > 40) {
			t.Fatalf("after %d values a window of 40 speaks for %d", v+1, n)
		}
		for i, it := range sortedItems(w) {
			if want := int(v) - n + 1 + i; int(it.Code) != want {
				t.Fatalf("after %d values the window has %d as number %d, want %d", v+1, it.Code, i, want)
			}
		}
		for i, it := range sortedItems(ring) {
			if want := int(v) - int(ring.N()) + 1 + i; int(it.Code) != want {
				t.Fatalf("after %d values the ring has %d as number %d, want %d", v+1, it.Code, i, want)
			}
		}
	}
	w.Reset()
	if w.N() != 0 {
		t.Error("window not empty after Reset")
	}
}

func sortedItems(s Summary) []Weighted {
	items := s.Append(nil)
	slices.SortFunc(items, func(a, b Weighted) int { return int(a.Code) - int(b.Code) })
	return items
}

// After a change of the stream a windowed sketch forgets old values, but a plain sketch does not.
func TestWindowFollowsChange(t *testing.T) {
	base := Config{Kind: Sketch, Bits: 8, Space: 4000}
	windowed := base
	windowed.Window = 400
	for _, tt := range []struct {
		c    Config
		want uint16
	}{{base, 10}, {windowed, 200}} {
		f, err := NewFlow(tt.c, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		for range 5000 {
			f.Add(1, 10)
		}
		for range 400 {
			f.Add(1, 200)
		}
		if got, ok := f.Quantile(1, 0.5); !ok || got != tt.want {
			t.Errorf("window %d: median %d after the change, want %d", tt.c.Window, got, tt.want)
		}
	}
}

// For any kind and length of the stream, a flow stays within its space, and uses at least half of it unless it needs
// less.
func TestFlowStaysInSpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Config{
			Kind:   Kind(rapid.IntRange(0, len(kindNames)-1).Draw(t, "kind")),
			Bits:   rapid.IntRange(1, 16).Draw(t, "bits"),
			Space:  unit.Bytes(rapid.Int64Range(1, 20_000).Draw(t, "space")),
			Window: rapid.SampledFrom([]int{0, 0, 4, 50, 1000}).Draw(t, "window"),
			Seed:   1,
		}
		hops := rapid.IntRange(1, 12).Draw(t, "hops")
		f, err := NewFlow(c, hops, 7)
		if err != nil {
			// The message names a space that suffices.
			_, least, ok := strings.Cut(err.Error(), "accepted: ")
			if !ok {
				t.Fatalf("%v", err)
			}
			least, _, _ = strings.Cut(least, " or more")
			if c.Space, err = unit.ParseBytes(least); err != nil {
				t.Fatal(err)
			}
			if f, err = NewFlow(c, hops, 7); err != nil {
				t.Fatalf("the accepted space is refused: %v", err)
			}
		}
		for i := range 3000 {
			f.Add(1+i%hops, uint16(i*i)&(1<<c.Bits-1))
		}
		if size := f.SizeBytes(); size > int(c.Space) {
			t.Fatalf("%+v: %d bytes used", c, size)
		}
		if d, err := c.Digests(hops); err != nil || c.Kind == Sketch && c.Window == 0 && d < maxDigests &&
			2*f.SizeBytes() < int(c.Space) {
			t.Fatalf("%+v: %d bytes used, %d digests, %v", c, f.SizeBytes(), d, err)
		}
	})
}

func TestConfigRefuses(t *testing.T) {
	c := Config{Kind: 9, Bits: 17, Window: 3}
	want := `latency: bad store: kind = 9, want kll, raw or histogram
bits = 17, want 1 to 16
space = 0B, want more than 0B
window = 3, want 0 or at least 4 values`
	if err := c.validate(); !errtest.Says(err, want) {
		t.Errorf("Validate: %v, want %s", err, want)
	}
	c = Config{Kind: Sketch, Bits: 8, Space: 100}
	want = "a space of 100B is too small for 5 hops with a kll of 8-bit codes each (accepted: 624B or more)"
	if _, err := NewFlow(c, 5, 0); !errtest.Says(err, want) {
		t.Errorf("NewFlow: %v, want %s", err, want)
	}
	for k := range Kind(3) {
		var got Kind
		if err := got.UnmarshalText([]byte(k.String())); err != nil || got != k {
			t.Errorf("%q reads as %v, %v", k, got, err)
		}
	}
	if err := new(Kind).UnmarshalText([]byte("gk")); err == nil {
		t.Error("gk is accepted")
	}
}
