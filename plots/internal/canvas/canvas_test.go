package canvas

import (
	"bytes"
	"compress/zlib"
	"encoding/xml"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	black = color.NRGBA{A: 0xff}
	faint = color.NRGBA{R: 0xff, A: 0x80}
)

// drawing draws one of everything.
func drawing(c Canvas) {
	c.Fill([]Point{{0, 0}, {100, 0}, {100, 50}}, faint)
	c.Stroke([]Point{{10, 10}, {20.006, 30}}, false, Stroke{Color: black, Width: 0.5, Dash: []float64{2, 1}})
	c.Stroke([]Point{{10, 10}, {20, 30}, {-0.001, 5}}, true, Stroke{Color: faint, Width: 1})
	c.Text(Text{S: `AVA <µ & "≤">`, At: Point{10, 40}, Size: 8, Color: black})
	c.Text(Text{S: "up", At: Point{90, 40}, Size: 8, Bold: true, Color: black, Turn: 90})
}

func TestSVG(t *testing.T) {
	s := NewSVG(100, 50, "A <title>", "")
	drawing(s)
	var b strings.Builder
	if _, err := s.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	want := `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50" role="img" width="100pt" height="50pt" font-family="'Liberation Sans', Arial, Helvetica, sans-serif">
<title>A &lt;title&gt;</title>
<path d="M0 0L100 0L100 50Z" fill="#ff0000" fill-opacity="0.5"/>
<path d="M10 10L20.01 30" fill="none" stroke="#000000" stroke-width="0.5" stroke-dasharray="2 1"/>
<path d="M10 10L20 30L0 5Z" fill="none" stroke="#ff0000" stroke-opacity="0.5" stroke-width="1"/>
<text x="10" y="40" font-size="8" fill="#000000">AVA &lt;µ &amp; &quot;≤&quot;&gt;</text>
<text x="90" y="40" transform="rotate(-90 90 40)" font-size="8" font-weight="bold" fill="#000000">up</text>
</svg>
`
	if b.String() != want {
		t.Errorf("\n%s\nwant\n%s", b.String(), want)
	}
	inline := NewInlineSVG(100, 50, `says "so"`)
	drawing(inline)
	b.Reset()
	if _, err := inline.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.SplitN(b.String(), "\n", 2)[0], `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50" role="img" aria-label="says &quot;so&quot;" font-family="'Liberation Sans', Arial, Helvetica, sans-serif">`; got != want {
		t.Errorf("inline: %s\nwant %s", got, want)
	}
	if err := xml.Unmarshal([]byte(b.String()), new(struct{})); err != nil {
		t.Errorf("inline: %v", err)
	}
}

func TestPNG(t *testing.T) {
	p := NewPNG(100, 50)
	p.Fill([]Point{{50, 0}, {100, 0}, {100, 25}, {50, 25}}, color.NRGBA{0x12, 0x34, 0x56, 0xff})
	p.Text(Text{S: "I", At: Point{10, 40}, Size: 20, Color: black})
	var b bytes.Buffer
	if _, err := p.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	const k = DPI / 72.0
	if s := img.Bounds().Size(); s.X != 417 || s.Y != 208 {
		t.Errorf("%v pixels, want 417 by 208", s)
	}
	at := func(x, y float64) color.NRGBA {
		return color.NRGBAModel.Convert(img.At(int(x*k), int(y*k))).(color.NRGBA)
	}
	if c := at(75, 12); c != (color.NRGBA{0x12, 0x34, 0x56, 0xff}) {
		t.Errorf("in the rectangle: %v", c)
	}
	if c := at(75, 30); c != (color.NRGBA{0xff, 0xff, 0xff, 0xff}) {
		t.Errorf("below the rectangle: %v", c)
	}
	if c := at(10+Width("I", 20, false)/2, 33); c.R > 0x40 {
		t.Errorf("in the stem of the letter: %v", c)
	}
}

