package show

import (
	"fmt"
	"slices"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Several contains the series of several runs, which share drawings.
type Several struct {
	Views []*Series
	port  string // port whose queue and utilisation are drawn; "" if it differs between runs
}

// OpenSeveral reads the series of run directories, with the same intervals in all runs if possible. The drawings over
// time show the same port in all runs: the selected port whose queue is the longest in any run. If a run lacks this
// port, the drawings instead show, for each run, the port with the longest queue of that run.
func OpenSeveral(dirs []string, o SeriesOptions) (*Several, error) {
	s := &Several{}
	var runs []*campaign.Run
	for i, dir := range dirs {
		v, err := OpenSeries(dir, o)
		if err != nil {
			return nil, err
		}
		if at := slices.IndexFunc(runs, func(r *campaign.Run) bool { return r.Hash == v.run.Hash }); at >= 0 {
			return nil, fmt.Errorf("%s and %s are the same run", dirs[at], dirs[i])
		}
		s.Views, runs = append(s.Views, v), append(runs, v.run)
	}
	names, err := Labels(runs)
	if err != nil {
		return nil, err
	}
	if o.Interval = s.commonInterval(); o.Interval > 0 {
		for i, v := range s.Views {
			if v.interval == o.Interval || v.Looks < 2 {
				continue
			}
			if s.Views[i], err = OpenSeries(v.Dir, o); err != nil {
				return nil, err
			}
		}
	}
	var longest *Port
	for i, v := range s.Views {
		v.label = names[i]
		if len(v.Ports) > 0 && (longest == nil || v.Ports[0].Queue.Max > longest.Queue.Max) {
			longest = &v.Ports[0]
		}
	}
	if longest == nil {
		return s, nil
	}
	o.Ports, o.Flows, s.port = []string{longest.Port}, nil, longest.Port
	ports := make([]*Series, len(s.Views))
	for i, v := range s.Views {
		if ports[i], err = OpenSeries(v.Dir, o); err != nil { // a run lacks the port, or has no ports
			s.port = ""
			return s, nil
		}
	}
	for i, v := range s.Views {
		v.curves = slices.DeleteFunc(v.curves,
			func(c curve) bool { return c.measure == queue || c.measure == utilisation })
		for _, c := range ports[i].curves {
			if c.measure == queue || c.measure == utilisation {
				v.curves = append(v.curves, c)
			}
		}
	}
	return s, nil
}

// commonInterval returns the shortest interval that suits all runs: a multiple of the time between the samples of each
// run, and at least the shortest interval of a run on its own. So each run has at least as many intervals as on its
// own, and as few flows as possible are shorter than an interval. It returns 0 if such an interval is longer than a
// run.
func (s *Several) commonInterval() unit.Time {
	step, least, span := unit.Time(1), unit.Never, unit.Never
	for _, v := range s.Views {
		if v.Looks > 1 {
			least, span = min(least, v.interval), min(span, v.to-v.from)
		}
	}
	for _, v := range s.Views {
		if v.Looks > 1 {
			a, b := step, v.spacing
			for b > 0 {
				a, b = b, a%b
			}
			if step = step / a * v.spacing; step > span {
				return 0
			}
		}
	}
	if least == unit.Never || least > span {
		return 0
	}
	if interval := (least + step - 1) / step * step; interval <= span {
		return interval
	}
	return 0
}

// together lists the drawings of several runs. layers is true if a drawing has a panel for each layer.
var together = []struct {
	layers bool
	chart
}{
	{false, chart{"series-ports", "Queue and utilisation over time",
		"Queue length and utilisation of a port over time, by run.", portPanels}},
	{true, chart{"series-queue-cdf", "Queue length by layer",
		"Share of the time for which queues of a layer's ports are longer than a given length, by run.",
		[]panel{{measure: queueCDF}}}},
	{false, chart{"series-fairness", "Goodput of flows and fairness", "Mean goodput of the flows under way in each " +
		"interval, Jain's index of their goodputs (1 if all are equal), and the mean number of flows, by run.",
		slices.Concat([]panel{{measure: meanGoodput, label: "Goodput", unit: plots.InBitsPerSecond}}, fairnessPanels)}},
	{true, chart{"series-paused", "Time paused by layer",
		"Share of each interval for which PFC has paused the ports of a layer, on average, by run.", pausedPanels}},
	{true, chart{"series-marks", "ECN marks and drops over time",
		"Packets marked and dropped so far, by layer and run.", markPanels}},
}

// Drawings returns the drawings, with a line for each run. If there are too many runs, there are no drawings, and the
// tables explain this.
func (s *Several) Drawings() []figure.Drawing {
	if undrawn(len(s.Views), "runs") != "" {
		return nil
	}
	from, to := unit.Never, unit.Time(0)
	for _, v := range s.Views {
		from, to = min(from, v.from), max(to, v.to)
	}
	all := slices.Concat(lists.Map(s.Views, func(v *Series) []Layer { return v.Layers })...)
	layers := lists.Distinct(all, func(l Layer) string { return l.Layer })
	var list []figure.Drawing
	for _, x := range together {
		f := plots.Figure{Title: x.title, Footnote: s.footnote(), Width: 430, PanelHeight: 130, Columns: 1}
		if x.name == "series-ports" && s.port != "" {
			f.Title += " of port " + s.curveName(queue)
		}
		for _, p := range x.panels {
			of := []string{""}
			if x.layers {
				of = layers
			}
			for _, layer := range of {
				lines := s.lines(p.measure, layer)
				made := p.draw(lines, from, to)
				if p.measure == queueCDF {
					made = plots.Panel{X: queueAxis(lines), Y: tailAxis(), Series: lines}
				}
				// If the axis has no end, no run has a queue in this layer.
				if made.Title = layer; len(lines) > 0 && made.X.Max != nil {
					f.Panels = append(f.Panels, made)
				}
			}
		}
		if x.panels[0].measure != queueCDF {
			markFaults(f.Panels, s.Views...)
		}
		if len(f.Panels) > 0 {
			list = append(list, figure.Drawing{Name: x.name, Caption: x.caption, Plot: f})
		}
	}
	return list
}

// footnote returns the number of runs, the time between samples and the length of intervals.
func (s *Several) footnote() string {
	if len(s.Views) == 1 {
		return s.Views[0].footnote
	}
	text := fmt.Sprintf("%d runs, a sample every %s", len(s.Views),
		s.span(func(v *Series) unit.Time { return v.spacing }))
	if of := s.intervals(); of != "" {
		text += ", intervals of " + of
	}
	return text
}

// intervals returns the length of intervals, or "" if no run has any.
func (s *Several) intervals() string {
	some := Several{Views: lists.Keep(s.Views, func(v *Series) bool { return v.Looks > 1 })}
	if len(some.Views) == 0 {
		return ""
	}
	return some.span(func(v *Series) unit.Time { return v.interval })
}

// span returns a time of each run. If it differs between runs, span returns the shortest and the longest time.
func (s *Several) span(of func(*Series) unit.Time) string {
	times := lists.Map(s.Views, of)
	least, most := slices.Min(times), slices.Max(times)
	if least == most {
		return seconds(least)
	}
	return seconds(least) + " to " + seconds(most)
}

// curveName returns the name of the first curve of a measure.
func (s *Several) curveName(measure string) string {
	for _, c := range s.Views[0].curves {
		if c.measure == measure {
			return c.name
		}
	}
	return s.port
}

// lines returns one curve of a measure for each run. If layer is not "", the curve belongs to this layer. For a measure
// of ports, the curve belongs to the port with the longest queue.
func (s *Several) lines(measure, layer string) (list []plots.Series) {
	for _, v := range s.Views {
		lines := v.lines(measure, plots.Trace)
		if measure == queueCDF {
			lines = above(v.lines(measure, plots.Step))
		}
		at := slices.IndexFunc(lines, func(l plots.Series) bool { return layer == "" || l.Name == layer })
		if at < 0 {
			continue
		}
		line := lines[at]
		if s.port == "" && (measure == queue || measure == utilisation) {
			line.Name = v.label + ", " + line.Name
		} else {
			line.Name = v.label
		}
		list = append(list, line)
	}
	return list
}

// Rows returns all points of the drawings of all runs.
func (s *Several) Rows() (*plots.Table, error) { return columns.Encode(s.points()) }

func (s *Several) points() (all []runRow) {
	for _, v := range s.Views {
		for _, r := range v.points() {
			all = append(all, runRow{v.label, r})
		}
	}
	return all
}

// Points returns the rows with units, and the footnote of drawings.
func (s *Several) Points() (*plots.Table, string, error) {
	list := s.points()
	t, err := withUnits(list, func(r runRow) string { return r.Measure })
	return t, s.footnote(), err
}

type runRow struct {
	Run string `col:"run"`
	seriesRow
}

// Tables returns the tables, with the runs side by side.
func (s *Several) Tables() ([]report.Table, error) {
	type line struct {
		*Series
		Layer
	}
	var layers []line
	var sharing []*Series
	for _, v := range s.Views {
		for _, l := range v.Layers {
			layers = append(layers, line{v, l})
		}
		if v.AllFlows != nil {
			sharing = append(sharing, v)
		}
	}
	var list []figure.Table
	if len(layers) > 0 {
		list = append(list, figure.Lines("Queue length, utilisation, time paused, marks and drops by layer and run, "+
			"weighted with time.",
			slices.Concat(figure.Groups[[]line](layers, func(l *line) string { return l.Layer.Layer })...),
			slices.Concat(
				cells(figure.Text("layer", func(l line) string { return l.Layer.Layer }),
					figure.Text("run", func(l line) string { return l.label })),
				numbers(func(l line) *Spread { return l.Queue }, plots.InBytes, "mean queue=mean", "p95", "p99", "max"),
				numbers(func(l line) *Spread { return l.Utilisation }, "%", "utilisation=mean"),
				cells(share("paused", func(l line) float64 { return l.Paused }),
					figure.Whole("ECN marks", "", func(l line) int64 { return l.Marks }),
					figure.Whole("drops", "", func(l line) int64 { return l.Drops })))...))
	}
	if len(sharing) > 0 {
		caption := "Goodput of sampled flows, and fairness in intervals of " + s.intervals() + ", by run."
		list = append(list, figure.Lines(caption, sharing,
			slices.Concat(
				cells(figure.Text("run", func(v *Series) string { return v.label }),
					figure.Whole("flows", "", func(v *Series) int64 { return int64(v.AllFlows.Flows) })),
				numbers(func(v *Series) *Spread { return v.AllFlows.Goodput }, plots.InBitsPerSecond,
					"mean goodput=mean", "p95"),
				numbers(func(v *Series) *Spread { return v.AllFlows.Rate }, plots.InBitsPerSecond, "mean rate=mean"),
				numbers(func(v *Series) *Spread { return v.AllFlows.Jain }, "", "mean Jain index=mean"))...))
	}
	if many := undrawn(len(s.Views), "runs"); many != "" && len(list) > 0 {
		list[0].Caption += " " + many
	}
	return figure.Reports(list)
}

// Shown provides the tables and drawings of one run, or of several side by side.
type Shown interface {
	Drawings() []figure.Drawing
	Rows() (*plots.Table, error)
	// Points returns the rows with the unit of each value, and a footnote.
	Points() (t *plots.Table, footnote string, err error)
	Tables() ([]report.Table, error)
}

// AllSeries opens the series of run directories. It returns a common view and the view of each run.
func AllSeries(dirs []string, o SeriesOptions) (Shown, []*Series, error) {
	if len(dirs) == 1 {
		v, err := OpenSeries(dirs[0], o)
		return v, []*Series{v}, err
	}
	s, err := OpenSeveral(dirs, o)
	if err != nil {
		return nil, nil, err
	}
	return s, s.Views, nil
}

// EmptySeries explains why views are empty. It returns an explanation for each view that has nothing to show over time.
func EmptySeries(views []*Series) []string {
	var list []string
	for _, v := range views {
		switch {
		case v.empty == "":
		case len(views) == 1:
			list = append(list, v.empty)
		default:
			list = append(list, v.label+": "+v.empty)
		}
	}
	return list
}

// SeriesSection returns the chapter of a report about the series of run directories. The chapter covers the sampled
// runs. It is nil if no run was sampled.
func SeriesSection(l *scenario.Language, dirs []string) (*report.Section, error) {
	var sampled []string
	for _, dir := range dirs {
		run, err := campaign.Open(l, dir)
		if err != nil {
			return nil, err
		}
		if run.Scenario.Run.Sampling.Enabled {
			sampled = append(sampled, dir)
		}
	}
	if len(sampled) == 0 {
		return nil, nil
	}
	shown, views, err := AllSeries(sampled, SeriesOptions{Language: l})
	if err != nil {
		return nil, err
	}
	section := &report.Section{Title: "Time series", Text: EmptySeries(views)}
	if section.Tables, err = shown.Tables(); err != nil {
		return nil, err
	}
	for _, d := range shown.Drawings() {
		section.Figures = append(section.Figures, report.Figure{Plot: d.Plot, Caption: d.Caption})
	}
	for i := range section.Tables {
		section.Tables[i].Folded = true
	}
	return section, nil
}
