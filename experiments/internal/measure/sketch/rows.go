package sketch

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/workloads/packets"
)

// Row is one number of one sketch with one memory, the mean over the seeds.
type Row struct {
	Task   string `col:"task"`   // Tasks
	Sketch string `col:"scheme"` // as in the legend of the SketchINT paper
	Memory int    `col:"memory" unit:"B"`
	stats.Number
	Median float64 `col:"median"` // median over the seeds, which one unlucky hash does not change
	Least  float64 `col:"least"`
	Most   float64 `col:"most"`
}

// Columns are the columns of stored rows.
var Columns = columns.View{"task", "scheme", "memory", "value", "lo", "hi", "median", "least", "most", "seeds"}

// Task is one of the numbers of an Accuracy.
type Task struct {
	Name   string // name in rows and of files
	Label  string // label of the axis
	column string // head in the table
	Log    bool   // whether the number is drawn on a logarithmic axis
	most   float64
	of     func(*Values) *columns.Number
}

// Tasks returns the panels of Fig. 5, in its order.
func Tasks() []Task {
	inf := math.Inf(1)
	return []Task{
		{"are", "ARE of flow sizes", "ARE", true, inf, func(v *Values) *columns.Number { return &v.ARE }},
		{"aae", "AAE of flow sizes", "AAE", true, inf, func(v *Values) *columns.Number { return &v.AAE }},
		{"hitter-f1", "F1 of heavy hitters", "HH F1", false, 1,
			func(v *Values) *columns.Number { return &v.HitterF1 }},
		{"hitter-are", "ARE of heavy hitters", "HH ARE", true, inf,
			func(v *Values) *columns.Number { return &v.HitterARE }},
		{"change-f1", "F1 of heavy changes", "HC F1", false, 1,
			func(v *Values) *columns.Number { return &v.ChangeF1 }},
		{"entropy", "RE of the entropy", "entropy RE", true, inf,
			func(v *Values) *columns.Number { return &v.Entropy }},
		{"cardinality", "RE of the cardinality", "card. RE", true, inf,
			func(v *Values) *columns.Number { return &v.Cardinality }},
		{"distribution", "WMRE of the distribution", "WMRE", false, 2,
			func(v *Values) *columns.Number { return &v.Distribution }},
	}
}

// groups divides the results into groups. A group contains all seeds of a sketch with a memory.
func groups(results []Accuracy) (list [][]Accuracy) {
	for _, r := range results {
		same := func(g []Accuracy) bool { return g[0].Sketch == r.Sketch && g[0].Memory == r.Memory }
		i := slices.IndexFunc(list, same)
		if i < 0 {
			i, list = len(list), append(list, nil)
		}
		list[i] = append(list[i], r)
	}
	return list
}

