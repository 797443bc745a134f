package plots

import (
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"
)

// lin returns the linear light of a colour component.
func lin(v uint8) float64 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// lab returns a colour in CIE L*a*b* (D65), in which a distance of about 2 is just visible and a distance of 20 is
// obvious.
func lab(r, g, b float64) [3]float64 {
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x := f((0.4124*r + 0.3576*g + 0.1805*b) / 0.9505)
	y := f(0.2126*r + 0.7152*g + 0.0722*b)
	z := f((0.0193*r + 0.1192*g + 0.9505*b) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// visions transforms linear colours to what people with full colour deficiencies see: the matrices of Machado, Oliveira
// and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency" (IEEE TVCG 15(6), 2009),
// severity 1.0.
var visions = []struct {
	name string
	m    [3][3]float64
}{
	{"normal", [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
	{"protanopia", [3][3]float64{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
		{-0.003882, -0.048116, 1.051998}}},
	{"deuteranopia", [3][3]float64{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
		{-0.011820, 0.042940, 0.968881}}},
}

func seen(c color.NRGBA, m [3][3]float64) [3]float64 {
	v := [3]float64{lin(c.R), lin(c.G), lin(c.B)}
	var out [3]float64
	for i := range out {
		for j := range v {
			out[i] += m[i][j] * v[j]
		}
		out[i] = min(max(out[i], 0), 1)
	}
	return lab(out[0], out[1], out[2])
}

func distance(a, b [3]float64) float64 {
	return math.Sqrt(math.Pow(a[0]-b[0], 2) + math.Pow(a[1]-b[1], 2) + math.Pow(a[2]-b[2], 2))
}

func contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a)+0.05, luminance(b)+0.05
	return max(x, y) / min(x, y)
}

func darkOf(t *testing.T, c color.NRGBA) color.NRGBA {
	for _, d := range onDark {
		if d.light == c {
			return d.dark
		}
	}
	t.Fatalf("%v has no colour for dark pages", c)
	return c
}

// Any two colours differ clearly (ΔE > 20) for everybody, on light and on dark pages.
func TestColoursDiffer(t *testing.T) {
	for _, v := range visions {
		for i := range hues {
			for j := range i {
				if d := distance(seen(hues[i], v.m), seen(hues[j], v.m)); d < 20 {
					t.Errorf("%s: colours %d and %d are %.1f apart", v.name, i, j, d)
				}
				if d := distance(seen(darkOf(t, hues[i]), v.m), seen(darkOf(t, hues[j]), v.m)); d < 20 {
					t.Errorf("%s, dark: colours %d and %d are %.1f apart", v.name, i, j, d)
				}
			}
		}
	}
}

// The first three colours, which most figures use, also differ in a grey print.
func TestColoursDifferInGrey(t *testing.T) {
	for i := range 3 {
		for j := range i {
			a, b := seen(hues[i], visions[0].m)[0], seen(hues[j], visions[0].m)[0]
			if math.Abs(a-b) < 6 {
				t.Errorf("colours %d and %d have the lightness %.0f and %.0f", i, j, a, b)
			}
		}
	}
	l0, l1 := seen(hues[0], visions[0].m)[0], seen(hues[1], visions[0].m)[0]
	if math.Abs(l0-l1) < 20 {
		t.Errorf("the first two have the lightness %.0f and %.0f", l0, l1)
	}
}

// WCAG 2.1 requires a contrast of 3 for graphics (1.4.11) and of 4.5 for text (1.4.3). The lighter hues help readers
// with colour deficiencies, but cannot reach a contrast of 3 on white. They have at least 2.4, and markers.
func TestContrast(t *testing.T) {
	dark := darkOf(t, paper)
	for i, c := range hues {
		want := 3.0
		if i == 1 || i == 3 || i == 5 {
			want = 2.4
		}
		if got := contrast(c, paper); got < want {
			t.Errorf("colour %d on paper: contrast %.2f, want %v", i, got, want)
		}
		if got := contrast(darkOf(t, c), dark); got < 3 {
			t.Errorf("colour %d on a dark page: contrast %.2f, want 3", i, got)
		}
	}
	for name, c := range map[string]color.NRGBA{"ink": ink, "soft ink": softInk} {
		if got := contrast(c, paper); got < 4.5 {
			t.Errorf("%s: contrast %.2f", name, got)
		}
		if got := contrast(darkOf(t, c), dark); got < 4.5 {
			t.Errorf("%s, dark: contrast %.2f", name, got)
		}
	}
}

// The colour scale of heat maps gets darker by even steps, and its text is legible
// everywhere.
func TestSequentialScale(t *testing.T) {
	const n = 60
	last, total := seen(shade(sequential, 0), visions[0].m)[0], 0.0
	first := last
	var steps []float64
	for i := 1; i <= n; i++ {
		c := shade(sequential, float64(i)/n)
		l := seen(c, visions[0].m)[0]
		steps = append(steps, last-l)
		total, last = first-l, l
		if got := contrast(c, inkOn(c)); got < 4 {
			t.Errorf("text at %v of the scale: contrast %.2f", float64(i)/n, got)
		}
	}
	if total < 70 || slices.Min(steps) < 0.6*total/n || slices.Max(steps) > 1.5*total/n {
		t.Errorf("lightness falls by %.1f in steps of %.2f to %.2f", total, slices.Min(steps), slices.Max(steps))
	}
	for i := range n {
		c := shade(diverging, float64(i)/n)
		if got := contrast(c, inkOn(c)); got < 4 {
			t.Errorf("text at %v of the diverging scale: contrast %.2f", float64(i)/n, got)
		}
	}
}

func TestDarkStyle(t *testing.T) {
	s := DarkStyle(".x")
	for _, want := range []string{`.x [style*="fill:#FFFFFF"]{fill:#161B22!important}`,
		`.x [style*="stroke:#0F5CA8"]{stroke:#4797FA!important}`} {
		if !strings.Contains(s, want) {
			t.Errorf("no rule %s", want)
		}
	}
	if n := strings.Count(s, "\n"); n != 2*(len(hues)+6) {
		t.Errorf("%d rules, want two for each of %d colours", n, len(hues)+6)
	}
}
