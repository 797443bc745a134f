package sketchint

import (
	"context"
	_ "embed" // for known.csv
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/p4/analysis"
	"pintlab/p4/validate"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Table4 is Table IV of SketchINT (§VI-A): what a TowerSketch of d = 3 arrays adds to a switch. The SketchINT paper prints percentages of
// what switch.p4 takes, which are whole units: of 16 stateful ALUs 18.75 % are three.
var Table4 = figure.Of[table4Scale, Table4Row]{
	Name:   "sketchint/table4",
	Title:  "What a TowerSketch takes of a switch",
	Source: "SketchINT §VI-A, Table IV",
	Claim:  "A TowerSketch adds less than 8 % to every resource of switch.p4 but stateful ALUs.",
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
		return []figure.Finding{figure.Judge("less than 8 % are added to every resource of switch.p4 but stateful ALUs", most < 8, most >= 8, "%.1f %% of the %s", most, of).Expect(hashUnits)}
	},
	Compare: func(rows []Table4Row) []report.Compared {
		var list []report.Compared
		for _, r := range rows {
			list = append(list, figure.Beside(report.Compared{
				Quantity: r.Resource + " of a TowerSketch", Published: r.Published, Ours: r.Ours, Lo: r.Ours, Hi: r.Ours, Source: "SketchINT Table IV", Note: ownHash,
			}, figure.Digits(1)))
		}
		for _, p := range elsewhere {
			nan := math.NaN()
			list = append(list, figure.Beside(report.Compared{
				Quantity: p.what, Unit: p.unit, Published: p.value, Ours: nan, Lo: nan, Hi: nan, Source: p.source, Note: p.why,
			}, p.within))
		}
		return list
	},
	Tables: func(rows []Table4Row) []figure.Table {
		return []figure.Table{{Caption: "What the program takes of a Tofino, and what the SketchINT paper's adds to switch.p4", Rows: rows}}
	},
	Draw: func(rows []Table4Row) ([]figure.Drawing, error) {
		p := plots.Panel{X: plots.Axis{Label: "Resource", Scale: plots.Categorical}, Y: plots.Axis{Label: "Units taken", Scale: plots.Linear, Min: plots.At(0)}}
		for _, r := range rows {
			p.X.Categories = append(p.X.Categories, r.Resource)
		}
		place := 0.0
		series := func(s plots.Series, of func(*Table4Row) float64) {
			p.Series = append(p.Series, figure.Curve(s, rows, func(r *Table4Row) (x, y float64) {
				place++
				return math.Mod(place-1, float64(len(rows))), of(r)
			}))
		}
		series(plots.Series{Name: "ours", Style: plots.Points}, func(r *Table4Row) float64 { return r.Ours })
		series(plots.Series{Name: "SketchINT", Style: plots.Points, Published: true}, func(r *Table4Row) float64 { return r.Published })
		return []figure.Drawing{{Name: "table4", Caption: "Units of each resource of a Tofino.", Plot: plots.Figure{Title: "A TowerSketch in a switch", Width: 700, Panels: []plots.Panel{p}}}}, nil
	},
	Why: []string{ownHash, "Ours is the whole program, laid out by a model of a Tofino (pintlab p4 stages towersketch); the SketchINT paper's is what a compiler reported, beside switch.p4."},
}.Figure()

var hashUnits = figure.Known(known4, "hash units", "Registers take the printed stateful ALUs. The rest is hashing: ours is the same on every target and in Go, in two rounds with a table of 12 blocks between them, "+
	"and Intel's compiler has the hash units of the switch for that. With these our program takes the printed SRAM, and of the other three resources the printed number of none: fewer actions and hash bits, and more bytes of the crossbar, "+
	"still more than 8 % of those of switch.p4. What remains of these three is not explained.")

var ownHash = hashUnits.String()

//go:embed table4/known.csv
var known4 string

// elsewhere are the numbers that the SketchINT paper prints for its FPGA, and for sketches whose P4 programs we do not have.
var elsewhere = []struct {
	what, unit  string
	value       float64
	source, why string
	within      figure.Tolerance
}{
	{"block RAM tiles of a TowerSketch on an FPGA", "", 45.5, "SketchINT §VI-C", noFPGA, figure.Digits(0.5)},
	{"lookup tables of a TowerSketch on an FPGA", "", 686, "SketchINT §VI-C", noFPGA, figure.Digits(1)},
	{"insertions of a TowerSketch on an FPGA, one per clock", "Mpps", 365, "SketchINT §VI-C", noFPGA, figure.Digits(1)},
	{"stages of a switch of an ElasticSketch", "", 9, "SketchINT §I", noProgram, figure.Digits(1)},
	{"stages of a switch of a CM of three arrays", "", 1, "SketchINT §I", noProgram, figure.Digits(1)},
}

const (
	noFPGA    = "We have no FPGA program."
	noProgram = "We have no P4 program of it."
)

// table4Scale holds what the figure runs at one scale: nothing.
type table4Scale struct{}

// String describes what the figure runs.
func (table4Scale) String() string {
	return "three arrays of 2^16, 2^15 and 2^14 counters of 8, 16 and 32 bits"
}

// Table4Row is a line of rows.csv.
type Table4Row struct {
	Resource  string  `col:"resource"`
	Published float64 `col:"published"` // units
	Ours      float64 `col:"ours"`
}

// printed4 is Table IV, the stateful ALUs first.
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
