package lightguardian

import (
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/lightguardian"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/study"
	"pintlab/plots"
	"pintlab/plots/report"
)

// row is a line of rows.csv.
type row = study.Row

// stored are its columns.
var stored = columns.View{"panel=table", "scheme", "x", "value", "lo", "hi", "seeds"}

// panel is a panel of a figure.
type panel struct {
	Letter  string
	Title   string // with its letter
	X, Y    plots.Axis
	Schemes []string // in the order of the legend
}

// beside is a number of the LightGuardian paper: of a row, or of something else that Of makes of the rows.
type beside struct {
	Panel, Scheme string // where it is drawn; empty if it is not
	X             float64
	Value         float64
	Quantity      string
	Reading       string // of the number, if another row has the paper's own words
	Unit          string
	Source        string
	Within        figure.Tolerance
	Why           string // of a deviation
	See           string // panel whose rows show the cause
	Over          string // what the interval is over; "" for the seeds of the rows
	// Of is ours; nil: the row of the panel, the scheme and X. Its numbers are NaN if there is none.
	Of func(rows []row) (value, lo, hi float64)
}

// pointAt returns the row of a panel and a scheme whose X is within 1 %; nil without one.
func pointAt(rows []row, panel, scheme string, x float64) *row {
	for i := range rows {
		r := &rows[i]
		if r.Table == panel && r.Scheme == scheme && math.Abs(r.X-x) <= 0.01*math.Abs(x) {
			return r
		}
	}
	return nil
}

// pointsOf returns the rows of a panel and a scheme, by X.
func pointsOf(rows []row, panel, scheme string) []row {
	some := figure.Pick(rows, func(r *row) bool { return r.Table == panel && r.Scheme == scheme })
	slices.SortStableFunc(some, func(a, b row) int {
		switch {
		case a.X < b.X:
			return -1
		case a.X > b.X:
			return 1
		}
		return 0
	})
	return some
}

// ratioAt is one row over another, and what their intervals leave; NaN if one is missing or the second is zero.
func ratioAt(rows []row, panel, over, under string, x float64) (ratio, lo, hi float64) {
	a, b := pointAt(rows, panel, over, x), pointAt(rows, panel, under, x)
	if a == nil || b == nil || b.Value == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	ratio, lo, hi = a.Value/b.Value, a.Lo/b.Hi, a.Hi/b.Lo
	if b.Lo <= 0 {
		hi = math.Inf(1)
	}
	return ratio, lo, hi
}

// below holds if the interval of one scheme lies below that of the other wherever both have one, and fails if it lies above
// it anywhere.
func below(statement string, rows []row, panel, lower, higher string) figure.Finding {
	confirmed, contradicted, n, least := true, false, 0, math.Inf(1)
	for _, a := range pointsOf(rows, panel, lower) {
		b := pointAt(rows, panel, higher, a.X)
		if b == nil || math.IsNaN(a.Value) || math.IsNaN(b.Value) {
			continue
		}
		n++
		confirmed = confirmed && a.Hi < b.Lo
		contradicted = contradicted || a.Lo > b.Hi
		if a.Value > 0 {
			least = min(least, b.Value/a.Value)
		}
	}
	return figure.Judge(statement, confirmed && n > 0, contradicted, "at least %.3g times lower, of %s", least, figure.Count(n, "point"))
}

// nearer holds if SuMax's number is nearer to CU's than to CM's at every point, and fails if it is nearer to CM's at one, beyond
// doubt. The detail has the places between CM (0) and CU (1).
func nearer(statement string, rows []row, panel string) figure.Finding {
	confirmed, contradicted, n := true, false, 0
	least, most := math.Inf(1), math.Inf(-1)
	for _, s := range pointsOf(rows, panel, lightguardian.SuMax) {
		cm, cu := pointAt(rows, panel, lightguardian.CM, s.X), pointAt(rows, panel, lightguardian.CU, s.X)
		if cm == nil || cu == nil || math.IsNaN(s.Value+cm.Value+cu.Value) {
			continue
		}
		n++
		confirmed = confirmed && s.Hi-cu.Lo < cm.Lo-s.Hi
		contradicted = contradicted || s.Lo-cu.Hi > cm.Hi-s.Lo
		at := (cm.Value - s.Value) / (cm.Value - cu.Value)
		least, most = min(least, at), max(most, at)
	}
	return figure.Judge(statement, confirmed && n > 0, contradicted, "%.2f to %.2f of the way from CM to CU, of %s", least, most, figure.Count(n, "point"))
}

// falls holds if the numbers of a scheme fall from the first point to the last (or rise, with sign −1) beyond doubt and
// never move the other way beyond doubt; it fails if the ends do so beyond doubt.
func falls(statement string, rows []row, panel, scheme string, sign float64) figure.Finding {
	return monotonic(statement, pointsOf(rows, panel, scheme), sign)
}

func monotonic(statement string, list []row, sign float64) figure.Finding {
	if len(list) < 2 {
		return figure.Judge(statement, false, false, "%s", figure.Count(len(list), "point"))
	}
	certain := func(a, b row) bool { // a falls to b
		if sign < 0 {
			a, b = b, a
		}
		return a.Lo > b.Hi
	}
	first, last := list[0], list[len(list)-1]
	confirmed := certain(first, last)
	for i := 1; i < len(list); i++ {
		confirmed = confirmed && !certain(list[i], list[i-1])
	}
	return figure.Judge(statement, confirmed, certain(last, first), "%.3g, then %.3g", first.Value, last.Value)
}

