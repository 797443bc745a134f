package figure

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"pintlab/internal/lists"
	"pintlab/plots"
)

// Asked returns the rows that the options choose. If the options name columns, it also returns drawings of these
// rows.
func (o *Options) Asked(t *plots.Table, footnote string) (*plots.Table, []Drawing, error) {
	t, err := o.chosen(t)
	if err != nil || !o.asks() {
		return t, nil, err
	}
	list, err := o.pictures(t, nil, nil, footnote)
	return t, list, err
}

// asks reports whether the options name columns for the drawing.
func (o *Options) asks() bool { return o.X != "" || o.Ratio || len(o.Y)+len(o.By)+len(o.Panels) > 0 }

// columnOf returns the name of the column that the user means. The user may write this name, the column's heading in
// a CSV file, the last part of the name, or the words for it. The last two only suffice if they fit a single column.
func columnOf(t *plots.Table, flag, name string, accepts ...plots.Kind) (string, error) {
	all := lists.Keep(t.Columns(),
		func(c plots.Column) bool { return accepts == nil || slices.Contains(accepts, c.Kind) })
	var ends []string
	for _, c := range all {
		if c.Name == name || c.Heading() == name {
			return c.Name, nil
		}
		if strings.HasSuffix(c.Name, "."+name) || strings.EqualFold(KeyInWords(c.Name), name) {
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
		at := t.Index(column)
		have := valuesOf(t, at)
		of := func(v string) int {
			return slices.IndexFunc(have, func(h string) bool { return h == v || o.ValueInWords(column, h) == v })
		}
		var want []string
		for parts := strings.Split(list, ","); len(parts) > 0; {
			n := len(parts) // number of parts of the longest matching value; a value may contain commas
			for n > 1 && of(strings.Join(parts[:n], ",")) < 0 {
				n--
			}
			v := strings.Join(parts[:n], ",")
			if of(v) < 0 {
				return nil, fmt.Errorf("--where %s: no row has %s=%s, want one of: %s", w, column, v, some(have))
			}
			want, parts = append(want, have[of(v)]), parts[n:]
		}
		t = t.Where(func(row int) bool { return slices.Contains(want, t.Exact(row, at)) })
	}
	return t, nil
}

// drawingColumns lists columns for which each value gets a separate drawing.
var drawingColumns = []string{"table", "measure", "quantity", "unit"}

// pictures draws rows as the options require, with a drawing for each column along y and each quantity of the rows.
// If the options name no columns for y, the drawings show the columns in `quantities`. titles contains titles for
// columns whose names do not describe their contents.
func (o *Options) pictures(
	t *plots.Table, quantities []string, titles map[string]string, footnote string,
) (list []Drawing, err error) {
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
	parts := Groups[[]int](lists.Indices(t.Len()), func(r *int) string {
		return strings.Join(lists.Map(split, func(i int) string { return t.Exact(*r, i) }), "\n")
	})
	for _, name := range y {
		if c.Y, err = columnOf(t, "y", name, plots.Int, plots.Float); err != nil {
			return nil, err
		}
		if c.Y == c.X && o.Y != nil {
			return nil, fmt.Errorf("--y %s: want a column other than the one along x", name)
		} else if c.Y == c.X {
			continue
		}
		for _, of := range parts {
			own := t.Where(func(r int) bool { _, has := slices.BinarySearch(of, r); return has })
			c.Title, c.Unit, c.Ratio = cmp.Or(titles[c.Y], Titled(c.Y)), "", o.Ratio
			var only string
			var words []string // values that distinguish this part from the others
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
			if bases := t.Index("versus"); bases >= 0 && t.Exact(of[0], bases) != "" {
				c.Title += ", ratio to " + strings.Join(valuesOf(t, bases, of...), " or ")
			}
			panels, err := c.Draw(own)
			if err != nil {
				return nil, fmt.Errorf("--y %s: %w", name, err)
			}
			if len(panels) == 0 { // no row has numbers for both axes
				continue
			}
			file := strings.Join(strings.FieldsFunc(strings.ToLower(c.Title+" by "+KeyInWords(c.X)),
				func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), "-")
			f := plots.Figure{Title: c.Title, Footnote: footnote, Panels: panels}
			if f.Ranged() && !strings.Contains(footnote, "bars") {
				f.Footnote = strings.TrimPrefix(footnote+"; bars: 95 % intervals over the seeds", "; ")
				if footnote == "" {
					f.Footnote = capital(f.Footnote)
				}
			}
			list = append(list, Drawing{Name: file, Plot: f})
		}
	}
	return list, nil
}

// used returns the columns that the chart already uses.
func (c *Picture) used() []string { return slices.Concat([]string{c.X}, c.By, c.Panels) }

// picture returns the columns that the options name, and completes them. If the options do not name a column for x,
// it chooses a column of numbers. If they name none for curves, all other columns of words in which the rows differ
// distinguish the curves.
func (o *Options) picture(t *plots.Table) (c Picture, err error) {
	c.Names = o.Names
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
	var words []string // columns that have several values
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
	case t.Has("x") && len(valuesOf(t, t.Index("x"))) > 1:
		c.X = "x"
	case len(words) > 0:
		c.X = words[0]
		for _, w := range words {
			if Numeric(valuesOf(t, t.Index(w))) {
				c.X = w
				break
			}
		}
	default:
		return c, fmt.Errorf("no setting that differs between the rows can be the x axis: choose a column with --x "+
			"(accepted: %s)",
			strings.Join(lists.Map(t.Columns(), func(c plots.Column) string { return c.Name }), ", "))
	}
	if o.By == nil {
		c.By = lists.Keep(words, func(w string) bool { return w != c.X && !slices.Contains(c.Panels, w) })
		for _, w := range slices.Backward(slices.Clone(c.By)) {
			others := lists.Keep(c.By, func(b string) bool { return b != w })
			if determined(t, w, append(slices.Concat(c.Panels, others), c.X)) {
				c.By = others
			}
		}
	}
	for i, column := range c.used() {
		if slices.Contains(c.used()[:i], column) {
			return c, fmt.Errorf("%s is used twice in the drawing: want it only once among --x, --by and "+
				"--panels", column)
		}
	}
	return c, nil
}

