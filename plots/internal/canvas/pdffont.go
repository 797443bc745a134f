package canvas

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"

	"gonum.org/v1/plot/font"
)

// pdfFont is a face as a PDF has it: a composite font whose character codes are
// the glyph numbers of the TrueType file (ISO 32000-1, 9.7), cut down to the
// glyphs in use.
type pdfFont struct {
	name string
	face font.Face
	used map[uint16]rune // glyph numbers and the first character that each stood for
}

func newPDFFont(bold bool) *pdfFont {
	name := "LiberationSans"
	if bold {
		name += "-Bold"
	}
	return &pdfFont{name: name, face: face(1, bold), used: map[uint16]rune{}}
}

// show is the operand of TJ: runs of glyphs, and between them the kerning in
// thousandths of the text's size, to the left.
func (f *pdfFont) show(s string) string {
	var b strings.Builder
	b.WriteString("[<")
	prev := rune(0)
	for i, r := range s {
		if i > 0 {
			if k := f.kern(prev, r); k != 0 {
				fmt.Fprintf(&b, "> %s <", num(-1000*k))
			}
		}
		fmt.Fprintf(&b, "%04X", f.glyph(r))
		prev = r
	}
	b.WriteString(">]")
	return b.String()
}

// glyph is the number of the character's glyph, 0 (an empty box) if the font has
// none.
func (f *pdfFont) glyph(r rune) uint16 {
	g, err := f.face.Face.GlyphIndex(nil, r)
	if err != nil {
		g = 0
	}
	if _, ok := f.used[uint16(g)]; !ok {
		f.used[uint16(g)] = r
	}
	return uint16(g)
}

// kern is how much closer to each other (negative) two characters stand than
// their widths say, in units of the text's size. The size of the face is 1.
func (f *pdfFont) kern(a, b rune) float64 {
	pair := f.face.Width(string([]rune{a, b}))
	return (pair - f.face.Width(string(a)) - f.face.Width(string(b))).Points()
}

// write adds the font's objects to the document.
func (f *pdfFont) write(d *pdfFile) (int, error) {
	var raw bytes.Buffer
	if _, err := f.face.Face.WriteSourceTo(nil, &raw); err != nil {
		return 0, err
	}
	glyphs := slices.Sorted(maps.Keys(f.used))
	tt, err := parseTrueType(raw.Bytes())
	if err != nil {
		return 0, err
	}
	subset, err := tt.subset(glyphs)
	if err != nil {
		return 0, err
	}
	name := subsetTag(glyphs) + "+" + f.name
	file := d.stream(fmt.Sprintf(" /Length1 %d", len(subset)), subset)
	unicode := d.stream("", f.toUnicode(glyphs))

	k := 1000 / float64(tt.unitsPerEm())
	box := tt.bounds()
	ascent, descent := tt.extents()
	descriptor := d.object(fmt.Sprintf("<</Type /FontDescriptor /FontName /%s /Flags 4 /FontBBox [%s %s %s %s] /ItalicAngle 0 /Ascent %s /Descent %s /CapHeight %s /StemV 80 /FontFile2 %d 0 R>>",
		name, num(k*box[0]), num(k*box[1]), num(k*box[2]), num(k*box[3]), num(k*ascent), num(k*descent), num(1000*CapHeight), file))
	var widths strings.Builder
	for _, g := range glyphs {
		fmt.Fprintf(&widths, "%d [%s] ", g, num(k*tt.advance(g)))
	}
	cid := d.object(fmt.Sprintf("<</Type /Font /Subtype /CIDFontType2 /BaseFont /%s /CIDSystemInfo <</Registry (Adobe) /Ordering (Identity) /Supplement 0>> /FontDescriptor %d 0 R /CIDToGIDMap /Identity /W [%s]>>",
		name, descriptor, widths.String()))
	return d.object(fmt.Sprintf("<</Type /Font /Subtype /Type0 /BaseFont /%s /Encoding /Identity-H /DescendantFonts [%d 0 R] /ToUnicode %d 0 R>>",
		name, cid, unicode)), nil
}

// subsetTag is the tag of six capitals that tells apart subsets of one font.
func subsetTag(glyphs []uint16) string {
	h := fnv.New64a()
	for _, g := range glyphs {
		h.Write([]byte{byte(g >> 8), byte(g)})
	}
	n := h.Sum64()
	tag := make([]byte, 6)
	for i := range tag {
		tag[i] = 'A' + byte(n%26)
		n /= 26
	}
	return string(tag)
}

// toUnicode is the map from glyphs to text, for searching and copying (9.10.3).
func (f *pdfFont) toUnicode(glyphs []uint16) []byte {
	var b bytes.Buffer
	b.WriteString("/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n" +
		"/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def\n" +
		"/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n" +
		"1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n")
	for part := range slices.Chunk(glyphs, 100) { // no more in one list
		fmt.Fprintf(&b, "%d beginbfchar\n", len(part))
		for _, g := range part {
			fmt.Fprintf(&b, "<%04X> <", g)
			for _, u := range utf16.Encode([]rune{f.used[g]}) {
				fmt.Fprintf(&b, "%04X", u)
			}
			b.WriteString(">\n")
		}
		b.WriteString("endbfchar\n")
	}
	b.WriteString("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n")
	return b.Bytes()
}
