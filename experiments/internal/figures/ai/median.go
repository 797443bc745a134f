package ai

import (
	"context"
	"fmt"
	"math"
	"slices"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// feedback is a way in which a control combines its latest signals, with the settings for it.
type feedback struct {
	name string
	set  []string
}

func pool(name, of string, set ...string) feedback {
	return feedback{name, append([]string{"cc.feedback=" + of}, set...)}
}

// The ways to combine signals. By default, the number of signals follows arXiv 2509.07907, Eq. 9, and is at most 4.
var (
	newest     = feedback{name: "newest"}
	medianOf4  = pool("median", "median")
	medianOfW2 = pool("median of W/2", "median", "cc.feedback_most=1024") // Eq. 8
	minimum    = pool("minimum", "minimum")
	mean       = pool("mean", "mean")

	feedbacks = []feedback{newest, medianOf4, medianOfW2, minimum, mean}
)

// The controls and balancers that the figure combines with these ways.
var (
	sprayedINT = rdma("HPCC, INT", "hpcc", "int", "cc.records=port")
	lswift     = rdma("LSwift", "swift", "none", "cc.delayed_acks=5")

	pooledControls  = []control{sprayedINT, hpccPINT, hpccCSIG, swift, lswift, nscc}
	pooledBalancers = []balancer{spraying, reps}
)

// reading returns a variant of the control that combines signals in the given way.
func (c control) reading(f feedback) control {
	c.name, c.set = c.name+", "+f.name, append(slices.Clone(c.set), f.set...)
	return c
}

// slowest is the completion time of the last flow, the measure by which arXiv 2509.07907 compares controls.
const slowest = "completion time of the slowest flow"

// permutations describes the runs of the figure at a scale.
type permutations struct {
	seeds, servers int
	size           unit.Bytes
}

// String describes the runs.
func (z permutations) String() string {
	return fmt.Sprintf("%d hosts, a permutation of flows of %s, %s", z.servers*rails, figure.Size(z.size),
		figure.Count(z.seeds, "seed"))
}

// Median compares ways in which controls read signals of sprayed packets. A control reads the newest signal, or the
// median, minimum or mean of several signals. Gerstein, Silberstein and Keslassy published MNSCC and MSwift (arXiv
// 2509.07907). Nobody has published HPCC with medians. Fig. 4 of arXiv 2509.07907 also has four flows that stay on
// one path. We omit these flows, because a run has only one balancer.
var Median = figure.Spec[permutations]{
	Name: "ai/median", Files: files, Columns: figure.ByCase, Measure: measureMedian,
	Tables: medianTables, Draw: drawMedian,
	Scales: map[figure.Scale]permutations{
		figure.Smoke:  {seeds: 1, servers: 2, size: 2 * unit.MB},
		figure.Laptop: {seeds: 5, servers: 16, size: 8 * unit.MB},
		figure.Paper:  {seeds: 20, servers: 16, size: 64 * unit.MB},
	},
}.Figure()

// pairs lists the controls with which a control is compared if both combine signals in the same way. In addition,
// each way to combine signals is compared with the newest signal under the same control.
var pairs = map[string][]control{
	hpccPINT.name: {sprayedINT}, hpccCSIG.name: {sprayedINT}, lswift.name: {swift}, nscc.name: {lswift},
}

func measureMedian(ctx context.Context, j *figure.Job, z permutations) ([]study.Row, error) {
	p := study.Study{Seeds: j.SeedList(z.seeds), Measures: append([]study.Measure{
		study.Paired(study.FCT(slowest, 0, stats.AnySize, func(t stats.Times) float64 { return t.Max })).
			In(plots.InSeconds),
	}, quantities[1:]...)}
	for i, network := range networks {
		for _, b := range pooledBalancers {
			for _, c := range pooledControls {
				for _, f := range feedbacks {
					own := c.reading(f)
					e := study.Cell{Case: network, Scheme: own.with(b), X: math.NaN(), Base: base,
						Set: append([]string{
							"name=ai-median", fmt.Sprintf("workload=[{kind: permutation, size: %v}]", z.size),
							railNetwork(z.servers, i),
						}, own.settings(b)...)}
					if f.name != newest.name {
						e.Against = append(e.Against, c.reading(newest).with(b))
					}
					for _, other := range pairs[c.name] {
						e.Against = append(e.Against, other.reading(f).with(b))
					}
					if c.name == lswift.name && f.name == medianOfW2.name { // MSwift and MNSCC
						e.Against = append(e.Against, nscc.reading(medianOf4).with(b))
					}
					p.Cells = append(p.Cells, e)
				}
			}
		}
	}
	for _, c := range pooledControls {
		j.Setting(c.name, "", "%s", study.Scheme{Set: c.set}.Changes())
	}
	for _, f := range feedbacks[1:] {
		j.Setting(f.name, "", "%s", study.Scheme{Set: f.set}.Changes())
	}
	j.Footnote("%v; rail-optimised network at 400 Gb/s, 500 ns per link; bars: 95 %% intervals over the seeds", z)
	return p.Measure(ctx, j, study.All("", ""))
}

// ofControls groups rows into a line for each case, balancer and control. A line contains the rows of all ways to
// combine signals.
func ofControls(rows []study.Row) (lines []figure.Line) {
	return figure.By(figure.Pick(rows, func(r *study.Row) bool { return r.Against == "" }), func(r *study.Row) string {
		c, _, b := readingOf(r.Scheme)
		return r.Case + "\n" + b + "\n" + c
	})
}

// readingOf returns the control of a scheme, the way in which it combines signals, and the balancer.
func readingOf(scheme string) (control, feedback, balancer string) {
	scheme, balancer = parts(scheme)
	control, feedback = parts(scheme)
	return control, feedback, balancer
}

func medianTables(rows []study.Row) []figure.Table {
	part := func(n int) func(figure.Line) string {
		return func(l figure.Line) string {
			c, _, b := readingOf(l[0].Scheme)
			return []string{c, b}[n]
		}
	}
	byFeedback := func(quantity, unit string, scale float64) []figure.Cell {
		cells := []figure.Cell{figure.Case("network"), figure.Text("balancer", part(1)),
			figure.Text("control", part(0))}
		for _, f := range feedbacks {
			cells = append(cells, figure.Real(f.name, unit, func(l figure.Line) float64 {
				for _, r := range l {
					if _, name, _ := readingOf(r.Scheme); name == f.name && r.Quantity == quantity {
						return scale * r.Value
					}
				}
				return math.NaN()
			}))
		}
		return cells
	}
	lines := ofControls(rows)
	return []figure.Table{
		figure.Lines("slowest", lines, byFeedback(slowest, "us", 1e6)...),
		figure.Lines("again", lines, byFeedback(again, "%", 100)...),
		figure.Lines("changes", ratios(rows),
			figure.Case("network"), figure.Scheme("scheme"), figure.Against("against", slowest),
			figure.Change("slowest flow", slowest)),
	}
}

func drawMedian(rows []study.Row) ([]figure.Drawing, error) {
	f := plots.Figure{Title: "Slowest flow by control and feedback", Width: plots.PageWidth, Columns: 1,
		PanelHeight: panelHeight}
	for _, network := range networks {
		for _, b := range pooledBalancers {
			of := figure.Pick(rows, func(r *study.Row) bool {
				_, _, by := readingOf(r.Scheme)
				return r.Case == network && by == b.name
			})
			for i := range of { // each control has a group of bars
				of[i].Case, of[i].Scheme, _ = readingOf(of[i].Scheme)
			}
			p := figure.Bars(of, slowest, figure.Linear("Slowest flow", plots.InSeconds))
			p.Title = sentence(network) + ", " + b.name
			f.Panels = append(f.Panels, p)
		}
	}
	return []figure.Drawing{{Name: "slowest", Plot: f}}, nil
}