// determined reports whether the values of other columns determine the value of a column.
func determined(t *plots.Table, column string, others []string) bool {
	values, own := map[string]string{}, t.Index(column)
	for r := range t.Len() {
		key := strings.Join(lists.Map(others, func(o string) string { return t.Exact(r, t.Index(o)) }), "\n")
		if v, seen := values[key]; seen && v != t.Exact(r, own) {
			return false
		}
		values[key] = t.Exact(r, own)
	}
	return true
}

// asked returns the drawings of the view, or the drawings that the options describe. With a method Asked, a view may
// offer rows other than those in rows.csv, and default columns along y.
func (d *Done) asked() (list []Drawing, err error) {
	o := &d.Options
	if d.standard || !o.asks() && len(o.Where) == 0 {
		if list, err = d.Drawings(d.Manifest); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Figure.Name, err)
		}
	}
	if !o.asks() && len(o.Where) == 0 {
		return list, nil
	}
	t := d.Rows()
	var quantities []string
	var titles map[string]string
	if v, ok := d.View.(interface {
		Asked() (*plots.Table, []string, map[string]string)
	}); ok {
		t, quantities, titles = v.Asked()
	}
	some, err := o.chosen(t)
	if err != nil {
		return nil, err
	}
	m := *d.Manifest
	m.Footnote = cmp.Or(m.Footnote, t.Note)
	if seed := t.Index("seed"); seed >= 0 {
		if n := len(valuesOf(some, seed)); n < len(valuesOf(t, seed)) {
			m.Footnote = ofSeeds.ReplaceAllString(m.Footnote, Count(n, "seed"))
		}
	}
	if o.asks() {
		own, err := o.pictures(some, quantities, titles, m.Footnote)
		return append(own, list...), err
	}
	view, err := d.Figure.Read(some)
	if err != nil {
		return nil, fmt.Errorf("--where: %w", err)
	}
	return view.Drawings(&m)
}

// ofSeeds matches the number of seeds in a footnote.
var ofSeeds = regexp.MustCompile(`\b\d+ seeds\b`)
