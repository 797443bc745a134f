package show

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/plots"
	"pintlab/plots/report"
)

// RunRow is a row of rows.csv.
type RunRow struct {
	Table   string  `col:"table"` // "slowdown", "size", "fct" or "summary"
	Run     string  `col:"run"`
	Measure string  `col:"measure"`
	Size    float64 `col:"size" unit:"B"` // largest size of the row; NaN in the total of a class
	Share   float64 `col:"share" unit:"%"`
	Value   float64 `col:"value"`
	Flows   int     `col:"flows"`
	Class   string  `col:"class"`          // class of the flows: "background" or "incast"
	Least   float64 `col:"least" unit:"B"` // smallest size

	lo, hi float64 // interval of the mean over seeds; NaN or 0 if there is no interval
}

// unit returns the unit of the value.
func (r *RunRow) unit() string {
	if r.Table == bySizes || r.Table == fcts || strings.HasSuffix(r.Measure, "FCT") {
		return plots.InSeconds
	}
	return ""
}

// Tables of the rows.
const (
	slowdowns = "slowdown" // slowdown by size
	bySizes   = "size"     // completion time by size, in s
	fcts      = "fct"
	summary   = "summary"
)

// steps is the number of steps of a distribution.
const steps = 500

// mostRuns is the largest number of curves that a drawing can show in distinct colours.
const mostRuns = 16

// undrawn explains why n runs or curves have no common drawings. It returns "" if n is small enough for a drawing.
func undrawn(n int, what string) string {
	if n <= mostRuns {
		return ""
	}
	return fmt.Sprintf("%d %s: more than the %d that a drawing can distinguish, so there are only "+
		"tables.", n, what, mostRuns)
}

// curves returns the number of curves that the pooled rows of a table form.
func curves(rows []RunRow, table string) int {
	some := figure.Pick(rows, func(r *RunRow) bool { return r.Table == table })
	return len(figure.Groups[[]RunRow](some, func(r *RunRow) string { return r.Run }))
}

// OpenRuns reads run directories. With more than 16 curves the result has no drawings.
func OpenRuns(l *scenario.Language, dirs []string) (*figure.Done, error) {
	var runs []*campaign.Run
	var all []*settings
	m := &figure.Manifest{Kind: "runs", Figure: "runs", Program: store.ThisProgram(), Machine: store.ThisMachine()}
	for i, dir := range dirs {
		r, err := campaign.Open(l, dir)
		if err != nil {
			return nil, err
		}
		if at := slices.IndexFunc(runs, func(o *campaign.Run) bool { return o.Hash == r.Hash }); at >= 0 {
			return nil, fmt.Errorf("%s and %s are the same run", dirs[at], dirs[i])
		}
		s, err := settingsOf(r.Manifest.Scenario)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		runs, all = append(runs, r), append(all, s)
	}
	names, schemes := labels(runs, all)
	var rows []RunRow
	why := ""
	var out study.Unfinished
	for i, r := range runs {
		some, missing, err := storedRows(names[i], r)
		if err != nil {
			return nil, err // names a file of the run
		}
		if rows = append(rows, some...); missing != "" {
			why = cmp.Or(why, missing)
			m.Notes = append(m.Notes, names[i]+": "+missing)
		}
		s := r.Manifest.Summary
		m.Runs = append(m.Runs, figure.RunRef{
			Label: names[i], Hash: r.Hash, Fingerprint: s.Fingerprint, Command: r.Manifest.Command,
			Flows: s.Flows, Finished: s.Finished, Failed: s.Failed, PacketHops: s.PacketHops,
			WallSeconds: s.WallSeconds,
		})
		out.Add(s)
		if open := s.Unfinished - s.Projected; open+s.Failed > 0 {
			m.Notes = append(m.Notes, fmt.Sprintf("%s: of %s, %d failed and %d were under way at the end; times and "+
				"slowdowns leave these out", names[i], number.Count(s.Flows, "flow"), s.Failed, open))
		}
		for _, n := range slices.Concat(r.Manifest.Notes, r.Manifest.Outcomes) {
			m.Notes = append(m.Notes, names[i]+": "+n)
		}
	}
	m.Footnote = out.Below("")
	t, err := columns.Encode(rows)
	if err != nil {
		return nil, err
	}
	rows = columns.Rounded(rows)
	same, other := compare(all)
	m.Settings = common(all[0], same)
	f := &figure.Figure{Name: "runs", Title: "Run " + names[0], Source: "flow records"}
	v := &view{Bare: figure.Bare{Table: t}, rows: rows, scheme: map[string]string{}, unfinished: m.Footnote}
	run := map[string]int{}
	for i, name := range names {
		v.scheme[name], run[name] = schemes[i], i
	}
	keys := lists.Keep(other, func(k string) bool { return k != seedKey })
	wide := append(append([]string{"unit", seedKey}, keys...), "scheme")
	if v.wide, err = t.With(wide, func(row, column int) string {
		i := run[rows[row].Run]
		switch wide[column] {
		case "unit":
			return rows[row].unit()
		case "scheme":
			return schemes[i]
		}
		return all[i].values[wide[column]]
	}); err != nil {
		return nil, err
	}
	f.Read = v.read
	jobs, err := readJobs(runs, names)
	if err != nil {
		return nil, err
	}
	if jobs != nil {
		drawn, notes := jobs.drawings()
		m.Notes = append(m.Notes, notes...)
		v.tables, v.drawings = jobs.tables(), drawn
	}
	if runs[0].Scenario.Estimate.Enabled {
		f.Title = "Estimate " + names[0]
	}
	if len(runs) > 1 {
		f.Title = fmt.Sprintf("%d runs", len(runs))
		v.tables = append(v.tables, differences(names, all, other))
	}
	pooled, _, err := v.pooled()
	if err != nil {
		return nil, err
	}
	if many := undrawn(curves(pooled, fcts), "curves"); many != "" {
		why = many
		m.Notes = append(m.Notes, many)
	} else if n := curves(pooled, slowdowns); n > mostRuns {
		m.Notes = append(m.Notes, fmt.Sprintf("Slowdowns by size are not drawn: there are %d curves, more than the "+
			"%d that a drawing can distinguish.", n, mostRuns))
	}
	return &figure.Done{View: v, Manifest: m, Dir: dirs[0], Runs: dirs, Figure: f, Undrawn: why}, nil
}

