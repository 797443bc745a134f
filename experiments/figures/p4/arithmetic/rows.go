package arithmetic

import (
	"context"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
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
	scheme congestion.Scheme
	name   string
	form   string // of the update; "" for exact
	bits   int    // q; 0 for exact
}

// exact is U in float64: the PINT of the PINT paper's figures.
var exact = arithmetic{scheme: congestion.PINT, name: "exact"}

// fixed is U with tables of 2^q entries.
func fixed(form fixedpoint.Form, q int) arithmetic {
	a := arithmetic{form: form.String(), bits: q, name: fmt.Sprintf("%v, q = %d", form, q)}
	a.scheme = congestion.Scheme{
		Name: "PINT, " + a.name, Ending: congestion.PINT.Ending,
		Set: []string{"telemetry.arithmetic=fixed", "telemetry.table_form=" + a.form, fmt.Sprintf("telemetry.table_bits=%d", q)},
	}
	return a
}

// tableBits are the sizes of tables, q.
var tableBits = []int{4, 6, 8}

// arithmetics are the curves, the exact one first.
func arithmetics() []arithmetic {
	list := []arithmetic{exact}
	for _, form := range fixedpoint.Forms() {
		for _, q := range tableBits {
			list = append(list, fixed(form, q))
		}
	}
	return list
}

// schemes are those of the arithmetics.
func schemes() []congestion.Scheme {
	var list []congestion.Scheme
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
	seeds := j.SeedList(z.Seeds)
	runs, err := congestion.Simulate(ctx, j, z.Cases(load, schemes(), seeds))
	if err != nil {
		return nil, err
	}
	j.Setting("load", "PINT §6.1", "%d %%", load)
	j.Setting("tables", "PINT appendix C", "2^q entries for logarithms, as many for powers")
	z.Footnote(j, load, len(seeds))
	byWorkload := map[string][]Row{}
	add := func(table string, c congestion.Case, m stats.Measured) {
		list := arithmetics()
		a := list[slices.IndexFunc(list, func(a arithmetic) bool { return a.scheme.Name == c.Scheme.Name })]
		byWorkload[c.Workload.Name] = append(byWorkload[c.Workload.Name], Row{Table: table, Workload: c.Workload.Name, Arithmetic: a.name, Form: a.form, Bits: a.bits, Measured: m})
	}
	err = runs.Curves(z, load, schemes(), seeds, func(c congestion.Case, change bool, m stats.Measured) {
		if change {
			add(changes, c, m)
		} else {
			add(slowdowns, c, m)
		}
	})
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, p := range z.Panels() {
		if err := longFlows(runs, p, seeds, add); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Workload.Name, err)
		}
		rows = append(rows, byWorkload[p.Workload.Name]...)
	}
	return rows, nil
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

// longFlows adds the flows above 10 MB; none if a seed has no such flow, as with
// Hadoop, whose largest flows have 10 MB.
func longFlows(runs *congestion.Runs, p congestion.Panel, seeds []uint64, add func(string, congestion.Case, stats.Measured)) error {
	var base *stats.PerSeed
	for _, s := range schemes() {
		c := congestion.Case{Workload: p.Workload, Scheme: s, Load: load, Arrival: p.Full()}
		goodput, err := runs.Long(c, seeds, 0)
		if err != nil || goodput.Flows() == 0 {
			return err
		}
		m, err := goodput.Mean()
		if err != nil {
			return err
		}
		add(goodputs, c, m)
		if base == nil {
			base = goodput
			continue
		}
		if m, err = goodput.Over(base); err != nil {
			return err
		}
		add(gains, c, m)
	}
	return nil
}
