package hpcc

import (
	"context"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Load is the large simulation of the HPCC paper (§5.3, Fig. 11 and 12), with 320 servers and the flow sizes of
// Facebook's Hadoop. The load is 30 % plus 2 % of 60:1 incast, or 50 % without incast.
var Load = figure.Spec[loadScale]{
	Name:    "hpcc/load",
	Files:   files,
	Columns: loadView,
	Scales: map[figure.Scale]loadScale{
		figure.Smoke:  {1, 5, 30 * unit.Microsecond, few},
		figure.Laptop: {3, 10, 500 * unit.Microsecond, All},
		figure.Paper:  {5, 20, 50 * unit.Millisecond, All},
	},
	Measure: measureLoad,
	Ours:    map[string]figure.Ours[study.Row]{"largest reduction": largestReduction},
	Tables:  loadTables,
	Draw:    drawLoad,
}.Figure()

var loadView = columns.View{"table", "case", "scheme", "against", "quantity", "size", "share", "value", "lo", "hi",
	"flows", "seeds"}

// The tables of the rows, in addition to the measures of a run. In the table of queues, the value of a row is the
// share of queue samples, over ports and time, that are at most as long as the size of the row.
const (
	slowdowns = "slowdown" // percentile of the slowdown in a bucket of background flows
	changes   = "change"   // ratio of slowdowns to another scheme's
)

// The measures.
const (
	paused    = "time paused, mean of all ports"
	ports99   = "queue p99"
	atOrBelow = "at or below"
)

// traffic describes the flows of all servers.
type traffic struct {
	name     string
	workload string // %[1]v stands for the time during which flows arrive
}

var (
	cases = []traffic{
		{"30 % and incast", "workload=[{kind: poisson, sizes: hadoop, load: 0.3, duration: %[1]v}, {kind: " +
			"incast, senders: 60, size: 500KB, repeat: load, load: 0.02, duration: %[1]v}]"},
		{"50 %", "workload=[{kind: poisson, sizes: hadoop, load: 0.5, duration: %[1]v}]"},
	}
	// pairs lists the schemes that are compared by flow size.
	pairs = [][2]study.Scheme{{HPCC, DCQCN}, {HPCC, Timely}, {HPCC, DCQCNWin}, {DCQCNWin, DCQCN},
		{TimelyWin, Timely}, {PINT, HPCC}}
	percentiles = []string{"p50", "p95", "p99"}
	// lengths lists the queue lengths at which the distribution is evaluated, in bytes.
	lengths = []unit.Bytes{0, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 2e7}
)

// loadScale holds what the figure runs at one scale.
type loadScale struct {
	seeds, buckets int
	arrivals       unit.Time
	schemes        []study.Scheme
}

func (z loadScale) String() string {
	return fmt.Sprintf("%s, %s, arrivals for %v", figure.Count(len(z.schemes), "scheme"), figure.Count(z.seeds, "seed"),
		z.arrivals)
}

// ofRun lists the measures of a run.
var ofRun = []study.Measure{
	ofPorts(paused, "", func(x *ports) (float64, int) {
		sum := 0.0
		for _, d := range x.paused {
			sum += float64(d) // the sum of whole numbers does not depend on the order of the map
		}
		return sum / float64(len(x.paused)) / float64(x.last), len(x.paused)
	}),
	ofPorts("time paused, most paused port", "", func(x *ports) (float64, int) {
		most := 0.0
		for _, d := range x.paused {
			most = math.Max(most, d.Seconds())
		}
		return most / x.last.Seconds(), len(x.paused)
	}),
	ofQueues("queue p50", 0.50), ofQueues("queue p95", 0.95), ofQueues(ports99, 0.99), ofQueues(longest, 1),
	study.Class(1, study.Slowdown("p95 slowdown of the incast's flows", 0.95, 0, math.MaxInt64)),
}

// distribution measures, for each of the given lengths, the share of queue samples that are at most as long, over
// ports and time.
var distribution = study.Measure{Name: atOrBelow, Of: func(trials []*study.Trial) ([]stats.Sized, error) {
	var list []stats.Sized
	for _, length := range lengths {
		share := ofPorts("", "", func(x *ports) (float64, int) {
			n, _ := slices.BinarySearch(x.queues, math.Nextafter(float64(length), math.Inf(1)))
			return float64(n) / float64(len(x.queues)), len(x.queues)
		})
		m, err := share.Of(trials)
		if err != nil {
			return nil, err
		}
		list = append(list, stats.Sized{Size: float64(length), Share: math.NaN(), Number: m[0].Within(0, 1)})
	}
	return list, nil
}}

// ports contains measurements at the ports of a run while flows arrive.
type ports struct {
	last   unit.Time              // time of the last sample
	paused map[[2]int32]unit.Time // by node and peer: total time until the last sample
	queues []float64              // all samples of switches' queues, sorted
}

// hosts is the number of hosts. They have the lowest numbers in the fat tree.
const hosts = 320

func readPorts(t *study.Trial) (*ports, error) {
	x := &ports{paused: map[[2]int32]unit.Time{}}
	err := readSeries(t.Run, &store.PortSeries, func(p *store.PortSample) {
		x.last = p.Time
		x.paused[[2]int32{p.Node, p.Peer}] = p.PausedTime
		if p.Time > 0 && p.Node >= hosts {
			x.queues = append(x.queues, float64(p.Queue))
		}
	})
	slices.Sort(x.queues)
	return x, err
}

// ofPorts returns a quantity that is measured at the ports of a run.
func ofPorts(name, unit string, of func(*ports) (value float64, n int)) study.Measure {
	return study.PerTrial(name, func(t *study.Trial) (float64, int, error) {
		x, err := study.Once(t, "ports", readPorts)
		if err != nil {
			return 0, 0, err
		}
		value, n := of(x)
		return value, n, nil
	}).In(unit)
}

func ofQueues(name string, p float64) study.Measure {
	return ofPorts(name, plots.InBytes,
		func(x *ports) (float64, int) { return stats.Percentile(x.queues, p), len(x.queues) })
}

func measureLoad(ctx context.Context, j *figure.Job, z loadScale) ([]study.Row, error) {
	p := study.Study{Seeds: j.SeedList(z.seeds), Measures: append(slices.Clone(ofRun), distribution)}
	for i, percentile := range []float64{0.50, 0.95, 0.99} {
		p.Measures = append(p.Measures, study.Class(0, study.BySize(percentiles[i], percentile, z.buckets)))
	}
	at := func(c traffic, s study.Scheme) study.Cell {
		return study.Cell{
			Case: c.name, Scheme: s.Name, X: math.NaN(), Label: s.Name + ", " + c.name, Base: "fat320-hadoop",
			Set: append([]string{
				"name=hpcc-load", fmt.Sprintf(c.workload, z.arrivals),
				"run.sampling.enabled=true", "run.sampling.series=ports", "run.sampling.nodes=[all]",
				"run.sampling.period=10us",
				fmt.Sprintf("run.sampling.to=%v", z.arrivals), "run.sampling.formats=[parquet]",
			}, s.Set...),
		}
	}
	for _, c := range cases {
		for _, s := range z.schemes {
			p.Cells = append(p.Cells, at(c, s))
		}
	}
	runs := func(s study.Scheme) bool { // schemes that this scale runs
		return slices.ContainsFunc(z.schemes, func(x study.Scheme) bool { return x.Name == s.Name })
	}
	settings(j, z.schemes)
	j.Setting("incast", "HPCC §5.1",
		"60 servers send 500 KB each to another one, as often as makes up 2 %% of the load")
	j.Footnote("320-server fat tree, Hadoop, %s, arrivals for %v, then until all flows have finished; "+
		"queues and pauses during the arrivals; means over the seeds, bars: 95 %% intervals",
		figure.Count(len(p.Seeds), "seed"), z.arrivals)
	return p.Measure(ctx, j, func(r *study.Rows) {
		for _, c := range cases {
			for _, percentile := range percentiles {
				for _, s := range z.schemes {
					r.Add(slowdowns, at(c, s), "", percentile)
				}
				for _, p := range pairs {
					if runs(p[0]) && runs(p[1]) {
						r.Add(changes, at(c, p[0]), p[1].Name, percentile)
					}
				}
			}
			for _, s := range z.schemes {
				for _, q := range ofRun {
					r.Add(measures, at(c, s), "", q.Name)
				}
				r.Add(queues, at(c, s), "", atOrBelow)
			}
		}
	})
}

// largestReduction returns the largest reduction of slowdowns by HPCC. The paper prints "by up to 95 %" for the
// comparison with DCQCN and TIMELY (abstract). If a scale does not run the other scheme, nothing is compared.
func largestReduction(rows []study.Row, p *figure.Published, c *report.Compared) stats.Number {
	best, note := stats.None(), ""
	for _, percentile := range percentiles {
		for _, r := range study.Pick(rows, p.Panel, HPCC.Name, p.Against, percentile) {
			if less := -stats.Percent(r.Value); !(less <= best.Value) {
				best.Value, best.Lo, best.Hi = less, -stats.Percent(r.Hi), -stats.Percent(r.Lo)
				note = fmt.Sprintf("%s of the flows up to %s", percentile, number.Format(r.Size, plots.InBytes, 3))
			}
		}
	}
	if best.Missing() {
		c.Quantity = ""
	}
	if c.Over = ""; c.Note != "" {
		note += ". "
	}
	c.Note = note + c.Note
	return best
}

func loadTables(rows []study.Row) (list []figure.Table) {
	for _, c := range cases {
		of := figure.Pick(rows, func(r *study.Row) bool { return r.Case == c.name })
		list = append(list, figure.Lines("measures", figure.BySchemes(of), figure.Scheme("scheme"),
			figure.Value("short p50", "", "p50"), figure.Value("short p95", "", "p95"),
			figure.Value("short p99", "", "p99"), figure.Last("long p50", "p50"), figure.Last("long p95", "p95"),
			figure.Value("queue p50", "KB", "queue p50"), figure.Value("queue p95", "KB", "queue p95"),
			figure.Value("queue p99", "KB", ports99), figure.Value("longest", "KB", longest),
			figure.Value("paused", "%", paused),
			figure.Value("most paused port", "%", "time paused, most paused port"),
			figure.Value("incast p95", "", "p95 slowdown of the incast's flows")).With(c.name))
	}
	return list
}

// groups lists the groups of schemes that are drawn together: the schemes of the HPCC paper, and HPCC with later
// schemes.
var groups = []struct {
	file, title string
	schemes     []study.Scheme
}{
	{"paper", "the schemes of the HPCC paper, and PINT",
		[]study.Scheme{HPCC, PINT, DCQCN, DCQCNWin, Timely, TimelyWin, DCTCP}},
	{"later", "HPCC and what came later", []study.Scheme{HPCC, PINT, Swift, Power, PowerPINT, Theta, NDP}},
}

// paired reports whether the drawing of changes shows a row. The drawing has one ratio of p95 slowdowns for each
// scheme.
func paired(r *study.Row) bool {
	return r.Quantity == "p95" && r.Against != "" && (r.Scheme != HPCC.Name || r.Against == DCQCNWin.Name)
}

func drawLoad(rows []study.Row) (list []figure.Drawing, err error) {
	changes := figure.Named(figure.Pick(rows, paired),
		func(r *study.Row) (string, string) { return r.Case, r.Scheme + " against " + r.Against })
	list = append(list, figure.Draw("change", "What PINT and windows change").With(figure.Changes(changes)))
	for i, c := range cases {
		for _, g := range groups {
			var points []plots.Point // without intervals, which would hide the curves
			for _, s := range g.schemes {
				for _, percentile := range percentiles {
					for _, r := range study.Pick(rows, c.name, s.Name, "", percentile) {
						points = append(points, plots.Point{
							Panel: percentile, Series: s.Name, X: r.Share, Size: r.Size, Y: r.Value,
							Weak: r.Flows < figure.Enough(0.95),
						})
					}
				}
			}
			panels, err := plots.BySize(points, figure.Log("Slowdown", ""))
			title := fmt.Sprintf("Slowdown by flow size, %s: %s", c.name, g.title)
			list = append(list, figure.Drawing{Name: fmt.Sprintf("slowdown-%d-%s", i+1, g.file), Caption: "slowdown"}.
				With(plots.Figure{Title: title, Panels: panels}, err))
		}
	}
	for _, g := range groups {
		list = append(list, figure.Drawing{Name: "queue-" + g.file, Caption: "queues",
			Plot: drawQueues(rows, g.title, g.schemes)})
	}
	return append(list, figure.Drawing{Name: "paused", Plot: drawPauses(rows)}), nil
}

// drawQueues draws the distributions of queues, with a panel for each traffic.
func drawQueues(rows []study.Row, title string, schemes []study.Scheme) plots.Figure {
	f := plots.Figure{Title: "Queues: " + title, Width: plots.PageWidth}
	least := 1.0 // smallest share that is shown
	for _, c := range cases {
		p := plots.Panel{
			Title: c.name,
			X: plots.Axis{Label: "Queue length", Unit: plots.InBytes, Scale: plots.Log, Min: plots.At(1e3),
				Max: plots.At(2e7)},
			Y: plots.Axis{Label: "Share above", Scale: plots.Log, Max: plots.At(1)},
		}
		for _, s := range schemes {
			above := 1.0 // share above the previous length
			of := figure.Pick(study.Pick(rows, c.name, s.Name, "", atOrBelow), func(r *study.Row) bool {
				ended := above == 0
				above = 1 - r.Value
				return r.Size > 0 && !ended
			})
			p.Series = append(p.Series,
				figure.Curve(plots.Series{Name: s.Name, Style: plots.Line}, of, func(r *study.Row) (x, y float64) {
					if r.Value < 1 {
						least = math.Min(least, 1-r.Value)
					}
					return r.Size, 1 - r.Value
				}))
		}
		p.Series = figure.Drawn(p.Series...)
		f.Panels = append(f.Panels, p)
	}
	for i := range f.Panels {
		f.Panels[i].Y.Min = plots.At(math.Max(least, 1e-4))
	}
	return f
}

// drawPauses draws a bar for each scheme and traffic.
func drawPauses(rows []study.Row) plots.Figure {
	percent := figure.Pick(rows, func(r *study.Row) bool { return r.Quantity == paused })
	for i := range percent {
		r := &percent[i]
		r.Value, r.Lo, r.Hi = 100*r.Value, max(0, 100*r.Lo), 100*r.Hi
		r.Case, r.Scheme = r.Scheme, r.Case // each scheme has a group of bars
	}
	p := figure.Bars(percent, paused,
		plots.Axis{Label: "Time paused", Unit: "%", Scale: plots.Linear, Min: plots.At(0)})
	p.X.Label = "Scheme"
	return plots.Figure{Title: "Time paused", Width: plots.PageWidth, PanelHeight: 120, Panels: []plots.Panel{p}}
}
