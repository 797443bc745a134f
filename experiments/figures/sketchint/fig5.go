package sketchint

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/sketch"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/study"
	"pintlab/int/sketch/heavy"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/plots/report"
	"pintlab/workloads/packets"
)

// Fig5 is Figure 5 of SketchINT (§VII-B): the accuracy of TowerSketch and its
// peers in the six local tasks, against their memory.
//
// Package accuracy has the definitions, which are those of the SketchINT paper's code.
//
// docs/claims.md has what the laptop scale gives, made from laptop.csv beside this file.
var Fig5 = figure.Of[fig5Scale, Fig5Row]{
	Name:    "sketchint/fig5",
	Files:   files,
	Columns: fig5View,
	Scales:  fig5Scales,
	Measure: measureTasks,
	Points:  fig5Points,
	Check:   fig5Check,
	Ours: map[string]figure.Ours[Fig5Row]{
		"least ratio": leastRatio, ofRatios: averageRatio, ofMeans: averageRatio, largest: averageRatio,
	},
	Tables: fig5Tables,
	Draw:   fig5Draw,
}.Figure()

// Fig5Row is a line of rows.csv: one number of one sketch with one memory, the mean over the seeds.
type Fig5Row struct {
	Task   string `col:"task"`   // sketch.Tasks
	Sketch string `col:"scheme"` // as in the legend of the SketchINT paper
	Memory int    `col:"memory" unit:"B"`
	stats.Number
	Median float64 `col:"median"` // over the seeds; one unlucky hash does not move it
	Least  float64 `col:"least"`
	Most   float64 `col:"most"`
}

var fig5View = columns.View{"task", "scheme", "memory", "value", "lo", "hi", "median", "least", "most", "seeds"}

// fig5Scale holds what the figure runs at one scale.
type fig5Scale struct {
	share          int // the trace and the memories are the SketchINT paper's over this
	memories       []int
	seeds          int
	hitter, change uint64 // Δh and Δc
}

var fig5Scales = map[figure.Scale]fig5Scale{
	figure.Smoke:  {40, []int{300_000, 900_000}, 2, 200, 100},
	figure.Laptop: {1, []int{100_000, 300_000, 500_000, 700_000, 900_000}, 20, 500, 250},
	figure.Paper: {1, []int{100_000, 200_000, 300_000, 400_000, 500_000, 600_000, 700_000, 800_000, 900_000}, 100, 500,
		250},
}

// trace returns the generated trace of the scale.
func (z fig5Scale) trace() packets.Skewed {
	s := packets.DefaultSkewed()
	s.Packets /= z.share
	s.Flows /= z.share
	return s
}

func (z fig5Scale) String() string {
	sizes := lists.Map(z.memories, func(m int) string { return figure.Size(unit.Bytes(m / z.share)) })
	s := z.trace()
	return fmt.Sprintf("generated trace of %d packets and %d flows, %s, %s", s.Packets, s.Flows,
		strings.Join(sizes, ", "), figure.Count(z.seeds, "seed"))
}

// together is how many seeds have their sketches in memory at the same time.
const together = 10

// run passes two windows of the trace to all sketches.
func run(ctx context.Context, c sketch.AccuracyConfig, s packets.Skewed) ([]sketch.Accuracy, *sketch.Truth, error) {
	first, err := s.Window(0)
	if err != nil {
		return nil, nil, err
	}
	second, err := s.Window(1)
	if err != nil {
		return nil, nil, err
	}
	return sketch.MeasureAccuracy(ctx, c, first, second)
}

// batch holds the results of some seeds. A stored batch is not computed again.
type batch struct {
	Packets, Flows int
	Results        []kept
}

// kept is an sketch.Accuracy with its numbers in the order of numbers.
type kept struct {
	Sketch            sketch.Kind
	Memory            int
	Seed              uint64
	Numbers           []columns.Number
	Infinite, Dropped int
}

