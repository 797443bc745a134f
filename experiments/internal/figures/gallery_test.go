package figures

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pintlab/experiments/internal/figures/figure"
)

// A drawing consists of the parts of an SVG, in order.
type drawing struct {
	name  string // figure, scale, file
	parts []part
}

// A part of a drawing is a text or a path.
type part struct {
	text       string
	raised     bool    // the end of the text is raised or lowered
	turn       string  // rotation of the text; with rotate(90), y on the page is its x
	size, x, y float64 // size and position of a text
	path       string
	style      map[string]string
}

// gallery draws all figures from their stored rows, and reads the SVGs.
var gallery = sync.OnceValues(func() (list []drawing, err error) {
	dir, err := os.MkdirTemp("", "gallery")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var guard sync.Mutex
	err = allOf(func(f *figure.Figure, scale figure.Scale, done *figure.Done) error {
		to := filepath.Join(dir, filepath.FromSlash(f.Name), string(scale))
		if err := os.MkdirAll(to, 0o777); err != nil {
			return err
		}
		done.Options.Formats = []string{"svg"}
		files, err := done.Draw(to)
		for _, file := range files {
			parts, failed := readSVG(file)
			err = errors.Join(err, failed)
			guard.Lock()
			list = append(list, drawing{f.Name + ", " + string(scale) + ": " + filepath.Base(file), parts})
			guard.Unlock()
		}
		return err
	})
	slices.SortFunc(list, func(a, b drawing) int { return strings.Compare(a.name, b.name) })
	return list, err
})

// readSVG returns the texts and paths of a file.
func readSVG(file string) (list []part, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	turn := ""
	for d := xml.NewDecoder(f); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		e, is := token.(xml.StartElement)
		if is && e.Name.Local == "g" {
			turn = e.Attr[0].Value
		}
		if end, is := token.(xml.EndElement); is && end.Name.Local == "g" {
			turn = ""
		}
		if !is || e.Name.Local != "text" && e.Name.Local != "path" {
			continue
		}
		p := part{style: map[string]string{}, turn: turn}
		for _, a := range e.Attr {
			switch a.Name.Local {
			case "d":
				p.path = a.Value
			case "x":
				p.x, err = strconv.ParseFloat(a.Value, 64)
			case "y":
				p.y, err = strconv.ParseFloat(a.Value, 64)
			case "style":
				for of := range strings.SplitSeq(a.Value, ";") {
					key, value, _ := strings.Cut(of, ":")
					p.style[key] = value
				}
			}
			if err != nil {
				return nil, err
			}
		}
		if e.Name.Local == "text" {
			if p.size, err = strconv.ParseFloat(strings.TrimSuffix(p.style["font-size"], "px"), 64); err != nil {
				return nil, err
			}
			if err := d.DecodeElement(&p.text, &e); err != nil {
				return nil, err
			}
			if n := len(list) - 1; n >= 0 && list[n].continues(&p) {
				continue
			}
		}
		list = append(list, p)
	}
}

// continues appends the text of `next` to p if both belong to one text, and reports whether they do. This is the case
// if `next` is an exponent or an index, which is smaller, or the text after an exponent or index.
func (p *part) continues(next *part) bool {
	near := p.text != "" && next.x > p.x && next.x-p.x < 0.8*p.size*float64(len(p.text)+1)
	switch {
	case near && next.size < 0.8*p.size && next.y != p.y && math.Abs(next.y-p.y) < p.size:
		p.text, p.raised = p.text+"^"+next.text, true
	case near && p.raised && next.size == p.size && next.y == p.y:
		p.text, p.raised = p.text+" "+next.text, false
	default:
		return false
	}
	return true
}

// ink is the colour of text in the legend, and paper the colour of the background.
const ink, paper = "#1F2328", "#FFFFFF"

