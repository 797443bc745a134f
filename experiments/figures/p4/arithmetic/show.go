package arithmetic

import (
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/congestion"
	"pintlab/experiments/results/stats"
	"pintlab/p4/fixedpoint"
)

// line is an arithmetic in the table that people read.
type line struct {
	Arithmetic string `col:"arithmetic"`
	Short      string `col:"shorter half"`
	Long       string `col:"longer half"`
	Worst      string `col:"worst bucket"`
	Differ     string `col:"buckets that differ"`
	Goodput    string `col:"goodput above 10 MB"`
}

func tables(rows []Row) []figure.Table {
	var list []figure.Table
	for _, w := range []congestion.Workload{congestion.Web, congestion.Hadoop} {
		var lines []line
		for _, a := range arithmetics()[1:] {
			change := of(rows, w, a.form, a.bits)
			l := line{Arithmetic: a.name, Short: meanChange(change, true), Long: meanChange(change, false), Goodput: "-"}
			worst := 1.0
			for _, r := range change {
				if math.Abs(math.Log(r.Value)) > math.Abs(math.Log(worst)) {
					worst = r.Value
				}
			}
			_, differ := stats.Distance(change)
			l.Worst, l.Differ = percent(worst), fmt.Sprintf("%d of %d", differ, len(change))
			for _, r := range figure.Pick(rows, func(r *Row) bool { return r.Table == gains && r.Workload == w.Name && r.Arithmetic == a.name }) {
				l.Goodput = r.Change()
			}
			lines = append(lines, l)
		}
		list = append(list, figure.Table{Rows: lines, Caption: w.Name + ": change of the 95th-percentile slowdown against exact arithmetic, by flow size; of goodput."})
	}
	return list
}

// meanChange prints the mean of the changes of the shorter or the longer half of the flows.
func meanChange(rows []Row, short bool) string {
	rows = figure.Pick(rows, func(r *Row) bool { return r.Share <= 50 == short })
	sum := 0.0
	for _, r := range rows {
		sum += math.Log(r.Value) / float64(len(rows))
	}
	return percent(math.Exp(sum))
}

func percent(ratio float64) string { return fmt.Sprintf("%+.1f %%", stats.Percent(ratio)) }

// equations are the updates of U.
var equations = map[fixedpoint.Form]string{
	fixedpoint.Difference: "U + S + (Q - U)·τ/T", fixedpoint.AppendixB: "U·(T-τ)/T + Q·τ/T + S, as in appendix B", fixedpoint.Decrement: "U - U·τ/T + Q·τ/T + S",
}

func draw(rows []Row) ([]figure.Drawing, error) {
	var list []figure.Drawing
	for _, form := range fixedpoint.Forms() {
		var points []figure.CurvePoint
		for _, r := range rows {
			if r.Table == slowdowns && (r.Bits == 0 || r.Form == form.String()) {
				name := r.Arithmetic
				if r.Bits > 0 {
					name = fmt.Sprintf("q = %d", r.Bits)
				}
				points = append(points, figure.CurvePoint{Panel: r.Workload, Scheme: name, Measured: r.Measured})
			}
		}
		f, err := figure.Slowdowns(points)
		if err != nil {
			return nil, err
		}
		f.Title = "U as " + equations[form] + ", tables of 2^q entries"
		list = append(list, figure.Drawing{Name: form.String(), Caption: "95th-percentile slowdown by flow size, U as " + equations[form] + ".", Plot: f})
	}
	return list, nil
}
