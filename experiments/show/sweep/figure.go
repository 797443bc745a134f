package sweep

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pintlab/experiments/campaign"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/plots/report"
)

// long is the size above which the goodput of flows is measured.
const long = 10 * unit.MB

// column is a number that summarises a run.
type column struct {
	plots.Column
	title string
	shown bool    // in tables and drawings
	share float64 // for percentiles, e.g. 0.99; 0 for other numbers
	least float64 // smallest possible number
	of    func(*part) float64
	// source is the entry of the workload that the number is about, "" for the whole run.
	source string
}

// flowMeasures are the numbers of all flows of a run, or of an entry if the workload has several.
var flowMeasures = measures[:4]

var measures = []column{
	{plots.Real("mean_fct", "s"), "Mean completion time", true, 0, 0, func(p *part) float64 {
		t := stats.FCT(p.flows, stats.Everything(), 0, stats.AnySize)
		return orNaN(t.Mean, t.N)
	}, ""},
	{plots.Real("p50_slowdown", ""), "p50 slowdown", true, 0.50, 1, slowdown(0.50), ""},
	{plots.Real("p95_slowdown", ""), "p95 slowdown", true, 0.95, 1, slowdown(0.95), ""},
	{plots.Real("p99_slowdown", ""), "p99 slowdown", true, 0.99, 1, slowdown(0.99), ""},
	{plots.Real("goodput_long", "b/s"), "Goodput of flows above 10 MB", true, 0, 0, func(p *part) float64 {
		g := stats.LongFlows(p.flows, stats.Everything(), long)
		return orNaN(g.Mean, g.N)
	}, ""},
	{plots.Real("drops", ""), "Packets dropped", true, 0, 0, func(p *part) float64 {
		return p.summary.Counted(func(n *store.Network) uint64 { return n.Drops })
	}, ""},
	{plots.Real("pauses", ""), "Pause frames", false, 0, 0, func(p *part) float64 {
		return p.summary.Counted(func(n *store.Network) uint64 { return n.Pauses })
	}, ""},
	{plots.Real("packet_hops", ""), "Packet-hops", false, 0, 0,
		func(p *part) float64 { return float64(p.summary.PacketHops) }, ""},
}

// Classes of flows by size: short flows are up to the first border, medium ones up to the second.
var classes = []string{"short", "medium", "long"}

// DefaultSizes are the default borders of the classes.
var DefaultSizes = [2]unit.Bytes{100 * unit.KB, unit.MB}

// percentiles are the percentiles of completion times in the columns of a class.
var percentiles = []float64{0.50, 0.95, 0.99}

// byClass returns the columns of each class of flows, named class_p50_fct and so on. They follow all other
// columns, so that stored rows without them can still be drawn.
func byClass(borders [2]unit.Bytes) []column {
	var list []column
	edges := [4]unit.Bytes{0, borders[0] + 1, borders[1] + 1, stats.AnySize}
	for i, class := range classes {
		for _, share := range percentiles {
			name := fmt.Sprintf("p%.0f", 100*share)
			list = append(list, column{plots.Real(class+"_"+name+"_fct", "s"), name + " completion time, " + class +
				" flows", false, share, 0, func(p *part) float64 {
				t := stats.FCT(p.flows, stats.Everything(), edges[i], edges[i+1])
				return orNaN(map[float64]float64{0.50: t.P50, 0.95: t.P95, 0.99: t.P99}[share], t.N)
			}, ""})
		}
		list = append(list,
			column{plots.Real(class+"_flows", ""), "Flows, " + class, false, 0, 0, func(p *part) float64 {
				return float64(stats.FCT(p.flows, stats.Everything(), edges[i], edges[i+1]).N)
			}, ""})
	}
	return list
}

// orNaN returns v, or NaN if n is 0.
func orNaN(v float64, n int) float64 {
	if n == 0 {
		return math.NaN()
	}
	return v
}

func slowdown(share float64) func(*part) float64 {
	return func(p *part) float64 {
		points, _ := stats.Points(p.flows, stats.Everything())
		if len(points) == 0 {
			return math.NaN()
		}
		values := make([]float64, len(points))
		for i, x := range points {
			values[i] = x.Slowdown
		}
		slices.Sort(values)
		return stats.Percentile(values, share)
	}
}

// Columns besides the axes and the numbers.
const (
	seedColumn     = "seed"
	flowsColumn    = "flows"
	finishedColumn = "finished"
	countedColumn  = "counted" // number of flows in the numbers
	printColumn    = "fingerprint"
	hashColumn     = "hash" // of the scenario
	runColumn      = "run"  // name of the run directory
)

// Prefix begins the figure names of sweeps.
const Prefix = "sweep/"

// Figure returns the campaign as a figure.
func (c *Grid) Figure() *figure.Figure {
	f := Stored(c.Name)
	f.Measure = c.measure
	return f
}

// Stored returns the figure of a finished campaign, which can be drawn but not measured.
func Stored(name string) *figure.Figure {
	return &figure.Figure{
		Name: Prefix + name, Title: "Sweep " + name, Source: "campaign " + name,
		Read: func(t *plots.Table) (figure.View, error) { return view{figure.Bare{Table: t}}, nil },
	}
}

// view shows the rows of a campaign.
type view struct{ figure.Bare }

