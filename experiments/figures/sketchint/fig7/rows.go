package fig7

import (
	"context"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/sketchint"
	"pintlab/experiments/results/stats"
)

// Row is a line of rows.csv: one task of one sketch with one memory.
type Row struct {
	Task    string  `col:"task"`            // of tasks
	Sketch  string  `col:"scheme"`          // as in the legend of the SketchINT paper
	Memory  int     `col:"memory" unit:"B"` // of an agent, at the SketchINT paper's scale
	Value   float64 `col:"value"`           // F1, or ARE of the latencies
	Lo      float64 `col:"lo"`              // 95 % interval over the seeds; NaN for one seed
	Hi      float64 `col:"hi"`
	Missing int     `col:"missing"` // frames that were lost or late, in all seeds
	Seeds   int     `col:"seeds"`
}

// task is a panel. latency says which of an agent's sketches it is of.
type task struct {
	name, label string
	latency     bool
	of          func(*sketchint.Answer) stats.Measured
}

var tasks = []task{
	{"hitters", "F1 of heavy hitters", false, func(a *sketchint.Answer) stats.Measured { return a.Hitters }},
	{"changes", "F1 of heavy changes", false, func(a *sketchint.Answer) stats.Measured { return a.Changes }},
	{"latency", "ARE of latencies", true, func(a *sketchint.Answer) stats.Measured { return a.Latency }},
	{"inflated", "F1 of inflated latencies", true, func(a *sketchint.Answer) stats.Measured { return a.Inflated }},
}

// sketch is the name of a sketch in the task, "" if the task does not have it: latencies have CM
// insertion alone.
func (t *task) sketch(s sketchint.Sketch) string {
	if !t.latency {
		return s.Label()
	}
	switch s {
	case sketchint.TowerCU:
		return "Tower"
	case sketchint.CM:
		return "CM"
	}
	return ""
}

func measure(ctx context.Context, j *figure.Job, z sketchint.Scale) ([]Row, error) {
	var points []sketchint.Point
	for _, s := range []sketchint.Sketch{sketchint.TowerCU, sketchint.CM, sketchint.CU} {
		for _, m := range z.Memories() {
			points = append(points, sketchint.Point{Sketch: s, Memory: m})
		}
	}
	answers, err := sketchint.Measure(ctx, j, z, points)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, t := range tasks {
		for i := range answers {
			a := &answers[i]
			name := t.sketch(a.Sketch)
			if name == "" {
				continue
			}
			m := t.of(a)
			r := Row{Task: t.name, Sketch: name, Memory: a.Memory.Heavy, Value: m.Value, Lo: m.Lo, Hi: m.Hi, Missing: a.Missing, Seeds: m.Seeds}
			if t.latency {
				r.Memory = a.Memory.Latency
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}
