package canvas

import (
	"sync"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
)

// CapHeight is the height of capitals over the size of the text.
const CapHeight = 0.716

var fonts = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

// boldWeight is WeightBold of golang.org/x/image/font.
const boldWeight = 3

func face(size float64, bold bool) font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if bold {
		f.Weight = boldWeight
	}
	return fonts().Lookup(f, vg.Points(size))
}

// Width is the width of a line of text in points.
func Width(s string, size float64, bold bool) float64 {
	f := face(size, bold)
	return f.Width(s).Points()
}
