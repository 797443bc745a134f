package compare

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
)

// workload is a workload of the comparison, and the size above which its flows are long.
type workload struct {
	pint.Workload
	// long is the size above which goodput is measured: 10 MB as in the paper, but
	// Hadoop has no flow that large.
	long unit.Bytes
}

var workloads = []workload{
	{pint.Web, 10 * unit.MB},
	{pint.Hadoop, 1 * unit.MB},
}

// load is the payload's share of the capacity of the server links, in percent.
const load = 50

// sizes describes the runs of a scale.
type sizes struct {
	seeds   int         // largest number of seeds, if there are interim analyses
	arrival []unit.Time // time for which flows arrive, by workload
	steady  bool        // see pint.Case
	looks   bool
}

// The interim analyses at the laptop scale (study.Looks). The first one reports a preliminary answer with an ordinary
// interval, and cannot end a case. The error probability of 5 % is divided between the second analysis (1.5 %) and the
// last one (3.5 %).
var (
	looksAfter  = []int{2, 4, 6}
	looksLevels = []float64{stats.Level, 0.985, 0.965}
)

var (
	scales = map[figure.Scale]sizes{
		figure.Smoke:  {1, []unit.Time{100 * unit.Microsecond, 20 * unit.Microsecond}, false, false},
		figure.Laptop: {6, []unit.Time{500 * unit.Microsecond, 200 * unit.Microsecond}, true, true},
		figure.Paper:  {3, []unit.Time{200 * unit.Millisecond, 200 * unit.Millisecond}, false, false},
	}
	// fullScales lists the sizes of the longer runs.
	fullScales = map[figure.Scale]sizes{
		figure.Smoke:  scales[figure.Smoke],
		figure.Laptop: {5, []unit.Time{1500 * unit.Microsecond, 500 * unit.Microsecond}, true, false},
		figure.Paper:  scales[figure.Paper],
	}
)

func (z sizes) String() string {
	seeds := figure.Count(z.seeds, "seed")
	if z.looks {
		seeds += " at most"
	}
	if len(z.arrival) == 0 {
		return seeds
	}
	return fmt.Sprintf("%s, arrivals for %v (%s) and %v (%s)", seeds,
		z.arrival[0], workloads[0].Name, z.arrival[1], workloads[1].Name)
}

// free lists the keys of the comparison that a user may change. The texts of the comparison read the values of these
// keys from the runs.
var free = []string{"workload.0.load", "workload.0.duration"}

// entry returns the cell of a scheme with this workload.
func (w workload) entry(s study.Scheme, arrival unit.Time, steady bool) study.Cell {
	e := pint.Case{Workload: w.Workload, Scheme: s, Load: load, Arrival: arrival, Steady: steady}.Cell()
	e.X, e.Long, e.Label = math.NaN(), w.long, s.Name+", "+w.Name
	return e
}

// Figure is the comparison as a figure. Full compares all five schemes in runs that are three times as long.
var (
	Figure = short.comparison().figure()
	Full   = full.comparison().figure()
)

// comparison returns the comparison of the schemes on the workloads.
func (c *choice) comparison() comparison {
	x := comparison{
		name: "compare", title: "HPCC with INT, HPCC with PINT, and TCP Reno",
		source: "The setting of PINT §6.1 and §2",
		claim:  "The verdicts follow from the rows: which scheme wins, by how much, and whether the seeds agree.",
		scales: scales, free: free, groups: c.groups, record: c.record,
	}
	if c.standard {
		x.claim += " The PINT paper finds PINT slightly worse on short flows and better on long ones."
	} else {
		names := lists.Map(c.schemes, func(s study.Scheme) string { return s.Name })
		x.title = "Congestion controls: " + strings.Join(names, "; ")
	}
	if c.full {
		x.name, x.scales = "compare/full", fullScales
	}
	return x
}

// groups returns the workloads with the schemes.
func (c *choice) groups(_ *figure.Job, z sizes) ([]group, error) {
	var list []group
	for i, w := range workloads {
		g := group{name: w.Name, runs: w.Name, curves: c.curves}
		for _, s := range c.schemes {
			g.entries = append(g.entries, w.entry(s, z.arrival[i], z.steady))
		}
		for _, p := range c.pairs {
			g.pairs = append(g.pairs, [2]string{p[0].Name, p[1].Name})
		}
		g.lacks = flowLacks
		g.measure(flowSettling, append(slices.Clone(measured), counted...)...)
		list = append(list, g)
	}
	return list, nil
}

// record records the configuration, which it reads from the scenarios of the first runs.
func (c *choice) record(_ context.Context, j *figure.Job, m *measurement) error {
	first, last := m.results.Scenario(m.groups[0].entries[0]), m.results.Scenario(m.groups[1].entries[0])
	load := 100 * first.Workload[0].Traffic().Offered()
	pint.Settings(j, first)
	j.Setting("load", "PINT §6.1", "%g %%", load)
	if c.standard {
		j.Setting("Reno", "",
			"NewReno, initial window 10, RTO at least 1 ms, drop-tail at 1 MB per port, no pause frames")
	} else {
		for _, s := range c.schemes {
			j.Setting(s.Name, "", "%s", s.Changes())
		}
	}
	how := ""
	if m.size.steady {
		how = ", with flows that are already under way at the start and unmeasured arrivals for as long afterwards"
	}
	j.Footnote("320-server fat tree, load %g %%, %s, arrivals for %v (web search) and %v (Hadoop)%s, "+
		"payload 1000 B, 32 MB buffers%s", load, m.seeds, lasts(first), lasts(last), how, m.bars)
	return nil
}

// lasts returns how long flows arrive in a run.
func lasts(sc *scenario.Scenario) unit.Time {
	_, duration := sc.Workload[0].Traffic().Span()
	return duration
}
