package plots

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Mapping says which columns of a tidy table a figure is made of. An empty field
// takes the name that the constructor documents: columns X, Y and Z must be there,
// the others are used if they are. A column that is named here must be there.
type Mapping struct {
	// Series is a text column: a series for each of its values.
	Series string
	// X, Y and Z are the values. Z is the colour of a heat map.
	X, Y, Z string
	// Lo and Hi bound Y.
	Lo, Hi string
	// Panel is a text column: a panel for each of its values.
	Panel string
	// Variant is a text column, such as the statistic (mean, p99): series that
	// differ only in it share a colour and differ in the pattern of the line.
	Variant string
	// Source is a text column that says "published" for values of a document and
	// "ours" for the others.
	Source string
	// Count is a column with the number of samples behind each row. Rows with
	// fewer than MinCount are drawn faded.
	Count    string
	MinCount int64
	// XLabel, YLabel and ZLabel replace the labels of the axes.
	XLabel, YLabel, ZLabel string
}

// source values.
const (
	sourceOurs      = "ours"
	sourcePublished = "published"
)

// fill completes the mapping with the defaults, leaving out optional columns that
// the table does not have.
func (m Mapping) fill(t *Table, def Mapping) Mapping {
	for _, f := range []struct {
		field    *string
		def      string
		optional bool
	}{
		{&m.X, def.X, false}, {&m.Y, def.Y, false}, {&m.Z, def.Z, false},
		{&m.Series, def.Series, true}, {&m.Lo, def.Lo, true}, {&m.Hi, def.Hi, true},
		{&m.Panel, def.Panel, true}, {&m.Variant, def.Variant, true},
		{&m.Source, def.Source, true}, {&m.Count, def.Count, true},
	} {
		if *f.field == "" && (!f.optional || t.Has(f.def)) {
			*f.field = f.def
		}
	}
	m.XLabel, m.YLabel, m.ZLabel = or(m.XLabel, def.XLabel), or(m.YLabel, def.YLabel), or(m.ZLabel, def.ZLabel)
	return m
}

// common are the defaults that all constructors share.
var common = Mapping{Series: "scheme", Lo: "lo", Hi: "hi", Panel: "panel", Variant: "statistic", Source: "source", Count: "flows"}

// bunch is the rows of one series in one panel.
type bunch struct {
	panel, series, variant string
	published              bool
	rows                   []int
}

// data holds the columns that a mapping finds in a table.
type data struct {
	Mapping
	table        *Table
	x, y, lo, hi []float64
	xUnit, yUnit string
	count        []float64
	bunches      []bunch
	panels       []string // in order of first appearance, as the variants are
	variants     []string
}

// gather reads the columns of the mapping and sorts the rows into bunches, in
// order of first appearance.
func gather(t *Table, m Mapping) (*data, error) {
	if t.Len() == 0 {
		return nil, fmt.Errorf("plots: the table has no rows")
	}
	if (m.Lo == "") != (m.Hi == "") {
		return nil, fmt.Errorf("plots: lo %q without hi %q, or the reverse", m.Lo, m.Hi)
	}
	d := &data{Mapping: m, table: t}
	var err error
	if d.x, d.xUnit, err = t.scaled(m.X); err != nil {
		return nil, err
	}
	if m.Y != "" {
		if d.y, d.yUnit, err = t.scaled(m.Y); err != nil {
			return nil, err
		}
	}
	for _, c := range []struct {
		name string
		to   *[]float64
	}{{m.Lo, &d.lo}, {m.Hi, &d.hi}} {
		if c.name == "" {
			continue
		}
		unit := ""
		if *c.to, unit, err = t.scaled(c.name); err != nil {
			return nil, err
		}
		if unit != d.yUnit {
			return nil, fmt.Errorf("plots: column %q is in %q and %q in %q", c.name, unit, m.Y, d.yUnit)
		}
	}
	if m.Count != "" {
		if d.count, err = t.Reals(m.Count); err != nil {
			return nil, err
		}
	}
	return d, d.split()
}