// comparePanels puts rows beside the LightGuardian paper's numbers.
func comparePanels(published []beside) func([]row) []report.Compared {
	return func(rows []row) []report.Compared {
		var list []report.Compared
		for _, p := range published {
			v, lo, hi := math.NaN(), math.NaN(), math.NaN()
			if p.Of != nil {
				v, lo, hi = p.Of(rows)
			} else if r := pointAt(rows, p.Panel, p.Scheme, p.X); r != nil {
				v, lo, hi = r.Value, r.Lo, r.Hi
			}
			c := report.Compared{Quantity: p.Quantity, Reading: p.Reading, Unit: p.Unit, Published: p.Value, Ours: v, Lo: lo, Hi: hi, Source: p.Source, Note: p.Why}
			if p.See != "" {
				c.Note += shown(rows, p.See, p.Unit)
			}
			if c.Over = p.Over; c.Over == "" && len(rows) > 0 {
				c.Over = figure.Count(rows[0].Seeds, "seed")
			}
			list = append(list, figure.Beside(c, p.Within))
		}
		return list
	}
}

// shown returns the rows of a panel in words.
func shown(rows []row, panel, unit string) (text string) {
	for _, r := range rows {
		if r.Table == panel {
			text += fmt.Sprintf("; %s, %g %%: %s", r.Scheme, r.X, plots.FormatValue(r.Value, unit, 3))
		}
	}
	if text == "" {
		return ""
	}
	return " Rows of panel \"" + panel + "\"" + text + "."
}

// panelTables makes a table of each panel.
func panelTables(list []panel) func([]row) []figure.Table {
	return func(rows []row) []figure.Table {
		var tables []figure.Table
		for _, p := range list {
			var of []row
			for _, s := range p.Schemes {
				of = append(of, pointsOf(rows, p.Letter, s)...)
			}
			t := figure.Show(fmt.Sprintf("%s: %s against %s.", p.Title, p.Y.Label, p.X.Label), of,
				"scheme", figure.Text("at", func(r row) string { return plots.FormatValue(r.X, p.X.Unit, 4) }), "value", "from=lo", "to=hi")
			if t.Folded = len(of) > 12; len(of) > 0 {
				tables = append(tables, t)
			}
		}
		return tables
	}
}

// drawPanels draws the panels, with hollow marks for published numbers of rows.
func drawPanels(title, caption string, columns int, list []panel, published []beside) func([]row) ([]figure.Drawing, error) {
	return func(rows []row) ([]figure.Drawing, error) {
		f := plots.Figure{Title: title, Columns: columns}
		for _, p := range list {
			panel := plots.Panel{Title: p.Title, X: p.X, Y: p.Y}
			for _, name := range p.Schemes {
				of := figure.Pick(pointsOf(rows, p.Letter, name), func(r *row) bool { // others have no place on the axis; the table has them
					return !math.IsNaN(r.Value) && !(p.Y.Scale == plots.Log && r.Value <= 0)
				})
				s := figure.Ranges(plots.Series{Name: name, Style: plots.Line}, of, func(r *row) (x, y, lo, hi float64) { return r.X, r.Value, r.Lo, r.Hi })
				q := plots.Series{Name: name, Style: plots.Points, Published: true}
				for _, x := range published {
					if x.Panel == p.Letter && x.Scheme == name && len(s.X) > 0 {
						q.X, q.Y = append(q.X, x.X), append(q.Y, x.Value)
					}
				}
				panel.Series = append(panel.Series, figure.Drawn(s, q)...)
			}
			if len(panel.Series) > 0 {
				f.Panels = append(f.Panels, panel)
			}
		}
		return []figure.Drawing{{Name: "panels", Caption: caption, Plot: f}}, nil
	}
}

// reaches returns when a curve of rows reaches a value, between its points, and when the ends of its intervals do; NaN if
// they do not.
func reaches(rows []row, panel, scheme string, value float64) (at, lo, hi float64) {
	curve := func(of func(*row) float64) float64 {
		x, y := 0.0, 0.0
		for _, r := range pointsOf(rows, panel, scheme) {
			if of(&r) >= value {
				return x + (r.X-x)*(value-y)/(of(&r)-y)
			}
			x, y = r.X, of(&r)
		}
		return math.NaN()
	}
	return curve(func(r *row) float64 { return r.Value }), curve(func(r *row) float64 { return r.Hi }), curve(func(r *row) float64 { return r.Lo })
}

// inOrder holds if curves reach a value one after the other beyond doubt, and fails if two neighbours do so the other way round.
func inOrder(statement string, rows []row, panel string, value float64, schemes ...string) figure.Finding {
	confirmed, contradicted, text := true, false, ""
	var before [2]float64 // the interval of the one before
	for i, s := range schemes {
		at, lo, hi := reaches(rows, panel, s, value)
		if i > 0 {
			confirmed = confirmed && before[1] < lo
			contradicted = contradicted || before[0] > hi
			text += ", "
		}
		before = [2]float64{lo, hi}
		text += fmt.Sprintf("%s after %.3g s", s, at)
	}
	return figure.Judge(statement, confirmed, contradicted, "%g %% of %s", value, text)
}
