// Package scale measures the accuracy and the cost of estimates. An estimate combines completion times from
// simulations of single links. It is compared with a packet-level run of the whole network.
package scale

import (
	"context"
	"embed"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/estimate"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/protocols"
	"pintlab/experiments/results/stats"
	"pintlab/internal/hash"
	"pintlab/internal/number"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/plots/report"
	"pintlab/workloads"
)

//go:embed */figure.md estimate/published.csv estimate/claims.csv estimate/known.csv
var files embed.FS

// Estimate compares estimates with runs of the same flows, for mixes of traffic as in Parsimon (NSDI 2023, §5.3). The
// network has 32 racks of 16 hosts. The mixes differ in traffic matrix, flow sizes, burstiness, load of the busiest
// link, and oversubscription. We draw these from the same values as Parsimon, and run HPCC and Swift in addition to
// DCTCP.
var Estimate = figure.Of[Scale, Row]{
	Name:  "scale/estimate",
	Files: files,
	Scales: map[figure.Scale]Scale{
		figure.Smoke:  {Mixes: 1, Flows: 300},
		figure.Laptop: {Mixes: 48, Flows: 3000},
		figure.Paper:  {Mixes: 48, Flows: 300_000},
	},
	Measure: measure,
	Claims: figure.Kinds[Row]{"median": medianWithin,
		"50 % of the mixes": errorOf(0.5), "90 % of the mixes": errorOf(0.9)},
	Ours:   map[string]figure.Ours[Row]{"median": medianError, "p90": highError},
	Tables: tables,
	Draw:   draw,
}.Figure()

// Scale holds the settings of a scale.
type Scale struct {
	Mixes int
	Flows int // expected number of flows in a mix
}

// String describes the runs.
func (z Scale) String() string {
	return fmt.Sprintf("mixes: %d, of about %d flows; %d controls", z.Mixes, z.Flows, len(controls))
}

// Row is a line of rows.csv: a mix under a control.
type Row struct {
	Control string  `col:"control"`
	Mix     int     `col:"mix"`
	Links   string  `col:"links"` // links that are simulated: all, or one of each group of similar links
	Matrix  string  `col:"matrix"`
	Sizes   string  `col:"sizes"`
	Sigma   int     `col:"sigma"`
	Load    float64 `col:"load"` // load of the busiest link
	Over    int     `col:"oversubscription"`
	Flows   int     `col:"flows"`
	P99     float64 `col:"p99"`                // p99 slowdown in the run
	Error   float64 `col:"error" unit:"%"`     // error of the estimate's p99 slowdown
	Lo      float64 `col:"error_lo" unit:"%"`  //
	Hi      float64 `col:"error_hi" unit:"%"`  //
	Median  float64 `col:"p50_error" unit:"%"` // error of the median
	Work    float64 `col:"work"`               // packet-hops of the estimate, divided by those of the run
}

var controls = []string{"hpcc", "dctcp", "swift"}

// The links that are simulated.
const (
	all   = "all"
	alike = "one of alike ones"
)

// Of the network.
const (
	racks     = 32
	rackHosts = 16
	spines    = 4
	hostRate  = 10 * unit.Gbps
)

// mix is a mix of traffic.
type mix struct {
	matrix, sizes string
	sigma, over   int
	load          float64
}

// drawn returns the mixes of a seed.
func drawn(seed uint64, n int) []mix {
	r := hash.Stream(seed, "scale/estimate")
	list := make([]mix, n)
	for i := range list {
		list[i] = mix{one(r, "database", "web", "hadoop"), one(r, "webserver", "cachefollower", "hadoop"), one(r, 1, 2),
			one(r, 1, 2, 4), one(r, 0.3, 0.5, 0.7)}
	}
	return list
}

func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// hostLoad returns the load of the busiest host if the busiest link has the load of the mix. The busiest link is in
// the fabric or at a host.
func (m mix) hostLoad() float64 {
	w := workloads.Matrix(m.matrix)
	host, up := 0.0, 0.0
	for i := range w {
		out, in := 0.0, 0.0
		for j := range w {
			out, in = out+w[i][j], in+w[j][i]
		}
		host = max(host, max(out, in)/(rackHosts*float64(hostRate)))
		up = max(up, (max(out, in)-w[i][i])/(spines*float64(m.fabric())))
	}
	return m.load * host / max(host, up)
}

// fabric returns the rate of links between switches.
func (m mix) fabric() unit.Rate { return rackHosts * hostRate / unit.Rate(spines*m.over) }