// Rows returns the rows of all tasks. For each task, sketches and memories are in the order of the results.
func Rows(results []Accuracy) ([]Row, error) {
	var rows []Row
	all := groups(results)
	for _, t := range Tasks() {
		for _, g := range all {
			r, err := t.row(g)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// row returns the row of a sketch with a memory. Its numbers are NaN if a seed lacks the number.
func (t *Task) row(seeds []Accuracy) (Row, error) {
	n := math.NaN()
	r := Row{t.Name, seeds[0].Sketch.Label(), seeds[0].Memory, stats.None(), n, n, n}
	r.Seeds = len(seeds)
	values := lists.Map(seeds, func(a Accuracy) float64 { return float64(*t.of(&a.Values)) })
	if slices.ContainsFunc(values, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
		return r, nil
	}
	mean, err := stats.Mean(values, stats.Level)
	slices.Sort(values)
	m := len(values)
	r.Number, r.Median = mean.Within(0, t.most), (values[(m-1)/2]+values[m/2])/2
	r.Least, r.Most, r.Seeds = values[0], values[m-1], m
	return r, err
}

// Axes returns the panel of a task, without curves.
func (t *Task) Axes() plots.Panel {
	p := plots.Panel{X: plots.Axis{Label: "Memory", Unit: plots.InBytes, Scale: plots.Linear},
		Y: plots.Axis{Label: t.Label, Scale: plots.Linear}}
	if t.Log {
		p.Y.Scale = plots.Log
	}
	return p
}

// Curve returns a curve of the means of a sketch over its memory, with their intervals.
func (t *Task) Curve(rows []Row, k Kind) plots.Series {
	s := plots.Series{Name: k.Label(), Style: plots.Line}
	for _, r := range rows {
		if r.Task != t.Name || r.Sketch != k.Label() || r.Missing() {
			continue
		}
		s.X, s.Y = append(s.X, float64(r.Memory)), append(s.Y, r.Value)
		if r.Seeds > 1 {
			s.Lo, s.Hi = append(s.Lo, r.Lo), append(s.Hi, r.Hi)
		}
	}
	return s
}

// Summary is the JSON of the command "sketch accuracy".
type Summary struct {
	Packets uint64  `json:"packets"`
	Flows   int     `json:"flows"`
	Entropy float64 `json:"entropy_bits"`
	Bytes   bool    `json:"bytes,omitempty"` // sizes are bytes, not packets
	Results []Entry `json:"results"`         // one for each sketch and memory
	packets.Partial

	rows         []Row
	kinds        []Kind // in the order of drawings
	seeds, table int
}

// Entry is one sketch with one memory in a Summary.
type Entry struct {
	Sketch Kind   `json:"sketch"`
	Memory int    `json:"memory_bytes"`
	Seeds  int    `json:"seeds"`
	Values        // means
	Median Values `json:"median"`
	Least  Values `json:"least"`
	Most   Values `json:"most"`

	Dropped int `json:"table_full"` // packets of heavy flows that found the table full, in all seeds
}

// Summarise makes the Summary of the results of a configuration.
func (c *AccuracyConfig) Summarise(m *Measured) (*Summary, error) {
	s := &Summary{Packets: m.Packets, Flows: m.Flows, Entropy: m.Entropy, Bytes: c.Bytes, seeds: len(c.Seeds),
		table: c.Table}
	s.kinds = Names(c.Known)
	for _, g := range groups(m.Results) {
		e := Entry{Sketch: g[0].Sketch, Memory: g[0].Memory, Seeds: len(g),
			Dropped: lists.Sum(g, func(a Accuracy) int { return a.Dropped })}
		for _, t := range Tasks() {
			r, err := t.row(g)
			if err != nil {
				return nil, err
			}
			s.rows = append(s.rows, r)
			*t.of(&e.Values), *t.of(&e.Median) = columns.Number(r.Value), columns.Number(r.Median)
			*t.of(&e.Least), *t.of(&e.Most) = columns.Number(r.Least), columns.Number(r.Most)
		}
		s.Results = append(s.Results, e)
	}
	return s, nil
}

// Save writes the rows of the tasks to a directory and draws them there, as SVG and PNG. It returns the drawings.
func (s *Summary) Save(dir string) ([]string, error) {
	table, err := columns.Encode(s.rows, Columns...)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if err := table.SaveCSV(filepath.Join(dir, "rows.csv")); err != nil {
		return nil, err
	}
	f := plots.Figure{Title: "Accuracy of sketches",
		Footnote: fmt.Sprintf("%s; %s", s.counts(), s.overSeeds())}
	for _, t := range Tasks() {
		panel := t.Axes()
		for _, k := range s.kinds {
			if c := t.Curve(s.rows, k); len(c.X) > 0 {
				panel.Series = append(panel.Series, c)
			}
		}
		if len(panel.Series) > 0 {
			f.Panels = append(f.Panels, panel)
		}
	}
	return plots.SaveAll(&f, filepath.Join(dir, "accuracy"), "svg", "png")
}

// counts returns the numbers of packets and flows as text: "134,704 packets of 300 flows".
func (s *Summary) counts() string {
	return fmt.Sprintf("%s %s of %s %s", number.Group(fmt.Sprint(s.Packets)),
		number.Plural(s.Packets, "packet", "packets"), number.Group(fmt.Sprint(s.Flows)),
		number.Plural(s.Flows, "flow", "flows"))
}

// Text prints a line for each sketch and memory. With several seeds, the smallest and largest values follow.
func (s *Summary) Text() (string, error) {
	heads := []plots.Column{plots.Text("sketch"), plots.Text("memory")}
	for _, task := range Tasks() {
		heads = append(heads, plots.Text(task.column))
	}
	table, err := plots.NewTable(heads...)
	numbers := func(name, memory string, of *Values) {
		row := []any{name, memory}
		for _, task := range Tasks() {
			switch x := float64(*task.of(of)); {
			case math.IsNaN(x):
				row = append(row, "–")
			case task.Log:
				row = append(row, fmt.Sprintf("%.4g", x))
			default:
				row = append(row, fmt.Sprintf("%.4f", x))
			}
		}
		if err == nil {
			err = table.Append(row...)
		}
	}
	for _, e := range s.Results {
		numbers(e.Sketch.Label(), study.Size(unit.Bytes(e.Memory)), &e.Median)
		if e.Seeds > 1 {
			numbers("least", "", &e.Least)
			numbers("most", "", &e.Most)
		}
	}
	var t columns.Text
	t.Printf("%s, entropy %.4f bits; %s\n\n", s.counts(), s.Entropy, s.overSeeds())
	t.Table(table, err)
	for _, e := range s.Results {
		if e.Dropped > 0 {
			t.Printf("%s with %s: %s of heavy flows found a table of %d full (--table)\n",
				e.Sketch.Label(), study.Size(unit.Bytes(e.Memory)), number.Count(e.Dropped, "packet"), s.table)
		}
	}
	return t.Done()
}

func (s *Summary) overSeeds() string {
	text := "one seed"
	if s.seeds > 1 {
		text = fmt.Sprintf("median of %d seeds, with minimum and maximum", s.seeds)
	}
	if s.Bytes {
		text += "; sizes in bytes"
	}
	return text
}
