package figure

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// seedColumns lists columns that distinguish the seeds of a point. Rows that differ only in these columns are pooled.
var seedColumns = []string{"seed", "run", "hash", "fingerprint"}

// Picture maps the columns of rows to the parts of a drawing.
type Picture struct {
	Names
	X, Y       string
	By, Panels []string // columns that distinguish curves or bars, and panels
	Title      string   // title of the y axis, and of the curve if there is only one
	Unit       string   // unit of the y axis; "" stands for the unit of the column
	Ratio      bool     // the numbers are ratios: points in place of bars, and a logarithmic axis with a line at 1
}

// mostMarked is the largest average number of points per curve with which a drawing marks the points.
const mostMarked = 50

// mostSeries and mostPanels limit the numbers of series and panels in a drawing.
const (
	mostSeries = 16
	mostPanels = 24
)

// spot is the place of a number in a drawing.
type spot struct {
	panel, series string
	x             float64
}

// Draw draws the rows. Numbers of several seeds are pooled, with 95 % intervals.
func (c *Picture) Draw(t *plots.Table) ([]plots.Panel, error) {
	x, at, err := c.along(t)
	if err != nil {
		return nil, err
	}
	values, err := t.Reals(c.Y)
	if err != nil {
		return nil, err
	}
	names, panels := c.inWords(t, c.By), c.inWords(t, c.Panels)
	var spots []spot
	rows := map[spot][]int{}
	for r, v := range values {
		s := spot{panels[r], names[r], at[r]}
		if s.series == "" {
			s.series = c.Title
		}
		if math.IsNaN(v) || math.IsNaN(s.x) {
			continue
		}
		if rows[s] == nil {
			spots = append(spots, s)
		}
		rows[s] = append(rows[s], r)
	}
	c.order(t, spots, rows)
	points, least, most := []plots.Point{}, math.Inf(1), 0.0
	style, err := c.style(t, x, spots, rows)
	if err != nil {
		return nil, err
	}
	for _, s := range spots {
		pooled := [][]int{rows[s]}
		if style == plots.Points {
			pooled = lists.Map(rows[s], func(r int) []int { return []int{r} })
		}
		for _, of := range pooled {
			n, weak, err := c.number(t, values, of)
			if err != nil {
				return nil, err
			}
			p := plots.Point{Panel: s.panel, Series: s.series, X: s.x, Y: n.Value, Weak: weak}
			if n.Bounded() {
				p.Lo, p.Hi = n.Lo, n.Hi
				// An interval below value/3 or above 3·value may leave the panel.
				least, most = min(least, max(n.Lo, n.Value/3)), max(most, min(n.Hi, 3*n.Value))
			}
			least, most = min(least, n.Value), max(most, n.Value)
			points = append(points, p)
		}
	}
	y, err := c.axis(t, style, points)
	if err != nil {
		return nil, err
	}
	if c.Ratio && style == plots.Bar {
		style = plots.Points
	}
	list := plots.Panels(points, style, x, y)
	for i := range list {
		if n := len(list[i].Series); n > mostSeries {
			return nil, fmt.Errorf("%d curves in a panel, want at most %d: choose rows with --where, or use --panels",
				n, mostSeries)
		}
		y, log := &list[i].Y, y.Scale == plots.Log && !c.Ratio
		if len(list) > 1 && most > 0 && (y.Min != nil || log) {
			y.Max = plots.At(1.05 * most)
		}
		if len(list) > 1 && log {
			y.Min = plots.At(least / 1.05)
		}
	}
	if n := len(list); n > mostPanels {
		return nil, fmt.Errorf("%d panels, want at most %d: choose rows with --where", n, mostPanels)
	}
	return list, nil
}

