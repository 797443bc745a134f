package p4

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/results/columns"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/internal/progress"
	"pintlab/p4/fixedpoint"
	"pintlab/plots"
)

// Front searches designs of a switch that computes HPCC's U with integers and tables. It shows the Pareto front: the
// designs with the best compromises between match-action stages, memory of tables, and error of U on a recorded run
// (Ports). It also shows the effect of the error on flows.
//
// The designs differ in four ways: the form of the equation (one of three, see package p4/fixedpoint); whether table
// entries are exact at the lower end or in the middle of their cells; the sizes of the tables for logarithms of
// times, for other logarithms and for powers; and whether each of these uses one table or two successive tables. The
// results of one table and of two tables differ only by a unit in the last place, so the error is measured once for
// both.
var Front = figure.Of[frontScale, FrontRow]{
	Name:    "p4/front",
	Files:   files,
	Scales:  frontScales,
	Measure: frontMeasure,
	Check:   frontCheck,
	Ours: map[string]figure.Ours[FrontRow]{"stages": countStages, "stages of U": countStages,
		"false reports": falseReports},
	Values: map[string]func([]FrontRow) []any{"appendix B": tablesOfAppendixB},
	Tables: frontTables,
	Draw:   frontDraw,
}.Figure()

// FrontRow is a line of rows.csv. It describes a member (a design) that is on the front, or that exists as a program.
type FrontRow struct {
	Form      string  `col:"form"`
	Program   string  `col:"program"` // "" if there is no program
	Entries   string  `col:"entries"` // "lower" or "middle": where in a cell the entries are right
	TimeBits  int     `col:"q_time"`  // tables of 2^q entries
	LoadBits  int     `col:"q_load"`
	PowerBits int     `col:"q_power"`
	Time      int     `col:"time_tables"` // number of successive tables
	Load      int     `col:"load_tables"`
	Power     int     `col:"power_tables"`
	Stages    int     `col:"stages"`
	Memory    int     `col:"memory" unit:"B"`
	Mean      float64 `col:"mean"` // mean of the absolute value of the relative error
	P99       float64 `col:"p99"`
	Bias      float64 `col:"bias"`
	// Front is "yes" unless another member is at least as good in stages, memory and mean error, and better in one of
	// them. Of members that are equal in all three, only one has "yes".
	Front string `col:"front"` // "yes" or ""
	// Slowdown is the mean distance of 95th-percentile slowdowns from the slowdowns with exact arithmetic, as a ratio
	// minus 1. It is NaN if the member was not simulated.
	Slowdown float64 `col:"slowdown"`
	Searched int     `col:"searched"` // members
}

const yes = "yes"

type frontScale struct{ bits []int }

var frontScales = map[figure.Scale]frontScale{
	figure.Smoke:  {[]int{4, 6}},
	figure.Laptop: {[]int{4, 5, 6, 7, 8, 10}},
	figure.Paper:  {[]int{4, 5, 6, 7, 8, 9, 10, 11, 12}},
}

func (z frontScale) String() string {
	n := count(z.bits)
	return fmt.Sprintf(
		"%d forms and sizes of tables from 2^%d to 2^%d entries, in %d ways each; the same simulations as "+
			"p4/arithmetic", n,
		z.bits[0], z.bits[len(z.bits)-1], len(paths()))
}

// programs maps forms to programs.
var programs = map[fixedpoint.Form]string{
	fixedpoint.Difference: "hpcc_util", fixedpoint.AppendixB: "hpcc_util-appendix-b",
	fixedpoint.Decrement: "hpcc_util-decrement",
}

