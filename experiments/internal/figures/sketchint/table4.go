package sketchint

import (
	"context"
	"fmt"
	"math"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/results/stats"
	"pintlab/internal/number"
	"pintlab/p4/analysis"
	"pintlab/p4/validate"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Table4 is Table IV of SketchINT (§VI-A). It shows the resources that a TowerSketch with d = 3 arrays adds to a
// switch. The SketchINT paper prints percentages of the resources that switch.p4 uses. The percentages correspond to
// whole units. For example, 18.75 % of 16 stateful ALUs are three ALUs.
var Table4 = figure.Of[table4Scale, Table4Row]{
	Name:   "sketchint/table4",
	Files:  files,
	Scales: map[figure.Scale]table4Scale{figure.Smoke: {}, figure.Laptop: {}, figure.Paper: {}},
	Measure: func(_ context.Context, j *figure.Job, _ table4Scale) ([]Table4Row, error) {
		if len(j.Set) > 0 || j.Seeds > 0 {
			return nil, fmt.Errorf("--set and --seeds have no effect on this figure: it runs nothing")
		}
		used, _, err := validate.Uses("towersketch")
		if err != nil {
			return nil, err
		}
		var rows []Table4Row
		for _, p := range printed4 {
			r := Table4Row{Resource: p.name, Published: math.Round(p.baseline * p.percent / 100)}
			for _, of := range p.of {
				r.Ours += float64(used[of])
			}
			rows = append(rows, r)
		}
		return rows, nil
	},
	Check: func(rows []Table4Row) []figure.Finding {
		most, of := 0.0, ""
		for i, r := range rows[1:] {
			if share := 100 * r.Ours / printed4[i+1].baseline; share > most {
				most, of = share, r.Resource
			}
		}
		return []figure.Finding{figure.Judge("less than 8 % are added to every resource of switch.p4 but stateful ALUs",
			most < 8, most >= 8, "%s %% of the %s", number.Fixed(most, 1),
			of).Because("hash units").By(report.OtherHardware)}
	},
	Ours: map[string]figure.Ours[Table4Row]{"units": func(rows []Table4Row, p *figure.Published,
		_ *report.Compared) stats.Number {
		if r := figure.Find(rows, func(r *Table4Row) bool { return r.Resource == p.Scheme }); r != nil {
			return stats.Exactly(r.Ours)
		}
		return stats.None()
	}, "hash units": stored[Table4Row]("sketchint/table4", "hash units")},
	Tables: func(rows []Table4Row) []figure.Table { return []figure.Table{{Caption: "rows", Rows: rows}} },
	Draw: func(rows []Table4Row) ([]figure.Drawing, error) {
		p := plots.Panel{
			X: plots.Axis{Label: "Resource", Scale: plots.Categorical},
			Y: plots.Axis{Label: "Units taken", Scale: plots.Linear, Min: plots.At(0)},
		}
		ours := plots.Series{Name: "ours", Style: plots.Points}
		printed := plots.Series{Name: "SketchINT", Style: plots.Points, Published: true}
		for i, r := range rows {
			p.X.Categories = append(p.X.Categories, r.Resource)
			ours.X, ours.Y = append(ours.X, float64(i)), append(ours.Y, r.Ours)
			printed.X, printed.Y = append(printed.X, float64(i)), append(printed.Y, r.Published)
		}
		p.Series = []plots.Series{ours, printed}
		f := plots.Figure{Title: "A TowerSketch in a switch", Width: plots.PageWidth, Panels: []plots.Panel{p}}
		return []figure.Drawing{{Name: "table4", Plot: f}}, nil
	},
}.Figure()

// table4Scale is empty, because the figure is the same at all scales.
type table4Scale struct{}

// String describes the runs of the figure.
func (table4Scale) String() string {
	return "three arrays of 2^16, 2^15 and 2^14 counters of 8, 16 and 32 bits"
}

// Table4Row is a line of rows.csv.
type Table4Row struct {
	Resource  string  `col:"resource"`
	Published float64 `col:"published"` // units
	Ours      float64 `col:"ours"`
}

// printed4 contains the numbers of Table IV, stateful ALUs first.
var printed4 = []struct {
	name              string
	baseline, percent float64
	of                []analysis.Resource
}{
	{"stateful ALUs", 16, 18.75, []analysis.Resource{analysis.StatefulALUs}},
	{"VLIW actions", 82, 4.88, []analysis.Resource{analysis.IngressActions, analysis.EgressActions}},
	{"TCAM blocks", 145, 0, []analysis.Resource{analysis.TCAM}},
	{"SRAM blocks", 562, 2.67, []analysis.Resource{analysis.SRAM}},
	{"hash bits", 1851, 4.86, []analysis.Resource{analysis.HashBits}},
	{"bytes of the ternary crossbar", 409, 0, []analysis.Resource{analysis.TernaryBytes}},
	{"bytes of the exact crossbar", 371, 7.27, []analysis.Resource{analysis.ExactBytes}},
}