// order sorts the spots of a panel by the values that distinguish its curves, if these values are numbers. Curves
// without a value come first.
func (c *Picture) order(t *plots.Table, spots []spot, rows map[spot][]int) {
	var by []map[string]float64
	for _, column := range c.By {
		values := lists.Keep(valuesOf(t, t.Index(column)), func(v string) bool { return v != "" && v != "none" })
		of := map[string]float64{}
		if _, at, ok := numbers(values); ok && len(values) > 1 {
			for i, v := range values {
				of[v] = at[i]
			}
		}
		by = append(by, of)
	}
	ranks := func(s spot) (list []float64) {
		for i, of := range by {
			rank, ok := of[t.Exact(rows[s][0], t.Index(c.By[i]))]
			if !ok {
				rank = math.Inf(-1)
			}
			list = append(list, rank)
		}
		return list
	}
	panel := map[string]int{}
	for i, s := range spots {
		if _, ok := panel[s.panel]; !ok {
			panel[s.panel] = i
		}
	}
	slices.SortStableFunc(spots, func(a, b spot) int {
		return cmp.Or(cmp.Compare(panel[a.panel], panel[b.panel]), slices.Compare(ranks(a), ranks(b)))
	})
}

// axis returns the y axis. It is logarithmic for ratios, and for curves and points of very different sizes.
func (c *Picture) axis(t *plots.Table, style plots.Style, points []plots.Point) (plots.Axis, error) {
	y := plots.Axis{Label: c.Title, Unit: c.Unit, Scale: plots.Linear}
	if head := t.Columns()[t.Index(c.Y)]; y.Unit == "" {
		y.Unit = head.Unit
	}
	below := slices.ContainsFunc(points, func(p plots.Point) bool { return p.Y < 0 })
	switch {
	case c.Ratio && below:
		return y, fmt.Errorf("--ratio: %s is not a ratio: it has negative values", c.Y)
	case c.Ratio && y.Unit != "":
		return y, fmt.Errorf("--ratio: %s is not a ratio: it has the unit %q", c.Y, y.Unit)
	case c.Ratio:
		y.Scale, y.Lines = plots.Log, []plots.RefLine{{At: 1, Label: "equal"}}
	case style != plots.Bar && scaleOf(lists.Map(points, func(p plots.Point) float64 { return p.Y })) == plots.Log:
		y.Scale = plots.Log
	case !below:
		y.Min = plots.At(0)
	}
	return y, nil
}

// style returns bars if words are along x, and lines if numbers are along x. If the numbers along x differ between
// the seeds, it returns points.
func (c *Picture) style(t *plots.Table, x plots.Axis, spots []spot, rows map[spot][]int) (plots.Style, error) {
	if x.Scale == plots.Categorical {
		return plots.Bar, nil
	}
	type curve struct{ panel, series string }
	places := map[curve]map[string]int{} // by curve and seed: number of rows
	for _, s := range spots {
		of := curve{s.panel, s.series}
		if places[of] == nil {
			places[of] = map[string]int{}
		}
		for _, r := range rows[s] {
			places[of][seedOf(t, r)]++
		}
	}
	style := plots.Line
	if len(spots) > mostMarked*len(places) {
		style = plots.Trace
	}
	for _, s := range spots {
		seeds := places[curve{s.panel, s.series}]
		if t.Columns()[t.Index(c.X)].Kind == plots.String || len(seeds) == 1 || len(rows[s]) == len(seeds) {
			continue
		}
		if style = plots.Points; seeds[seedOf(t, rows[s][0])] > 1 {
			return style, fmt.Errorf("the seeds of a curve have different values of %s: choose one value with "+
				"--where, or use --by run", c.X)
		}
	}
	return style, nil
}

// percentile matches a percentile in the name of a column or a quantity.
var percentile = regexp.MustCompile(`(?:^|[_ \n])p(\d\d)(?:[_ \n]|$)`)

// number returns the number of a point: the number and the interval of a single row, or the mean over the seeds of
// several rows. weak reports whether the number is a percentile of too few flows.
func (c *Picture) number(t *plots.Table, values []float64, rows []int) (n stats.Number, weak bool, err error) {
	name := c.Y
	for _, column := range drawingColumns {
		if i := t.Index(column); i >= 0 && c.Y == "value" {
			name += "\n" + t.Exact(rows[0], i)
		}
	}
	least := 0.0
	if strings.Contains(strings.ToLower(name), "slowdown") {
		least = 1
	}
	if n, err = c.pooled(t, values, rows, least); err != nil {
		return n, false, err
	}
	if at := percentile.FindStringSubmatchIndex(name); at != nil {
		share, _ := strconv.ParseFloat("0."+name[at[2]:at[3]], 64)
		column := name[:at[2]-1] + "flows"
		if c.Y == "value" {
			column = "flows"
		} else if column == "flows" && t.Has("counted") {
			column = "counted"
		}
		if flows, err := t.Reals(column); err == nil {
			weak = slices.ContainsFunc(rows, func(r int) bool { return !stats.Enough(int(flows[r]), share) })
		}
	}
	return n, weak, nil
}

