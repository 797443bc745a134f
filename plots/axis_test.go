package plots

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"pgregory.net/rapid"
)

func labels(ticks []plot.Tick) string {
	var out []string
	for _, m := range ticks {
		if !m.IsMinor() {
			out = append(out, m.Label)
		}
	}
	return strings.Join(out, " | ")
}

func TestLogTicks(t *testing.T) {
	tests := []struct {
		lo, hi float64
		n      int
		unit   string
		want   string
	}{
		{1, 10, 4, "", "1 | 2 | 5 | 10"},
		{1, 20, 4, "", "1 | 2 | 5 | 10 | 20"},
		{1, 1000, 4, "", "1 | 10 | 100 | 1000"},
		{1, 100, 9, "", "1 | 2 | 5 | 10 | 20 | 50 | 100"},
		{0.001, 1, 5, "", "0.001 | 0.01 | 0.1 | 1"},
		{1e-6, 1, 4, "", "10⁻⁶ | 10⁻⁴ | 10⁻² | 10⁰"},
		{1, 1e7, 8, "", "10⁰ | 10¹ | 10² | 10³ | 10⁴ | 10⁵ | 10⁶ | 10⁷"},
		{100, 1e7, 6, InBytes, "100 B | 1 KB | 10 KB | 100 KB | 1 MB | 10 MB"},
		{1e-6, 1e-3, 4, InSeconds, "1 µs | 10 µs | 100 µs | 1 ms"},
		{1e-12, 1e-9, 4, InSeconds, "1 ps | 10 ps | 100 ps | 1 ns"},
		{1e9, 4e11, 4, InBitsPerSecond, "1 Gb/s | 10 Gb/s | 100 Gb/s"},
		{2, 5, 4, "", "2 | 3 | 5"},
		{1, 1.5, 4, "", "1 | 1.2 | 1.4"},
	}
	for _, tt := range tests {
		if got := labels(logTicks(tt.lo, tt.hi, tt.n, tt.unit)); got != tt.want {
			t.Errorf("log ticks of %v to %v (%d, %q): %s, want %s", tt.lo, tt.hi, tt.n, tt.unit, got, tt.want)
		}
	}
}

func TestLinearTicks(t *testing.T) {
	tests := []struct {
		axis   Axis
		data   [2]float64
		room   float64
		want   string
		label  string
		lo, hi float64
	}{
		{Axis{Label: "a"}, [2]float64{0, 71}, 140, "0 | 20 | 40 | 60 | 80", "a", 0, 80},
		{Axis{Label: "a", Unit: "%"}, [2]float64{1, 1.25}, 100, "1.00 | 1.05 | 1.10 | 1.15 | 1.20 | 1.25", "a (%)",
			0.99, 1.26},
		{Axis{Label: "q", Unit: InBytes}, [2]float64{0, 270e3}, 100, "0 | 100 | 200 | 300", "q (KB)", 0, 300e3},
		{Axis{Label: "t", Unit: InSeconds}, [2]float64{0, 1.9e-3}, 100, "0 | 0.5 | 1.0 | 1.5 | 2.0", "t (ms)", 0, 2e-3},
		{Axis{Label: "r", Unit: InBitsPerSecond}, [2]float64{0, 100e9}, 100, "0 | 20 | 40 | 60 | 80 | 100", "r (Gb/s)",
			0, 104e9},
		{Axis{Label: "d"}, [2]float64{-15, 4}, 100, "−15 | −10 | −5 | 0 | 5", "d", -15.76, 5},
		{Axis{Unit: InBytes}, [2]float64{0, 270e3}, 40, "0 | 200", "KB", 0, 280.8e3},
		{Axis{Label: "h", Whole: true}, [2]float64{4, 5}, 100, "4 | 5", "h", 3.96, 5.04},
		{Axis{Label: "c", Min: At(0), Max: At(1)}, [2]float64{0.2, 0.4}, 100, "0 | 0.2 | 0.4 | 0.6 | 0.8 | 1.0", "c", 0,
			1},
		{Axis{Label: "same"}, [2]float64{7, 7}, 100, "0 | 2 | 4 | 6 | 8", "same", 0, 8},
		{Axis{Label: "zero"}, [2]float64{0, 0}, 60, "0 | 0.5 | 1.0", "zero", 0, 1.04},
		{Axis{}, [2]float64{0, 1}, 60, "0 | 0.5 | 1.0", "", 0, 1.04},
		{Axis{Label: "n", Unit: "packets"}, [2]float64{0, 7e6}, 60, "0 | 2.5 | 5.0 | 7.5", "n (million packets)", 0,
			7.5e6},
		{Axis{Label: "p"}, [2]float64{1e-5, 4e-5}, 60, "0 | 20 | 40", "p (×10⁻⁶)", 0, 4.16e-5},
		{Axis{Label: "n"}, [2]float64{0, 40000}, 60, "0 | 20,000 | 40,000", "n", 0, 41600},
	}
	for _, tt := range tests {
		tt.axis.Scale = Linear
		e := newExtent()
		e.add(tt.data[:]...)
		a := settle(&tt.axis, e, tt.room, 20)
		if got := labels(a.ticks); got != tt.want || a.label != tt.label {
			t.Errorf("ticks of %v: %s, %q, want %s, %q", tt.data, got, a.label, tt.want, tt.label)
		}
		if math.Abs(a.lo-tt.lo) > 1e-3*math.Abs(tt.hi) || math.Abs(a.hi-tt.hi) > 1e-3*math.Abs(tt.hi) {
			t.Errorf("range of %v: %v to %v, want %v to %v", tt.data, a.lo, a.hi, tt.lo, tt.hi)
		}
	}
}

