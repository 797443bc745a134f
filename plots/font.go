package plots

import (
	"strings"
	"sync"
	"unicode/utf8"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
)

// Sizes of text, in points.
const (
	titleSize    = 9
	subtitleSize = 7.5
	panelSize    = 8
	labelSize    = 7.5
	tickSize     = 7
	legendSize   = 7.5
	noteSize     = 6.5
	footSize     = 6.25

	lineHeight = 1.25 // of text that runs over several lines, times its size
)

// fonts has the two faces of a drawing: Liberation Sans, which has the widths of
// Helvetica and Arial, so that a viewer without it still keeps the layout.
var fonts = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

// face is the regular or the bold face at a size.
func face(size float64, bold bool) font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if bold {
		f.Weight = boldWeight
	}
	return fonts().Lookup(f, vg.Points(size))
}

// boldWeight is the value of WeightBold in golang.org/x/image/font, which counts
// from normal in steps of 100.
const boldWeight = 3

// textWidth is the width of a line of text in points.
func textWidth(s string, size float64, bold bool) float64 {
	f := face(size, bold)
	return f.Width(s).Points()
}

// wrapText breaks text into lines no wider than width: between words, and within
// a word that is wider than a line.
func wrapText(s string, width, size float64, bold bool) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		next := word
		if line != "" {
			next = line + " " + word
		}
		if textWidth(next, size, bold) <= width {
			line = next
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for textWidth(word, size, bold) > width && utf8.RuneCountInString(word) > 1 {
			cut := fitting(word, width, size, bold)
			lines = append(lines, word[:cut])
			word = word[cut:]
		}
		line = word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// fitting is how many bytes of the word fit the width, at least one character.
func fitting(word string, width, size float64, bold bool) int {
	cut := 0
	for i := range word {
		if i > 0 && textWidth(word[:i], size, bold) > width {
			break
		}
		cut = i
	}
	if cut == 0 {
		_, cut = utf8.DecodeRuneInString(word)
	}
	return cut
}