// set returns the scenario keys of a mix with about the given number of flows.
func (m mix) set(flows int) ([]string, error) {
	duration := unit.Second
	traffic := workloads.RackTraffic{Matrix: m.matrix, RackHosts: rackHosts, Sizes: m.sizes, Load: m.hostLoad(),
		Duration: duration}
	hosts := make([]workloads.Host, racks*rackHosts)
	for i := range hosts {
		hosts[i] = workloads.Host{Node: topo.NodeID(i), Rate: hostRate}
	}
	g, err := traffic.Generator(&workloads.Setting{Hosts: hosts})
	if err != nil {
		return nil, err
	}
	plan,
		err := workloads.Workload{Parts: []workloads.Part{{Name: "racks", Priority: workloads.DefaultPriority,
		Generator: g}}}.Plan(hosts)
	if err != nil {
		return nil, err
	}
	duration = unit.Time(float64(flows)/plan.Flows*1e6) * unit.Microsecond
	return []string{
		"name=mix", "telemetry.kind=int", "network.buffer=32MB",
		fmt.Sprintf(
			"topology={kind: leafspine, leaves: %d, spines: %d, hosts_per_leaf: %d, host_rate: %v, fabric_rate: %v}",
			racks, spines, rackHosts, hostRate, m.fabric()),
		fmt.Sprintf(
			"workload=[{kind: racks, matrix: %s, sizes: %s, load: %.6f, gaps: lognormal, sigma: %d, duration: %v}]",
			m.matrix, m.sizes, m.hostLoad(), m.sigma, duration),
	}, nil
}

func measure(ctx context.Context, j *figure.Job, z Scale) ([]Row, error) {
	var specs []campaign.Spec
	var rows []Row
	for _, c := range controls {
		for i, m := range drawn(j.Seed, z.Mixes) {
			set, err := m.set(z.Flows)
			if err != nil {
				return nil, err
			}
			set = append(set, "cc.kind="+c, fmt.Sprintf("seed=%d", j.Seed+uint64(i)))
			if c != "hpcc" {
				set = slices.DeleteFunc(set, func(s string) bool { return s == "telemetry.kind=int" })
			}
			run := campaign.Spec{Label: fmt.Sprintf("%s, mix %d", c, i), Base: "fat320-web", Set: set}
			specs = append(specs, run)
			for _, links := range []string{all, alike} {
				e := run.With("estimate.enabled=true", fmt.Sprintf("estimate.clusters=%t", links == alike))
				e.Label += ", estimated from " + links
				specs = append(specs, e)
				rows = append(rows, Row{Control: c, Mix: i, Links: links, Matrix: m.matrix, Sizes: m.sizes,
					Sigma: m.sigma, Load: m.load, Over: m.over})
			}
		}
	}
	runs, err := j.Simulate(ctx, specs)
	if err != nil {
		return nil, err
	}
	for k := range rows {
		run, est := runs[k/2*3], runs[k/2*3+1+k%2]
		of, err := run.Flows()
		if err != nil {
			return nil, err
		}
		by, err := est.Flows()
		if err != nil {
			return nil, err
		}
		errs, err := estimate.Errors(of, by, 1)
		if err != nil {
			return nil, err
		}
		r, e := &rows[k], errs[len(errs)-1]
		r.Flows, r.P99, r.Error, r.Lo, r.Hi, r.Median = e.Flows, e.P99, e.P99Error, e.P99Error-e.Half,
			e.P99Error+e.Half, e.P50Error
		r.Work = float64(est.Manifest.Summary.PacketHops) / float64(run.Manifest.Summary.PacketHops)
	}
	j.Setting("network", "Parsimon §5.3", "%d racks of %d hosts at %v, %d spines, oversubscription 1, 2 or 4", racks,
		rackHosts, hostRate, spines)
	j.Setting("traffic", "Parsimon §5.3",
		"matrix database, web or hadoop; sizes webserver, cachefollower or hadoop; lognormal gaps of sigma 1 or 2; "+
			"30, 50 or 70 %% of the busiest link")
	j.Footnote("512 hosts; mixes: %d, drawn by seed %d, about %d flows each", z.Mixes, j.Seed, z.Flows)
	return rows, nil
}

// errorsOf returns the errors of a control and their absolute values, both in ascending order.
func errorsOf(rows []Row, control, links string) (list, absolute []float64) {
	for i := range rows {
		if r := &rows[i]; r.Control == control && r.Links == links {
			list, absolute = append(list, r.Error), append(absolute, math.Abs(r.Error))
		}
	}
	slices.Sort(list)
	slices.Sort(absolute)
	return list, absolute
}

// enough is the smallest number of mixes on which a claim is judged.
const enough = 10

