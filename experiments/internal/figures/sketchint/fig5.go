package sketchint

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/sketch"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/int/sketch/heavy"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/internal/progress"
	"pintlab/plots"
	"pintlab/plots/report"
	"pintlab/workloads/packets"
)

// Fig5 is Figure 5 of SketchINT (§VII-B). It shows the accuracy of TowerSketch and other sketches in the six local
// tasks, by memory. Package measure/sketch defines the measures, which follow the paper's code.
var Fig5 = figure.Of[fig5Scale, sketch.Row]{
	Name:    "sketchint/fig5",
	Files:   files,
	Columns: sketch.Columns,
	Scales:  fig5Scales,
	Measure: measureTasks,
	Points:  fig5Points,
	// The paper prints averages over the memories, and numbers at 300 and 900 KB. It concludes that TowerCU "achieves
	// better accuracy in most local measurement tasks". Our claims judge this conclusion at every memory.
	Claims: kinds(fig5Points, pairs, map[string]func(*figure.Claim, []sketch.Row) figure.Finding{
		"all lower but at 100 KB": butAt100KB, "near": comparable,
	}),
	Ours: map[string]figure.Ours[sketch.Row]{
		"least ratio": leastRatio, ofRatios: averageRatio, ofMeans: averageRatio, largest: averageRatio,
		"entropy": stored[sketch.Row]("sketchint/fig5", "entropy"),
	},
	Tables: fig5Tables,
	Draw:   fig5Draw,
}.Figure()

const kb, mb = sketch.KB, sketch.MB

// fig5Scale holds what the figure runs at one scale.
type fig5Scale struct {
	share          int // divisor for the sizes of the paper's trace and memories
	memories       []int
	seeds          int
	hitter, change uint64 // Δh and Δc
}

var fig5Scales = map[figure.Scale]fig5Scale{
	figure.Smoke:  {40, []int{300 * kb, 900 * kb}, 2, 200, 100},
	figure.Laptop: {1, []int{100 * kb, 300 * kb, 500 * kb, 700 * kb, 900 * kb}, 20, 500, 250},
	figure.Paper: {1, []int{100 * kb, 200 * kb, 300 * kb, 400 * kb, 500 * kb, 600 * kb, 700 * kb, 800 * kb, 900 * kb},
		300, 500, 250},
}

// trace returns the generated trace of the scale.
func (z fig5Scale) trace() packets.Skewed { return traceOver(z.share) }

// traceOver returns the generated trace, with the numbers of packets and flows divided by share.
func traceOver(share int) packets.Skewed {
	s := packets.DefaultSkewed()
	s.Packets /= share
	s.Flows /= share
	return s
}

func (z fig5Scale) String() string {
	sizes := lists.Map(z.memories, func(m int) string { return sketch.SizeOf(float64(m / z.share)) })
	s := z.trace()
	return fmt.Sprintf("generated trace of %d packets and %d flows, fitted to these numbers (sketchint/trace), %s, %s",
		s.Packets, s.Flows, strings.Join(sizes, ", "), figure.Count(z.seeds, "seed"))
}

// question contains all settings on which the results of a seed depend.
type question struct {
	Trace          packets.Skewed
	Sketches       []sketch.Kind
	Memories       []int
	Hitter, Change uint64
	Table          int
}

func measureTasks(ctx context.Context, j *figure.Job, z fig5Scale) ([]sketch.Row, error) {
	if err := j.NoSet(); err != nil {
		return nil, err
	}
	set := j.Campaign.Language.Protocols()
	s, c := z.trace(), z.config(slices.Concat(sketch.SketchINT(), sketch.Names(set.OwnSketches())))
	s.Seed, c.Known = j.Seed, set.Sketches
	depends := question{s, c.Sketches, c.Memories, c.Hitter, c.Change, c.Table}
	cell := study.Cell{Label: "sketchint/fig5", Work: study.Kept(j, "sketchint/fig5", depends,
		func(ctx context.Context, seed uint64, show *progress.Task) (*sketch.Measured, error) {
			return ofSeeds(ctx, c, s, []uint64{seed}, show)
		})}
	all := study.Study{Cells: []study.Cell{cell}, Seeds: j.SeedList(z.seeds)}
	done, err := all.Run(ctx, j)
	if err != nil {
		return nil, err
	}
	seeds := study.Made[*sketch.Measured](done, cell)
	j.Setting("trace", "SketchINT §VII-B1 (CAIDA 2018: about 2.3 M packets of 170 K flows in 5 s)",
		"generated, %d packets of %d flows in %v", seeds[0].Packets, seeds[0].Flows, s.Duration)
	j.Setting("parameters of the trace", "not printed",
		"fitted to these numbers (sketchint/trace): %s of the flows have one packet, sizes of the others fall as "+
			"rank^-%g, and a flow lives for %g of the window", number.Share(s.Singles), s.Skew, s.Lifetime)
	j.Setting("Δh", "SketchINT §VII-B1: 500", "%d", c.Hitter)
	j.Setting("Δc", "SketchINT §VII-B1: 250", "%d; from one window to the next %s of the flows are replaced",
		c.Change, number.Share(s.Churn))
	j.Setting("repetitions", "SketchINT §VII-B1: 100", "%d, with other hashes on the same trace", len(seeds))
	divided := ""
	if z.share > 1 {
		divided = fmt.Sprintf("; packets, flows and memories are divided by %d, drawings and claims have the memory "+
			"at the paper's scale", z.share)
	}
	j.Footnote("%d packets of %d flows, generated; mean of %s, bars: 95 %% intervals%s", seeds[0].Packets,
		seeds[0].Flows, figure.Count(len(seeds), "seed"), divided)
	return rowsOf(seeds)
}

