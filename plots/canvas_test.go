package plots

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/xml"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// hostile contains characters that break drawings assembled from text.
func hostile() Figure {
	f := simple()
	f.Title = `A <b> & "q" 'x' style="font-family:Liberation Sans;`
	f.Panels[0].Series[0].Name = "]]> <!-- ≥ σ −5 µ 日"
	f.Panels[0].Y.Label = "up"
	return f
}

func written(t *testing.T, f *Figure, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(f, format, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// An SVG file has a description, a size and one list of fonts. It shows every text as the figure gives it.
func TestSVG(t *testing.T) {
	f := hostile()
	doc := written(t, &f, "svg")
	var svg struct {
		Title string `xml:"title"`
		Desc  string `xml:"desc"`
		Width string `xml:"width,attr"`
		Role  string `xml:"role,attr"`
		Font  string `xml:"font-family,attr"`
	}
	if err := xml.Unmarshal(doc, &svg); err != nil {
		t.Fatal(err)
	}
	if svg.Title != f.Title || svg.Desc != f.AltText() || svg.Width != "252pt" || svg.Role != "img" ||
		svg.Font != "'Liberation Sans', Arial, Helvetica, sans-serif" {
		t.Errorf("%+v", svg)
	}
	if n := bytes.Count(doc, []byte("font-variant")); n != 0 {
		t.Errorf("%d texts name their font", n)
	}
	if !bytes.Contains(doc, []byte(">up</text>")) || !bytes.Contains(doc, []byte("]]&gt; &lt;!-- ≥ σ −5 µ 日")) {
		t.Error("a text is missing")
	}
	inline, err := Inline(&f)
	if err != nil {
		t.Fatal(err)
	}
	var in struct {
		Label string    `xml:"aria-label,attr"`
		Width string    `xml:"width,attr"`
		Title *struct{} `xml:"title"`
	}
	if err := xml.Unmarshal([]byte(inline), &in); err != nil {
		t.Fatal(err)
	}
	if in.Label != f.Title+". "+f.AltText() || in.Width != "" || in.Title != nil {
		t.Errorf("inline: %+v", in)
	}
}

// A PNG file has 300 dots per inch and the colours of the palette.
func TestPNG(t *testing.T) {
	f := demoBars()
	f.Width = 300
	img, err := png.Decode(bytes.NewReader(written(t, &f, "png")))
	if err != nil {
		t.Fatal(err)
	}
	if w := img.Bounds().Dx(); w != 1250 {
		t.Errorf("%d pixels wide, want 1250", w)
	}
	seen := map[color.NRGBA]int{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			seen[color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)]++
		}
	}
	for _, c := range []color.NRGBA{paper, ink, hues[0], hues[1]} {
		if seen[c] < 100 {
			t.Errorf("%d pixels of colour %v", seen[c], c)
		}
	}
}

// A PDF file has the size of the drawing, its colours, its text as text, and only the letters that it uses. Equal
// drawings give equal files.
func TestPDF(t *testing.T) {
	f := hostile()
	doc := written(t, &f, "pdf")
	if !bytes.Equal(doc, written(t, &f, "pdf")) {
		t.Error("the second file differs")
	}
	if !regexp.MustCompile(`/MediaBox \[0 0 252\.00 \d+\.00\]`).Match(doc) {
		t.Error("not the size of the figure")
	}
	if len(doc) > 40_000 {
		t.Errorf("%d bytes", len(doc))
	}
	var page []byte
	for _, s := range regexp.MustCompile(`(?s)stream\n(.*?)\nendstream`).FindAllSubmatch(doc, -1) {
		if z, err := zlib.NewReader(bytes.NewReader(s[1])); err == nil {
			text, _ := io.ReadAll(z)
			page = append(page, text...)
		}
	}
	wide := func(s string) string {
		out := ""
		for _, u := range utf16.Encode([]rune(s)) {
			out += string([]byte{byte(u >> 8), byte(u)})
		}
		return "(" + out + ") Tj"
	}
	for _, want := range []string{wide("up"), wide("]]> <!-- ≥ σ −5 µ 日"), "0.059 0.361 0.659 rg"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("no text %q", want)
		}
	}
}

// Kerning does not move the letters that follow the kerned pair.
func TestLetterPlaces(t *testing.T) {
	face := font.DefaultCache.Lookup(lettering(2048, ink).Font, 2048)
	var at []vg.Length
	for p := range letterPlaces(face, vg.Point{X: 10}, "AVA") {
		at = append(at, p.X)
	}
	if want := []vg.Length{10, 10 + 1366 - 152, 10 + 2*(1366-152)}; !slices.Equal(at, want) {
		t.Errorf("letters at %v, want %v", at, want)
	}
}

