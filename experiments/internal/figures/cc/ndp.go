package cc

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// NDP compares NDP with DCTCP, DCQCN and HPCC on a fat tree at 10 Gb/s (NDP paper, §6). There are three kinds of
// traffic: a permutation (Fig. 14); short flows between two otherwise idle hosts while all other hosts send (Fig.
// 15); and incasts in which each sender sends 450 KB (Fig. 16). The paper has 432 hosts, and also measures MPTCP. The
// paper scale has not been run.
var NDP = figure.Spec[ndpScale]{
	Name:    "cc/ndp",
	Files:   files,
	Columns: ndpView,
	Scales:  ndpScales,
	Measure: ndpMeasure,
	Check:   ndpCheck,
	Tables:  ndpTables,
	Draw:    ndpDraw,
}.Figure()

// ndpScale holds the settings of a scale.
type ndpScale struct {
	seeds   int
	k       int        // size of the fat tree
	long    unit.Bytes // size of flows of the permutation
	shorts  int        // number of short flows in a run; meanwhile, each other host sends 2·long
	senders []int      // numbers of senders of the incasts
}

func (z ndpScale) String() string {
	return fmt.Sprintf("%d hosts, %s", hosts(z.k), figure.Count(z.seeds, "seed"))
}

var ndpScales = map[figure.Scale]ndpScale{
	figure.Smoke:  {1, 4, unit.MB, 2, []int{4, 15}},
	figure.Laptop: {10, 8, 10 * unit.MB, 15, []int{4, 8, 16, 32, 64, 127}},
	figure.Paper:  {10, 12, 50 * unit.MB, 75, []int{4, 8, 16, 32, 64, 128, 256, 431}},
}

// ndpView lists the columns of rows.csv. X is a share of the hosts or flows in %, or the number of senders of an
// incast.
var ndpView = columns.View{"table", "scheme", "x", "value", "unit", "lo", "hi", "seeds"}

// The tables. The first two contain curves over the hosts or flows of all seeds together. The others contain means
// over the seeds.
const (
	ndpGoodputs = "permutation" // goodput of each host, b/s, slowest host first
	shorts      = "short"       // completion time of each short flow, s, fastest flow first
	incasts     = "incast"      // time until the last flow has ended, divided by the time that the link needs
	ndpMean     = "mean goodput"
	slowest     = "slowest host"
	median      = "median of short flows"
	longest     = "longest short flow"
)

// points is the number of points of a curve.
const points = 20

func ndpMeasure(ctx context.Context, j *figure.Job, z ndpScale) ([]study.Row, error) {
	benches := []bench{z.permutation(), z.short()}
	for _, n := range z.senders {
		benches = append(benches, z.incast(n))
	}
	p := study.Study{Seeds: j.SeedList(z.seeds)}
	for _, s := range ndpSchemes {
		for _, b := range benches {
			p.Cells = append(p.Cells, b.entry(s))
		}
	}
	ndpSettings(j)
	j.Footnote(
		"fat tree of %d hosts at 10 Gb/s, %s; permutation: %v from each host; short flows: %v between two hosts that "+
			"do nothing else, every %v; incast: %v from each sender; bars: 95 %% intervals over the seeds",
		hosts(z.k), figure.Count(len(p.Seeds), "seed"), z.long, shortSize, ndpApart, incastOf)
	rows, err := p.Measure(ctx, j, func(r *study.Rows) {
		for i := range ndpSchemes {
			of := p.Cells[i*len(benches) : (i+1)*len(benches)]
			r.Add(ndpGoodputs, of[0], "", ndpGoodputs)
			r.Add(shorts, of[1], "", shorts)
			for k, names := range [][]string{{ndpMean, slowest}, {median, longest}} {
				for _, name := range names {
					r.Add(name, of[k], "", name)
				}
			}
			for _, e := range of[2:] {
				r.Add(incasts, e, "", incasts)
			}
		}
	})
	for i := range rows {
		if r := &rows[i]; r.Table == ndpGoodputs || r.Table == shorts {
			r.X = r.Share
		}
	}
	return rows, err
}

// linkRate is the rate of all links, in b/s.
const linkRate = 10e9

// ndpGoodput returns the goodput of a flow of the permutation, in b/s.
func ndpGoodput(f *store.FlowRecord) (float64, bool) {
	return float64(f.Size) * 8 / f.FCT.Seconds(), true
}