// legend maps each name in the legend to the look of the sample before the name: colours, dashes and outlines.
func (d *drawing) legend() map[string]string {
	list := map[string]string{}
	var sample []part
	last, left := "", 0.0
	for _, p := range d.parts {
		switch {
		case p.text == "":
			sample = append(sample, p)
			continue
		case p.size == 7.5 && p.style["fill"] == ink && last != "" && len(sample) == 0 && p.x == left: // its next line
			look := list[last]
			delete(list, last)
			last += " " + p.text
			list[last] = look
			continue
		case p.size == 7.5 && p.style["fill"] == ink && sampled(sample, p):
			last, left = p.text, p.x
			list[last] = look(sample)
		default:
			last = ""
		}
		sample = nil
	}
	return list
}

var numeral = regexp.MustCompile(`-?[0-9.]+`)

// numbers returns the numbers in the data of a path.
func (p *part) numbers() []float64 {
	var list []float64
	for _, s := range numeral.FindAllString(p.path, -1) {
		v, _ := strconv.ParseFloat(s, 64)
		list = append(list, v)
	}
	return list
}

// sampled reports whether the paths are a sample in the legend, to the left of the text.
func sampled(sample []part, text part) bool {
	for _, p := range sample {
		n := p.numbers()
		for i := 0; i+1 < len(n); i += 2 {
			if n[i] > text.x || n[i] < text.x-26 || math.Abs(n[i+1]+text.y) > 9 {
				return false
			}
		}
	}
	return len(sample) > 0
}

// look describes the colours, dashes and outlines of a sample, independent of its position.
func look(sample []part) string {
	b := ""
	for _, p := range sample {
		n := p.numbers()
		b += fmt.Sprintf("%s %s %s %s;", p.style["fill"], p.style["stroke"], p.style["stroke-dasharray"],
			p.style["fill-opacity"])
		for i := 2; i+1 < len(n); i += 2 {
			b += fmt.Sprintf(" %.1f %.1f", n[i]-n[0]+0, n[i+1]-n[1]+0)
		}
	}
	return b
}

// hue returns the first colour of a look that is not the background.
func hue(look string) string {
	for _, c := range regexp.MustCompile(`#[0-9A-F]{6}`).FindAllString(look, -1) {
		if c != paper {
			return c
		}
	}
	return ""
}

// Each drawing fits on a page, has texts that are readable at the width of a column, and explains its bars. If a
// drawing has chevrons, the legend explains them.
func TestDrawingsArePublishable(t *testing.T) {
	if testing.Short() {
		t.Skip("draws all figures, which takes ten seconds; needs go test without -short")
	}
	list, err := gallery()
	if err != nil {
		t.Fatal(err)
	}
	bars, chevrons := 0, 0
	for _, d := range list {
		page := d.parts[0].numbers() // the background
		if high := page[5]; high > 9*72 {
			t.Errorf("%s is %.1f in high, want 9 at most", d.name, high/72)
		}
		words := ""
		for _, p := range d.parts {
			if words += p.text + " "; p.text != "" && p.size < 7 {
				t.Errorf("%s: %q is %g pt high, want 7 at least", d.name, p.text, p.size)
			}
		}
		if word := d.covered(); word != "" {
			t.Errorf("%s: %q covers an interval", d.name, word)
		}
		if d.bars() {
			if bars++; !strings.Contains(words, "ars: 95 % intervals") && !strings.Contains(words, "bars: intervals") {
				t.Errorf("%s has bars, but does not say of what", d.name)
			}
		}
		if d.chevrons() {
			if chevrons++; !strings.Contains(words, "zero") && !strings.Contains(words, "off the axis") {
				t.Errorf("%s has chevrons, but does not say of what", d.name)
			}
		}
	}
	if bars < 50 || chevrons < 3 {
		t.Errorf("%d drawings with bars, %d with chevrons: does this test still read them?", bars, chevrons)
	}
}

// bars reports whether the drawing shows an interval.
func (d *drawing) bars() bool { return len(d.intervals()) > 0 }

