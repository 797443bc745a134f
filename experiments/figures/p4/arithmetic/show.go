package arithmetic

import (
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
	"pintlab/p4/fixedpoint"
	"pintlab/plots"
	"pintlab/plots/report"
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

func tables(t *plots.Table) ([]report.Table, error) {
	rows, err := figure.Decode[Row](t)
	if err != nil {
		return nil, err
	}
	var list []report.Table
	for _, w := range []congestion.Workload{congestion.Web, congestion.Hadoop} {
		var lines []line
		for _, a := range arithmetics()[1:] {
			form, err := fixedpoint.ParseForm(a.form)
			if err != nil {
				return nil, err
			}
			change := of(rows, w, form, a.bits)
			l := line{Arithmetic: a.name, Short: meanChange(change, true), Long: meanChange(change, false), Goodput: "-"}
			worst := 1.0
			for _, r := range change {
				if math.Abs(math.Log(r.Value)) > math.Abs(math.Log(worst)) {
					worst = r.Value
				}
			}
			_, differ := distance(change)
			l.Worst, l.Differ = percent(worst), fmt.Sprintf("%d of %d", differ, len(change))
			for _, r := range pick(rows, func(r *Row) bool { return r.Table == gains && r.Workload == w.Name && r.Arithmetic == a.name }) {
				l.Goodput = figure.Change(r.Value, r.Lo, r.Hi)
			}
			lines = append(lines, l)
		}
		made, err := figure.Encode(lines)
		if err != nil {
			return nil, err
		}
		list = append(list, report.Table{Table: made, Caption: w.Name + ": change of the 95th-percentile slowdown against exact arithmetic, by flow size; of goodput."})
	}
	return list, nil
}

// meanChange is the mean of the changes of the shorter or the longer half of the flows.
func meanChange(rows []Row, short bool) string {
	rows = pick(rows, func(r *Row) bool { return r.Share <= 50 == short })
	sum := 0.0
	for _, r := range rows {
		sum += math.Log(r.Value) / float64(len(rows))
	}
	return percent(math.Exp(sum))
}

func percent(ratio float64) string { return fmt.Sprintf("%+.1f %%", 100*(ratio-1)) }

type curveLine struct {
	Panel  string  `col:"panel"`
	Scheme string  `col:"arithmetic"`
	Size   float64 `col:"size" unit:"B"`
	Share  float64 `col:"share" unit:"%"`
	Value  float64 `col:"value"`
	Lo     float64 `col:"lo"`
	Hi     float64 `col:"hi"`
	Flows  int     `col:"flows"`
}

// curves are the slowdowns of one form, both workloads.
func curves(rows []Row, form fixedpoint.Form) (plots.Figure, error) {
	var lines []curveLine
	for _, r := range rows {
		if r.Table == slowdowns && (r.Bits == 0 || r.Form == form.String()) {
			name := r.Arithmetic
			if r.Bits > 0 {
				name = fmt.Sprintf("q = %d", r.Bits)
			}
			lines = append(lines, curveLine{r.Workload, name, r.Size, r.Share, r.Value, r.Lo, r.Hi, r.Flows})
		}
	}
	t, err := figure.Encode(lines)
	if err != nil {
		return plots.Figure{}, err
	}
	return plots.SlowdownBySize(t, plots.Mapping{
		Y: "value", Panel: "panel", Series: "arithmetic", MinCount: figure.Enough(0.95), YLabel: "95th-percentile slowdown",
	})
}

func draw(t *plots.Table, m *figure.Manifest) ([]figure.Drawing, error) {
	rows, err := figure.Decode[Row](t)
	if err != nil {
		return nil, err
	}
	var list []figure.Drawing
	equations := map[fixedpoint.Form]string{
		fixedpoint.Difference: "U + S + (Q - U)·τ/T", fixedpoint.AppendixB: "U·(T-τ)/T + Q·τ/T + S, as in appendix B", fixedpoint.Decrement: "U - U·τ/T + Q·τ/T + S",
	}
	for _, form := range fixedpoint.Forms() {
		f, err := curves(rows, form)
		if err != nil {
			return nil, err
		}
		equation := equations[form]
		f.Title = "U as " + equation + ", tables of 2^q entries"
		f.Footnote = m.Footnote
		list = append(list, figure.Drawing{Name: form.String(), Caption: "95th-percentile slowdown by flow size, U as " + equation + ".", Plot: f})
	}
	return list, nil
}