// view shows the rows of runs, and further tables of their jobs and settings.
type view struct {
	figure.Bare
	rows     []RunRow
	tables   []figure.Table
	drawings []figure.Drawing

	unfinished string            // number of flows that have not finished
	scheme     map[string]string // by run
	wide       *plots.Table      // the rows with the settings of their runs
}

// Asked returns the rows with the settings in which the runs differ.
func (v *view) Asked() (*plots.Table, []string, map[string]string) { return v.wide, nil, nil }

// read returns the view of some of the rows of v.wide, which include the settings.
func (v *view) read(t *plots.Table) (figure.View, error) {
	some := *v
	some.wide, some.rows, some.drawings = t, nil, nil
	kept := map[string]bool{}
	heads := t.Columns()
	line := func(of *plots.Table, row int) (text string) {
		for i, c := range of.Columns() {
			if slices.Contains(heads, c) {
				text += of.Exact(row, i) + "\n"
			}
		}
		return text
	}
	for r := range t.Len() {
		kept[line(t, r)] = true
	}
	for r, row := range v.rows {
		if kept[line(v.wide, r)] {
			some.rows = append(some.rows, row)
		}
	}
	return &some, nil
}

// storedRows returns the rows of a run. If there are no numbers, missing explains why; otherwise it is "".
func storedRows(name string, r *campaign.Run) (rows []RunRow, missing string, err error) {
	flows, err := r.Counted()
	if err != nil {
		return nil, "", err
	}
	window := stats.Everything()
	points := stats.Points(flows, window)
	if len(points) == 0 {
		for _, m := range summaries {
			rows = append(rows, RunRow{Table: summary, Run: name, Measure: m, Size: math.NaN(), Share: math.NaN(),
				Value: math.NaN(), Least: math.NaN()})
		}
		if s := r.Manifest.Summary; s.Finished+s.Projected > 0 {
			in := r.Scenario.Run
			return rows, fmt.Sprintf("no flow counts: run.warmup = %v and run.cooldown = %v leave out all flows "+
				"that have finished", in.Warmup, in.Cooldown), nil
		}
		return rows, "no flow has finished", nil
	}
	rows = sizeRows(name, flows)
	add := func(table, measure string, size, share, value float64, n int) {
		rows = append(rows, RunRow{Table: table, Run: name, Measure: measure, Size: size, Share: share, Value: value,
			Flows: n, Least: math.NaN()})
	}
	var slow []float64
	seconds := make([][]float64, len(classes))
	for f := range flows.All() {
		if f.Outcome.Timed() && window.Contains(f.Start) {
			of := min(int(f.Class), len(classes)-1)
			seconds[of] = append(seconds[of], f.FCT.Seconds())
		}
	}
	for _, p := range points {
		slow = append(slow, p.Slowdown)
	}
	for i, of := range seconds {
		for _, s := range stats.CDF(of, steps) {
			add(fcts, "cdf", math.NaN(), 100*s.P, s.X, len(of))
			rows[len(rows)-1].Class = classes[i]
		}
	}
	slices.Sort(slow)
	times := stats.FCT(flows, window, 0, stats.AnySize)
	for i, v := range []float64{
		times.Mean, times.P50, times.P95, times.P99, stats.Percentile(slow, 0.50), stats.Percentile(slow, 0.95),
		stats.Percentile(slow, 0.99),
	} {
		add(summary, summaries[i], math.NaN(), math.NaN(), v, len(points))
	}
	return rows, "", nil
}