// split sorts the rows into bunches.
func (d *data) split() error {
	text := func(name string) ([]string, error) {
		if name == "" {
			return make([]string, d.table.Len()), nil
		}
		return d.table.Texts(name)
	}
	columns := make([][]string, 4)
	for i, name := range []string{d.Panel, d.Series, d.Variant, d.Source} {
		var err error
		if columns[i], err = text(name); err != nil {
			return err
		}
	}
	for r := range d.table.Len() {
		b := bunch{panel: columns[0][r], series: columns[1][r], variant: columns[2][r]}
		switch s := columns[3][r]; s {
		case sourcePublished:
			b.published = true
		case sourceOurs, "":
		default:
			return fmt.Errorf("plots: row %d, column %q: %q, want ours or published", r+1, d.Source, s)
		}
		if b.series == "" {
			b.series = or(d.YLabel, d.Y)
		}
		i := slices.IndexFunc(d.bunches, func(o bunch) bool {
			return o.panel == b.panel && o.series == b.series && o.variant == b.variant && o.published == b.published
		})
		if i < 0 {
			i = len(d.bunches)
			d.bunches = append(d.bunches, b)
		}
		d.bunches[i].rows = append(d.bunches[i].rows, r)
		if !slices.Contains(d.panels, b.panel) {
			d.panels = append(d.panels, b.panel)
		}
		if !slices.Contains(d.variants, b.variant) {
			d.variants = append(d.variants, b.variant)
		}
	}
	if len(d.variants) > 3 {
		return fmt.Errorf("plots: column %q has %d values, and there are 3 patterns of lines", d.Variant, len(d.variants))
	}
	return nil
}

// series makes the series of a bunch, its rows in order of x.
func (d *data) series(b bunch, style Style) Series {
	rows := slices.Clone(b.rows)
	slices.SortStableFunc(rows, func(i, j int) int { return cmp.Compare(d.x[i], d.x[j]) })
	s := Series{Name: b.series, Style: style, Published: b.published}
	if b.variant != "" {
		s.Name, s.Hue = b.series+", "+b.variant, b.series
		s.Pattern = []Pattern{Solid, Dotted, DashDot}[slices.Index(d.variants, b.variant)]
	}
	for _, r := range rows {
		s.X = append(s.X, d.x[r])
		s.Y = append(s.Y, d.y[r])
		if d.lo != nil {
			s.Lo = append(s.Lo, d.lo[r])
			s.Hi = append(s.Hi, d.hi[r])
		}
		if d.count != nil && d.MinCount > 0 {
			s.Weak = append(s.Weak, !b.published && d.count[r] < float64(d.MinCount))
		}
	}
	return s
}

// figure makes a panel for each value of the panel column.
func (d *data) figure(x, y Axis, style Style) Figure {
	f := Figure{}
	x.Label, y.Label = or(d.XLabel, d.X), or(d.YLabel, d.Y)
	x.Unit, y.Unit = d.xUnit, d.yUnit
	for _, name := range d.panels {
		p := Panel{Title: name, X: x, Y: y}
		for _, b := range d.bunches {
			if b.panel == name {
				p.Series = append(p.Series, d.series(b, style))
			}
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

// scaled returns a column of numbers in the base unit of its axis: a column in us
// comes back in seconds.
func (t *Table) scaled(name string) ([]float64, string, error) {
	v, err := t.Reals(name)
	if err != nil {
		return nil, "", err
	}
	unit := t.columns[t.index(name)].Unit
	factor, base := baseUnit(unit)
	if factor != 1 {
		for i := range v {
			v[i] *= factor
		}
	}
	return v, base, nil
}

// baseUnit takes a prefixed unit apart: "us" is 1e-6 "s", "Gbps" is 1e9 "b/s".
func baseUnit(unit string) (float64, string) {
	if p, ok := strings.CutSuffix(unit, "bps"); ok {
		unit = p + "b/s"
	}
	for _, base := range []string{InBytes, InSeconds, InBitsPerSecond} {
		for _, p := range prefixes[base] {
			if p.name == unit {
				return p.scale, base
			}
		}
	}
	return 1, unit
}
