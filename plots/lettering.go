package plots

import (
	"image/color"
	"math"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"pintlab/internal/lists"
)

// Sizes of text, in points.
const (
	titleSize    = 9
	subtitleSize = 7.5
	panelSize    = 8
	labelSize    = 7.5
	tickSize     = 7
	legendSize   = 7.5
	noteSize     = 7
	footSize     = 7
)

// Heights, relative to the size of the text.
const (
	capHeight  = 0.716 // height of capitals
	descent    = 0.25  // room below the baseline
	lineHeight = 1.2   // from one baseline to the next
	scriptSize = 0.72  // size of exponents and indices
)

func lettering(size vg.Length, c color.Color) text.Style {
	return text.Style{Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}, Color: c, Handler: handler}
}

// bold is WeightBold of golang.org/x/image/font.
const bold = 3

var handler = letters{text.Plain{Fonts: font.DefaultCache}, new(sync.Map)}

// letters is gonum's handler of plain text with three differences. Lines are one lineHeight apart. Exponents are
// raised and indices lowered. The metrics above define the height of a line, so that capitals are centred on the
// thing that they label.
type letters struct {
	text.Plain
	widths *sync.Map // from measured to vg.Length: layouts measure the same texts again and again
}

// measured is a line of text that Box has measured.
type measured struct {
	line string
	font font.Font
}

// scripts maps the characters of exponents and indices to the characters that are drawn, because fonts lack some of
// them.
var scripts = strings.NewReplacer("^", "", "_", "", "-", "−", "⁻", "−", "⁰", "0", "¹", "1", "²", "2", "³", "3",
	"⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")

// script matches an exponent, as in 2^14, 2^q and rank^-0.9, or the index of a symbol, as in W_AI.
var script = regexp.MustCompile(`\^(?:-?[0-9]+(?:\.[0-9]+)?|q\b)|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|(?:\b[A-Z]|λ)(_(?:AI|[ck])\b)`)

// pieces splits a line of text. Pieces with even indices are level text; the others are exponents and indices. up is
// how far each piece is raised, relative to the size of the text.
func pieces(line string) (list []string, up []vg.Length) {
	end := 0
	for _, at := range script.FindAllStringSubmatchIndex(line, -1) {
		from, by := at[0], vg.Length(0.42)
		if at[2] > 0 {
			from, by = at[2], -0.16
		}
		list, up = append(list, line[end:from], scripts.Replace(line[from:at[1]])), append(up, 0, by)
		end = at[1]
	}
	return append(list, line[end:]), append(up, 0)
}

// Extents returns the metrics of the font.
func (letters) Extents(f font.Font) font.Extents {
	return font.Extents{Ascent: (lineHeight - descent) * f.Size, Descent: descent * f.Size, Height: lineHeight * f.Size}
}

// faces returns the font of level text, and the font of exponents and indices.
func (l letters) faces(f font.Font) [2]font.Face {
	return [2]font.Face{l.Fonts.Lookup(f, f.Size), l.Fonts.Lookup(f, scriptSize*f.Size)}
}

// Box returns the size of a line of text.
func (l letters) Box(s string, f font.Font) (width, height, depth vg.Length) {
	e := l.Extents(f)
	key := measured{s, f}
	if known, ok := l.widths.Load(key); ok {
		return known.(vg.Length), e.Ascent, e.Descent
	}
	faces := l.faces(f)
	list, _ := pieces(s)
	for i, piece := range list {
		width += faces[i%2].Width(piece)
	}
	l.widths.Store(key, width)
	return width, e.Ascent, e.Descent
}

// Draw writes lines of text. If YAlign is zero, the position is on the baseline of the last line.
func (l letters) Draw(c vg.Canvas, s string, sty text.Style, at vg.Point) {
	c.SetColor(sty.Color)
	if sty.Rotation != 0 {
		c.Push()
		defer c.Pop()
		c.Rotate(sty.Rotation)
		sin, cos := math.Sincos(sty.Rotation)
		at = vg.Point{X: at.X*vg.Length(cos) + at.Y*vg.Length(sin), Y: at.Y*vg.Length(cos) - at.X*vg.Length(sin)}
	}
	lines := l.Lines(s)
	at.Y += sty.Height(s)*vg.Length(sty.YAlign) + lineHeight*sty.Font.Size*vg.Length(len(lines))
	for _, line := range lines {
		at.Y -= lineHeight * sty.Font.Size
		width, _, _ := l.Box(line, sty.Font)
		q := vg.Point{X: at.X + width*vg.Length(sty.XAlign), Y: at.Y}
		faces := l.faces(sty.Font)
		list, up := pieces(line)
		for i, piece := range list {
			word := strings.TrimLeft(piece, " ") // SVG omits a space at the start
			q.X += faces[i%2].Width(piece[:len(piece)-len(word)])
			if word != "" {
				c.FillString(faces[i%2], q.Add(vg.Point{Y: up[i] * sty.Font.Size}), word)
			}
			q.X += faces[i%2].Width(word)
		}
	}
}

// wrapText breaks text into lines of at most the given width. It breaks between words. It breaks a word only if the
// word is wider than a line. A % stays on the line of its number.
func wrapText(s string, width vg.Length, sty text.Style) string {
	var lines []string
	line := ""
	s = strings.ReplaceAll(s, " %", "\u00a0%")
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\n' }) {
		next := word
		if line != "" {
			next = line + " " + word
		}
		if sty.Width(next) <= width {
			line = next
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for sty.Width(word) > width && utf8.RuneCountInString(word) > 1 {
			cut := fitting(word, width, sty)
			lines = append(lines, word[:cut])
			word = word[cut:]
		}
		line = word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), "\u00a0", " ")
}

// fitting returns how many bytes of the word fit the width, at least one character.
func fitting(word string, width vg.Length, sty text.Style) int {
	cut := 0
	for i := range word {
		if i > 0 && sty.Width(word[:i]) > width {
			break
		}
		cut = i
	}
	if cut == 0 {
		_, cut = utf8.DecodeRuneInString(word)
	}
	return cut
}

// shorten replaces the middle of each text that is wider than width by an ellipsis. If possible, different texts
// stay different. For this purpose shorten first keeps more of the ends of the texts, and then more of their
// beginnings.
func shorten(texts []string, width vg.Length, sty text.Style) []string {
	distinct := func(list []string) int { return len(slices.Compact(slices.Sorted(slices.Values(list)))) }
	var first []string
	for _, share := range []float64{1. / 3, 0, 2. / 3, 1} {
		cut := lists.Map(texts, func(s string) string { return shortened(s, share, width, sty) })
		if distinct(cut) == distinct(texts) {
			return cut
		}
		if first == nil {
			first = cut
		}
	}
	return first
}

// shortened keeps as many characters of s as fit. share is the share of these characters that is taken from the
// beginning of s.
func shortened(s string, share float64, width vg.Length, sty text.Style) string {
	if sty.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	without := func(n int) string {
		keep := len(runes) - n
		head := int(share * float64(keep))
		return string(runes[:head]) + "…" + string(runes[len(runes)-keep+head:])
	}
	return without(sort.Search(len(runes), func(n int) bool { return sty.Width(without(n)) <= width }))
}

// height returns the height of lines of text; 0 for an empty text.
func height(s string, sty text.Style) vg.Length {
	if s == "" {
		return 0
	}
	return sty.Height(s)
}
