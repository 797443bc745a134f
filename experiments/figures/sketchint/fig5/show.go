package fig5

import (
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/accuracy"
	"pintlab/plots"
	"pintlab/plots/report"
)

// at is the row of a task, a sketch and the memory that is nearest to a share of the largest one,
// 900 KB; nil without one.
func at(rows []Row, task string, k accuracy.Kind, thousandths int) *Row {
	largest := 0
	for _, r := range rows {
		largest = max(largest, r.Memory)
	}
	want := largest * thousandths / 900
	for i := range rows {
		r := &rows[i]
		if r.Task == task && r.Sketch == k.Label() && r.Memory >= want-1 && r.Memory <= want+1 {
			return r
		}
	}
	return nil
}

var (
	peers  = []accuracy.Kind{accuracy.CM, accuracy.CU, accuracy.Elastic}
	towers = []accuracy.Kind{accuracy.TowerCM, accuracy.TowerCU}
	both   = []accuracy.Kind{accuracy.CM, accuracy.CU}
)

// byMeans are the means of a row with their intervals, which the SketchINT paper has; byMedians the medians with the least and
// the most of the seeds, by which claims are judged.
func byMeans(r *Row) (value, lo, hi float64)   { return r.Value, r.Lo, r.Hi }
func byMedians(r *Row) (value, lo, hi float64) { return r.Median, r.Least, r.Most }

// gain is how many times lower a number of a sketch is than the lowest of the others, and the least and the most that its
// ends leave.
func gain(rows []Row, task string, k accuracy.Kind, others []accuracy.Kind, memory int, by func(*Row) (value, lo, hi float64)) (ratio, lo, hi float64) {
	ours := at(rows, task, k, memory)
	ratio, lo, hi = math.NaN(), math.NaN(), math.NaN()
	if ours == nil {
		return ratio, lo, hi
	}
	v, least, most := by(ours)
	for _, o := range others {
		r := at(rows, task, o, memory)
		if r == nil {
			continue
		}
		w, low, high := by(r)
		if x := w / v; !math.IsNaN(w) && !(x >= ratio) {
			ratio, lo, hi = x, low/most, high/least
			if !(least > 0) {
				hi = math.Inf(1) // the interval reaches zero
			}
		}
	}
	return ratio, lo, hi
}

// claimed are the memories, in KB, for which the claims are checked. The text of the SketchINT paper
// has numbers for 300 and 900; below, TowerCM is behind ElasticSketch here.
var claimed = []int{300, 500, 700, 900}

// below holds if each of the sketches has a lower number than all others at all memories
// from 300 KB on, by medians, and fails if one has a higher number with every seed.
func below(statement string, rows []Row, task string, sketches, others []accuracy.Kind) figure.Finding {
	confirmed, contradicted, least, where := true, false, math.Inf(1), ""
	for _, memory := range claimed {
		for _, k := range sketches {
			x, _, hi := gain(rows, task, k, others, memory, byMedians)
			if math.IsNaN(x) {
				continue
			}
			confirmed = confirmed && x > 1
			contradicted = contradicted || hi < 1
			if x < least {
				least, where = x, fmt.Sprintf("%s at %d KB", k.Label(), memory)
			}
		}
	}
	return figure.Judge(statement, confirmed && where != "", contradicted, "at least %.3g times lower (%s)", least, where)
}

func check(rows []Row) []figure.Finding {
	list := []figure.Finding{
		below("TowerCM and TowerCU have a lower ARE than CM, CU and ElasticSketch from 300 KB on", rows, "are", towers, peers),
		below("TowerCU has a lower AAE than CM, CU and ElasticSketch", rows, "aae", towers[1:], peers),
		below("TowerCU has a lower error of the entropy than CM, CU and ElasticSketch", rows, "entropy", towers[1:], peers),
		below("the towers have a lower error of the cardinality than CM and CU", rows, "cardinality", towers[1:], both),
		below("the towers have a lower WMRE of the distribution than CM and CU", rows, "distribution", towers, both),
	}
	return append(list, high("F1 of the heavy hitters of TowerCU is at least 0.99 from 300 KB on", rows, "hitter-f1"),
		high("F1 of the heavy changes of TowerCU is at least 0.99 from 300 KB on", rows, "change-f1"))
}

// high holds an F1 score of TowerCU against 0.99.
func high(statement string, rows []Row, task string) figure.Finding {
	const want = 0.99
	least, most := math.Inf(1), math.Inf(1)
	for _, memory := range claimed {
		if r := at(rows, task, accuracy.TowerCU, memory); r != nil && !math.IsNaN(r.Median) {
			if r.Median < least {
				least, most = r.Median, r.Most
			}
		}
	}
	return figure.Judge(statement, least >= want && !math.IsInf(least, 1), most < want, "at least %.4f", least)
}

// published are the numbers that the text of the SketchINT paper gives, by task, sketch and KB.
var published = []struct {
	task   string
	sketch accuracy.Kind
	memory int
	value  float64
}{
	{"hitter-f1", accuracy.TowerCU, 300, 0.9997},
	{"hitter-are", accuracy.TowerCU, 300, 3e-4},
	{"change-f1", accuracy.TowerCU, 300, 0.998},
	{"change-f1", accuracy.CM, 300, 0.96},
	{"change-f1", accuracy.CU, 300, 0.98},
	{"change-f1", accuracy.Elastic, 300, 0.99},
	{"entropy", accuracy.TowerCU, 900, 2.42e-4},
	{"cardinality", accuracy.TowerCU, 900, 6.02e-4},
	{"cardinality", accuracy.CM, 900, 1.7e-3},
	{"cardinality", accuracy.CU, 900, 2e-3},
	{"cardinality", accuracy.Elastic, 900, 6.62e-4},
	{"distribution", accuracy.TowerCU, 900, 0.09},
	{"distribution", accuracy.CM, 900, 0.38},
	{"distribution", accuracy.CU, 900, 0.35},
}

