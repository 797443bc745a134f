package show

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"reflect"
	"slices"
	"strings"

	"pintlab/plots"
)

//go:embed page.html
var frame string

//go:embed style.css
var style string

//go:embed view.js
var script string

// HTML returns the page.
func (p *Page) HTML() ([]byte, error) {
	data, err := p.pack()
	if err != nil {
		return nil, fmt.Errorf("view: %w", err)
	}
	sum := sha256.Sum256([]byte(script))
	css := ":root {\n" + plots.CSS(false) + "}\n@media (prefers-color-scheme: dark) {\n:root {\n" + plots.CSS(true) +
		"}\n}\n" + style
	return []byte(strings.NewReplacer(
		"{{title}}", html.EscapeString(p.Title), "{{subtitle}}", html.EscapeString(p.Subtitle),
		"{{hash}}", base64.StdEncoding.EncodeToString(sum[:]), "{{style}}", css, "{{script}}", script,
		"{{data}}", base64.StdEncoding.EncodeToString(data),
	).Replace(frame)), nil
}

// pack returns the compressed data of the page. Uncompressed, the data are the length of a JSON text (32 bits,
// little-endian), the JSON text, and the levels of all series and curves. The fields At in the text are positions of
// these levels.
func (p *Page) pack() ([]byte, error) {
	var levels []byte
	for _, s := range []*PageSeries{p.Queue, p.Busy, p.Paused, p.Drops, p.Marks} {
		if s == nil {
			continue
		}
		if p.Steps == 0 || len(s.Values) != len(s.Peaks)*p.Steps || len(s.Peaks) != 2*len(p.Links) {
			return nil, fmt.Errorf("%d values do not match %d steps and %d links", len(s.Values), p.Steps, len(p.Links))
		}
		s.At = len(levels)
		levels = s.level(levels)
	}
	for i := range p.Flows {
		f := &p.Flows[i]
		for _, c := range []*Curve{f.Rate, f.Goodput, f.Window, f.Flight} {
			if c != nil {
				c.At = len(levels)
				levels = c.level(levels)
			}
		}
	}
	fill(reflect.ValueOf(p))
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	for _, part := range [][]byte{binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text, levels} {
		if _, err := w.Write(part); err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return b.Bytes(), err
}

// fill replaces nil lists by empty lists, because the script cannot read null.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fill(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		if v.IsNil() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		if v.Type().Elem().Kind() == reflect.Struct {
			for i := range v.Len() {
				fill(v.Index(i))
			}
		}
	}
}

// level appends the levels of a series. A value above 0 has at least level 1, so that it is visible.
func (s *PageSeries) level(to []byte) []byte {
	s.Max = slices.Max(s.Peaks)
	for _, v := range s.Values {
		l := 0.0
		if v > 0 {
			l = max(1, math.Round(255*math.Sqrt(float64(v)/s.Max)))
		}
		to = append(to, uint8(l))
	}
	return to
}

func (c *Curve) level(to []byte) []byte {
	c.Max, c.N = 0, len(c.Values)
	for _, v := range c.Values {
		c.Max = max(c.Max, v)
	}
	for _, v := range c.Values {
		l := 0.0
		if v > 0 {
			l = math.Round(255 * v / c.Max)
		}
		to = append(to, uint8(l))
	}
	return to
}
