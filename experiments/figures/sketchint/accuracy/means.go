package accuracy

import (
	"math"
	"os"
	"path/filepath"

	"pintlab/experiments/results/stats"
	"pintlab/plots"
)

// level is the confidence of the intervals.
const level = 0.95

// Mean is how well a sketch did with some memory, over the seeds.
type Mean struct {
	Sketch Kind
	Memory int
	Seeds  int
	// Dropped is how many packets of heavy flows found a table full, in all seeds. Such flows are
	// missing in the F1 scores.
	Dropped int

	ARE, AAE, HitterF1, HitterARE, ChangeF1, Entropy, Cardinality, Distribution stats.Interval
}

// Task is one of the numbers of a Mean.
type Task struct {
	Name  string // in rows and of files
	Label string // on the axis
	Of    func(*Mean) *stats.Interval
	one   func(*Result) float64
	Log   bool // drawn on a logarithmic axis
}

// Tasks are the panels of Fig. 5, in its order.
func Tasks() []Task {
	return []Task{
		{"are", "ARE of flow sizes", func(m *Mean) *stats.Interval { return &m.ARE }, func(r *Result) float64 { return r.ARE }, true},
		{"aae", "AAE of flow sizes", func(m *Mean) *stats.Interval { return &m.AAE }, func(r *Result) float64 { return r.AAE }, true},
		{"hitter-f1", "F1 of heavy hitters", func(m *Mean) *stats.Interval { return &m.HitterF1 }, func(r *Result) float64 { return r.HitterF1 }, false},
		{"hitter-are", "ARE of heavy hitters", func(m *Mean) *stats.Interval { return &m.HitterARE }, func(r *Result) float64 { return r.HitterARE }, true},
		{"change-f1", "F1 of heavy changes", func(m *Mean) *stats.Interval { return &m.ChangeF1 }, func(r *Result) float64 { return r.ChangeF1 }, false},
		{"entropy", "RE of the entropy", func(m *Mean) *stats.Interval { return &m.Entropy }, func(r *Result) float64 { return r.Entropy }, true},
		{"cardinality", "RE of the cardinality", func(m *Mean) *stats.Interval { return &m.Cardinality }, func(r *Result) float64 { return r.Cardinality }, true},
		{"distribution", "WMRE of the distribution", func(m *Mean) *stats.Interval { return &m.Distribution }, func(r *Result) float64 { return r.Distribution }, false},
	}
}

// Means are the means over the seeds, in the order of the results. A number that one of the
// seeds does not have is NaN.
func Means(results []Result) ([]Mean, error) {
	var means []Mean
	for len(results) > 0 {
		n := 1
		for n < len(results) && results[n].Sketch == results[0].Sketch && results[n].Memory == results[0].Memory {
			n++
		}
		m := Mean{Sketch: results[0].Sketch, Memory: results[0].Memory, Seeds: n}
		for i := range results[:n] {
			m.Dropped += results[i].Dropped
		}
		for _, t := range Tasks() {
			values := make([]float64, n)
			missing := false
			for i := range values {
				values[i] = t.one(&results[i])
				missing = missing || math.IsNaN(values[i]) || math.IsInf(values[i], 0)
			}
			if missing {
				*t.Of(&m) = stats.Interval{Value: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
				continue
			}
			iv, err := stats.Mean(values, level)
			if err != nil {
				return nil, err
			}
			*t.Of(&m) = iv
		}
		means = append(means, m)
		results = results[n:]
	}
	return means, nil
}

// Summary is the JSON of the command "sketch accuracy".
type Summary struct {
	Packets uint64  `json:"packets"`
	Flows   int     `json:"flows"`
	Entropy float64 `json:"entropy_bits"`
	Results []Entry `json:"results"`
}

// Entry is one sketch with one memory in a Summary: means over the seeds, null where there
// is no number.
type Entry struct {
	Sketch       string   `json:"sketch"`
	Memory       int      `json:"memory_bytes"`
	Seeds        int      `json:"seeds"`
	ARE          *float64 `json:"are"`
	AAE          *float64 `json:"aae"`
	HitterF1     *float64 `json:"heavy_hitter_f1"`
	HitterARE    *float64 `json:"heavy_hitter_are"`
	ChangeF1     *float64 `json:"heavy_change_f1"`
	Entropy      *float64 `json:"entropy_re"`
	Cardinality  *float64 `json:"cardinality_re"`
	Distribution *float64 `json:"distribution_wmre"`
	Dropped      int      `json:"table_full"` // packets of heavy flows, in all seeds
}

// Summarise makes the Summary.
func Summarise(truth *Truth, means []Mean) Summary {
	s := Summary{Packets: truth.First.Packets(), Flows: truth.First.Flows(), Entropy: truth.Entropy}
	number := func(iv stats.Interval) *float64 {
		if math.IsNaN(iv.Value) {
			return nil
		}
		return &iv.Value
	}
	for _, m := range means {
		s.Results = append(s.Results, Entry{
			string(m.Sketch), m.Memory, m.Seeds, number(m.ARE), number(m.AAE), number(m.HitterF1), number(m.HitterARE),
			number(m.ChangeF1), number(m.Entropy), number(m.Cardinality), number(m.Distribution), m.Dropped,
		})
	}
	return s
}

// drawing draws the tasks against the memory, a panel each.
func drawing(means []Mean) plots.Figure {
	f := plots.Figure{Title: "Accuracy of sketches"}
	for _, t := range Tasks() {
		panel := plots.Panel{
			X: plots.Axis{Label: "Memory", Unit: plots.InBytes, Scale: plots.Linear},
			Y: plots.Axis{Label: t.Label, Scale: plots.Linear},
		}
		if t.Log {
			panel.Y.Scale = plots.Log
		}
		for _, k := range Kinds() {
			s := plots.Series{Name: k.Label(), Style: plots.Line}
			for i := range means {
				m := &means[i]
				iv := t.Of(m)
				if m.Sketch != k || math.IsNaN(iv.Value) || t.Log && iv.Value <= 0 {
					continue // a number that is zero has no place on a logarithmic axis; the table has it
				}
				s.X = append(s.X, float64(m.Memory))
				s.Y = append(s.Y, iv.Value)
			}
			if len(s.X) > 0 {
				panel.Series = append(panel.Series, s)
			}
		}
		if len(panel.Series) > 0 {
			f.Panels = append(f.Panels, panel)
		}
	}
	return f
}

// Save draws the tasks into a directory, as SVG and PNG, and returns the files.
func Save(dir string, means []Mean, footnote string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	f := drawing(means)
	f.Footnote = footnote
	var files []string
	for _, ending := range []string{"svg", "png"} {
		path := filepath.Join(dir, "accuracy."+ending)
		if err := plots.Save(&f, path); err != nil {
			return files, err
		}
		files = append(files, path)
	}
	return files, nil
}