// intervals returns the vertical lines that have a cap.
func (d *drawing) intervals() (list [][]float64) {
	for i := range len(d.parts) - 1 {
		bar, cap := d.parts[i].numbers(), d.parts[i+1].numbers()
		if len(bar) == 4 && len(cap) == 4 && d.parts[i].style["stroke-width"] == "0.8" && bar[0] == bar[2] &&
			cap[1] == cap[3] && math.Abs(cap[0]-cap[2]) < 4 {
			list = append(list, bar)
		}
	}
	return list
}

// covered returns the label of a reference line if the label overlaps an interval.
func (d *drawing) covered() string {
	for _, p := range d.parts {
		if p.text != "equal" {
			continue
		}
		wide := 2.4 * p.size // width of the label's letters in Liberation Sans
		for _, bar := range d.intervals() {
			low, high := min(bar[1], bar[3]), max(bar[1], bar[3])
			if bar[0] > p.x && bar[0] < p.x+wide && low < -p.y+0.7*p.size && high > -p.y {
				return p.text
			}
		}
	}
	return ""
}

// chevrons reports whether the drawing has an open arrow.
func (d *drawing) chevrons() bool {
	return slices.ContainsFunc(d.parts, func(p part) bool {
		n := p.numbers()
		return len(n) == 6 && p.style["stroke-width"] == "1.1" && math.Hypot(n[0]-n[4], n[1]-n[5]) < 5
	})
}

// If two series of a drawing have colours of similar lightness, they differ in dashes, markers or hatches, so that a
// reader can distinguish them in a grey print.
func TestGreyPrint(t *testing.T) {
	if testing.Short() {
		t.Skip("draws all figures, which takes ten seconds; needs go test without -short")
	}
	list, err := gallery()
	if err != nil {
		t.Fatal(err)
	}
	colors := regexp.MustCompile(`#[0-9A-F]{6}`)
	light := func(color string) float64 {
		v, _ := strconv.ParseUint(color[1:], 16, 32)
		return 0.299*float64(v>>16) + 0.587*float64(v>>8&255) + 0.114*float64(v&255)
	}
	pairs := 0
	for _, d := range list {
		legend := d.legend()
		names := slices.Sorted(maps.Keys(legend))
		for i, a := range names {
			for _, b := range names[:i] {
				one, other := hue(legend[a]), hue(legend[b])
				if one == "" || other == "" || math.Abs(light(one)-light(other)) > 24 {
					continue
				}
				pairs++
				if colors.ReplaceAllString(legend[a], "") == colors.ReplaceAllString(legend[b], "") {
					t.Errorf("%s: %q and %q are alike in a grey print", d.name, b, a)
				}
			}
		}
	}
	if pairs < 100 {
		t.Errorf("%d pairs of names: does this test still read them?", pairs)
	}
}

// At most five curves of a panel have intervals, and no drawing is empty.
func TestPanelsAreNotCrowded(t *testing.T) {
	if testing.Short() {
		t.Skip("draws all figures, which takes ten seconds; needs go test without -short")
	}
	list, err := gallery()
	if err != nil {
		t.Fatal(err)
	}
	panels := 0
	for _, d := range list {
		drawn, lines := 0, map[string]bool{}
		for _, c := range d.curves() {
			lines[c.look] = true
		}
		for _, f := range d.frames() {
			panels++
			colors := map[string]bool{}
			for _, p := range d.parts {
				n := p.numbers()
				color := p.style["stroke"]
				if len(n) < 4 || n[0] < f[0] || n[0] > f[2] || n[1] < f[1] || n[1] > f[3] {
					continue
				}
				if p.style["stroke-width"] == "0.8" && len(n) == 4 && n[0] == n[2] && lines[color] {
					colors[color] = true
				}
				if fill := p.style["fill"]; p.path != "" && fill != paper && !neutral[color] &&
					p.style["fill-opacity"] == "" {
					drawn++
				}
			}
			if len(colors) > 5 {
				t.Errorf("%s: %d curves of a panel have intervals, want 5 at most", d.name, len(colors))
			}
		}
		if drawn == 0 && len(d.frames()) > 0 {
			t.Errorf("%s shows nothing", d.name)
		}
	}
	if panels < 500 {
		t.Errorf("%d panels: does this test still read them?", panels)
	}
}