func frontMeasure(ctx context.Context, j *figure.Job, z frontScale) ([]FrontRow, error) {
	if len(j.Set) > 0 {
		return nil, errors.New("--set has no effect on the recorded run of this figure")
	}
	far, err := Distances(ctx, j)
	if err != nil {
		return nil, err
	}
	rec, err := Ports(ctx, j.Seed)
	if err != nil {
		return nil, err
	}
	list := configs(z.bits)
	for _, form := range fixedpoint.Forms() {
		if c := frontShipped(form).Config; !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	show := j.Progress(1)
	defer show.Close()
	measured := make([]FrontRow, len(list))
	if err := show.Do("forms and tables on the recorded run", func(task *progress.Task) error {
		return lists.Each(ctx, j.Campaign.Workers, len(list), func(_ context.Context, i int) error {
			e, err := rec.Error(list[i], nil)
			measured[i] = FrontRow{Mean: e.Mean, P99: e.P99, Bias: e.Bias}
			task.Update(float64(i)/float64(len(list)), fmt.Sprintf("%d of %d", i, len(list)))
			return err
		})
	}); err != nil {
		return nil, err
	}
	var rows []FrontRow
	for i, c := range list {
		for _, m := range paths() {
			m.Config = c
			rows = append(rows, frontRow(m, measured[i], far))
		}
	}
	for i := range rows {
		rows[i].Searched = len(rows)
	}
	j.Setting("recorded run", "ours", "a fat tree of 16 hosts, Hadoop and an incast, T = 13 µs, 100 Gb/s")
	j.Footnote("error of U on a recorded run of a fat tree of 16 hosts; %d members of the family", len(rows))
	return best(rows), nil
}

// frontRow returns the row of a member. e contains the measured errors, and far the distances of slowdowns.
func frontRow(m member, e FrontRow, far map[Tables]float64) FrontRow {
	e.Form, e.Entries = m.Form.String(), "lower"
	if m.Middle {
		e.Entries = "middle"
	}
	e.TimeBits, e.LoadBits, e.PowerBits = m.TimeBits, m.TableBits, m.PowerBits
	e.Time, e.Load, e.Power = m.time, m.load, m.power
	e.Stages, e.Memory = m.stages(), m.memory()
	e.Slowdown = math.NaN()
	// A simulation has the same q for all tables, and rounds the entries in the same way as the programs.
	if m.TimeBits == m.TableBits && m.PowerBits == m.TableBits &&
		m.Middle == fixedpoint.ConfigOf(m.Form, m.TableBits).Middle {
		if d, ok := far[Tables{Form: e.Form, Bits: m.TableBits}]; ok {
			e.Slowdown = d
		}
	}
	if m == frontShipped(m.Form) {
		e.Program = programs[m.Form]
	}
	return e
}

// best returns the members on the front and the members with programs, sorted by stages and memory.
func best(rows []FrontRow) []FrontRow {
	slices.SortStableFunc(rows, func(a, b FrontRow) int {
		return cmp.Or(a.Stages-b.Stages, a.Memory-b.Memory, cmp.Compare(a.Mean, b.Mean))
	})
	var out []FrontRow
	for i := range rows {
		r := &rows[i]
		// Better members come first.
		if !slices.ContainsFunc(out, func(o FrontRow) bool {
			return o.Front == yes && o.Stages <= r.Stages && o.Memory <= r.Memory && o.Mean <= r.Mean
		}) {
			r.Front = yes
		}
		if r.Front == yes || r.Program != "" {
			out = append(out, *r)
		}
	}
	return out
}

// bar is the largest mean error of U that we accept for a program.
const bar = 0.01

// frontOf returns the row of a program.
func frontOf(rows []FrontRow, form fixedpoint.Form) FrontRow {
	if r := figure.Find(rows, func(r *FrontRow) bool { return r.Program == programs[form] }); r != nil {
		return *r
	}
	return columns.Blank[FrontRow]()
}

func frontCheck(rows []FrontRow) []figure.Finding {
	ours, paper := frontOf(rows, fixedpoint.Difference), frontOf(rows, fixedpoint.AppendixB)
	fewest, least := math.MaxInt, math.Inf(1)
	for _, r := range rows {
		fewest = min(fewest, r.Stages)
		if r.Form == fixedpoint.AppendixB.String() && r.Stages <= paper.Stages {
			least = min(least, r.Mean)
		}
	}
	return []figure.Finding{
		together(), deployable(),
		figure.Judge(fmt.Sprintf("hpcc_util errs by at most %s on the mean", number.Share(bar)), ours.Mean <= bar,
			ours.Mean > bar, "%s", number.Share(ours.Mean)).Own(),
		figure.Judge("no member needs fewer stages", ours.Stages > 0 && ours.Stages == fewest, ours.Stages > fewest,
			"%d stages; the fewest are %d", ours.Stages, fewest).Own(),
		figure.Judge("it needs fewer stages than appendix B and errs less", ours.Stages < paper.Stages &&
			ours.Mean < paper.Mean, ours.Stages > paper.Stages || ours.Mean > paper.Mean,
			"%d and %d stages; errors of %s and %s; the best of appendix B on the front %s", ours.Stages,
			paper.Stages, number.Share(ours.Mean), number.Share(paper.Mean), number.Share(least)).Own(),
	}
}

func frontTables(rows []FrontRow) []figure.Table {
	percent := func(head string, of func(*FrontRow) float64) figure.Column[FrontRow] {
		return figure.Text(head, func(r FrontRow) string { return number.Share(of(&r)) })
	}
	return []figure.Table{figure.Show("rows", rows,
		"form", "entries right at=entries",
		figure.Text("q of time, load, power",
			func(r FrontRow) string { return fmt.Sprintf("%d, %d, %d", r.TimeBits, r.LoadBits, r.PowerBits) }),
		figure.Text("tables in a row",
			func(r FrontRow) string { return fmt.Sprintf("%d, %d, %d", r.Time, r.Load, r.Power) }), "stages",
		figure.Text("memory",
			func(r FrontRow) string { return number.Format(float64(r.Memory), plots.InBytes, 3) }),
		percent("mean error", func(r *FrontRow) float64 { return r.Mean }),
		percent("p99", func(r *FrontRow) float64 { return r.P99 }),
		percent("slowdowns off by", func(r *FrontRow) float64 { return r.Slowdown }), "program",
		"front").With(rows[0].Searched)}
}

// frontDraw draws the error against memory, with a curve for each number of stages.
func frontDraw(rows []FrontRow) ([]figure.Drawing, error) {
	p := plots.Panel{
		X: figure.Log("Memory of tables", "B"),
		Y: figure.Log("Mean error of U", "%"),
	}
	add := func(name string, style plots.Style, keep func(*FrontRow) bool) {
		picked := figure.Pick(rows, keep)
		if style == plots.Line && len(picked) == 1 && picked[0].Program != "" {
			return // the mark of the program covers the only point of the curve
		}
		s := figure.Curve(plots.Series{Name: name, Style: style}, picked,
			func(r *FrontRow) (x, y float64) { return float64(r.Memory), 100 * r.Mean })
		p.Series = append(p.Series, figure.Drawn(s)...)
	}
	for stages := range 16 {
		add(fmt.Sprintf("%d stages, front", stages), plots.Line,
			func(r *FrontRow) bool { return r.Front == yes && r.Stages == stages })
	}
	for _, form := range fixedpoint.Forms() {
		add(fmt.Sprintf("%s, %d stages", programs[form], frontOf(rows, form).Stages), plots.Points,
			func(r *FrontRow) bool { return r.Program == programs[form] })
	}
	return []figure.Drawing{figure.Draw("front", "Arithmetic of a switch", p)}, nil
}