// shortFCT returns the completion time of a short flow, s.
func shortFCT(f *store.FlowRecord) (float64, bool) { return f.FCT.Seconds(), f.Src == 0 }

// incastEnd returns the time at which a flow of an incast ends, s.
func incastEnd(f *store.FlowRecord) (float64, bool) { return (f.Start + f.FCT).Seconds(), true }

// perRun returns a quantity with one number for each run. `take` reads a value from each flow, and `of` computes the
// number from the sorted values.
func perRun(name, unit string, take func(*store.FlowRecord) (float64, bool), of func([]float64) float64) study.Measure {
	return study.PerTrial(name, func(t *study.Trial) (float64, int, error) {
		values, err := read(t, take)
		if err != nil {
			return 0, 0, err
		}
		return of(values), len(values), nil
	}).In(unit)
}

// curve returns a quantity whose values are a curve over the share of flows, at equal steps. `take` reads a value
// from each flow of all seeds.
func curve(name, unit string, take func(*store.FlowRecord) (float64, bool)) study.Measure {
	return study.Measure{Name: name, Unit: unit, Of: func(trials []*study.Trial) ([]stats.Sized, error) {
		var all []float64
		for _, t := range trials {
			values, err := read(t, take)
			if err != nil {
				return nil, err
			}
			all = append(all, values...)
		}
		slices.Sort(all)
		var list []stats.Sized
		for i := range points {
			share := float64(i+1) / points
			m := stats.Number{Value: stats.Percentile(all, share), Lo: math.NaN(), Hi: math.NaN(), Seeds: 1}
			list = append(list, stats.Sized{Share: 100 * share, Number: m})
		}
		return list, nil
	}}
}

// read reads a number from each flow of a run and sorts the numbers. It returns an error if a flow has not finished.
func read(t *study.Trial, take func(*store.FlowRecord) (float64, bool)) ([]float64, error) {
	var list []float64
	for f := range t.Flows.All() {
		if f.Outcome != store.Finished {
			return nil, fmt.Errorf("%s: flow %d has not finished", t.Run.Dir, f.ID)
		}
		if v, ok := take(f); ok {
			list = append(list, v)
		}
	}
	slices.Sort(list)
	return list, nil
}

func first(values []float64) float64 { return values[0] }

func last(values []float64) float64 { return values[len(values)-1] }

func average(values []float64) float64 {
	return lists.Sum(values, func(v float64) float64 { return v }) / float64(len(values))
}

// marking returns settings for switches that mark packets when the queue reaches a given number of packets.
func marking(packets int) []string {
	threshold := unit.Bytes(packets) * 9000
	return []string{
		"telemetry.kind=none", "network.ecn.enabled=true", "network.ecn.at_rate=10Gbps", "network.ecn.pmax=1",
		fmt.Sprintf("network.ecn.kmin=%v", threshold), fmt.Sprintf("network.ecn.kmax=%v", threshold),
	}
}

// The schemes, as changes of a scenario that has HPCC over INT, links of 10 Gb/s and packets of 9000 B. With DCTCP, a
// queue has space for 200 packets, and switches mark packets if the queue has at least 30 packets. With DCQCN,
// switches drop no packets, and mark packets if the queue has at least 20 packets.
var (
	ndp = study.Scheme{Name: "NDP", Set: []string{
		"telemetry.kind=none", "transport.kind=ndp", "transport.payload=8936B", "cc.kind=ndp", "cc.initial_window=30",
		"network.pfc.enabled=false", "network.trimming.enabled=true",
		"network.scheduling.kind=wrr", "network.scheduling.weights=[7=10]", "network.balancing.kind=permute",
	}}
	ndpDctcp = study.Scheme{Name: "DCTCP",
		Set: append(marking(30), "transport.kind=sack", "transport.mtu=8986B", "cc.kind=dctcp", "cc.form=window",
			"network.pfc.enabled=false", "network.port_limit=1800KB")}
	dcqcn = study.Scheme{Name: "DCQCN",
		Set: slices.Concat(marking(20), []string{"transport.payload=8952B", "cc.kind=dcqcn"}, figure.DCQCN)}
	hpcc = study.Scheme{Name: "HPCC", Set: []string{"transport.payload=8910B", "cc.rtt=max"}}

	ndpSchemes = []study.Scheme{ndp, ndpDctcp, dcqcn, hpcc}
)