// pdfObjects reads a document through its table of objects: a place that is wrong
// by a byte is an error.
func pdfObjects(t *testing.T, doc []byte) map[int]string {
	t.Helper()
	m := regexp.MustCompile(`startxref\n(\d+)\n%%EOF\n$`).FindSubmatch(doc)
	if m == nil {
		t.Fatal("no startxref at the end")
	}
	at, _ := strconv.Atoi(string(m[1]))
	lines := strings.Split(string(doc[at:]), "\n")
	if lines[0] != "xref" {
		t.Fatalf("%q where the table should be", lines[0])
	}
	var n int
	if _, err := fmt.Sscanf(lines[1], "0 %d", &n); err != nil {
		t.Fatal(err)
	}
	objects := map[int]string{}
	for i := 1; i < n; i++ {
		start, err := strconv.Atoi(lines[2+i][:10])
		if err != nil || len(lines[2+i])+1 != 20 {
			t.Fatalf("entry %q", lines[2+i])
		}
		head := fmt.Sprintf("%d 0 obj\n", i)
		body, ok := strings.CutPrefix(string(doc[start:]), head)
		if !ok {
			t.Fatalf("no object %d at %d", i, start)
		}
		objects[i] = body[:strings.Index(body, "\nendobj\n")]
	}
	return objects
}