// For any data, the axis covers the data. It has at least two different labels, they are in order, and there are as
// many as fit.
func TestTicksOfAnyData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.SampledFrom([]Scale{Linear, Log}).Draw(t, "scale")
		exp := rapid.Float64Range(-9, 9).Draw(t, "exponent")
		span := rapid.Float64Range(0, 9).Draw(t, "span")
		lo := math.Pow(10, exp)
		hi := lo * (1 + math.Pow(10, span-3))
		if scale == Linear && rapid.Bool().Draw(t, "negative") {
			lo = -lo
		}
		desc := &Axis{Scale: scale,
			Unit: rapid.SampledFrom([]string{"", "%", InBytes, InSeconds, InBitsPerSecond}).Draw(t, "unit")}
		e := newExtent()
		e.add(lo, hi)
		e.across = rapid.Bool().Draw(t, "across")
		const room, each = 120.0, 20.0
		a := settle(desc, e, room, each)
		for _, v := range []float64{lo, hi} {
			if p := a.at(v); p < -1e-6 || p > 1+1e-6 {
				t.Fatalf("%v is at %v of the axis %v to %v", v, p, a.lo, a.hi)
			}
		}
		seen, n, last := map[string]bool{}, 0, math.Inf(-1)
		for _, m := range a.ticks {
			if p := a.at(m.Value); p < -1e-6 || p > 1+1e-6 {
				t.Fatalf("tick %v is at %v of the axis", m.Value, p)
			}
			if m.IsMinor() {
				continue
			}
			n++
			if m.Value <= last {
				t.Fatalf("ticks out of order: %s", labels(a.ticks))
			}
			last = m.Value
			if key := m.Label; seen[key] {
				t.Fatalf("two ticks read %q: %s", key, labels(a.ticks))
			} else {
				seen[key] = true
			}
		}
		if n < 2 || n > 2*room/each {
			t.Fatalf("%d ticks on %v to %v: %s", n, a.lo, a.hi, labels(a.ticks))
		}
	})
}

func TestSizeTicks(t *testing.T) {
	twenty := []float64{0}
	for i := range 20 {
		twenty = append(twenty, 100*math.Pow(2, float64(i)))
	}
	a := settle(&Axis{Scale: SizeBuckets, Sizes: twenty}, newExtent(), 200, 40)
	want := "200 B | 800 B | 3.2 KB | 13 KB | 51 KB | 205 KB | 819 KB | 3.3 MB | 13 MB | 52 MB"
	if got := labels(a.ticks); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if a.ticks[0].Value != 10 || a.ticks[9].Value != 100 {
		t.Errorf("ticks from %v to %v, want 10 to 100", a.ticks[0].Value, a.ticks[9].Value)
	}
	three := settle(&Axis{Scale: SizeBuckets, Sizes: []float64{0, 1e3, 1e4, 1e6}}, newExtent(), 200, 40)
	if got := labels(three.ticks); got != "1 KB | 10 KB | 1 MB" {
		t.Errorf("three buckets: %s", got)
	}
}

// Adjacent panels share a label only if they share the whole axis.
func TestSharedLabels(t *testing.T) {
	panel := func(most float64) Panel {
		return Panel{X: Axis{Scale: Linear}, Y: Axis{Label: "Slowdown", Scale: Linear, Min: At(0), Max: At(most)},
			Series: []Series{{Name: "a", Style: Line, X: Values{1, 2}, Y: Values{1, 2}}}}
	}
	l := arrange(&Figure{Panels: []Panel{panel(2), panel(2), panel(3)}})
	for i, want := range []string{"Slowdown", "", "Slowdown"} {
		if got := l.panels[i].plot.Y.Label.Text; got != want {
			t.Errorf("panel %d has the label %q, want %q", i, got, want)
		}
	}
}
