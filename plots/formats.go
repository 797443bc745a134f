package plots

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/internal/outfile"
)

// sketch is a figure for other programs. It contains the final looks and labels. Numbers are rows of a table.
// Nothing in a sketch is a bool or null, so that Python can read its JSON.
type sketch struct {
	Title   string        `json:"title,omitempty"`
	Foot    string        `json:"foot,omitempty"`
	Columns int           `json:"columns"` // panels side by side
	Width   float64       `json:"width"`   // in inches
	Panels  []sketchPanel `json:"panels"`
}

type sketchPanel struct {
	Title  string         `json:"title,omitempty"`
	X      sketchAxis     `json:"x"`
	Y      sketchAxis     `json:"y"`
	Series []sketchSeries `json:"series,omitempty"`
	Heat   *sketchHeat    `json:"heat,omitempty"`
	Notes  [][3]any       `json:"notes,omitempty"`    // x, y, text
	Same   int            `json:"diagonal,omitempty"` // 1 for the line y = x
	place  int
}

type sketchAxis struct {
	Label      string   `json:"label,omitempty"`
	Unit       string   `json:"unit,omitempty"`
	Scale      Scale    `json:"scale"`
	Min        *float64 `json:"min,omitempty"`
	Max        *float64 `json:"max,omitempty"`
	Ticks      [][2]any `json:"ticks,omitempty"` // place, text
	Categories []string `json:"categories,omitempty"`
	Lines      [][2]any `json:"lines,omitempty"` // place, text
}

type sketchSeries struct {
	Name   string    `json:"name"`
	Style  Style     `json:"style"`
	Color  string    `json:"color"`
	Mark   int       `json:"mark"` // number of the shape
	Dash   []float64 `json:"dash,omitempty"`
	Width  float64   `json:"width"`
	Hollow int       `json:"hollow,omitempty"` // 1 for published values
	Bare   int       `json:"bare,omitempty"`   // 1 if the intervals are only in the rows
	Slot   []float64 `json:"slot,omitempty"`   // slot of a bar: centre and width
}

type sketchHeat struct {
	Label  string   `json:"label,omitempty"`
	Unit   string   `json:"unit,omitempty"`
	Min    *float64 `json:"min,omitempty"`
	Max    *float64 `json:"max,omitempty"`
	Colors []string `json:"colors"`
}

// drawn is a row of the table: a point of a series, or a cell of a heat map.
type drawn struct {
	panel, line  int // from 1
	series, at   string
	x, y, lo, hi float64 // lo and hi are NaN without an interval
	weak         bool
}

func (f *Figure) sketch() sketch {
	looks, width := newLooks(f), f.width()
	s := sketch{Title: f.Title, Foot: f.smallPrint(), Columns: f.columns(), Width: width / 72}
	if f.Width == 0 && s.Columns == 1 {
		s.Width = InColumn / 72
	}
	for i := range f.Panels {
		p := &f.Panels[i]
		out := sketchPanel{Title: p.Title, X: p.X.sketch(), Y: p.Y.sketch(), place: i + 1}
		if p.Identity {
			out.Same = 1
		}
		for _, n := range p.Notes {
			out.Notes = append(out.Notes, [3]any{n.X, n.Y, n.Text})
		}
		for k := range p.Series {
			one := &p.Series[k]
			l := looks.of(one)
			of := sketchSeries{Name: one.legendName(), Style: one.Style, Color: hex(l.color), Mark: l.shape,
				Width: float64(l.width)}
			for _, d := range l.dash {
				of.Dash = append(of.Dash, float64(d))
			}
			if l.hollow {
				of.Hollow = 1
			}
			if one.UnseenLo != nil {
				of.Bare = 1
			}
			if slot := slotOf(p, one); slot.width > 0 {
				of.Slot = []float64{slot.centre, slot.width}
			}
			out.Series = append(out.Series, of)
		}
		if h := p.Heat; h != nil {
			colors := sequential
			if h.Center != nil {
				colors = diverging
			}
			out.Heat = &sketchHeat{h.Label, h.Unit, nil, nil, lists.Map(colors, hex)}
			out.Heat.Min, out.Heat.Max = h.ends(h.extent())
		}
		s.Panels = append(s.Panels, out)
	}
	return s
}

