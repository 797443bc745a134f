package sketch

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
)

// Mean is how well a sketch did with some memory, over the seeds: means, medians and ranges.
type Mean struct {
	Sketch Kind
	Memory int
	Seeds  int
	// Dropped is the number of packets of heavy flows that found a table full, over all seeds. The F1
	// scores miss such flows.
	Dropped int

	Numbers[Spread]
}

// Numbers are the results of all tasks.
type Numbers[T any] struct {
	ARE          T `json:"are"` // [definitions](sketches.md#definitions); null for none, as the next seven
	AAE          T `json:"aae"`
	HitterF1     T `json:"heavy_hitter_f1"`
	HitterARE    T `json:"heavy_hitter_are"`
	ChangeF1     T `json:"heavy_change_f1"`
	Entropy      T `json:"entropy_re"`
	Cardinality  T `json:"cardinality_re"`
	Distribution T `json:"distribution_wmre"`
}

// Spread is one number over the seeds. One unlucky hash moves a mean of few seeds, but not the median.
// All are NaN if a seed does not have the number.
type Spread struct {
	stats.Number                // the mean
	Median, Least, Most float64 // of the seeds
}

// number returns the Number of the values of all seeds, which lie between 0 and most.
func number(values []float64, most float64) (Spread, error) {
	n := math.NaN()
	if slices.ContainsFunc(values, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
		return Spread{stats.None(), n, n, n}, nil
	}
	mean, err := stats.Mean(values, stats.Level)
	slices.Sort(values)
	m := len(values)
	return Spread{mean.Within(0, most), (values[(m-1)/2] + values[m/2]) / 2, values[0], values[m-1]}, err
}

// Task is one of the numbers of a Mean.
type Task struct {
	Name  string // in rows and of files
	Label string // on the axis
	Of    func(*Mean) *Spread
	one   func(*Accuracy) float64
	most  float64 // largest value that there can be; the smallest is 0
	Log   bool    // drawn on a logarithmic axis
}

// Tasks returns the panels of Fig. 5, in its order.
func Tasks() []Task {
	inf := math.Inf(1)
	return []Task{
		{"are", "ARE of flow sizes", func(m *Mean) *Spread {
			return &m.ARE
		}, func(r *Accuracy) float64 { return r.ARE }, inf, true},
		{"aae", "AAE of flow sizes", func(m *Mean) *Spread {
			return &m.AAE
		}, func(r *Accuracy) float64 { return r.AAE }, inf, true},
		{"hitter-f1", "F1 of heavy hitters", func(m *Mean) *Spread {
			return &m.HitterF1
		}, func(r *Accuracy) float64 { return r.HitterF1 }, 1, false},
		{"hitter-are", "ARE of heavy hitters", func(m *Mean) *Spread {
			return &m.HitterARE
		}, func(r *Accuracy) float64 { return r.HitterARE }, inf, true},
		{"change-f1", "F1 of heavy changes", func(m *Mean) *Spread {
			return &m.ChangeF1
		}, func(r *Accuracy) float64 { return r.ChangeF1 }, 1, false},
		{"entropy", "RE of the entropy", func(m *Mean) *Spread {
			return &m.Entropy
		}, func(r *Accuracy) float64 { return r.Entropy }, inf, true},
		{"cardinality", "RE of the cardinality", func(m *Mean) *Spread {
			return &m.Cardinality
		}, func(r *Accuracy) float64 { return r.Cardinality }, inf, true},
		{"distribution", "WMRE of the distribution", func(m *Mean) *Spread {
			return &m.Distribution
		}, func(r *Accuracy) float64 { return r.Distribution }, 2, false},
	}
}

// Means returns the numbers over the seeds, in the order of the results.
func Means(results []Accuracy) ([]Mean, error) {
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
			for i := range values {
				values[i] = t.one(&results[i])
			}
			x, err := number(values, t.most)
			if err != nil {
				return nil, err
			}
			*t.Of(&m) = x
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
	Results []Entry `json:"results"` // one for each sketch and memory

	means        []Mean
	seeds, table int
}

// Entry is one sketch with one memory in a Summary.
type Entry struct {
	Sketch string `json:"sketch"`
	Memory int    `json:"memory_bytes"`
	Seeds  int    `json:"seeds"`
	Values        // means
	Median Values `json:"median"`
	Least  Values `json:"least"`
	Most   Values `json:"most"`

	Dropped int `json:"table_full"` // packets of heavy flows that found the table full, in all seeds
}

// Values are one statistic of the numbers over the seeds, null where there is none.
type Values = Numbers[columns.Number]

// values returns one statistic of each number.
func (m *Mean) values(of func(*Spread) float64) Values {
	x := func(n *Spread) columns.Number { return columns.Number(of(n)) }
	return Values{x(&m.ARE), x(&m.AAE), x(&m.HitterF1), x(&m.HitterARE), x(&m.ChangeF1), x(&m.Entropy),
		x(&m.Cardinality), x(&m.Distribution)}
}

// Summarise makes the Summary of the results of a configuration.
func (c AccuracyConfig) Summarise(truth *Truth, results []Accuracy) (*Summary, error) {
	means, err := Means(results)
	if err != nil {
		return nil, err
	}
	s := &Summary{
		Packets: truth.First.Packets(), Flows: truth.First.Flows(), Entropy: truth.Entropy,
		means: means, seeds: len(c.Seeds), table: c.Table,
	}
	for i := range means {
		m := &means[i]
		s.Results = append(s.Results, Entry{
			Sketch: string(m.Sketch), Memory: m.Memory, Seeds: m.Seeds, Dropped: m.Dropped,
			Values: m.values(func(n *Spread) float64 {
				return n.Value
			}), Median: m.values(median), Least: m.values(least), Most: m.values(most),
		})
	}
	return s, nil
}

func median(n *Spread) float64 { return n.Median }
func least(n *Spread) float64  { return n.Least }
func most(n *Spread) float64   { return n.Most }

// drawing returns a figure with a panel for each task: the median against the memory, with bars from
// the least to the largest value.
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
				n := t.Of(m)
				if m.Sketch != k || math.IsNaN(n.Median) || t.Log && n.Median <= 0 {
					continue // a number that is zero has no place on a logarithmic axis; the table has it
				}
				s.X, s.Y = append(s.X, float64(m.Memory)), append(s.Y, n.Median)
				if m.Seeds > 1 {
					s.Lo, s.Hi = append(s.Lo, n.Least), append(s.Hi, n.Most)
				}
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
func (s *Summary) Save(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	f := drawing(s.means)
	f.Footnote = fmt.Sprintf("%d packets of %d flows; %s", s.Packets, s.Flows, s.overSeeds())
	return plots.SaveAll(&f, filepath.Join(dir, "accuracy"), "svg", "png")
}