// The outline of a character has the contours of the font, at the requested size.
func TestOutline(t *testing.T) {
	face := font.DefaultCache.Lookup(lettering(100, ink).Font, 100)
	count := func(r rune) (contours int, box vg.Rectangle) {
		box = vg.Rectangle{Min: vg.Point{X: 1e9, Y: 1e9}, Max: vg.Point{X: -1e9, Y: -1e9}}
		for _, c := range outline(face, vg.Point{X: 10, Y: 20}, r) {
			if c.Type == vg.MoveComp {
				contours++
			}
			box.Min.X, box.Min.Y = min(box.Min.X, c.Pos.X), min(box.Min.Y, c.Pos.Y)
			box.Max.X, box.Max.Y = max(box.Max.X, c.Pos.X), max(box.Max.Y, c.Pos.Y)
		}
		return contours, box
	}
	// An O has two contours, and ≥ has the angle and the line.
	if n, box := count('O'); n != 2 || box.Max.Y < 20+68 || box.Max.Y > 20+72 || box.Min.X < 10 ||
		box.Max.X > 10+face.Width("O") {
		t.Errorf("O: %d contours in %v", n, box)
	}
	if n, _ := count('≥'); n != 2 {
		t.Errorf("≥: %d contours", n)
	}
}

// An exponent is raised and small. The index of a symbol is lowered. The measured width of a text is the width that
// is drawn.
func TestLetters(t *testing.T) {
	sty := lettering(2048, ink)
	if got, want := sty.Width("AV"), vg.Length(1366*2-152); got != want {
		t.Errorf("AV is %v wide, want %v", got, want) // two capitals of 1366/2048 units each, kerned by 152 units
	}
	r := &recorder{}
	handler.Draw(r, "10⁶", sty, vg.Point{X: 5, Y: 7})
	if len(r.texts) != 2 || r.texts[0].text != "10" || r.texts[1].text != "6" {
		t.Fatalf("drew %v", r.texts)
	}
	base, power := r.texts[0].corners, r.texts[1].corners
	end := power[1].X + 0.02 // the recorder ignores kerning
	if power[0].X != base[1].X+0.02 || power[0].Y <= base[0].Y ||
		math.Abs(float64(end-5-sty.Width("10⁶"))) > 1e-9 {
		t.Errorf("base %v, exponent %v", base, power)
	}
	for line, want := range map[string]vg.Length{"2^q entries": 0.42, "2^14": 0.42, "W_AI = 2": -0.16, "λ_c": -0.16,
		"cc.w_ai": 0, "run_c": 0} {
		list, up := pieces(line)
		if got := append(up, 0)[min(1, len(list)-1)]; got != want {
			t.Errorf("%q: %q, raised by %v, want %v", line, list, got, want)
		}
	}
	if got := wrapText("until 99 % of all", sty.Width("until 99"), sty); got != "until\n99 %\nof all" {
		t.Errorf("wrapped as %q", got)
	}
	width := sty.Width("one two")
	lines := strings.Split(wrapText("one two  threeandmore x", width, sty), "\n")
	for _, line := range lines {
		if sty.Width(line) > width {
			t.Errorf("%q is wider than %v", line, width)
		}
	}
	if lines[0] != "one two" || strings.Join(lines, "") != "one twothreeandmorex" {
		t.Errorf("wrapped as %q", lines)
	}
}

// Drawings have the same bytes on every processor: these sums are from amd64 and arm64. The sum of a PNG covers its
// pixels and not its bytes, so that the sum does not depend on the compressor of a Go version. If you change a
// drawing on purpose, look at it before you store the new sum.
func TestSameBytesEverywhere(t *testing.T) {
	for _, tt := range []struct {
		name     string
		figure   Figure
		svg, png string
	}{
		{"bars", demoBars(), "d78c872227df7bd9", "0de9903acca21239"},
		{"overhead", demoOverhead(), "d13643c8a8156419", "d1991d0fd4dc2f7a"},
		{"heat", demoHeat(t), "d71ba8888920e274", "c0e6ba1890723cf7"},
		{"column", demoSlowdownColumn(t), "a29ad4ef09448591", "5ee7c462254ecc83"},
	} {
		img, err := png.Decode(bytes.NewReader(written(t, &tt.figure, "png")))
		if err != nil {
			t.Fatal(err)
		}
		pixels := sha256.New()
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				r, g, b, a := img.At(x, y).RGBA()
				pixels.Write([]byte{byte(r >> 8), byte(g >> 8), byte(b >> 8), byte(a >> 8)})
			}
		}
		svg := fmt.Sprintf("%x", sha256.Sum256(written(t, &tt.figure, "svg")))[:16]
		image := fmt.Sprintf("%x", pixels.Sum(nil))[:16]
		if svg != tt.svg || image != tt.png {
			t.Errorf("{%q, …, %q, %q}", tt.name, svg, image)
		}
	}
}