func (a *Axis) sketch() sketchAxis {
	s := sketchAxis{Label: a.Label, Unit: a.Unit, Scale: a.Scale, Min: a.Min, Max: a.Max, Categories: a.Categories}
	for _, t := range a.Ticks {
		s.Ticks = append(s.Ticks, [2]any{t.At, t.Label})
	}
	if a.Scale == SizeBuckets {
		s.Unit = ""
		for _, t := range sizeTicks(a.Sizes) {
			s.Ticks = append(s.Ticks, [2]any{t.Value, t.Label})
		}
	}
	for _, l := range a.Lines {
		s.Lines = append(s.Lines, [2]any{l.At, l.Label})
	}
	return s
}

// drawn returns the points and cells of the figure.
func (f *Figure) drawn() (list []drawn) {
	at := func(a *Axis, v float64) string {
		if i := int(v); a.Scale == Categorical && i >= 0 && i < len(a.Categories) && v == float64(i) {
			return a.Categories[i]
		}
		return ""
	}
	for i := range f.Panels {
		p := &f.Panels[i]
		for k := range p.Series {
			s := &p.Series[k]
			for n, x := range s.X {
				d := drawn{i + 1, k + 1, s.legendName(), at(&p.X, x), x, s.Y[n], math.NaN(), math.NaN(), false}
				if lows, highs := s.bounds(); lows != nil && lows[n] != highs[n] {
					d.lo, d.hi = lows[n], highs[n]
				}
				d.weak = s.Weak != nil && s.Weak[n]
				list = append(list, d)
			}
		}
		if p.Heat == nil {
			continue
		}
		for row, values := range p.Heat.Z {
			for column, v := range values {
				list = append(list, drawn{i + 1, row + 1, at(&p.Y, float64(row)), at(&p.X, float64(column)),
					float64(column), v, math.NaN(), math.NaN(), false})
			}
		}
	}
	return list
}