// numbers returns the real numbers of a result.
func numbers(r *sketch.Accuracy) []*float64 {
	return []*float64{&r.ARE, &r.AAE, &r.HitterF1, &r.HitterARE, &r.ChangeF1, &r.Entropy, &r.Cardinality,
		&r.Distribution}
}

func keep(r *sketch.Accuracy) kept {
	k := kept{Sketch: r.Sketch, Memory: r.Memory, Seed: r.Seed, Infinite: r.Infinite, Dropped: r.Dropped}
	for _, x := range numbers(r) {
		k.Numbers = append(k.Numbers, columns.Number(*x))
	}
	return k
}

func (k *kept) result() (sketch.Accuracy, error) {
	r := sketch.Accuracy{Sketch: k.Sketch, Memory: k.Memory, Seed: k.Seed, Infinite: k.Infinite, Dropped: k.Dropped}
	list := numbers(&r)
	if len(k.Numbers) != len(list) {
		return r, fmt.Errorf("a stored result of %s has %d numbers, want %d", k.Sketch.Label(), len(k.Numbers),
			len(list))
	}
	for i, x := range list {
		*x = float64(k.Numbers[i])
	}
	return r, nil
}

// question is all that a batch depends on.
type question struct {
	Trace          packets.Skewed
	Sketches       []sketch.Kind
	Memories       []int
	Seeds          []uint64
	Hitter, Change uint64
	Table          int
}

func measureTasks(ctx context.Context, j *figure.Job, z fig5Scale) ([]Fig5Row, error) {
	if err := j.NoSet(); err != nil {
		return nil, err
	}
	s := z.trace()
	s.Seed = j.Seed
	show := j.Progress(1)
	defer show.Close()
	task := show.Begin("sketchint/fig5")
	defer task.End()
	c := sketch.AccuracyConfig{
		Sketches: sketch.SketchINT(), Hitter: z.hitter, Change: z.change, Table: heavy.Capacity,
		Workers: j.Campaign.Workers,
	}
	for _, m := range z.memories {
		c.Memories = append(c.Memories, m/z.share)
	}
	var results []sketch.Accuracy
	var truth batch // without results: what all batches have in common
	seeds := j.SeedList(z.seeds)
	for done := 0; done < len(seeds); done += len(c.Seeds) {
		c.Seeds = seeds[done:min(done+together, len(seeds))]
		c.Progress = func(n int64) {
			share := float64(n) / float64(s.Packets) / 2
			task.Update((float64(done)+share*float64(len(c.Seeds)))/float64(len(seeds)), fmt.Sprintf("%d packets", n))
		}
		b, err := study.Part(j, "sketchint/fig5",
			question{s, c.Sketches, c.Memories, c.Seeds, c.Hitter, c.Change, c.Table}, func() (batch, error) {
				some, truth, err := run(ctx, c, s)
				if err != nil {
					return batch{}, err
				}
				b := batch{Packets: int(truth.First.Packets()), Flows: truth.First.Flows()}
				for i := range some {
					b.Results = append(b.Results, keep(&some[i]))
				}
				return b, nil
			})
		if err != nil {
			return nil, err
		}
		truth = batch{Packets: b.Packets, Flows: b.Flows}
		for i := range b.Results {
			r, err := b.Results[i].result()
			if err != nil {
				return nil, err
			}
			results = append(results, r)
		}
	}
	// All seeds of a sketch with some memory, one after the other.
	slices.SortStableFunc(results, func(a, b sketch.Accuracy) int {
		return cmp.Or(cmp.Compare(slices.Index(c.Sketches, a.Sketch), slices.Index(c.Sketches, b.Sketch)),
			cmp.Compare(a.Memory, b.Memory))
	})
	means, err := sketch.Means(results)
	if err != nil {
		return nil, err
	}
	j.Setting("trace", "SketchINT §VII-B1 (CAIDA 2018: about 2.3 M packets of 170 K flows in 5 s)",
		"generated, %d packets of %d flows in %v, sizes fall as rank^-%g", truth.Packets, truth.Flows, s.Duration,
		s.Skew)
	j.Setting("Δh", "SketchINT §VII-B1: 500", "%d", c.Hitter)
	j.Setting("Δc", "SketchINT §VII-B1: 250", "%d; from one window to the next %g %% of the flows are replaced",
		c.Change, 100*s.Churn)
	j.Setting("repetitions", "SketchINT §VII-B1: 100", "%d, with other hashes on the same trace", len(seeds))
	j.Footnote("%d packets of %d flows, generated; median of %s, bars: least to most", truth.Packets, truth.Flows,
		figure.Count(len(seeds), "seed"))
	return rowsOf(means), nil
}