// ndpSettings records the settings of each scheme.
func ndpSettings(j *figure.Job) {
	j.Setting("links", "NDP §6", "10 Gb/s, 1 µs; packets of at most 9000 B")
	for _, s := range ndpSchemes {
		source := ""
		if s.Name == ndp.Name {
			source = "NDP §3.1, §6"
		}
		j.Setting(s.Name, source, "%s", s.Changes())
	}
}

// bench is a kind of traffic on the fat tree, and the quantities that its runs measure.
type bench struct {
	name       string
	senders    float64 // number of senders of an incast; NaN for other traffic
	set        []string
	quantities []study.Measure
}

// tree returns the setting for a k-ary fat tree.
func tree(k int) string {
	return fmt.Sprintf("topology={kind: fattree, k: %d, host_rate: 10Gbps, fabric_rate: 10Gbps}", k)
}

func hosts(k int) int { return k * k * k / 4 }

// permutation returns traffic in which each host sends a flow to another host.
func (z ndpScale) permutation() bench {
	return bench{
		name: "permutation", senders: math.NaN(),
		set: []string{tree(z.k), fmt.Sprintf("workload=[{kind: permutation, size: %v}]", z.long)},
		quantities: []study.Measure{
			curve(ndpGoodputs, plots.InBitsPerSecond, ndpGoodput), perRun(ndpMean, plots.InBitsPerSecond, ndpGoodput,
				average), perRun(slowest, plots.InBitsPerSecond, ndpGoodput, first),
		},
	}
}

// incast returns traffic in which the given number of hosts send 450 KB each to another host.
func (z ndpScale) incast(senders int) bench {
	return bench{
		name: fmt.Sprintf("incast of %d", senders), senders: float64(senders),
		set: []string{tree(z.k),
			fmt.Sprintf("workload=[{kind: incast, senders: %d, receiver: 0, size: 450KB}]", senders)},
		quantities: []study.Measure{perRun(incasts, "", incastEnd, func(ends []float64) float64 {
			return last(ends) / (8 * float64(senders) * float64(incastOf)) * linkRate
		})},
	}
}

// short returns traffic in which the first host sends short flows of 90 KB to the last host. At the same time, each
// of the other n−2 hosts sends a long flow to the host that is (n−2)/2 places further on in a circle of these hosts.
// The long flows last longer than the short flows, even if links are fully used.
func (z ndpScale) short() bench {
	n := hosts(z.k)
	var flows []string
	for h := 1; h < n-1; h++ {
		flows = append(flows, fmt.Sprintf("{src: %d, dst: %d, size: %v}", h, 1+(h-1+(n-2)/2)%(n-2), 2*z.long))
	}
	for i := range z.shorts {
		at := settled + unit.Time(i)*ndpApart
		flows = append(flows, fmt.Sprintf("{src: 0, dst: %d, size: %v, start: %v}", n-1, shortSize, at))
	}
	return bench{
		name: "short flows", senders: math.NaN(),
		set: []string{tree(z.k), fmt.Sprintf("workload=[{kind: list, flows: [%s]}]", strings.Join(flows, ", "))},
		quantities: []study.Measure{
			curve(shorts, plots.InSeconds, shortFCT), perRun(longest, plots.InSeconds, shortFCT, last),
			perRun(median, plots.InSeconds, shortFCT,
				func(values []float64) float64 { return stats.Percentile(values, 0.5) }),
		},
	}
}

const (
	shortSize = 90 * unit.KB
	incastOf  = 450 * unit.KB
	// The first short flow starts at `settled`. The interval ndpApart between two short flows is so long that a flow
	// has usually ended before the next flow starts.
	settled  = unit.Millisecond / 2
	ndpApart = unit.Millisecond
)

// entry returns the traffic with a scheme.
func (b bench) entry(s study.Scheme) study.Cell {
	return study.Cell{
		Case: b.name, Scheme: s.Name, X: b.senders, Label: s.Name + ", " + b.name, Base: "perm128",
		Set: slices.Concat([]string{"name=cc-ndp"}, b.set, s.Set), Measures: b.quantities,
	}
}

// published is the mean goodput that the NDP paper reports for a permutation of 432 hosts, in % of the link rate
// (Fig. 14).
const published = 92