// points returns a table of what the figure draws. It has a row for each point of each series of each panel, or for
// each cell of a heat map.
func (f *Figure) points() (*Table, error) {
	t, err := NewTable(Whole("panel", ""), Whole("line", ""), Text("series"), Text("at"), Real("x", ""), Real("y", ""),
		Real("lo", ""), Real("hi", ""), Whole("few", ""))
	if err != nil {
		return nil, err
	}
	t.Note = f.Footnote
	for _, d := range f.drawn() {
		few := 0
		if d.weak {
			few = 1
		}
		if err := t.Append(d.panel, d.line, d.series, d.at, d.x, d.y, d.lo, d.hi, few); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// pythonScript is the second part of a script. It draws the figure that the first part describes.
//
//go:embed drawing.py
var pythonScript string

// savePython writes a script for matplotlib. Next to the script it writes the points that the script reads.
func (f *Figure) savePython(script, rows string) error {
	if err := f.saveRows(rows); err != nil {
		return err
	}
	name, err := json.Marshal(filepath.Base(rows))
	if err != nil {
		return err
	}
	return outfile.Write(script, func(w io.Writer) error {
		fmt.Fprintf(w, "#!/usr/bin/env python3\n# Draws the points in %s with matplotlib. Change it as you like.\n\n"+
			"ROWS = %s\nFIGURE = ", name, name)
		if err := indented(w, f.sketch()); err != nil {
			return err
		}
		_, err := io.WriteString(w, pythonScript)
		return err
	})
}

// saveRows writes the points.
func (f *Figure) saveRows(path string) error {
	if err := f.Validate(); err != nil {
		return err
	}
	t, err := f.points()
	if err != nil {
		return err
	}
	return t.SaveCSV(path)
}

// indented writes JSON with indentation.
func indented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(v)
}

// vegaShapes are the marks of Vega-Lite that are most similar to ours.
var vegaShapes = []string{"circle", "square", "triangle-up", "diamond", "triangle-down", "cross",
	"M-.9,-.6L-.6,-.9L0,-.3L.6,-.9L.9,-.6L.3,0L.9,.6L.6,.9L0,.3L-.6,.9L-.9,.6L-.3,0Z", "triangle-right"}

type object = map[string]any

// vega writes a specification of Vega-Lite with the points in it.
func (f *Figure) vega(w io.Writer) error {
	s := f.sketch()
	t, err := f.points()
	if err != nil {
		return err
	}
	wide := s.Width*72/float64(s.Columns) - 60
	var panels []object
	names, colors, dashes := []string{}, []string{}, []any{}
	for _, p := range s.Panels {
		for _, one := range p.Series {
			if slices.Contains(names, one.Name) {
				continue
			}
			names, colors = append(names, one.Name), append(colors, one.Color)
			dashes = append(dashes, append([]float64{}, one.Dash...))
		}
	}
	color := object{"field": "series", "type": "nominal", "title": nil, "sort": names,
		"scale": object{"domain": names, "range": colors}}
	dash := object{"field": "series", "type": "nominal", "title": nil, "sort": names,
		"scale": object{"domain": names, "range": dashes}}
	for i, p := range s.Panels {
		panels = append(panels, object{"title": p.Title, "width": wide, "height": math.Round(wide * 0.62),
			"transform": []object{{"filter": fmt.Sprintf("datum.panel == %d", p.place)}},
			"layer":     p.vega(&f.Panels[i], color, dash)})
	}
	return indented(w, object{
		"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "title": f.Title, "description": f.AltText(),
		"usermeta": object{"footnote": s.Foot}, "data": object{"values": t}, "columns": s.Columns, "concat": panels,
		"config": object{"font": "Arial, Helvetica, sans-serif", "axis": object{"labelFontSize": 7, "titleFontSize": 8},
			"title": object{"anchor": "start", "fontSize": 8},
			"legend": object{"orient": "top", "labelFontSize": 7.5, "labelLimit": 0,
				"columns": max(int(s.Width/1.6), 1)}},
	})
}

// vega returns the layers of a panel.
func (s *sketchPanel) vega(p *Panel, color, dash object) (layers []object) {
	if p.Heat != nil {
		upside := slices.Clone(p.Y.Categories)
		slices.Reverse(upside)
		return []object{{"mark": "rect", "encoding": object{
			"x": object{"field": "at", "type": "nominal", "sort": p.X.Categories, "title": p.X.Label},
			"y": object{"field": "series", "type": "nominal", "sort": upside, "title": p.Y.Label},
			"color": object{"field": "y", "type": "quantitative", "title": p.Heat.Label,
				"scale": object{"range": s.Heat.Colors}},
		}}}
	}
	x, y := s.X.vega("at0"), s.Y.vega("y")
	for k, one := range s.Series {
		mine := []object{{"filter": fmt.Sprintf("datum.line == %d", k+1)}}
		from, to := 0.0, 0.0
		if one.Slot != nil && (one.Style == Bar || one.Style == Points) {
			from, to = one.Slot[0], one.Slot[0]
		}
		mark, of := object{"clip": true}, object{"x": x, "y": y, "color": color}
		switch one.Style {
		case Bar:
			from, to = from-0.46*one.Slot[1], to+0.46*one.Slot[1]
			mark["type"], of["x2"], of["y2"] = "rect", object{"field": "at1"}, object{"datum": 0}
			if one.Hollow == 1 {
				mark["fillOpacity"], mark["stroke"], mark["strokeDash"] = 0.1, one.Color, one.Dash
			}
		case Points:
			mark["type"], mark["shape"], mark["filled"] = "point", vegaShapes[one.Mark%len(vegaShapes)], one.Hollow == 0
		case Span: // each bar goes from a point to the next point, if no value is missing between them
			mark["type"], of["x2"], of["y2"] = "rect", object{"field": "x2"}, object{"field": "y2"}
			mine = append(mine, object{"window": []object{{"op": "lead", "field": "x", "as": "x2"},
				{"op": "lead", "field": "y", "as": "y2"}}},
				object{"filter": "isValid(datum.y) && isValid(datum.y2)"})
		default:
			mark["type"], of["strokeDash"], of["order"] = "line", dash, object{"field": "x"}
			if one.Style == Step {
				mark["interpolate"] = "step-after"
			}
			if one.Style == Line {
				mark["point"] = object{"shape": vegaShapes[one.Mark%len(vegaShapes)], "filled": one.Hollow == 0}
			}
		}
		at := func(name string, shift float64) object {
			return object{"calculate": fmt.Sprintf("datum.x + %g", shift), "as": name}
		}
		layers = append(layers, object{"mark": mark, "encoding": of,
			"transform": append(mine, at("at0", from), at("at1", to))})
		if p.Series[k].Lo != nil {
			layers = append(layers, object{"mark": object{"type": "rule", "clip": true},
				"transform": append(mine, at("at0", (from+to)/2)), "encoding": object{"x": x, "color": color,
					"y": object{"field": "lo", "type": "quantitative"}, "y2": object{"field": "hi"}}})
		}
	}
	return append(layers, s.extras(p, x, y)...)
}

// extras returns the layers of a panel that have no rows: reference lines with their texts, notes and the identity
// line.
func (s *sketchPanel) extras(p *Panel, x, y object) (layers []object) {
	add := func(mark, encoding object, values ...object) {
		mark["color"], mark["clip"] = "#6E7781", true
		layers = append(layers, object{"data": object{"values": values}, "mark": mark, "encoding": encoding})
	}
	on := func(axis object, field string) object {
		return object{"field": field, "type": "quantitative", "scale": axis["scale"]}
	}
	for _, l := range s.X.Lines {
		add(object{"type": "rule", "tooltip": l[1]}, object{"x": on(x, "at")}, object{"at": l[0]})
	}
	for _, l := range s.Y.Lines {
		add(object{"type": "rule", "tooltip": l[1]}, object{"y": on(y, "at")}, object{"at": l[0]})
	}
	for _, n := range s.Notes {
		add(object{"type": "text", "align": "left", "fontSize": 7}, object{"x": on(x, "at"), "y": on(y, "to"),
			"text": object{"field": "text"}}, object{"at": n[0], "to": n[1], "text": n[2]})
	}
	across, along := extents(p)
	if low, high := max(across.lo, along.lo), min(across.hi, along.hi); s.Same == 1 && low < high {
		add(object{"type": "line"}, object{"x": on(x, "at"), "y": on(y, "at")}, object{"at": low}, object{"at": high})
	}
	return layers
}

// vega returns the encoding of a numeric axis.
func (a *sketchAxis) vega(field string) object {
	title := a.Label
	format := object{}
	if number.Prefixed(a.Unit) {
		format["format"] = "~s"
	}
	if a.Unit != "" {
		title = strings.TrimSpace(title + " (" + a.Unit + ")")
	}
	scale := object{"nice": false}
	if a.Scale == Log {
		scale["type"] = "log"
	} else {
		scale["zero"] = false
	}
	if field != "y" {
		scale["padding"] = 8
	}
	if a.Min != nil {
		scale["domainMin"] = *a.Min
	}
	if a.Max != nil {
		scale["domainMax"] = *a.Max
	}
	if len(a.Ticks) > 0 || a.Scale == Categorical {
		var texts, values []any
		for _, t := range a.Ticks {
			values, texts = append(values, t[0]), append(texts, t[1])
		}
		for i, c := range a.Categories {
			values, texts = append(values, i), append(texts, c)
		}
		of, _ := json.Marshal([2]any{texts, values}) // encoding texts and numbers cannot fail
		format = object{"values": values, "labelExpr": fmt.Sprintf("%s[0][indexof(%[1]s[1], datum.value)]", of)}
	}
	return object{"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": format}
}