// neutral lists the colours of frames, grids and the background.
var neutral = map[string]bool{"#8C959F": true, "#DEE2E6": true, "#F0F2F4": true, paper: true}

// frames returns the data areas of the panels. The numbers of an area are the least x, least y, largest x and largest
// y.
func (d *drawing) frames() (list [][]float64) {
	for _, p := range d.parts {
		n := p.numbers()
		if len(n) == 6 && p.style["stroke"] == "#8C959F" && n[0] == n[2] && n[3] == n[5] {
			list = append(list, []float64{n[0], n[3], n[4], n[1]})
		}
	}
	return list
}

// No interval extends to impossible values: slowdowns below 1, shares outside 0 to 1, or errors and times below 0.
func TestIntervalsKeepToBounds(t *testing.T) {
	ends := map[*regexp.Regexp][2]float64{ // slowdowns are relative to ideal times that are rounded
		regexp.MustCompile(`^(p[0-9]+ |Mean |95th-percentile )?[Ss]lowdown$`):       {0.97, math.Inf(1)},
		regexp.MustCompile(`^(F1|Precision|Recall|Share (above|recovered).*)$`):     {0, 1},
		regexp.MustCompile(`([Ss]ent again|with estimate.*|[Ss]hare of .* \(%\))$`): {0, 100},
		regexp.MustCompile(`^(ARE|RE|WMRE|.*[Ee]rror.*|.*[Tt]ime.*|Queue.*)$`):      {0, math.Inf(1)},
	}
	var guard sync.Mutex
	checked := map[*regexp.Regexp]int{}
	err := allOf(func(f *figure.Figure, scale figure.Scale, done *figure.Done) error {
		list, err := done.View.Drawings(done.Manifest)
		guard.Lock()
		defer guard.Unlock()
		for _, d := range list {
			for _, p := range d.Plot.Panels {
				for label, end := range ends {
					if !label.MatchString(p.Y.Label) || strings.Contains(p.Y.Label, "against") {
						continue
					}
					for _, s := range p.Series {
						for i := range s.Lo {
							checked[label]++
							if s.Lo[i] < end[0] || s.Hi[i] > end[1] {
								t.Errorf("%s, %s: %s, %s at %v: %v to %v, want %v to %v", f.Name, scale, p.Y.Label,
									s.Name, s.X[i], s.Lo[i], s.Hi[i], end[0], end[1])
							}
						}
					}
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for label := range ends {
		if checked[label] < 20 {
			t.Errorf("%v: %d intervals: does this test still read them?", label, checked[label])
		}
	}
}

// Series with the same name have the same colour in all drawings of all figures. Two names in a drawing never share a
// look.
func TestOneNameOneLook(t *testing.T) {
	if testing.Short() {
		t.Skip("draws all figures, which takes ten seconds; needs go test without -short")
	}
	list, err := gallery()
	if err != nil {
		t.Fatal(err)
	}
	hues := map[string][2]string{} // by name: the colour, and a drawing in which the name has this colour
	names := 0
	for _, d := range list {
		owner := map[string]string{}
		for name, look := range d.legend() {
			names++
			if other, taken := owner[look]; taken {
				t.Errorf("%s: %q looks like %q", d.name, name, other)
			}
			owner[look] = name
			name = strings.TrimSuffix(name, ", published")
			if old, seen := hues[name]; seen && old[0] != hue(look) {
				t.Errorf("%q is %s in %s and %s in %s", name, hue(look), d.name, old[0], old[1])
			}
			hues[name] = [2]string{hue(look), d.name}
		}
	}
	if names < 500 {
		t.Errorf("the legends have %d names: does this test still read them?", names)
	}
}

// A curve consists of successive paths with the same look.
type curve struct {
	look  string
	width float64
	dash  []float64
	paths [][]float64
}

// curves returns the curves of a drawing, from bottom to top. A curve may have a rim in the colour of the background;
// the rim is not a curve.
func (d *drawing) curves() (list []curve) {
	last := ""
	for _, p := range d.parts {
		color := p.style["stroke"]
		if color == paper {
			continue // the rim beneath a curve
		}
		width, _ := strconv.ParseFloat(p.style["stroke-width"], 64)
		n := p.numbers()
		chevron := len(n) == 6 && math.Hypot(n[0]-n[4], n[1]-n[5]) < 5
		if p.style["fill"] != "none" || neutral[color] || width < 0.85 || strings.HasSuffix(p.path, "Z") || chevron {
			last = ""
			continue
		}
		look := fmt.Sprint(p.style)
		if look != last {
			c := curve{look: color, width: width}
			for _, of := range numeral.FindAllString(p.style["stroke-dasharray"], -1) {
				v, _ := strconv.ParseFloat(of, 64)
				c.dash = append(c.dash, v)
			}
			list = append(list, c)
		}
		last = look
		list[len(list)-1].paths = append(list[len(list)-1].paths, n)
	}
	return list
}

// paint calls `do` for each cell that the curve covers. The cells of the grid are a quarter of a point wide.
func (c *curve) paint(do func(cell [2]int)) {
	const cell = 0.25
	total := 0.0
	for _, d := range c.dash {
		total += d
	}
	for _, n := range c.paths {
		along := 0.0
		for i := 2; i+1 < len(n); i += 2 {
			long := math.Hypot(n[i]-n[i-2], n[i+1]-n[i-1])
			steps := int(long/cell) + 1
			for k := range steps {
				t := float64(k) / float64(steps)
				at, on := math.Mod(along+t*long, max(total, 1)), true
				for _, d := range c.dash {
					if at < d {
						break
					}
					at, on = at-d, !on
				}
				if !on {
					continue
				}
				x, y, r := (n[i-2]+t*(n[i]-n[i-2]))/cell, (n[i-1]+t*(n[i+1]-n[i-1]))/cell, c.width/2/cell
				for dx := math.Ceil(x - r); dx <= x+r; dx++ {
					for dy := math.Ceil(y - r); dy <= y+r; dy++ {
						if math.Hypot(dx-x, dy-y) <= r {
							do([2]int{int(dx), int(dy)})
						}
					}
				}
			}
			along += long
		}
	}
}

// A canvas is a grid of cells as in curve.paint. Its memory serves all drawings, one after the other.
type canvas struct {
	top     [4096][4096]int32 // the curve that covers a cell, counted over all drawings
	painted int32             // how many curves have been painted
}

// paint paints curves over each other, and returns the share of each that is not under a later one. A curve without
// cells has no share.
func (c *canvas) paint(curves []curve) []float64 {
	before := c.painted
	seen, all := make([]int, len(curves)), make([]int, len(curves))
	for i := range curves {
		c.painted++
		curves[i].paint(func(cell [2]int) {
			top := &c.top[cell[1]][cell[0]]
			if *top == c.painted {
				return
			}
			if *top > before {
				seen[*top-before-1]--
			}
			*top = c.painted
			seen[i]++
			all[i]++
		})
	}
	shares := make([]float64, len(curves))
	for i := range shares {
		shares[i] = float64(seen[i]) / float64(all[i])
	}
	return shares
}

// No curve is completely hidden under others.
func TestNoCurveIsHidden(t *testing.T) {
	if testing.Short() {
		t.Skip("draws all figures, which takes ten seconds; needs go test without -short")
	}
	list, err := gallery()
	if err != nil {
		t.Fatal(err)
	}
	page := &canvas{}
	curves := 0
	for _, d := range list {
		of := d.curves()
		for i, seen := range page.paint(of) {
			if curves++; seen < 0.1 {
				n := of[i].paths[0]
				t.Errorf("%s: %.0f %% of the curve in %s from (%.0f, %.0f) are seen", d.name,
					100*seen, of[i].look, n[0], n[1])
			}
		}
	}
	if curves < 2000 {
		t.Errorf("the drawings have %d curves: does this test still read them?", curves)
	}
}