func (v view) Tables() ([]report.Table, error) { return tables(v.Table) }

func (v view) Drawings(m *figure.Manifest) ([]figure.Drawing, error) { return draw(v.Table, m) }

func (c *Grid) measure(ctx context.Context, j *figure.Job) (figure.View, error) {
	specs, err := c.Ready(j)
	if err != nil {
		return nil, err
	}
	seeds := j.SeedList(c.Seeds)
	sources, err := sourcesOf(specs)
	if err != nil {
		return nil, err
	}
	if _, err := c.emptyRows(sources); err != nil {
		return nil, err
	}
	runs, err := j.Simulate(ctx, c.Specs(seeds))
	if err != nil {
		return nil, err
	}
	j.Setting("base", "", "%s", c.Base)
	if len(c.Set) > 0 {
		j.Setting("set", "", "%s", strings.Join(c.Set, " "))
	}
	for _, a := range c.Axes {
		labels := lists.Map(a.Choices, func(x Choice) string { return x.Label })
		j.Setting("vary "+a.Name, "", "%s", strings.Join(labels, ", "))
	}
	j.Setting("classes of flows", "", "short: up to %v, medium: up to %v, long: above", c.Sizes[0], c.Sizes[1])
	j.Footnote("%s, %s", c.Base, figure.Count(len(seeds), "seed"))
	t, err := c.rows(runs, seeds, sources)
	return view{figure.Bare{Table: t}}, err
}

// emptyRows returns the table of the campaign without rows.
func (c *Grid) emptyRows(sources []source) (*plots.Table, error) {
	return emptyRows(sources, lists.Map(c.Axes, func(a Axis) string { return a.Name })...)
}

// emptyRows returns the table of a campaign with these entries of workloads and axes, without rows.
func emptyRows(sources []source, axes ...string) (*plots.Table, error) {
	head := lists.Map(axes, plots.Text)
	head = append(head, plots.Text(seedColumn), plots.Whole(flowsColumn, ""), plots.Whole(finishedColumn, ""),
		plots.Whole(countedColumn, ""))
	for _, x := range measures {
		head = append(head, x.Column)
	}
	head = append(head, plots.Text(printColumn))
	for _, x := range slices.Concat(byClass(DefaultSizes), sourceColumns(sources)) {
		head = append(head, x.Column)
	}
	return plots.NewTable(append(head, plots.Text(hashColumn), plots.Text(runColumn))...)
}

func (c *Grid) rows(runs []*campaign.Run, seeds []uint64, sources []source) (*plots.Table, error) {
	t, err := c.emptyRows(sources)
	if err != nil {
		return nil, err
	}
	for _, x := range c.Combinations() {
		for _, seed := range seeds {
			var cells []any
			for _, l := range x.Labels {
				cells = append(cells, l)
			}
			run := runs[0]
			runs = runs[1:]
			flows, err := run.Counted()
			if err != nil {
				return nil, err
			}
			parts, err := partsOf(run, flows)
			if err != nil {
				return nil, err
			}
			s := &run.Manifest.Summary
			all := &part{flows: flows, summary: s}
			counted, _ := stats.Points(flows, stats.Everything())
			cells = append(cells, strconv.FormatUint(seed, 10), s.Flows, s.Finished, len(counted))
			for _, m := range measures {
				cells = append(cells, columns.Round(m.of(all)))
			}
			cells = append(cells, s.Fingerprint)
			for _, m := range byClass(c.Sizes) {
				cells = append(cells, columns.Round(m.of(all)))
			}
			for _, m := range sourceColumns(sources) {
				v := math.NaN()
				if p := parts[cmp.Or(m.source, sources[0].name)]; p != nil {
					v = m.of(p)
				}
				cells = append(cells, columns.Round(v))
			}
			if err := t.Append(append(cells, run.Hash, filepath.Base(run.Dir))...); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// group is the rows of a combination.
type group struct {
	labels []string
	rows   []int
}

// groups returns the axes, which are the columns before the seed, and the combinations in the rows.
func groups(t *plots.Table) (axes []string, list []group, err error) {
	for _, c := range t.Columns() {
		if c.Name == seedColumn {
			break
		}
		axes = append(axes, c.Name)
	}
	texts := make([][]string, len(axes))
	for i, a := range axes {
		if texts[i], err = t.Texts(a); err != nil {
			return nil, nil, err
		}
	}
	for r := range t.Len() {
		var labels []string
		for i := range axes {
			labels = append(labels, texts[i][r])
		}
		at := slices.IndexFunc(list, func(g group) bool { return slices.Equal(g.labels, labels) })
		if at < 0 {
			at = len(list)
			list = append(list, group{labels: labels})
		}
		list[at].rows = append(list[at].rows, r)
	}
	return axes, list, nil
}

// mean returns the mean of a column over the rows of a group, with its interval, which does not reach below least.
func mean(values []float64, rows []int, least float64) (value, lo, hi float64) {
	seeds := stats.PerSeed{Least: least}
	for _, r := range rows {
		if !math.IsNaN(values[r]) {
			seeds.Add(values[r], 1)
		}
	}
	m, err := seeds.Mean()
	if err != nil {
		return math.NaN(), math.NaN(), math.NaN()
	}
	return m.Value, m.Lo, m.Hi
}
