// Package p4 contains the figures about the arithmetic of P4 programs.
package p4

import (
	"context"
	"embed"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
	"pintlab/p4/fixedpoint"
	"pintlab/plots/report"
)

//go:embed headlines.csv */figure.md */published.csv */claims.csv
var files embed.FS

// Arithmetic shows how the arithmetic of a switch changes the results of HPCC over PINT. In the setting of PINT §6.1,
// U is computed exactly, or with integers and tables of 2^q entries as in §5 and appendices B and C. The PINT paper
// has no such figure. Package p4/fixedpoint contains the three forms of the equation for U.
var Arithmetic = figure.Of[pint.Scale, ArithmeticRow]{
	Name:    "p4/arithmetic",
	Files:   files,
	Scales:  arithmeticScales,
	Measure: arithmeticMeasure,
	Claims: figure.Kinds[ArithmeticRow]{"near exact": nearExact,
		"appendix B is farther": farther, "long flows gain": gainOfLongFlows},
	Ours:   map[string]figure.Ours[ArithmeticRow]{"number": ofTables, "log": ofTables, "power": ofTables},
	Tables: arithmeticTables,
	Draw:   arithmeticDraw,
}.Figure()

// ArithmeticRow is a line of rows.csv. Its number is the 95th percentile of the slowdown in a bucket of flows,
// goodput in b/s, or the ratio of such a number to the number with exact arithmetic.
type ArithmeticRow struct {
	// Table is "slowdown" or "change" (relative to exact arithmetic) for a bucket of flows, and "goodput" or "gain" for
	// flows above 10 MB.
	Table      string `col:"table"`
	Workload   string `col:"workload"`
	Arithmetic string `col:"arithmetic"`
	Form       string `col:"form"` // form of the update of U; empty for exact arithmetic
	Bits       int    `col:"q"`    // tables have 2^q entries; 0 for exact arithmetic
	stats.Sized
}

// The tables of the rows.
const (
	slowdowns = "slowdown"
	changes   = "change"
	goodputs  = "goodput"
	gains     = "gain"
)

// load is the load in the figure, in %.
const load = 50

// arithmetic is a way to compute U.
type arithmetic struct {
	scheme study.Scheme
	name   string
	form   string // form of the update; "" for exact arithmetic
	bits   int    // q; 0 for exact arithmetic
}

// exact computes U in float64, as in the figures of the PINT paper.
var exact = arithmetic{scheme: pint.PINT, name: "exact"}

// fixed returns the arithmetic with tables of 2^q entries.
func fixed(form fixedpoint.Form, q int) arithmetic {
	a := arithmetic{form: form.String(), bits: q, name: fmt.Sprintf("%v, q = %d", form, q)}
	a.scheme = study.Scheme{
		Name: "PINT, " + a.name, Preset: pint.PINT.Preset,
		Set: []string{"telemetry.arithmetic=fixed", "telemetry.table_form=" + a.form,
			fmt.Sprintf("telemetry.table_bits=%d", q)},
	}
	return a
}

// tableBits lists the sizes of tables, as q.
var tableBits = []int{4, 6, 8}

// arithmetics returns the ways to compute U, beginning with exact.
func arithmetics() []arithmetic {
	list := []arithmetic{exact}
	for _, form := range fixedpoint.Forms() {
		for _, q := range tableBits {
			list = append(list, fixed(form, q))
		}
	}
	return list
}

// arithmeticSchemes returns the schemes of the arithmetics.
func arithmeticSchemes() []study.Scheme {
	return lists.Map(arithmetics(), func(a arithmetic) study.Scheme { return a.scheme })
}

const us, ms = unit.Microsecond, unit.Millisecond

var arithmeticScales = map[figure.Scale]pint.Scale{
	figure.Smoke:  {Seeds: 1, Buckets: 5, Web: []unit.Time{40 * us}, Hadoop: []unit.Time{8 * us}},
	figure.Laptop: {Seeds: 3, Buckets: 10, Web: []unit.Time{2 * ms}, Hadoop: []unit.Time{500 * us}},
	figure.Paper:  {Seeds: 3, Buckets: 20, Web: []unit.Time{200 * ms}, Hadoop: []unit.Time{200 * ms}},
}