// rowsOf returns the rows of all tasks.
func rowsOf(means []sketch.Mean) []Fig5Row {
	var rows []Fig5Row
	for _, t := range sketch.Tasks() {
		for i := range means {
			m := &means[i]
			x := t.Of(m)
			r := Fig5Row{t.Name, m.Sketch.Label(), m.Memory, x.Number, x.Median, x.Least, x.Most}
			r.Seeds = m.Seeds
			rows = append(rows, r)
		}
	}
	return rows
}

// fig5Points returns the means. X is the memory at the scale of the paper, whose largest memory is 900 KB.
func fig5Points(rows []Fig5Row) []study.Row {
	return lists.Map(rows, func(r Fig5Row) study.Row {
		x := float64(r.Memory) / fig5Memory(rows, 1)
		return study.Row{Table: r.Task, Scheme: r.Sketch, X: x, Sized: stats.Whole(r.Number)}
	})
}

// fig5Memory returns the memory that stands for one of the paper.
func fig5Memory(rows []Fig5Row, printed float64) float64 {
	most := 0
	for _, r := range rows {
		most = max(most, r.Memory)
	}
	return printed * float64(most) / 900_000
}

// fig5At returns the row of a task, a sketch and a memory of the paper; nil without one.
func fig5At(rows []Fig5Row, task, sketch string, printed float64) *Fig5Row {
	want := fig5Memory(rows, printed)
	return figure.Find(rows, func(r *Fig5Row) bool {
		return r.Task == task && r.Sketch == sketch && math.Abs(float64(r.Memory)-want) < 2
	})
}

var (
	peers      = []sketch.Kind{sketch.CM, sketch.CU, sketch.Elastic}
	fig5Towers = []sketch.Kind{sketch.TowerCM, sketch.TowerCU}
	both       = []sketch.Kind{sketch.CM, sketch.CU}
	elastic    = []sketch.Kind{sketch.Elastic}
)

// fig5With returns the row of another sketch in the same task with the same memory; nil without one.
func fig5With(rows []Fig5Row, r *Fig5Row, sketch string) *Fig5Row {
	return figure.Find(rows,
		func(x *Fig5Row) bool { return x.Task == r.Task && x.Memory == r.Memory && x.Sketch == sketch })
}

// fig5Pairs compares each of the sketches with each of the others at every memory, or at those of the paper that are
// given in KB.
func fig5Pairs(rows []Fig5Row, task string, sketches, others []sketch.Kind, memories ...float64) []pair {
	var list []pair
	for _, k := range sketches {
		at := figure.Pick(rows, func(r *Fig5Row) bool {
			named := func(kb float64) bool { return r == fig5At(rows, task, k.Label(), 1000*kb) }
			return r.Task == task && r.Sketch == k.Label() &&
				(len(memories) == 0 || slices.ContainsFunc(memories, named))
		})
		for i := range at {
			for _, o := range others {
				if x := fig5With(rows, &at[i], o.Label()); x != nil {
					where := fmt.Sprintf("%s, %s, %s", k.Label(), o.Label(), figure.Size(unit.Bytes(at[i].Memory)))
					list = append(list, pair{where, at[i].Number, x.Number})
				}
			}
		}
	}
	return list
}

// comparableBy is the factor between errors that we take as comparable. The SketchINT paper calls 6.02e-4 and 6.62e-4
// comparable, and finds Tower better than CM and CU, whose errors are 2.8 and 3.3 times higher.
const comparableBy = 2