// streamOf is the content of a stream, whose length must be as it says.
func streamOf(t *testing.T, object string) string {
	t.Helper()
	head, rest, ok := strings.Cut(object, ">>\nstream\n")
	if !ok {
		t.Fatalf("no stream in %.60q", object)
	}
	n, err := strconv.Atoi(regexp.MustCompile(`/Length (\d+)`).FindStringSubmatch(head)[1])
	if err != nil || rest[n:] != "\nendstream" {
		t.Fatalf("stream is not %d bytes long", n)
	}
	z, err := zlib.NewReader(strings.NewReader(rest[:n]))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func writePDF(t *testing.T, title string) []byte {
	t.Helper()
	p := NewPDF(100, 50, title)
	drawing(p)
	var b bytes.Buffer
	if _, err := p.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPDF(t *testing.T) {
	doc := writePDF(t, "A (title) µ")
	objects := pdfObjects(t, doc)
	find := func(pattern string) string {
		t.Helper()
		for _, o := range objects {
			if regexp.MustCompile(pattern).MatchString(o) {
				return o
			}
		}
		t.Fatalf("no object like %s", pattern)
		return ""
	}
	number := func(s, pattern string) int {
		t.Helper()
		m := regexp.MustCompile(pattern).FindStringSubmatch(s)
		if m == nil {
			t.Fatalf("no %s in %.200s", pattern, s)
		}
		n, _ := strconv.Atoi(m[1])
		return n
	}
	if info := find(`/Producer`); !strings.Contains(info, "/Title <FEFF00410020") {
		t.Errorf("title: %s", info)
	}
	page := find(`/Type /Page `)
	if !strings.Contains(page, "/MediaBox [0 0 100 50]") {
		t.Errorf("page: %s", page)
	}
	content := streamOf(t, objects[number(page, `/Contents (\d+) 0 R`)])
	for _, want := range []string{
		"/A0 gs 1.0000 0.0000 0.0000 rg\n0 50 m\n100 50 l\n100 0 l\nf\n",
		"/A1 gs 0.0000 0.0000 0.0000 RG\n0.5 w [2 1] 0 d\n10 40 m\n20.01 20 l\nS\n",
		"BT /F1 8 Tf 0.00000 1.00000 -1.00000 0.00000 90 10 Tm [<",
	} {
		if !strings.Contains(content, want) {
			t.Errorf("no %q in\n%s", want, content)
		}
	}
	if !strings.Contains(page, "/A0 <</ca 0.5020 /CA 0.5020>>") {
		t.Errorf("transparency: %s", page)
	}

	// The text can be read back through the font's map to Unicode.
	font := objects[number(page, `/F0 (\d+) 0 R`)]
	cmap := streamOf(t, objects[number(font, `/ToUnicode (\d+) 0 R`)])
	runes := map[string]rune{}
	for _, m := range regexp.MustCompile(`<([0-9A-F]{4})> <([0-9A-F]{4})>`).FindAllStringSubmatch(cmap, -1) {
		v, _ := strconv.ParseUint(m[2], 16, 32)
		runes[m[1]] = rune(v)
	}
	show := regexp.MustCompile(`/F0 8 Tf .*? Tm \[(.*?)\] TJ`).FindStringSubmatch(content)[1]
	text := ""
	for _, m := range regexp.MustCompile(`<([0-9A-F]*)>`).FindAllStringSubmatch(show, -1) {
		for i := 0; i < len(m[1]); i += 4 {
			text += string(runes[m[1][i:i+4]])
		}
	}
	if text != `AVA <µ & "≤">` {
		t.Errorf("text reads %q", text)
	}
	// A and V are kerned.
	if !regexp.MustCompile(`^<[0-9A-F]{4}> \d+(\.\d+)? <[0-9A-F]{4}> \d+`).MatchString(show) {
		t.Errorf("no kerning in %s", show)
	}

	if again := writePDF(t, "A (title) µ"); !bytes.Equal(doc, again) {
		t.Error("two documents of one drawing differ")
	}
	if bytes.Contains(doc, []byte("Date")) {
		t.Error("the document has a date")
	}
}

// Characters that the font lacks are boxes, not errors.
func TestPDFOfAnyText(t *testing.T) {
	p := NewPDF(100, 50, "🙂")
	p.Text(Text{S: "日本語 🙂 e\u0301 \U0010ffff", At: Point{1, 20}, Size: 8, Color: black})
	var b bytes.Buffer
	if _, err := p.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	pdfObjects(t, b.Bytes())
}

func fontFile(t testing.TB, bold bool) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := face(1, bold).Face.WriteSourceTo(nil, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The subset has the outlines and widths of the glyphs that were asked for, those
// that they are made of, no others, and right checksums.
func TestSubset(t *testing.T) {
	for _, bold := range []bool{false, true} {
		f := newPDFFont(bold)
		whole, err := parseTrueType(fontFile(t, bold))
		if err != nil {
			t.Fatal(err)
		}
		eacute, e := f.glyph('é'), f.glyph('e')
		data, err := whole.subset([]uint16{eacute, f.glyph('A')})
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > len(fontFile(t, bold))/5 {
			t.Errorf("%d bytes of %d", len(data), len(fontFile(t, bold)))
		}
		if sum := checksum(data); sum != 0xb1b0afba {
			t.Errorf("checksum of the file %x", sum)
		}
		part, err := parseTrueType(data)
		if err != nil {
			t.Fatal(err)
		}
		kept := 0
		for g := range whole.glyphs {
			want, err := whole.outline(g)
			if err != nil {
				t.Fatal(err)
			}
			got, err := part.outline(g)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) == 0 {
				continue
			}
			kept++
			if !bytes.Equal(got[:len(want)], want) || part.advance(uint16(g)) != whole.advance(uint16(g)) {
				t.Errorf("glyph %d changed", g)
			}
		}
		// The empty box, A, é, and of é the e and the accent.
		if kept != 5 {
			t.Errorf("%d glyphs kept, want 5", kept)
		}
		if o, _ := part.outline(int(e)); len(o) == 0 {
			t.Error("é lost its e")
		}
	}
}

// A font file that is cut or altered is refused, or gives a subset that can be
// read; nothing panics.
func FuzzTrueType(f *testing.F) {
	file := fontFile(f, false)
	f.Add(0, 0, byte(0))
	f.Add(11, 5, byte(0xff))
	f.Add(len(file)/2, 100, byte(1))
	f.Add(len(file), 60, byte(7))
	f.Fuzz(func(t *testing.T, length, at int, value byte) {
		data := bytes.Clone(file)
		if length > 0 && length < len(data) {
			data = data[:length]
		}
		if at >= 0 && at < len(data) {
			data[at] = value
		}
		tt, err := parseTrueType(data)
		if err != nil {
			return
		}
		part, err := tt.subset([]uint16{3, 36, 140, 400})
		if err != nil {
			return
		}
		tt.bounds()
		tt.extents()
		if _, err := parseTrueType(part); err != nil {
			t.Errorf("subset: %v", err)
		}
	})
}

func TestWidth(t *testing.T) {
	// Liberation Sans has the widths of Arial: capitals A and V of 1366 of 2048
	// units, and 152 units of kerning between them.
	if got, want := Width("AV", 2048, false), 1366*2-152.0; got != want {
		t.Errorf("width %v, want %v", got, want)
	}
	if Width("AV", 8, true) <= Width("AV", 8, false) {
		t.Error("bold is not wider")
	}
}
