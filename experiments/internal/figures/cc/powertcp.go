package cc

import (
	"context"
	"fmt"
	"slices"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/netsim/unit"
)

// PowerTCP compares PowerTCP with HPCC on the fat tree of PINT §6.1, each with INT and with one byte of PINT. It also
// measures θ-PowerTCP, which needs no telemetry. Nobody has published this comparison. The paper scale needs about
// six hours of one core, and has not been run.
var PowerTCP = figure.Spec[powerTCPScale]{
	Name:    "cc/powertcp",
	Files:   files,
	Columns: view,
	Scales:  powerTCPScales,
	Measure: powerTCPMeasure,
	Tables:  powerTCPTables,
	Draw:    powerTCPDraw,
}.Figure()

// view lists the columns of rows.csv.
var view = columns.View{"table", "scheme", "against", "arrivals:ms=x", "size", "share", "value", "lo", "hi", "flows",
	"seeds"}

// The tables of the rows.
const (
	slowdowns = "slowdown" // 95th percentile of the slowdown in a bucket of flows
	changes   = "change"   // ratio of slowdowns to another scheme's
	goodputs  = "goodput"  // goodput of flows above 10 MB, b/s
	gains     = "gain"     // ratio of the goodput to another scheme's
)

// power returns a scheme that uses PowerTCP.
func power(name string, set ...string) study.Scheme {
	return study.Scheme{Name: name, Set: append([]string{"cc.kind=powertcp"}, set...)}
}

// The schemes.
var (
	hpccINT  = study.Scheme{Name: "HPCC, INT"}
	hpccPINT = study.Scheme{Name: "HPCC, PINT", Preset: "-pint"}
	withINT  = power("PowerTCP, INT")
	float    = power("PowerTCP, PINT", "telemetry.kind=pint", "telemetry.plan=powertcp")
	fixed    = power("PowerTCP, PINT in integers", "telemetry.kind=pint", "telemetry.plan=powertcp",
		"telemetry.arithmetic=fixed")
	theta = power("θ-PowerTCP", "cc.power=theta", "telemetry.kind=none")

	powerTCPSchemes = []study.Scheme{hpccINT, hpccPINT, withINT, float, fixed, theta}
	// pairs are compared.
	pairs = [][2]study.Scheme{{hpccPINT, hpccINT}, {float, withINT}, {fixed, float}, {theta, withINT},
		{withINT, hpccINT}, {float, hpccPINT}}
)

// powerTCPLoad is the load in the figure, %.
const powerTCPLoad = 50

// powerTCPScale contains the settings of a scale. The figure shows the last arrival window, which is the longest.
type powerTCPScale struct {
	Seeds, Buckets int
	Windows        []unit.Time
}

func (z powerTCPScale) String() string {
	return fmt.Sprintf("%s, arrivals for up to %v (web search)", figure.Count(z.Seeds, "seed"),
		z.Windows[len(z.Windows)-1])
}

const us, ms = unit.Microsecond, unit.Millisecond

var powerTCPScales = map[figure.Scale]powerTCPScale{
	figure.Smoke:  {Seeds: 1, Buckets: 5, Windows: []unit.Time{30 * us}},
	figure.Laptop: {Seeds: 3, Buckets: 10, Windows: []unit.Time{ms / 2, ms}},
	figure.Paper:  {Seeds: 3, Buckets: 20, Windows: []unit.Time{100 * ms, 200 * ms}},
}