// butAt100KB judges whether TowerCU is ahead of its peers, as ahead does. The section explains that it is behind
// ElasticSketch at 100 KB, and nothing else.
func butAt100KB(statement string, rows []Fig5Row, task string, sign float64, section string) figure.Finding {
	cu := fig5Towers[1:]
	pairs, known := fig5Pairs(rows, task, cu, peers), fig5Pairs(rows, task, cu, elastic, 100)
	f := ahead(statement, pairs, sign)
	rest := figure.Pick(pairs, func(p *pair) bool {
		return !slices.ContainsFunc(known, func(k pair) bool { return k.where == p.where })
	})
	if ahead(statement, rest, sign).Outcome != figure.Fails {
		f = f.Because(section)
	}
	return f
}

// fig5Check judges what the text says of Fig. 5. It gives averages over the memories and numbers at 300 and 900 KB, and
// concludes that TowerCU "achieves better accuracy in most local measurement tasks": that is judged at every memory.
func fig5Check(rows []Fig5Row) []figure.Finding {
	cu := fig5Towers[1:]
	return []figure.Finding{
		ahead("TowerCM and TowerCU have a lower ARE and AAE than CM, CU and ElasticSketch at 900 KB",
			slices.Concat(fig5Pairs(rows, "are", fig5Towers, peers, 900),
				fig5Pairs(rows, "aae", fig5Towers, peers, 900)), -1),
		ahead("TowerCU has a lower ARE than CM, CU and ElasticSketch at every memory",
			fig5Pairs(rows, "are", cu, peers), -1),
		ahead("TowerCU has a lower AAE than CM, CU and ElasticSketch at every memory",
			fig5Pairs(rows, "aae", cu, peers), -1),
		butAt100KB("TowerCU always has a higher F1 of heavy hitters than CM, CU and ElasticSketch", rows, "hitter-f1",
			1, "hitters at 100 KB"),
		butAt100KB("TowerCU has a higher F1 of heavy changes than CM, CU and ElasticSketch at every memory", rows,
			"change-f1", 1, "at 100 KB"),
		butAt100KB("TowerCU has a lower error of the entropy than CM, CU and ElasticSketch at every memory", rows,
			"entropy", -1, "at 100 KB"),
		ahead("Tower has a lower error of the cardinality than CM and CU at every memory",
			fig5Pairs(rows, "cardinality", cu, both), -1),
		near("Tower has an error of the cardinality comparable with ElasticSketch's at every memory",
			fig5Pairs(rows, "cardinality", cu, elastic), comparableBy),
		ahead("TowerCM and TowerCU have a lower WMRE of the distribution than CM and CU at every memory",
			fig5Pairs(rows, "distribution", fig5Towers, both), -1),
	}
}

// leastRatio finds how many times lower the number of a sketch is than the lowest of its peers.
func leastRatio(rows []Fig5Row, p *figure.Published, _ *report.Compared) stats.Number {
	ratio := stats.None()
	if ours := fig5At(rows, p.Panel, p.Scheme, p.X); ours != nil {
		for _, o := range peers {
			if x := fig5With(rows, ours, o.Label()); x != nil {
				ratio = lesser(ratio, x.Ratio(ours.Number))
			}
		}
	}
	return ratio
}

// The ways to get one ratio of those at all memories. The text of the paper does not say how it averages, so that each
// of its averages is read in several ways; the line without a reading stands for its own words.
const (
	ofRatios = "mean of the ratios"
	ofMeans  = "ratio of the means"
	largest  = "largest ratio" // "up to"
)

// averageRatio finds how many times lower the numbers of a sketch are than those of the others, over the memories from
// X on.
func averageRatio(rows []Fig5Row, p *figure.Published, _ *report.Compared) stats.Number {
	return average(rows, p.Panel, strings.Split(p.Against, ", "), p.X, p.Ours)
}

