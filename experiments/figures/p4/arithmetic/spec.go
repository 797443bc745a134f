package arithmetic

import (
	"fmt"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
	"pintlab/netsim/unit"
	"pintlab/p4/fixedpoint"
)

// load of the figure, %.
const load = 50

// exact is U in float64: the PINT of the document's figures.
var exact = arithmetic{scheme: congestion.PINT, name: "exact"}

// arithmetic is a way to compute U.
type arithmetic struct {
	scheme congestion.Scheme
	name   string
	form   string // of the update; "" for exact
	bits   int    // q; 0 for exact
}

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

type scale struct {
	seeds   int
	buckets int
	web     unit.Time // arrival windows
	hadoop  unit.Time
}

const us, ms = unit.Microsecond, unit.Millisecond

var scales = map[figure.Scale]scale{
	figure.Smoke:  {1, 5, 40 * us, 8 * us},
	figure.Laptop: {3, 10, 2 * ms, 500 * us},
	figure.Paper:  {3, 20, 200 * ms, 200 * ms},
}

func describe(s figure.Scale) string {
	z := scales[s]
	return fmt.Sprintf("%s, arrivals for %v (web search) and %v (Hadoop)", figure.Count(z.seeds, "seed"), z.web, z.hadoop)
}

// panel is a workload with its arrival window.
type panel struct {
	workload congestion.Workload
	arrival  unit.Time
}

func (z scale) panels() []panel {
	return []panel{{congestion.Web, z.web}, {congestion.Hadoop, z.hadoop}}
}

// cases are all simulations.
func cases(z scale, seeds []uint64) []congestion.Case {
	var list []congestion.Case
	for _, seed := range seeds {
		for _, p := range z.panels() {
			for _, a := range arithmetics() {
				list = append(list, congestion.Case{Workload: p.workload, Scheme: a.scheme, Load: load, Arrival: p.arrival, Seed: seed})
			}
		}
	}
	return list
}