func arithmeticMeasure(ctx context.Context, j *figure.Job, z pint.Scale) ([]ArithmeticRow, error) {
	p := study.Study{
		Cells: z.Cells(load, arithmeticSchemes()), Seeds: j.SeedList(z.Seeds),
		Measures: []study.Measure{study.Goodput(goodputs), study.BySize(slowdowns, 0.95, z.Buckets)},
	}
	results, err := pint.Run(ctx, j, &p)
	if err != nil {
		return nil, err
	}
	j.Setting("load", "PINT §6.1", "%d %%", load)
	j.Setting("tables", "PINT appendix C", "2^q entries for logarithms, as many for powers")
	z.Footnote(j, load, len(p.Seeds))
	// Hadoop has no goodput, because its largest flows have 10 MB.
	measured, err := results.Rows(func(r *study.Rows) {
		for _, panel := range z.Panels() {
			for _, x := range []struct{ number, ratio string }{{goodputs, gains}, {slowdowns, changes}} {
				for _, e := range p.Cells {
					if e.Case != panel.Workload.Name {
						continue
					}
					r.Add(x.number, e, "", x.number)
					for _, against := range e.Against {
						r.Add(x.ratio, e, against, x.number)
					}
				}
			}
		}
	})
	var rows []ArithmeticRow
	list := arithmetics()
	for _, r := range measured {
		a := list[slices.IndexFunc(list, func(a arithmetic) bool { return a.scheme.Name == r.Scheme })]
		rows = append(rows, ArithmeticRow{Table: r.Table, Workload: r.Case, Arithmetic: a.name, Form: a.form,
			Bits: a.bits, Sized: r.Sized})
	}
	return rows, err
}

// Tables identifies an arithmetic by its form and the size of its tables.
type Tables struct {
	Form string
	Bits int // 2^q entries
}

// Distances returns, for each arithmetic, the mean distance of 95th-percentile slowdowns from the slowdowns with
// exact arithmetic. A distance is a ratio minus 1; the mean is over flow sizes and both workloads. Distances makes
// the runs of this figure or reads stored ones.
func Distances(ctx context.Context, j *figure.Job) (map[Tables]float64, error) {
	rows, err := arithmeticMeasure(ctx, j, arithmeticScales[j.Scale])
	if err != nil {
		return nil, err
	}
	far := map[Tables]float64{}
	for _, a := range arithmetics()[1:] {
		var list []ArithmeticRow
		for _, w := range []pint.Workload{pint.Web, pint.Hadoop} {
			list = append(list, of(rows, w.Name, a.form, a.bits)...)
		}
		mean, _ := stats.Distance(list)
		far[Tables{a.form, a.bits}] = stats.Percent(math.Exp(mean)) / 100
	}
	return far, nil
}

// of returns the rows with the changes that an arithmetic causes.
func of(rows []ArithmeticRow, workload, form string, q int) []ArithmeticRow {
	return figure.Pick(rows, func(r *ArithmeticRow) bool {
		return r.Table == changes && r.Workload == workload && r.Form == form && r.Bits == q
	})
}

// asShipped describes the changes that the form and the tables of hpcc_util cause. It returns the number of changes,
// the mean of their distances, the number of significant changes, and whether the changes have intervals.
func asShipped(rows []ArithmeticRow, workload string) (n int, mean float64, differ int, known bool) {
	list := of(rows, workload, fixedpoint.Difference.String(), fixedpoint.Difference.TableBits())
	mean, differ = stats.Distance(list)
	return len(list), mean, differ, len(list) > 0 && !math.IsNaN(list[0].Lo)
}

func nearExact(c *figure.Claim, rows []ArithmeticRow) figure.Finding {
	n, mean, differ, known := asShipped(rows, c.Case)
	return figure.Judge("", known && mean <= c.Amount && 2*differ < n, known && mean > c.Amount && 2*differ >= n,
		"mean distance of the p95 slowdown %s %%; %d of %d buckets differ significantly",
		number.Fixed(stats.Percent(math.Exp(mean)), 1), differ, n)
}

func farther(c *figure.Claim, rows []ArithmeticRow) figure.Finding {
	_, mean, differ, known := asShipped(rows, c.Case)
	coarse := of(rows, c.Case, fixedpoint.AppendixB.String(), 4)
	far, some := stats.Distance(coarse)
	return figure.Judge("", known && far > mean && some > differ, known && far < mean && some < differ,
		"mean distances %s %% and %s %%; %d and %d of %d buckets differ significantly",
		number.Fixed(stats.Percent(math.Exp(far)), 1), number.Fixed(stats.Percent(math.Exp(mean)), 1), some,
		differ, len(coarse))
}

// gainOfLongFlows judges whether flows above 10 MB gain goodput with the arithmetic of appendix B.
func gainOfLongFlows(_ *figure.Claim, rows []ArithmeticRow) figure.Finding {
	gain := figure.Find(rows, func(r *ArithmeticRow) bool {
		return r.Table == gains && r.Form == fixedpoint.AppendixB.String() && r.Bits == 8
	})
	if gain == nil {
		return figure.Judge("", false, false, "no flow above 10 MB")
	}
	return figure.Judge("", gain.Lo > 1, gain.Hi < 1, "goodput %s", gain.Change())
}