// ndpIn returns the rows of a table.
func ndpIn(rows []study.Row, table string) []study.Row {
	return figure.Pick(rows, func(r *study.Row) bool { return r.Table == table })
}

// one returns the row of a scheme from a table of means.
func one(rows []study.Row, table string, s study.Scheme) study.Row {
	return study.One(ndpIn(rows, table), "", s.Name, "")
}

// ndpCheck judges the incasts with at least 16 senders. They are not in claims.csv, because the numbers of senders
// depend on the scale.
func ndpCheck(rows []study.Row) (list []figure.Finding) {
	const ideal = 1
	link := study.Row{Scheme: "the link", Sized: stats.Whole(stats.Exactly(ideal))}
	for _, r := range study.Pick(ndpIn(rows, incasts), "", ndp.Name, "", "") {
		if r.X >= 16 {
			list = append(list, figure.Below(fmt.Sprintf("an incast of %g ends within 5 %% of what the link needs",
				r.X), r, link, 1.05))
		}
	}
	return list
}

func ndpTables(rows []study.Row) []figure.Table {
	// value formats the number of a scheme in a table of means.
	value := func(head, unit, table string, times float64) figure.Cell {
		return figure.Real(head, unit,
			func(l figure.Line) float64 { return times * one(l, table, study.Scheme{Name: l[0].Scheme}).Value })
	}
	means := figure.Pick(rows, func(r *study.Row) bool { return math.IsNaN(r.X) })
	return []figure.Table{
		figure.Lines("hosts", figure.BySchemes(means),
			figure.Scheme("scheme"), value("mean goodput", "Gb/s", ndpMean, 1e-9),
			value("of the links", "%", ndpMean, 100/linkRate),
			figure.Real("published", "%", func(l figure.Line) float64 {
				if l[0].Scheme == ndp.Name {
					return published
				}
				return math.NaN()
			}),
			value("slowest host", "Gb/s", slowest, 1e-9), value("short flows, median", "us", median, 1e6),
			value("longest", "us", longest, 1e6)),
		figure.Lines("incasts", figure.ByBuckets(ndpIn(rows, incasts)),
			figure.Place("senders", ""), figure.OfScheme("NDP", ndp.Name), figure.OfScheme("DCTCP", ndpDctcp.Name),
			figure.OfScheme("DCQCN", dcqcn.Name),
			figure.OfScheme("HPCC", hpcc.Name)),
	}
}

func ndpDraw(rows []study.Row) ([]figure.Drawing, error) {
	draw := func(table, title string, x, y plots.Axis,
		fill func(plots.Series, []study.Row) plots.Series) figure.Drawing {
		p := plots.Panel{X: x, Y: y}
		for _, s := range ndpSchemes {
			p.Series = append(p.Series, fill(plots.Series{Name: s.Name}, figure.PointsOf(rows, table, s.Name)))
		}
		return figure.Draw(table, title, p)
	}
	percent := func(label string) plots.Axis {
		return plots.Axis{Label: label, Unit: "%", Scale: plots.Linear, Min: plots.At(0), Max: plots.At(100)}
	}
	goodput := figure.Linear("Goodput", plots.InBitsPerSecond)
	ideal := figure.Linear("Completion time over the ideal", "")
	goodput.Min, goodput.Max, ideal.Min = plots.At(0), plots.At(linkRate), plots.At(0.9)
	return []figure.Drawing{
		draw(ndpGoodputs, "A permutation: goodput of each host", percent("Hosts, from the slowest on"), goodput,
			func(s plots.Series, of []study.Row) plots.Series {
				s.Style = plots.Trace
				return figure.Curve(s, of, func(r *study.Row) (x, y float64) { return r.X, r.Value })
			}),
		draw(incasts, "Incasts: when the last flow has ended", figure.Log("Senders", ""), ideal,
			func(s plots.Series, of []study.Row) plots.Series {
				s.Style = plots.Line
				return figure.Ranges(s, of,
					func(r *study.Row) (x, y, lo, hi float64) { return r.X, r.Value, r.Lo, r.Hi })
			}),
		draw(shorts, "Short flows between idle hosts of a busy network",
			figure.Log("Completion time", plots.InSeconds), percent("Flows up to there"),
			func(s plots.Series, of []study.Row) plots.Series {
				s.Style = plots.Trace
				return figure.Curve(s, of, func(r *study.Row) (x, y float64) { return r.Value, r.X })
			}),
	}, nil
}
