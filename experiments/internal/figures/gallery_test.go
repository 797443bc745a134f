package figures

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
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

// A drawing has the parts of an SVG in their order.
type drawing struct {
	name  string // figure, scale, file
	parts []part
}

// A part of a drawing is a text or a path.
type part struct {
	text       string
	raised     bool    // its end
	size, x, y float64 // of a text
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
	for d := xml.NewDecoder(f); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		e, is := token.(xml.StartElement)
		if !is || e.Name.Local != "text" && e.Name.Local != "path" {
			continue
		}
		p := part{style: map[string]string{}}
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

// continues appends a piece of text to the text that it continues: an exponent, which is smaller, and the text behind
// it.
func (p *part) continues(next *part) bool {
	near := p.text != "" && next.x > p.x && next.x-p.x < 0.8*p.size*float64(len(p.text)+1)
	switch {
	case near && next.size < 0.8*p.size && next.y < p.y && next.y > p.y-p.size:
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

// legend returns how the legend shows each name: the colours, dashes and outlines of the sample before the text.
func (d *drawing) legend() map[string]string {
	list := map[string]string{}
	var sample []part
	last := ""
	for _, p := range d.parts {
		switch {
		case p.text == "":
			sample = append(sample, p)
			continue
		case p.size == 7.5 && p.style["fill"] == ink && last != "" && len(sample) == 0: // its next line
			look := list[last]
			delete(list, last)
			last += " " + p.text
			list[last] = look
			continue
		case p.size == 7.5 && p.style["fill"] == ink && sampled(sample, p):
			last = p.text
			list[last] = look(sample)
		default:
			last = ""
		}
		sample = nil
	}
	return list
}

var numeral = regexp.MustCompile(`-?[0-9.]+`)

// numbers returns the numbers of a path.
func (p *part) numbers() []float64 {
	var list []float64
	for _, s := range numeral.FindAllString(p.path, -1) {
		v, _ := strconv.ParseFloat(s, 64)
		list = append(list, v)
	}
	return list
}

// sampled reports whether the paths are a sample of the legend left of a text.
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

// look describes a sample, wherever it is.
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

// hue returns the first colour of a look that is not paper.
func hue(look string) string {
	for _, c := range regexp.MustCompile(`#[0-9A-F]{6}`).FindAllString(look, -1) {
		if c != paper {
			return c
		}
	}
	return ""
}

// Each drawing fits on a page, its texts are readable at the width of a column, it explains its bars, and its legend
// names chevrons.
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

// bars reports whether the drawing has an interval.
func (d *drawing) bars() bool { return len(d.intervals()) > 0 }

// intervals returns the upright lines with a cap.
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

// covered returns the label of a reference line that stands on an interval.
func (d *drawing) covered() string {
	for _, p := range d.parts {
		if p.text != "equal" {
			continue
		}
		wide := 2.4 * p.size // of its letters in Liberation Sans
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

// A name of a curve has one look in all drawings of all figures, and no two names of a drawing share one.
func TestOneNameOneLook(t *testing.T) {
	if testing.Short() {
		t.Skip("draws all figures, which takes ten seconds; needs go test without -short")
	}
	list, err := gallery()
	if err != nil {
		t.Fatal(err)
	}
	hues := map[string][2]string{} // of a name: the colour, and the drawing that has it
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