// paperBits is the q in appendix C.
const paperBits = 8

// ofTables computes three numbers of the paper from our tables: the value of a number, the error of a logarithm, and
// the error of a power. It does not use the rows.
func ofTables(_ []ArithmeticRow, p *figure.Published, _ *report.Compared) stats.Number {
	tables, err := fixedpoint.NewTables(paperBits)
	if err != nil {
		panic(err) // the smallest tables have 2^4 entries
	}
	log, power := worst(tables)
	return stats.Exactly(map[string]float64{
		"number": fixedpoint.Format{Range: 2, Bits: 16}.Value(39131), "log": log, "power": 100 * power,
	}[p.Ours])
}

// worst returns the largest error of a logarithm, and the largest relative error of 2^x for x from 0 to 2. Within a
// cell of a table, the error is largest at the last number.
func worst(t *fixedpoint.Tables) (log, power float64) {
	const cells, first = 1 << paperBits, 31 - paperBits // numbers of 32 bits
	for i := uint64(1); i <= cells; i++ {
		x := (cells+i)<<first - 1
		log = math.Max(log, math.Abs(t.Log2(x).Real()-math.Log2(float64(x))))
	}
	for i := 1; i <= 2*cells; i++ {
		x := fixedpoint.Log(i<<(fixedpoint.LogBits-paperBits) - 1)
		power = math.Max(power, math.Abs(float64(t.Exp2(x, 30))/(1<<30)/math.Exp2(x.Real())-1))
	}
	return log, power
}

func arithmeticTables(rows []ArithmeticRow) []figure.Table {
	var list []figure.Table
	for _, w := range []pint.Workload{pint.Web, pint.Hadoop} {
		changed := func(head string, show func([]ArithmeticRow) string) figure.Column[arithmetic] {
			return figure.Text(head, func(a arithmetic) string { return show(of(rows, w.Name, a.form, a.bits)) })
		}
		list = append(list, figure.Lines("changes", arithmetics()[1:],
			figure.Text("arithmetic", func(a arithmetic) string { return a.name }),
			changed("shorter half", func(change []ArithmeticRow) string { return meanChange(change, true) }),
			changed("longer half", func(change []ArithmeticRow) string { return meanChange(change, false) }),
			changed("worst bucket", func(change []ArithmeticRow) string {
				worst := 1.0
				for _, r := range change {
					if math.Abs(math.Log(r.Value)) > math.Abs(math.Log(worst)) {
						worst = r.Value
					}
				}
				return percent(worst)
			}),
			changed("buckets that differ", func(change []ArithmeticRow) string {
				_, differ := stats.Distance(change)
				return fmt.Sprintf("%d of %d", differ, len(change))
			}),
			figure.Text("goodput above 10 MB", func(a arithmetic) string {
				if r := figure.Find(rows, func(r *ArithmeticRow) bool {
					return r.Table == gains &&
						r.Workload == w.Name && r.Arithmetic == a.name
				}); r != nil {
					return r.Change()
				}
				return "-"
			})).With(w.Name))
	}
	return list
}

// meanChange formats the mean of the changes in rows, for the shorter or the longer half of the flows.
func meanChange(rows []ArithmeticRow, short bool) string {
	rows = figure.Pick(rows, func(r *ArithmeticRow) bool { return r.Share <= 50 == short })
	sum := lists.Sum(rows, func(r ArithmeticRow) float64 { return math.Log(r.Value) / float64(len(rows)) })
	return percent(math.Exp(sum))
}

func percent(ratio float64) string { return number.Change(stats.Percent(ratio), 1) + " %" }

// equations lists the forms of the update of U.
var equations = map[fixedpoint.Form]string{
	fixedpoint.Difference: "U + S + (Q − U)·τ/T", fixedpoint.AppendixB: "U·(T − τ)/T + Q·τ/T + S, as in appendix B",
	fixedpoint.Decrement: "U − U·τ/T + Q·τ/T + S",
}

func arithmeticDraw(rows []ArithmeticRow) ([]figure.Drawing, error) {
	var list []figure.Drawing
	for _, form := range fixedpoint.Forms() {
		var points []study.Row
		for _, r := range rows {
			if r.Table == changes && r.Form == form.String() {
				points = append(points,
					study.Row{Case: r.Workload, Scheme: fmt.Sprintf("q = %d", r.Bits), Sized: r.Sized})
			}
		}
		list = append(list, figure.Draw(form.String(),
			"Against exact arithmetic: U as "+equations[form]+", tables of 2^q entries").With(figure.Changes(points)))
	}
	return list, nil
}
