package figure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"pintlab/internal/lists"
	"pintlab/plots"
)

// asks reports whether the options choose columns.
func (o *Options) asks() bool { return o.X != "" || len(o.Y)+len(o.By)+len(o.Panels) > 0 }

// columnOf returns the column of a name, or of the last words of a key if only one key has them.
func columnOf(t *plots.Table, flag, name string, accepts ...plots.Kind) (string, error) {
	all := lists.Keep(t.Columns(),
		func(c plots.Column) bool { return accepts == nil || slices.Contains(accepts, c.Kind) })
	var ends []string
	for _, c := range all {
		if c.Name == name {
			return name, nil
		}
		if strings.HasSuffix(c.Name, "."+name) {
			ends = append(ends, c.Name)
		}
	}
	if len(ends) == 1 {
		return ends[0], nil
	}
	names := lists.Map(all, func(c plots.Column) string { return c.Name })
	if ends != nil {
		names = ends
	}
	return "", fmt.Errorf("--%s %s: want one of the columns %s", flag, name, strings.Join(names, ", "))
}

// chosen returns the rows that the options choose.
func (o *Options) chosen(t *plots.Table) (*plots.Table, error) {
	for _, w := range o.Where {
		column, list, ok := strings.Cut(w, "=")
		if !ok {
			return nil, fmt.Errorf("--where %s: want COLUMN=VALUE", w)
		}
		column, err := columnOf(t, "where", column)
		if err != nil {
			return nil, err
		}
		at := index(t, column)
		want, have := strings.Split(list, ","), valuesOf(t, at)
		if slices.Contains(have, list) {
			want = []string{list} // a value with a comma
		}
		for _, v := range want {
			if !slices.Contains(have, v) {
				return nil, fmt.Errorf("--where %s: no row has %s=%s, want one of: %s", w, column, v, some(have))
			}
		}
		t = t.Where(func(row int) bool { return slices.Contains(want, t.Exact(row, at)) })
	}
	return t, nil
}

// drawingColumns are columns with a drawing for each of their values.
var drawingColumns = []string{"table", "measure", "quantity", "unit"}

// pictures draws rows as the options ask: a drawing for each column along y and each quantity of the rows. quantities
// are the columns along y unless the options name some.
func (o *Options) pictures(t *plots.Table, quantities []string, footnote string) (list []Drawing, err error) {
	c, err := o.picture(t)
	if err != nil {
		return nil, err
	}
	y := o.Y
	if y == nil && t.Has("value") {
		y = []string{"value"}
	} else if y == nil {
		y = quantities
	}
	if len(y) == 0 {
		y = []string{""} // an error with the columns
	}
	var split []int
	for i, head := range t.Columns() {
		if slices.Contains(drawingColumns, head.Name) && !slices.Contains(c.used(), head.Name) {
			split = append(split, i)
		}
	}
	rows := make([]int, t.Len())
	for i := range rows {
		rows[i] = i
	}
	part := func(r int) string {
		return strings.Join(lists.Map(split, func(i int) string { return t.Exact(r, i) }), "\n")
	}
	parts := Groups[[]int](rows, func(r *int) string { return part(*r) })
	for _, name := range y {
		if c.Y, err = columnOf(t, "y", name, plots.Int, plots.Float); err != nil {
			return nil, err
		}
		for _, of := range parts {
			own := t.Where(func(r int) bool { return part(r) == part(of[0]) })
			c.Title, c.Unit = Titled(c.Y), ""
			var only string
			var words []string // values in which the parts differ
			for _, i := range split {
				value := t.Exact(of[0], i)
				switch {
				case t.Columns()[i].Name == "unit":
					if c.Y == "value" {
						c.Unit = value
					}
				case value == "":
				case slices.ContainsFunc(parts, func(p []int) bool { return t.Exact(p[0], i) != value }):
					words = append(words, value)
				default:
					only = value
				}
			}
			switch {
			case c.Y != "value" && len(words) > 0:
				c.Title += ", " + strings.Join(words, ", ")
			case len(words) > 0:
				c.Title = capital(strings.Join(words, ", "))
			case c.Y == "value" && only != "":
				c.Title = capital(only)
			}
			panels, err := c.Draw(own)
			if err != nil {
				return nil, err
			}
			file := strings.Map(func(r rune) rune {
				if unicode.IsLetter(r) || unicode.IsDigit(r) {
					return unicode.ToLower(r)
				}
				return '-'
			}, c.Title+" by "+keyInWords(c.X))
			f := plots.Figure{Title: c.Title, Footnote: footnote, Panels: panels}
			pooled := func(s plots.Series) bool { return s.Lo != nil }
			if slices.ContainsFunc(panels, func(p plots.Panel) bool { return slices.ContainsFunc(p.Series, pooled) }) &&
				!strings.Contains(footnote, "bars") {
				f.Footnote = strings.TrimPrefix(footnote+"; bars: 95 % intervals over the seeds", "; ")
			}
			list = append(list, Drawing{Name: file, Plot: f})
		}
	}
	return list, nil
}

// used returns the columns that have a place in the chart.
func (c *Picture) used() []string { return slices.Concat([]string{c.X}, c.By, c.Panels) }

// picture returns the columns of the options, and for those that they do not name: numbers along x, and all columns of
// words in which rows differ as curves.
func (o *Options) picture(t *plots.Table) (c Picture, err error) {
	for _, list := range []struct {
		flag  string
		names []string
		to    *[]string
	}{{"by", o.By, &c.By}, {"panels", o.Panels, &c.Panels}} {
		for _, name := range list.names {
			column, err := columnOf(t, list.flag, name)
			if err != nil {
				return c, err
			}
			*list.to = append(*list.to, column)
		}
	}
	var words []string // of which rows have several
	for i, head := range t.Columns() {
		if head.Kind == plots.String && len(valuesOf(t, i)) > 1 &&
			!slices.Contains(slices.Concat(seedColumns, drawingColumns, c.used()), head.Name) {
			words = append(words, head.Name)
		}
	}
	switch {
	case o.X != "":
		if c.X, err = columnOf(t, "x", o.X); err != nil {
			return c, err
		}
	case t.Has("x") && len(valuesOf(t, index(t, "x"))) > 1:
		c.X = "x"
	case len(words) > 0:
		c.X = words[0]
		for _, w := range words {
			if Numeric(valuesOf(t, index(t, w))) {
				c.X = w
				break
			}
		}
	default:
		return c, fmt.Errorf("the rows differ in no column of words: name one with --x")
	}
	if o.By == nil {
		c.By = lists.Keep(words, func(w string) bool { return w != c.X && !slices.Contains(c.Panels, w) })
	}
	return c, nil
}

// asked returns the drawings of the view, or those that the options ask for. A view may have other rows to ask for than
// rows.csv, and columns that are along y by default.
func (d *Done) asked() ([]Drawing, error) {
	o := &d.Options
	if !o.asks() && len(o.Where) == 0 {
		return d.Drawings(d.Manifest)
	}
	t, quantities := d.Rows(), []string(nil)
	if v, ok := d.View.(interface {
		Asked() (*plots.Table, []string)
	}); ok {
		t, quantities = v.Asked()
	}
	t, err := o.chosen(t)
	if err != nil {
		return nil, err
	}
	if o.asks() {
		return o.pictures(t, quantities, cmp.Or(d.Manifest.Footnote, t.Note))
	}
	view, err := d.Figure.Read(t)
	if err != nil {
		return nil, fmt.Errorf("--where: %w", err)
	}
	return view.Drawings(d.Manifest)
}