// config configures the measurement of a scale.
func (z fig5Scale) config(sketches []sketch.Kind) sketch.AccuracyConfig {
	c := sketch.AccuracyConfig{Sketches: sketches, Hitter: z.hitter, Change: z.change, Table: heavy.Capacity}
	for _, m := range z.memories {
		c.Memories = append(c.Memories, m/z.share)
	}
	return c
}

// rowsOf returns the rows of all seeds.
func rowsOf(seeds []*sketch.Measured) ([]sketch.Row, error) {
	var results []sketch.Accuracy
	for _, m := range seeds {
		results = append(results, m.Results...)
	}
	return sketch.Rows(results)
}

// ofSeeds passes two windows of the trace to all sketches, with the given seeds.
func ofSeeds(
	ctx context.Context, c sketch.AccuracyConfig, s packets.Skewed, seeds []uint64, show *progress.Task,
) (*sketch.Measured, error) {
	c.Seeds, c.Workers = seeds, 1
	c.Progress = func(n int64) { show.Update(float64(n)/float64(s.Packets)/2, fmt.Sprintf("%d packets", n)) }
	first, err := s.Window(0)
	if err != nil {
		return nil, err
	}
	second, err := s.Window(1)
	if err != nil {
		return nil, err
	}
	return c.Measure(ctx, first, second)
}

// largestMemory is the largest memory of a sketch in the paper's figure, in bytes.
const largestMemory = 900 * kb

// atPaperScale returns the rows with the corresponding memories at the paper's scale. It reports whether these differ
// from the memories of the rows.
func atPaperScale(rows []sketch.Row) (list []sketch.Row, divided bool) {
	most := 0
	for _, r := range rows {
		most = max(most, r.Memory)
	}
	return lists.Map(rows, func(r sketch.Row) sketch.Row {
		r.Memory = int(math.Round(float64(r.Memory) / float64(most) * largestMemory))
		return r
	}), most != largestMemory
}

// fig5Points returns the means. X and the size are the corresponding memory at the paper's scale.
func fig5Points(rows []sketch.Row) []study.Row {
	rows, _ = atPaperScale(rows)
	return lists.Map(rows, func(r sketch.Row) study.Row {
		p := study.Row{Table: r.Task, Scheme: r.Sketch, X: float64(r.Memory), Sized: stats.Whole(r.Number)}
		p.Size = p.X
		return p
	})
}

// comparableBy is the largest factor between two errors that count as comparable. The SketchINT paper calls 6.02e-4
// and 6.62e-4 comparable. It finds Tower better than CM and CU, because the errors of CM and CU are 2.8 and 3.3 times
// higher.
const comparableBy = 2

// butAt100KB judges whether the errors of TowerCU are below the errors of the other sketches (see ahead). If the only
// exception is that ElasticSketch is better at 100 KB, a section explains the failure.
func butAt100KB(c *figure.Claim, rows []sketch.Row) figure.Finding {
	at := *c
	at.Against, at.X = sketch.Elastic.Label(), "102000..103000"
	points := fig5Points(rows)
	all, known := pairs(points, c), pairs(points, &at)
	f := ahead(c.Statement, all, -1)
	rest := figure.Pick(all, func(p *pair) bool {
		return !slices.ContainsFunc(known, func(k pair) bool { return k.where == p.where })
	})
	if ahead(c.Statement, rest, -1).Outcome == figure.Fails {
		return f
	}
	return f.Because("at 100 KB")
}

// comparable judges whether errors are comparable where the paper calls them comparable.
func comparable(c *figure.Claim, rows []sketch.Row) figure.Finding {
	return near(c.Statement, pairs(fig5Points(rows), c), comparableBy)
}

// leastRatio returns the lowest number of the other sketches, divided by the number of the sketch p.Scheme.
func leastRatio(rows []sketch.Row, p *figure.Published, _ *report.Compared) stats.Number {
	points, ratio := fig5Points(rows), stats.None()
	ours := figure.PointAt(points, p.Panel, p.Scheme, p.X)
	for _, k := range []sketch.Kind{sketch.CM, sketch.CU, sketch.Elastic} {
		if x := figure.PointAt(points, p.Panel, k.Label(), p.X); x != nil && ours != nil {
			ratio = lesser(ratio, x.Ratio(ours.Number))
		}
	}
	return ratio
}

