package fig7

import (
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/plots"
	"pintlab/plots/report"
)

// at is the row of a task, a sketch and a memory; nil without one.
func at(rows []Row, task, sketch string, memory int) *Row {
	for i := range rows {
		if r := &rows[i]; r.Task == task && r.Sketch == sketch && r.Memory == memory {
			return r
		}
	}
	return nil
}

// better holds if the tower is better than the others at every memory, and fails if it is worse
// beyond doubt at one. sign is 1 where large values are good.
func better(statement string, rows []Row, task, tower string, sign float64) figure.Finding {
	confirmed, contradicted, least, where := true, false, math.Inf(1), ""
	for i := range rows {
		r := &rows[i]
		if r.Task != task || r.Sketch == tower {
			continue
		}
		ours := at(rows, task, tower, r.Memory)
		if ours == nil {
			continue
		}
		gain := sign * (ours.Value - r.Value)
		confirmed = confirmed && gain >= 0
		if sign > 0 {
			contradicted = contradicted || ours.Hi < r.Lo
		} else {
			contradicted = contradicted || ours.Lo > r.Hi
		}
		if gain < least {
			least, where = gain, fmt.Sprintf("%s, %s: %.4g against %.4g", r.Sketch, plots.FormatValue(float64(r.Memory), plots.InBytes, 3), ours.Value, r.Value)
		}
	}
	return figure.Judge(statement, confirmed && where != "", contradicted, "closest is %s", where)
}

// moves holds if the value of a sketch moves one way with the memory, from the least to the most.
func moves(statement string, rows []Row, task, sketch string, sign float64) figure.Finding {
	var first, last *Row
	for i := range rows {
		r := &rows[i]
		if r.Task != task || r.Sketch != sketch {
			continue
		}
		if first == nil || r.Memory < first.Memory {
			first = r
		}
		if last == nil || r.Memory > last.Memory {
			last = r
		}
	}
	if first == nil {
		return figure.Judge(statement, false, false, "no rows")
	}
	contradicted := last.Hi < first.Lo
	if sign < 0 {
		contradicted = last.Lo > first.Hi
	}
	return figure.Judge(statement, sign*(last.Value-first.Value) > 0, contradicted, "%.4g to %.4g", first.Value, last.Value)
}

func check(rows []Row) []figure.Finding {
	return []figure.Finding{
		better("heavy hitters: TowerCU has a higher F1 than CM and CU at every memory", rows, "hitters", "TowerCU", 1),
		better("heavy changes: TowerCU has a higher F1 than CM and CU at every memory", rows, "changes", "TowerCU", 1),
		better("latencies: Tower has a lower ARE than CM at every memory", rows, "latency", "Tower", -1),
		better("inflated latencies: Tower has a higher F1 than CM at every memory", rows, "inflated", "Tower", 1),
		moves("F1 of the heavy hitters of TowerCU grows with the memory", rows, "hitters", "TowerCU", 1),
		moves("F1 of the heavy changes of TowerCU grows with the memory", rows, "changes", "TowerCU", 1),
		moves("ARE of the latencies of Tower falls with the memory", rows, "latency", "Tower", -1),
	}
}

// published are the numbers of the SketchINT paper's text.
var published = []struct {
	task, sketch string
	memory       int
	value        float64
	figure       string
}{
	{"hitters", "TowerCU", 10_000, 0.765, "7 (a)"},
	{"hitters", "CM", 10_000, 0.446, "7 (a)"},
	{"hitters", "CU", 10_000, 0.667, "7 (a)"},
	{"hitters", "TowerCU", 50_000, 0.99, "7 (a)"},
	{"changes", "TowerCU", 10_000, 0.688, "7 (b)"},
	{"changes", "CM", 10_000, 0.462, "7 (b)"},
	{"changes", "CU", 10_000, 0.536, "7 (b)"},
	{"changes", "TowerCU", 50_000, 0.98, "7 (b)"},
	{"latency", "Tower", 3_000_000, 0.11, "7 (c)"},
	{"latency", "CM", 3_000_000, 0.18, "7 (c)"},
	{"inflated", "Tower", 600_000, 0.976, "7 (d)"},
	{"inflated", "CM", 600_000, 0.961, "7 (d)"},
}

func compare(rows []Row) []report.Compared {
	var list []report.Compared
	for _, p := range published {
		if r := at(rows, p.task, p.sketch, p.memory); r != nil {
			list = append(list, figure.Beside(report.Compared{
				Quantity:  fmt.Sprintf("%s, %s, %s", label(p.task), p.sketch, plots.FormatValue(float64(p.memory), plots.InBytes, 3)),
				Published: p.value, Ours: r.Value, Lo: r.Lo, Hi: r.Hi, Source: "SketchINT §VII-C2, Fig. " + p.figure,
			}))
		}
	}
	return list
}

func label(name string) string {
	for _, t := range tasks {
		if t.name == name {
			return t.label
		}
	}
	return name
}

// line is a line of the tables.
type line struct {
	Sketch  string  `col:"sketch"`
	Memory  int     `col:"memory" unit:"B"`
	Value   float64 `col:"value"`
	Lo      float64 `col:"lo"`
	Hi      float64 `col:"hi"`
	Missing int     `col:"frames missing"`
}

func tables(rows []Row) []figure.Table {
	var list []figure.Table
	for _, t := range tasks {
		var lines []line
		for _, r := range rows {
			if r.Task == t.name {
				lines = append(lines, line{r.Sketch, r.Memory, r.Value, r.Lo, r.Hi, r.Missing})
			}
		}
		list = append(list, figure.Table{Caption: t.label + ", mean over the seeds with 95 % interval.", Rows: lines})
	}
	return list
}

func draw(rows []Row) ([]figure.Drawing, error) {
	f := plots.Figure{Title: "Global tasks", Columns: 2}
	for _, t := range tasks {
		panel := plots.Panel{
			X: plots.Axis{Label: "Memory of an agent", Unit: plots.InBytes, Scale: plots.Linear},
			Y: plots.Axis{Label: t.label, Scale: plots.Linear},
		}
		if t.name == "latency" {
			panel.Y.Scale = plots.Log
		}
		for _, name := range []string{"TowerCU", "Tower", "CM", "CU"} {
			hue := name
			if name == "Tower" {
				hue = "TowerCU"
			}
			s := plots.Series{Name: name, Hue: hue, Style: plots.Line}
			for _, r := range rows {
				if r.Task == t.name && r.Sketch == name {
					s.X, s.Y = append(s.X, float64(r.Memory)), append(s.Y, r.Value)
					s.Lo, s.Hi = append(s.Lo, r.Lo), append(s.Hi, r.Hi)
				}
			}
			if len(s.X) > 0 {
				panel.Series = append(panel.Series, s)
			}
			p := plots.Series{Name: name, Hue: hue, Style: plots.Points, Published: true}
			for _, x := range published {
				if x.task == t.name && x.sketch == name && at(rows, x.task, x.sketch, x.memory) != nil {
					p.X, p.Y = append(p.X, float64(x.memory)), append(p.Y, x.value)
				}
			}
			if len(p.X) > 0 {
				panel.Series = append(panel.Series, p)
			}
		}
		f.Panels = append(f.Panels, panel)
	}
	return []figure.Drawing{{Name: "tasks", Caption: "The four global tasks against the memory of an agent's sketch. Hollow marks: numbers of the paper's text.", Plot: f}}, nil
}