// medianWithin judges whether the median error of a control is within the amount, in percent.
func medianWithin(c *figure.Claim, rows []Row) figure.Finding {
	errs, _ := errorsOf(rows, c.Scheme, all)
	mid := median(errs)
	return figure.Judge("", mid.Inside(-c.Amount, c.Amount), mid.Below(-c.Amount) || mid.Above(c.Amount),
		"%s %% (%s to %s); mixes: %d", number.Change(mid.Value, 1), number.Change(mid.Lo, 1), number.Change(mid.Hi, 1),
		len(errs))
}

// errorOf makes a kind of claim. Such a claim holds if a percentile of the absolute errors of a control is at most
// the amount.
func errorOf(p float64) func(*figure.Claim, []Row) figure.Finding {
	return func(c *figure.Claim, rows []Row) figure.Finding {
		_, off := errorsOf(rows, c.Scheme, all)
		x := stats.Percentile(off, p)
		return figure.Judge("", len(off) >= enough && x <= c.Amount, len(off) >= enough && x > c.Amount,
			"%s %%; mixes: %d", number.Fixed(x, 1), len(off))
	}
}

// median returns the median of errors, with an interval. The errors must be in ascending order. The median is missing
// if there are too few errors.
func median(errs []float64) stats.Number {
	m, _, err := stats.Median(errs, 0.95)
	if err != nil || len(errs) < enough {
		return stats.None()
	}
	return stats.Number{Value: stats.Percentile(errs, 0.5), Lo: m.Lo, Hi: m.Hi}
}

// medianError returns the median of the errors of a control.
func medianError(rows []Row, p *figure.Published, c *report.Compared) stats.Number {
	list, _ := errorsOf(rows, p.Scheme, all)
	c.Over = fmt.Sprintf("mixes: %d", len(list))
	return median(list)
}

// highError returns the 90th percentile of the absolute errors of a control.
func highError(rows []Row, p *figure.Published, c *report.Compared) stats.Number {
	_, off := errorsOf(rows, p.Scheme, all)
	c.Over = fmt.Sprintf("mixes: %d", len(off))
	n := stats.None()
	if len(off) >= enough {
		n.Value = stats.Percentile(off, 0.9)
	}
	return n
}

// summary is a summary of a control's errors.
type summary struct {
	control, links              string
	mixes                       int
	median, half, most, highest float64
	work                        float64
}

func tables(rows []Row) []figure.Table {
	var list []summary
	for _, links := range []string{all, alike} {
		for _, c := range controls {
			errs, off := errorsOf(rows, c, links)
			if len(errs) == 0 {
				continue
			}
			var work []float64
			for i := range rows {
				if rows[i].Control == c && rows[i].Links == links {
					work = append(work, rows[i].Work)
				}
			}
			slices.Sort(work)
			list = append(list, summary{c, links, len(errs), stats.Percentile(errs, 0.5), stats.Percentile(off, 0.5),
				stats.Percentile(off, 0.9), off[len(off)-1], stats.Percentile(work, 0.5)})
		}
	}
	return []figure.Table{
		figure.Lines("controls", list,
			figure.Text("control", func(s summary) string { return s.control }),
			figure.Text("links simulated", func(s summary) string { return s.links }),
			figure.Whole("mixes", "", func(s summary) int64 { return int64(s.mixes) }),
			figure.Real("median", "%", func(s summary) float64 { return s.median }),
			figure.Real("median of |error|", "%", func(s summary) float64 { return s.half }),
			figure.Real("p90 of |error|", "%", func(s summary) float64 { return s.most }),
			figure.Real("worst", "%", func(s summary) float64 { return s.highest }),
			figure.Real("packet-hops / run", "", func(s summary) float64 { return s.work })),
		figure.Show("mixes", rows, "control", "mix", "links", "matrix", "sizes", "sigma", "load", "oversubscription",
			"flows", "p99", "error", "error_lo", "error_hi", "p50_error", "work"),
	}
}

func draw(rows []Row) ([]figure.Drawing, error) {
	f := plots.Figure{Title: "Error of the p99 slowdown of estimates", Width: plots.PageWidth, Columns: 2}
	for _, links := range []string{all, alike} {
		p := plots.Panel{
			Title: "Links simulated: " + links,
			X: plots.Axis{Label: "Error of the p99 slowdown", Unit: "%", Scale: plots.Linear,
				Lines: []plots.RefLine{{At: 0}}},
			Y: plots.Axis{Label: "Share of the mixes", Scale: plots.Linear, Min: plots.At(0), Max: plots.At(1)},
		}
		for _, c := range controls {
			list, _ := errorsOf(rows, c, links)
			s := plots.Series{Name: protocols.Standard().Controls.Title(c), Style: plots.Step}
			s.X, s.Y = plots.ECDF(list)
			p.Series = append(p.Series, s)
		}
		f.Panels = append(f.Panels, p)
	}
	return []figure.Drawing{{Name: "errors", Plot: f}}, nil
}
