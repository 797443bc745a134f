package plots

import (
	"fmt"
	"image/color"
	"math"
	"strings"
)

// The neutral colours. Each neutral part of a drawing has one of these, so that DarkStyle can recolour it.
var (
	paper    = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	ink      = color.NRGBA{0x1f, 0x23, 0x28, 0xff} // titles, labels
	softInk  = color.NRGBA{0x57, 0x60, 0x6a, 0xff} // ticks, subtitle, footnote
	axisGrey = color.NRGBA{0x8c, 0x95, 0x9f, 0xff} // axes, reference lines, muted series
	gridGrey = color.NRGBA{0xde, 0xe2, 0xe6, 0xff}
	fineGrey = color.NRGBA{0xf0, 0xf2, 0xf4, 0xff} // minor grid
)

// hues are the colours of series, in the order in which series get them. Any two colours differ under the common
// colour deficiencies. The first three also differ in a grey print. All colours stand out from white paper. A test
// measures this.
var hues = [...]color.NRGBA{
	{0x0f, 0x5c, 0xa8, 0xff}, // blue
	{0xe0, 0x84, 0x0b, 0xff}, // orange
	{0x00, 0x7a, 0x5a, 0xff}, // green
	{0xeb, 0x85, 0xad, 0xff}, // pink
	{0x63, 0x2a, 0x17, 0xff}, // brown
	{0x25, 0xac, 0xec, 0xff}, // sky
	{0x10, 0x18, 0x28, 0xff}, // midnight
	{0x7a, 0x5c, 0xff, 0xff}, // violet
}

// hueNames are the words for the hues in a Look.
var hueNames = [len(hues)]string{"blue", "orange", "green", "pink", "brown", "sky", "midnight", "violet"}

// onDark lists, for each colour of a drawing, the colour that replaces it on a dark page.
var onDark = []struct{ light, dark color.NRGBA }{
	{paper, color.NRGBA{0x16, 0x1b, 0x22, 0xff}},
	{ink, color.NRGBA{0xe6, 0xed, 0xf3, 0xff}},
	{softInk, color.NRGBA{0xa9, 0xb4, 0xbf, 0xff}},
	{axisGrey, color.NRGBA{0x7d, 0x88, 0x93, 0xff}},
	{gridGrey, color.NRGBA{0x30, 0x37, 0x3f, 0xff}},
	{fineGrey, color.NRGBA{0x20, 0x26, 0x2d, 0xff}},
	{hues[0], color.NRGBA{0x47, 0x97, 0xfa, 0xff}},
	{hues[1], color.NRGBA{0xe8, 0xa9, 0x29, 0xff}},
	{hues[2], color.NRGBA{0x55, 0xb0, 0x96, 0xff}},
	{hues[3], color.NRGBA{0xb2, 0x6f, 0xb3, 0xff}},
	{hues[4], color.NRGBA{0x9e, 0x5f, 0x32, 0xff}},
	{hues[5], color.NRGBA{0xb7, 0xe7, 0xf2, 0xff}},
	{hues[6], color.NRGBA{0xdc, 0xfa, 0xaa, 0xff}},
	{hues[7], color.NRGBA{0x5a, 0x46, 0xfa, 0xff}},
}

// DarkStyle returns a style sheet that recolours inline drawings on a dark page. selector selects the drawings.
func DarkStyle(selector string) string {
	var b strings.Builder
	for _, c := range onDark {
		light, dark := hex(c.light), hex(c.dark)
		fmt.Fprintf(&b, "%s [style*=\"fill:%s\"]{fill:%s!important}\n%s [style*=\"stroke:%s\"]{stroke:%s!important}\n",
			selector, light, dark, selector, light, dark)
	}
	return b.String()
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

// fade makes the colour partly transparent.
func fade(c color.NRGBA, alpha float64) color.NRGBA {
	c.A = uint8(alpha*255 + 0.5)
	return c
}

// sequential is a colour scale from light to dark with even steps of lightness, so
// that it reads the same in grey and under colour deficiencies.
var sequential = []color.NRGBA{
	{0xf7, 0xf5, 0xd9, 0xff}, {0xb3, 0xdb, 0xbc, 0xff}, {0x66, 0xbc, 0xb6, 0xff}, {0x2e, 0x97, 0xb0, 0xff},
	{0x08, 0x72, 0xa1, 0xff}, {0x03, 0x4d, 0x87, 0xff}, {0x0a, 0x2d, 0x5e, 0xff},
}

// diverging is a colour scale with a neutral middle.
var diverging = []color.NRGBA{
	{0x0b, 0x4f, 0x9c, 0xff}, {0x4f, 0x8d, 0xc9, 0xff}, {0xa9, 0xcb, 0xe6, 0xff}, {0xf5, 0xf5, 0xf2, 0xff},
	{0xf2, 0xc2, 0x8f, 0xff}, {0xdb, 0x84, 0x33, 0xff}, {0x9c, 0x4a, 0x08, 0xff},
}

// shade returns the colour of a scale at t, which is between 0 and 1.
func shade(scale []color.NRGBA, t float64) color.NRGBA {
	x := min(max(t, 0), 1) * float64(len(scale)-1)
	i := min(int(x), len(scale)-2)
	f := x - float64(i)
	mix := func(a, b uint8) uint8 { return uint8(float64(a)*(1-f) + float64(b)*f + 0.5) }
	a, b := scale[i], scale[i+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

// inkOn returns the text colour that is easiest to read on a background.
func inkOn(c color.NRGBA) color.NRGBA {
	if luminance(c) > 0.2 {
		return color.NRGBA{0x10, 0x10, 0x10, 0xff}
	}
	return color.NRGBA{0xfd, 0xfd, 0xfd, 0xff}
}

// luminance returns the relative luminance of WCAG 2.1, from 0 (black) to 1 (white).
func luminance(c color.NRGBA) float64 {
	lin := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(c.R) + 0.7152*lin(c.G) + 0.0722*lin(c.B)
}

// CSS lists the colours of drawings as custom properties, for pages that draw themselves: --paper, --ink, --soft,
// --axis, --grid, --fine, the colours of series --hue-0 to --hue-7, and --shade-0 (smallest value, close to the colour
// of the page) to --shade-6 of the scale.
func CSS(dark bool) string {
	var b strings.Builder
	set := func(name string, c color.NRGBA) {
		for _, d := range onDark {
			if dark && d.light == c {
				c = d.dark
				break
			}
		}
		fmt.Fprintf(&b, "  --%s: %s;\n", name, strings.ToLower(hex(c)))
	}
	for i, name := range []string{"paper", "ink", "soft", "axis", "grid", "fine"} {
		set(name, onDark[i].light)
	}
	for i, c := range hues {
		set(fmt.Sprintf("hue-%d", i), c)
	}
	for i := range sequential {
		at := i
		if dark {
			at = len(sequential) - 1 - i
		}
		set(fmt.Sprintf("shade-%d", i), sequential[at])
	}
	return b.String()
}
