package arithmetic

import (
	"context"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/measure/congestion"
	"pintlab/experiments/results/stats"
	"pintlab/netsim/unit"
	"pintlab/p4/fixedpoint"
)

// Row is a line of rows.csv: the 95th-percentile slowdown of a bucket of flows, goodput
// in b/s, or a ratio to exact arithmetic.
type Row struct {
	// Table is "slowdown" or "change" (against exact) for a bucket of flows, "goodput" or
	// "gain" for the flows above 10 MB.
	Table      string `col:"table"`
	Workload   string `col:"workload"`
	Arithmetic string `col:"arithmetic"`
	Form       string `col:"form"` // of the update of U; empty for exact
	Bits       int    `col:"q"`    // tables have 2^q entries; 0 for exact
	stats.Measured
}

// The tables of the rows.
const (
	slowdowns = "slowdown"
	changes   = "change"
	goodputs  = "goodput"
	gains     = "gain"
)

// load of the figure, %.
const load = 50

// arithmetic is a way to compute U.
type arithmetic struct {
	scheme comparison.Scheme
	name   string
	form   string // of the update; "" for exact
	bits   int    // q; 0 for exact
}

// exact is U in float64: the PINT of the PINT paper's figures.
var exact = arithmetic{scheme: congestion.PINT, name: "exact"}

// fixed makes U with tables of 2^q entries.
func fixed(form fixedpoint.Form, q int) arithmetic {
	a := arithmetic{form: form.String(), bits: q, name: fmt.Sprintf("%v, q = %d", form, q)}
	a.scheme = comparison.Scheme{
		Name: "PINT, " + a.name, Ending: congestion.PINT.Ending,
		Set: []string{"telemetry.arithmetic=fixed", "telemetry.table_form=" + a.form, fmt.Sprintf("telemetry.table_bits=%d", q)},
	}
	return a
}

// tableBits are the sizes of tables, q.
var tableBits = []int{4, 6, 8}

// arithmetics returns the curves, the exact one first.
func arithmetics() []arithmetic {
	list := []arithmetic{exact}
	for _, form := range fixedpoint.Forms() {
		for _, q := range tableBits {
			list = append(list, fixed(form, q))
		}
	}
	return list
}

// schemes returns those of the arithmetics.
func schemes() []comparison.Scheme {
	var list []comparison.Scheme
	for _, a := range arithmetics() {
		list = append(list, a.scheme)
	}
	return list
}

const us, ms = unit.Microsecond, unit.Millisecond

var scales = map[figure.Scale]congestion.Scale{
	figure.Smoke:  {Seeds: 1, Buckets: 5, Web: []unit.Time{40 * us}, Hadoop: []unit.Time{8 * us}},
	figure.Laptop: {Seeds: 3, Buckets: 10, Web: []unit.Time{2 * ms}, Hadoop: []unit.Time{500 * us}},
	figure.Paper:  {Seeds: 3, Buckets: 20, Web: []unit.Time{200 * ms}, Hadoop: []unit.Time{200 * ms}},
}

func measure(ctx context.Context, j *figure.Job, z congestion.Scale) ([]Row, error) {
	p := comparison.Plan{
		Entries: z.Entries(load, schemes()), Seeds: j.SeedList(z.Seeds),
		Quantities: []comparison.Quantity{comparison.Goodput(goodputs), comparison.BySize(slowdowns, 0.95, z.Buckets)},
	}
	results, err := congestion.Run(ctx, j, &p)
	if err != nil {
		return nil, err
	}
	j.Setting("load", "PINT §6.1", "%d %%", load)
	j.Setting("tables", "PINT appendix C", "2^q entries for logarithms, as many for powers")
	z.Footnote(j, load, len(p.Seeds))
	// Hadoop has no goodput: its largest flows have 10 MB.
	measured, err := results.Rows(func(r *comparison.Rows) {
		for _, panel := range z.Panels() {
			for _, x := range []struct{ number, ratio string }{{goodputs, gains}, {slowdowns, changes}} {
				for _, e := range p.Entries {
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
	var rows []Row
	list := arithmetics()
	for _, r := range measured {
		a := list[slices.IndexFunc(list, func(a arithmetic) bool { return a.scheme.Name == r.Scheme })]
		rows = append(rows, Row{Table: r.Table, Workload: r.Case, Arithmetic: a.name, Form: a.form, Bits: a.bits, Measured: r.Measured})
	}
	return rows, err
}

// Tables are those of an arithmetic.
type Tables struct {
	Form string
	Bits int // 2^q entries
}

// Distances are how far 95th-percentile slowdowns are from those with exact arithmetic, the
// mean over sizes of flows and both workloads, as ratios less 1. It takes the runs of this
// figure.
func Distances(ctx context.Context, j *figure.Job) (map[Tables]float64, error) {
	rows, err := measure(ctx, j, scales[j.Scale])
	if err != nil {
		return nil, err
	}
	far := map[Tables]float64{}
	for _, a := range arithmetics()[1:] {
		var list []Row
		for _, w := range []congestion.Workload{congestion.Web, congestion.Hadoop} {
			list = append(list, of(rows, w, a.form, a.bits)...)
		}
		mean, _ := stats.Distance(list)
		far[Tables{a.form, a.bits}] = stats.Percent(math.Exp(mean)) / 100
	}
	return far, nil
}