// summaries lists the numbers of a run in the first table.
var summaries = []string{"mean FCT", "p50 FCT", "p95 FCT", "p99 FCT", "p50 slowdown", "p95 slowdown", "p99 slowdown"}

func (v *view) Tables() ([]report.Table, error) {
	cells := []figure.Column[[]RunRow]{
		figure.Text("run", func(of []RunRow) string { return of[0].Run }),
		figure.Whole("flows", "", func(of []RunRow) int64 { return int64(of[0].Flows) }),
	}
	for _, m := range summaries {
		cells = append(cells, figure.Text(m, func(of []RunRow) string {
			r := figure.Find(of, func(r *RunRow) bool { return r.Measure == m })
			if strings.HasSuffix(m, "FCT") {
				return shown(m[:3], number.Format(r.Value, plots.InSeconds, 3), r.Flows)
			}
			return shown(m[:3], number.Format(r.Value, "", 4), r.Flows)
		}))
	}
	runs := figure.Groups[[]RunRow](figure.Pick(v.rows, func(r *RunRow) bool { return r.Table == summary }),
		func(r *RunRow) string { return r.Run })
	all := figure.Lines("Flows that count and have a completion time; ~ marks percentiles of too few flows.", runs,
		cells...)
	return figure.Reports(slices.Concat([]figure.Table{all}, sizeTables(v.rows), v.tables))
}

// shown marks a percentile of too few flows with ~.
func shown(measure, text string, flows int) string {
	if p, ok := percentiles[measure]; ok && flows > 0 && !stats.Enough(flows, p) {
		return "~" + text
	}
	return text
}

func (v *view) Drawings(*figure.Manifest) ([]figure.Drawing, error) {
	rows, left, err := v.pooled()
	if err != nil || curves(rows, fcts) > mostRuns {
		return nil, err
	}
	var list []figure.Drawing
	if curves(rows, slowdowns) <= mostRuns {
		list = drawSizes(rows)
	}
	if len(left) > 0 && len(list) > 0 {
		list[0].Plot.Footnote += "; left out because their flows have other sizes: " + strings.Join(left, ", ")
	}
	list = append(append(list, drawCDF(rows)...), v.drawings...)
	for i := range list {
		if foot := &list[i].Plot.Footnote; *foot != "" && v.unfinished != "" {
			*foot += "; " + v.unfinished
		}
	}
	return list, nil
}

// drawCDF draws the distribution of the completion times of each run. If there are flows of several classes, each class
// has a curve. As in the drawing of slowdowns, the curve of the incast is dotted.
func drawCDF(rows []RunRow) []figure.Drawing {
	some := figure.Pick(rows, func(r *RunRow) bool { return r.Table == fcts })
	if len(some) == 0 {
		return nil
	}
	mixed := slices.ContainsFunc(some, func(r RunRow) bool { return r.Class != some[0].Class })
	var cdf []plots.Point
	of := map[string]plots.Series{} // looks by name of the curve
	for _, r := range some {
		name, pattern := classCurve(r.Run, r.Class, mixed)
		of[name] = plots.Series{Hue: r.Run, Pattern: pattern}
		cdf = append(cdf, plots.Point{Series: name, X: r.Value, Y: r.Share / 100, Lo: r.lo, Hi: r.hi})
	}
	x := plots.Axis{Label: "Flow completion time", Unit: plots.InSeconds}
	p := plots.Figure{Title: "Flow completion times", Width: 380, Panels: plots.CDF(cdf, x)}
	for i := range p.Panels[0].Series {
		s := &p.Panels[0].Series[i]
		s.Hue, s.Pattern = of[s.Name].Hue, of[s.Name].Pattern
	}
	if slices.ContainsFunc(cdf, func(p plots.Point) bool { return p.Hi > 0 }) {
		p.Footnote = overSeeds
	}
	caption := "Distribution of flow completion times."
	if mixed {
		caption = "Distribution of the completion times of the flows of each class."
	}
	return []figure.Drawing{{Name: "fct", Caption: caption, Plot: p}}
}

// percentiles maps the names in tables and panels to percentiles.
var percentiles = map[string]float64{"p50": 0.50, "p95": 0.95, "p99": 0.99}