// average returns how many times lower the numbers of TowerCU are than those of the others, over the memories of the
// paper from some bytes on.
func average(rows []Fig5Row, task string, others []string, from float64, how string) stats.Number {
	var ratios, own, theirs, most stats.Number
	add := func(sum, x stats.Number) stats.Number {
		return stats.Number{Value: sum.Value + x.Value, Lo: sum.Lo + x.Lo, Hi: sum.Hi + x.Hi}
	}
	n := 0.0
	for _, r := range rows {
		if r.Task != task || r.Sketch != sketch.TowerCU.Label() || float64(r.Memory) < fig5Memory(rows, from)-1 {
			continue
		}
		for _, o := range others {
			x := fig5With(rows, &r, o)
			if x == nil || r.Missing() || x.Missing() {
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
	case how == largest:
		return most
	case how == ofMeans:
		return theirs.Ratio(own)
	}
	return ratios.Times(1 / n)
}

// fig5Tables have the sketches side by side.
func fig5Tables(rows []Fig5Row) []figure.Table {
	columns := []figure.Column[[]Fig5Row]{figure.Whole("memory", "B",
		func(l []Fig5Row) int64 { return int64(l[0].Memory) })}
	for _, k := range []sketch.Kind{sketch.TowerCM, sketch.TowerCU, sketch.CM, sketch.CU, sketch.CMO,
		sketch.CUO, sketch.Elastic} {
		columns = append(columns, figure.Real(k.Label(), "", func(l []Fig5Row) float64 {
			if r := figure.Find(l, func(r *Fig5Row) bool { return r.Sketch == k.Label() }); r != nil {
				return r.Median
			}
			return 0
		}))
	}
	var list []figure.Table
	for _, t := range sketch.Tasks() {
		of := figure.Pick(rows, func(r *Fig5Row) bool { return r.Task == t.Name })
		slices.SortStableFunc(of, func(a, b Fig5Row) int { return a.Memory - b.Memory })
		list = append(list, figure.Lines("task", figure.Groups[[]Fig5Row](of, func(r *Fig5Row) int { return r.Memory }),
			columns...).With(t.Label))
	}
	return list
}

// fig5Draw makes a panel for each task. CM(O) and CU(O), which the SketchINT paper's figures do not have, are in the
// tables.
func fig5Draw(rows []Fig5Row) ([]figure.Drawing, error) {
	f, printed := plots.Figure{Title: "Local tasks", Columns: 2}, figure.PublishedOf("sketchint/fig5", files)
	for _, t := range sketch.Tasks() {
		panel := plots.Panel{
			X: plots.Axis{Label: "Memory", Unit: plots.InBytes, Scale: plots.Linear},
			Y: plots.Axis{Label: t.Label, Scale: plots.Linear},
		}
		if t.Log {
			panel.Y.Scale = plots.Log
		}
		for _, k := range append(slices.Clone(fig5Towers), peers...) {
			of := figure.Pick(rows, func(r *Fig5Row) bool { // zero has no place on a logarithmic axis; the table has it
				return r.Task == t.Name && r.Sketch == k.Label() && !math.IsNaN(r.Median) && !(t.Log && r.Median <= 0)
			})
			s := figure.Ranges(plots.Series{Name: k.Label(), Style: plots.Line}, of,
				func(r *Fig5Row) (x, y, lo, hi float64) { return float64(r.Memory), r.Median, r.Least, r.Most })
			p := plots.Series{Name: k.Label(), Style: plots.Points, Published: true}
			for _, x := range printed {
				r := fig5At(rows, x.Panel, x.Scheme, x.X)
				if x.Panel == t.Name && x.Scheme == k.Label() && x.Ours == "" && r != nil {
					p.X, p.Y = append(p.X, float64(r.Memory)), append(p.Y, x.Value)
				}
			}
			panel.Series = append(panel.Series, figure.Drawn(s, p)...)
		}
		f.Panels = append(f.Panels, panel)
	}
	return []figure.Drawing{{Name: "tasks", Caption: "tasks", Plot: f}}, nil
}