// The ways to combine the ratios at all memories into one number. The paper does not describe how it averages, so we
// read each average of the paper in several ways.
const (
	ofRatios = "mean of the ratios"
	ofMeans  = "ratio of the means"
	largest  = "largest ratio" // "up to"
)

// averageRatio returns the factor by which the numbers of TowerCU are below the numbers of p.Against. It combines the
// memories from p.X on, in the way that p.Ours names.
func averageRatio(rows []sketch.Row, p *figure.Published, _ *report.Compared) stats.Number {
	var ratios, own, theirs, most stats.Number
	add := func(sum, x stats.Number) stats.Number {
		return stats.Number{Value: sum.Value + x.Value, Lo: sum.Lo + x.Lo, Hi: sum.Hi + x.Hi}
	}
	points, n := fig5Points(rows), 0.0
	for _, r := range figure.PointsOf(points, p.Panel, sketch.TowerCU.Label()) {
		for _, o := range strings.Split(p.Against, ", ") {
			x := figure.PointAt(points, p.Panel, o, r.X)
			if r.X < 0.99*p.X || x == nil || r.Missing() || x.Missing() {
				continue
			}
			n++
			q := x.Ratio(r.Number)
			ratios, own, theirs = add(ratios, q), add(own, r.Number), add(theirs, x.Number)
			most = stats.Number{Value: max(most.Value, q.Value), Lo: max(most.Lo, q.Lo), Hi: max(most.Hi, q.Hi)}
		}
	}
	switch {
	case n == 0:
		return stats.None()
	case p.Ours == largest:
		return most
	case p.Ours == ofMeans:
		return theirs.Ratio(own)
	}
	return ratios.Times(1 / n)
}

// sketchesOf returns the paper's sketches, and any further sketches in the rows, which a user's program has added.
func sketchesOf(rows []sketch.Row) []sketch.Kind {
	list := sketch.SketchINT()
	for _, r := range rows {
		if !slices.ContainsFunc(list, func(k sketch.Kind) bool { return k.Label() == r.Sketch }) {
			list = append(list, sketch.Kind(r.Sketch))
		}
	}
	return list
}

// fig5Tables returns tables with a column for each sketch.
func fig5Tables(rows []sketch.Row) []figure.Table {
	columns := []figure.Column[[]sketch.Row]{figure.Whole("memory", "B",
		func(l []sketch.Row) int64 { return int64(l[0].Memory) })}
	for _, k := range sketchesOf(rows) {
		columns = append(columns, figure.Real(k.Label(), "", func(l []sketch.Row) float64 {
			if r := figure.Find(l, func(r *sketch.Row) bool { return r.Sketch == k.Label() }); r != nil {
				return r.Median
			}
			return math.NaN()
		}))
	}
	var list []figure.Table
	for _, t := range sketch.Tasks() {
		of := figure.Pick(rows, func(r *sketch.Row) bool { return r.Task == t.Name })
		slices.SortStableFunc(of, func(a, b sketch.Row) int { return a.Memory - b.Memory })
		sizes := figure.Groups[[]sketch.Row](of, func(r *sketch.Row) int { return r.Memory })
		list = append(list, figure.Lines("task", sizes, columns...).With(t.Label))
	}
	return list
}

// fig5Draw makes a panel for each task. It omits CM(O) and CU(O), which the figures of the SketchINT paper do not
// show; the tables contain them.
func fig5Draw(rows []sketch.Row) ([]figure.Drawing, error) {
	f, printed := plots.Figure{Title: "Local tasks", Columns: 2}, figure.PublishedOf("sketchint/fig5", files)
	rows, divided := atPaperScale(rows)
	points := fig5Points(rows)
	for _, t := range sketch.Tasks() {
		panel := t.Axes()
		if divided {
			panel.X.Label = "Memory at the paper's scale"
		}
		for _, k := range sketchesOf(rows) {
			if k == sketch.CMO || k == sketch.CUO {
				continue
			}
			p := plots.Series{Name: k.Label(), Style: plots.Points, Published: true}
			for _, x := range printed {
				r := figure.PointAt(points, x.Panel, x.Scheme, x.X)
				if x.Panel == t.Name && x.Scheme == k.Label() && x.Ours == "" && r != nil {
					p.X, p.Y = append(p.X, r.Size), append(p.Y, x.Value)
				}
			}
			panel.Series = append(panel.Series, figure.Drawn(t.Curve(rows, k), p)...)
		}
		f.Panels = append(f.Panels, panel)
	}
	return []figure.Drawing{{Name: "tasks", Plot: f}}, nil
}