// gains are the ratios that the text gives: so many times lower than all three peers at 900 KB, or at 300 KB.
var gains = []struct {
	task   string
	sketch accuracy.Kind
	memory int
	value  float64
}{
	{"are", accuracy.TowerCM, 900, 6.8},
	{"are", accuracy.TowerCU, 900, 29},
	{"aae", accuracy.TowerCM, 900, 1.9},
	{"aae", accuracy.TowerCU, 900, 28},
	{"entropy", accuracy.TowerCU, 900, 12.9},
}

const source = "SketchINT §VII-B2, Fig. 5"

func compare(rows []Row) []report.Compared {
	var list []report.Compared
	for _, p := range published {
		r := at(rows, p.task, p.sketch, p.memory)
		if r == nil {
			continue
		}
		list = append(list, figure.Beside(report.Compared{
			Quantity:  fmt.Sprintf("%s, %s, %d KB", label(p.task), p.sketch.Label(), p.memory),
			Published: p.value, Ours: r.Value, Lo: r.Lo, Hi: r.Hi, Source: source,
		}))
	}
	for _, p := range gains {
		x, lo, hi := gain(rows, p.task, p.sketch, peers, p.memory, byMeans)
		if math.IsNaN(x) {
			continue
		}
		list = append(list, figure.Beside(report.Compared{
			Quantity:  fmt.Sprintf("%s, %d KB: %s lower than CM, CU and Elastic, times at least", label(p.task), p.memory, p.sketch.Label()),
			Published: p.value, Ours: x, Lo: lo, Hi: hi, Source: source,
		}))
	}
	return list
}

func label(task string) string {
	for _, t := range accuracy.Tasks() {
		if t.Name == task {
			return t.Label
		}
	}
	return task
}

// line is a line of the tables: the sketches side by side.
type line struct {
	Memory  int     `col:"memory" unit:"B"`
	TowerCM float64 `col:"TowerCM"`
	TowerCU float64 `col:"TowerCU"`
	CM      float64 `col:"CM"`
	CU      float64 `col:"CU"`
	CMO     float64 `col:"CM(O)"`
	CUO     float64 `col:"CU(O)"`
	Elastic float64 `col:"Elastic"`
}

func tables(rows []Row) []figure.Table {
	var list []figure.Table
	for _, t := range accuracy.Tasks() {
		byMemory := map[int]*line{}
		var order []int
		for _, r := range rows {
			if r.Task != t.Name {
				continue
			}
			l := byMemory[r.Memory]
			if l == nil {
				l = &line{Memory: r.Memory}
				byMemory[r.Memory] = l
				order = append(order, r.Memory)
			}
			for _, c := range []struct {
				kind accuracy.Kind
				to   *float64
			}{
				{accuracy.TowerCM, &l.TowerCM}, {accuracy.TowerCU, &l.TowerCU}, {accuracy.CM, &l.CM}, {accuracy.CU, &l.CU},
				{accuracy.CMO, &l.CMO}, {accuracy.CUO, &l.CUO}, {accuracy.Elastic, &l.Elastic},
			} {
				if c.kind.Label() == r.Sketch {
					*c.to = r.Median
				}
			}
		}
		slices.Sort(order)
		var lines []line
		for _, m := range order {
			lines = append(lines, *byMemory[m])
		}
		list = append(list, figure.Table{Caption: t.Label + ", median over the seeds.", Rows: lines})
	}
	return list
}

// draw makes a panel for each task. CM(O) and CU(O), which the SketchINT paper's figures do not
// have, are in the tables.
func draw(rows []Row) ([]figure.Drawing, error) {
	f := plots.Figure{Title: "Local tasks", Columns: 2}
	for _, t := range accuracy.Tasks() {
		panel := plots.Panel{
			X: plots.Axis{Label: "Memory", Unit: plots.InBytes, Scale: plots.Linear},
			Y: plots.Axis{Label: t.Label, Scale: plots.Linear},
		}
		if t.Log {
			panel.Y.Scale = plots.Log
		}
		for _, k := range append(slices.Clone(towers), peers...) {
			s := plots.Series{Name: k.Label(), Style: plots.Line}
			for _, r := range rows {
				if r.Task != t.Name || r.Sketch != k.Label() || math.IsNaN(r.Median) || t.Log && r.Median <= 0 {
					continue // zero has no place on a logarithmic axis; the table has it
				}
				s.X, s.Y = append(s.X, float64(r.Memory)), append(s.Y, r.Median)
				s.Lo, s.Hi = append(s.Lo, r.Least), append(s.Hi, r.Most)
			}
			if len(s.X) > 0 {
				panel.Series = append(panel.Series, s)
			}
			p := plots.Series{Name: k.Label(), Style: plots.Points, Published: true}
			for _, x := range published {
				if r := at(rows, x.task, x.sketch, x.memory); x.task == t.Name && x.sketch == k && r != nil {
					p.X, p.Y = append(p.X, float64(r.Memory)), append(p.Y, x.value)
				}
			}
			if len(p.X) > 0 {
				panel.Series = append(panel.Series, p)
			}
		}
		f.Panels = append(f.Panels, panel)
	}
	return []figure.Drawing{{Name: "tasks", Caption: "The six local tasks against the memory of a sketch: medians over the seeds, with the least and the most. Hollow marks: numbers of the SketchINT paper's text.", Plot: f}}, nil
}