func (c *Picture) pooled(t *plots.Table, values []float64, rows []int, least float64) (stats.Number, error) {
	if len(rows) == 1 {
		n := stats.Alone(values[rows[0]])
		for _, ends := range [][2]string{{"lo", "hi"}, {c.Y + " lo", c.Y + " hi"}, {c.Y + "_lo", c.Y + "_hi"}} {
			if t.Has(ends[0]) && t.Has(ends[1]) && (ends[0] != "lo" || c.Y == "value") {
				lo, _ := t.Reals(ends[0])
				hi, _ := t.Reals(ends[1])
				n.Lo, n.Hi = lo[rows[0]], hi[rows[0]]
			}
		}
		return n, nil
	}
	seeds, seen := stats.PerSeed{Least: least}, map[string]bool{}
	for _, r := range rows {
		if of := seedOf(t, r); seen[of] {
			return stats.Number{}, c.unclear(t, rows)
		} else {
			seen[of] = true
		}
		seeds.Add(values[r], 1)
	}
	for i, head := range t.Columns() {
		if head.Kind == plots.String && !slices.Contains(seedColumns, head.Name) &&
			slices.ContainsFunc(rows, func(r int) bool { return t.Exact(r, i) != t.Exact(rows[0], i) }) {
			return stats.Number{}, c.unclear(t, rows)
		}
	}
	own := lists.Map(rows, func(r int) float64 { return values[r] })
	if slices.Min(own) < 0 {
		return stats.Mean(own, stats.Level)
	}
	return seeds.Mean()
}

// seedOf returns the values that identify the seed of a row.
func seedOf(t *plots.Table, row int) (of string) {
	for i, head := range t.Columns() {
		if slices.Contains(seedColumns, head.Name) {
			of += t.Exact(row, i) + "\n"
		}
	}
	return of
}

// unclear returns the error for rows of one point that differ in more than the seed. The error names the settings
// that differ or, if all settings are equal, the numbers that differ.
func (c *Picture) unclear(t *plots.Table, rows []int) error {
	var settings, numbers []string
	for i, head := range t.Columns() {
		values := valuesOf(t, i, rows...)
		text := fmt.Sprintf("%s (%s)", head.Name, some(values))
		switch {
		case len(values) < 2 || head.Name == c.Y || slices.Contains(seedColumns, head.Name):
		case head.Kind == plots.String:
			settings = append(settings, text)
		default:
			numbers = append(numbers, text)
		}
	}
	if settings == nil {
		settings = numbers[:min(3, len(numbers))]
	}
	if settings == nil {
		return fmt.Errorf("%d rows are at one point, and no column distinguishes them", len(rows))
	}
	return fmt.Errorf("%d rows are at one point, because they differ in %s: name it with --x, --by or --panels, or "+
		"choose one value with --where", len(rows), strings.Join(settings, " and "))
}

// along returns the x axis and the place of each row on it.
func (c *Picture) along(t *plots.Table) (x plots.Axis, at []float64, err error) {
	i := t.Index(c.X)
	head := t.Columns()[i]
	if head.Kind != plots.String {
		at, err = t.Reals(head.Name)
		x = plots.Axis{Label: Titled(head.Name), Unit: head.Unit, Scale: scaleOf(at)}
		return x, at, err
	}
	labels := valuesOf(t, i)
	x, places := placed(Titled(head.Name), labels)
	for r := range t.Len() {
		at = append(at, places[slices.Index(labels, t.Exact(r, i))])
	}
	for i, label := range x.Categories {
		x.Categories[i] = c.ValueInWords(head.Name, label)
	}
	return x, at, nil
}

// scaleOf returns a logarithmic scale for positive numbers of very different sizes, and a linear scale otherwise.
func scaleOf(values []float64) plots.Scale {
	least, most := math.Inf(1), 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			least, most = min(least, v), max(most, v)
		}
	}
	if least > 0 && most >= 20*least {
		return plots.Log
	}
	return plots.Linear
}