func powerTCPMeasure(ctx context.Context, j *figure.Job, z powerTCPScale) ([]study.Row, error) {
	at := func(s study.Scheme, arrival unit.Time) study.Cell {
		return pint.Case{Workload: pint.Web, Scheme: s, Load: powerTCPLoad, Arrival: arrival}.Cell()
	}
	p := study.Study{
		Seeds:    j.SeedList(z.Seeds),
		Measures: []study.Measure{study.BySize(slowdowns, 0.95, z.Buckets), study.Goodput(goodputs)},
	}
	for _, arrival := range z.Windows {
		for _, s := range powerTCPSchemes {
			p.Cells = append(p.Cells, at(s, arrival))
		}
	}
	results, err := pint.Run(ctx, j, &p)
	if err != nil {
		return nil, err
	}
	j.Setting("load", "PINT §6.1", "%d %%", powerTCPLoad)
	j.Setting("PowerTCP", "NSDI 2022 §3.3",
		"γ = 0.9, β for 10 flows of a server, τ = the largest base RTT of the network")
	j.Setting("PINT of PowerTCP", "",
		"8 bits, codes 3.3 %% apart from 1/16 to 246; while a queue drains, a wait for arrivals counts as T/8 at most")
	j.Footnote(
		"320-server fat tree, web search, load %d %%, %s, arrivals for %v, then until all flows have finished; bars: "+
			"95 %% intervals over the seeds",
		powerTCPLoad, figure.Count(len(p.Seeds), "seed"), z.Windows[len(z.Windows)-1])
	return results.Rows(func(r *study.Rows) {
		for _, arrival := range z.Windows {
			for _, s := range powerTCPSchemes {
				r.Add(slowdowns, at(s, arrival), "", slowdowns)
				r.Add(goodputs, at(s, arrival), "", goodputs)
			}
			for _, p := range pairs {
				r.Add(changes, at(p[0], arrival), p[1].Name, slowdowns)
				r.Add(gains, at(p[0], arrival), p[1].Name, goodputs)
			}
		}
	})
}

// in returns the rows of the longest runs in some tables.
func in(rows []study.Row, tables ...string) []study.Row {
	return figure.Pick(pint.Longest(rows), func(r *study.Row) bool { return slices.Contains(tables, r.Table) })
}

func powerTCPTables(rows []study.Row) []figure.Table {
	return []figure.Table{
		figure.Lines("sizes", figure.ByBuckets(in(rows, slowdowns, changes)),
			figure.UpTo("flows up to"), figure.Share("share"), figure.OfScheme("HPCC, INT", hpccINT.Name),
			figure.OfScheme("HPCC, PINT", hpccPINT.Name),
			figure.OfScheme("PowerTCP, INT", withINT.Name), figure.OfScheme("PINT", float.Name),
			figure.OfScheme("PINT in integers", fixed.Name), figure.OfScheme("θ-PowerTCP", theta.Name),
			figure.OfPair("PINT against INT", float.Name, withINT.Name),
			figure.OfPair("integers against float64", fixed.Name, float.Name), figure.Flows("flows", "")),
		figure.Lines("goodput", figure.BySchemes(in(rows, goodputs, gains)),
			figure.Scheme("scheme"), figure.Value("goodput", "Gb/s", ""), figure.Against("against", ""),
			figure.Change("change", ""), figure.Flows("flows", "")),
	}
}

func powerTCPDraw(rows []study.Row) ([]figure.Drawing, error) {
	web := func(*study.Row) string { return pint.Web.Name }
	points := func(table string, panel func(*study.Row) string, keep func(*study.Row) bool) []study.Row {
		return figure.Named(figure.Pick(in(rows, table), keep),
			func(r *study.Row) (string, string) { return panel(r), r.Scheme })
	}
	main := points(slowdowns, web, func(r *study.Row) bool { return r.Scheme != fixed.Name }) // fixed lies on float
	change := points(changes, func(r *study.Row) string { return "against " + r.Against },
		func(r *study.Row) bool { return r.Against == withINT.Name || r.Against == hpccINT.Name })
	integers := points(changes, web, func(r *study.Row) bool { return r.Against == float.Name })
	return []figure.Drawing{
		figure.Draw("change", "What the feedback changes").With(figure.Changes(change)),
		figure.Draw("slowdown", "PowerTCP and HPCC, fed by INT and by one byte of PINT, 50 % load").
			With(figure.Slowdowns(main)),
		figure.Draw("integers", "The integers of a switch against float64").With(figure.Changes(integers)),
	}, nil
}