// placed returns an axis for labels, and the position of each label on it. The axis is numeric if all labels are
// numbers with the same unit, and otherwise categorical.
func placed(label string, labels []string) (plots.Axis, []float64) {
	if unit, at, ok := numbers(labels); ok && len(labels) > 1 {
		fraction := func(v float64) bool { return v != math.Trunc(v) }
		return plots.Axis{Label: label, Unit: unit, Scale: scaleOf(at),
			Whole: unit == "" && !slices.ContainsFunc(at, fraction)}, at
	}
	at := make([]float64, len(labels))
	for i := range at {
		at[i] = float64(i)
	}
	return plots.Axis{Label: label, Scale: plots.Categorical, Categories: slices.Clone(labels)}, at
}

// Numeric reports whether all labels are numbers with the same unit.
func Numeric(labels []string) bool {
	_, _, ok := numbers(labels)
	return ok
}

// numbers parses labels that are numbers with the same unit.
func numbers(labels []string) (unitName string, at []float64, ok bool) {
	for _, as := range []struct {
		unit string
		read func(string) (float64, error)
	}{
		{"", func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }},
		{plots.InBytes, float(unit.ParseBytes)},
		{plots.InSeconds, func(s string) (float64, error) { v, err := unit.ParseTime(s); return v.Seconds(), err }},
		{plots.InBitsPerSecond, float(unit.ParseRate)},
	} {
		at = nil
		for _, l := range labels {
			if v, err := as.read(l); err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) && v < float64(math.MaxInt64)/2 {
				at = append(at, v)
			}
		}
		if len(at) == len(labels) {
			return as.unit, at, true
		}
	}
	return "", nil, false
}

// CompareWords compares texts word by word. Words end at spaces, and at the signs of assignments and lists. Numbers
// with the same unit are in the order of their values, before other words.
func CompareWords(a, b string) int {
	words := func(s string) []string {
		return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" =:,'{}[]", r) })
	}
	return slices.CompareFunc(words(a), words(b), func(a, b string) int {
		unitA, x, isA := numbers([]string{a})
		unitB, y, isB := numbers([]string{b})
		switch {
		case isA && isB:
			return cmp.Or(strings.Compare(unitA, unitB), slices.Compare(x, y))
		case isA:
			return -1
		case isB:
			return 1
		}
		return strings.Compare(a, b)
	})
}

func float[T unit.Bytes | unit.Rate](parse func(string) (T, error)) func(string) (float64, error) {
	return func(s string) (float64, error) {
		v, err := parse(s)
		return float64(v), err
	}
}

// valuesOf returns the distinct values of a column in the given rows, in the order of the rows. If no rows are given,
// valuesOf uses all rows.
func valuesOf(t *plots.Table, column int, rows ...int) (list []string) {
	seen := map[string]bool{}
	add := func(r int) {
		if v := t.Exact(r, column); !seen[v] {
			seen[v], list = true, append(list, v)
		}
	}
	for _, r := range rows {
		add(r)
	}
	for r := range t.Len() {
		if rows == nil {
			add(r)
		}
	}
	return list
}

// some joins the first eight texts of a list, and adds the number of the others.
func some(list []string) string {
	const most = 8
	list = lists.Map(list, func(s string) string { return cmp.Or(s, `""`) })
	between := ", "
	if slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, between) }) {
		between = "; "
	}
	if len(list) <= most {
		return strings.Join(list, between)
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], between), len(list)-most)
}

// inWords returns, for each row, the values of the given columns in words.
func (c *Picture) inWords(t *plots.Table, columns []string) []string {
	at := lists.Map(columns, t.Index)
	all := map[string]int{}
	for _, i := range at {
		for _, v := range valuesOf(t, i) {
			all[v]++
		}
	}
	out := make([]string, t.Len())
	for r := range out {
		values := lists.Map(at, func(i int) string { return t.Exact(r, i) })
		out[r] = c.InWords(columns, values)
		// If a value occurs in several columns, add the names of the columns.
		if slices.ContainsFunc(values, func(v string) bool { return v != "" && all[v] > 1 }) {
			parts := lists.Map(values, func(v string) string { return v })
			for i, key := range columns {
				parts[i] = KeyInWords(key) + " " + values[i]
			}
			out[r] = strings.Join(parts, ", ")
		}
	}
	return out
}
