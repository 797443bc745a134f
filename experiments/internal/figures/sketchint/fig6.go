package sketchint

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/sketch"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/internal/progress"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/plots/report"
	"pintlab/workloads/packets"
)

// Fig6 is Figure 6 of SketchINT (§VII-B). It shows how many packets per second a sketch inserts, and how many queries
// per second it answers, on one core. For TowerSketch, it also shows the speed and the error on several cores, with a
// lock and without.
//
// The speeds depend on the machine and its load. The errors of TowerCU depend on the order in which goroutines run.
// Therefore the figure judges only the errors of TowerCM.
var Fig6 = figure.Of[fig6Scale, Fig6Row]{
	Name:    "sketchint/fig6",
	Files:   files,
	Scales:  fig6Scales,
	Measure: fig6Measure,
	Check:   fig6Check,
	Ours: map[string]figure.Ours[Fig6Row]{
		"insertion": insertion, "without a lock over with one": withoutLock, "without a lock": unlockedInsertion,
	},
	Tables: fig6Tables,
	Draw:   fig6Draw,
	Timed:  []string{"insert_Mpps", "query_Mpps", "are"},
}.Figure()

// Fig6Row is a line of rows.csv: one sketch, alone or shared by goroutines.
type Fig6Row struct {
	Sketch     string  `col:"scheme"` // name in the legend of the SketchINT paper
	Lock       string  `col:"lock"`   // "alone"; for a shared sketch, "none" or "mutex"
	Goroutines int     `col:"goroutines"`
	Insert     float64 `col:"insert" unit:"Mpps"`
	Query      float64 `col:"query" unit:"Mpps"` // NaN for a shared sketch
	Error      float64 `col:"are"`               // error of flow sizes; NaN for a sketch alone
	Rounds     int     `col:"rounds"`
}

// The locks.
const (
	alone    = "alone"
	lockFree = "none"
	mutex    = "mutex"
)

// fig6Scale holds what the figure runs at one scale.
type fig6Scale struct {
	share      int // divisor for the sizes of the paper's trace and memory
	rounds     int
	goroutines []int
}

// memory of each sketch (§VII-B1).
const memory = 2 * mb

var fig6Scales = map[figure.Scale]fig6Scale{
	figure.Smoke:  {40, 2, []int{1, 2}},
	figure.Laptop: {1, 7, []int{1, 2, 4, 8}},
	figure.Paper:  {1, 20, []int{1, 2, 4, 8, 16, 30}},
}

func (z fig6Scale) String() string {
	s := z.trace()
	return fmt.Sprintf("generated trace of %d packets and %d flows, %s, five arrays, up to %s, best of %d rounds",
		s.Packets, s.Flows, figure.Size(unit.Bytes(memory/z.share)), figure.Count(z.most(), "goroutine"), z.rounds)
}

// trace returns the generated trace of the scale.
func (z fig6Scale) trace() packets.Skewed { return traceOver(z.share) }

func (z fig6Scale) most() int { return z.goroutines[len(z.goroutines)-1] }

var (
	single = []sketch.Kind{sketch.TowerCM, sketch.TowerCU, sketch.CM, sketch.CU, sketch.Elastic}
	towers = []sketch.Kind{sketch.TowerCM, sketch.TowerCU}
)

func fig6Measure(ctx context.Context, j *figure.Job, z fig6Scale) ([]Fig6Row, error) {
	if err := j.NoSet(); err != nil {
		return nil, err
	}
	if j.Seeds > 0 {
		return nil, fmt.Errorf("--seeds %d has no effect on this figure: speed is measured on one trace", j.Seeds)
	}
	s := z.trace()
	s.Seed = j.Seed
	window, err := s.Window(0)
	if err != nil {
		return nil, err
	}
	stream, err := sketch.Read(window, s.Packets)
	if err != nil {
		return nil, err
	}
	set := j.Campaign.Language.Protocols()
	c := sketch.SpeedConfig{Known: set.Sketches, Memory: memory / z.share, Arrays: 5, Rounds: z.rounds, Seed: j.Seed}
	var cells []study.Cell
	add := func(r Fig6Row, measure func(context.Context, *Fig6Row) error) {
		r.Rounds = z.rounds
		cells = append(cells, study.Cell{Case: r.Sketch, Scheme: r.Lock, X: float64(r.Goroutines),
			Work: func(ctx context.Context, _ uint64, _ *progress.Task) (any, error) {
				err := measure(ctx, &r)
				return r, err
			}})
	}
	for _, k := range slices.Concat(single, sketch.Names(set.OwnSketches())) {
		add(Fig6Row{Sketch: k.Label(), Lock: alone, Goroutines: 1, Error: math.NaN()},
			func(ctx context.Context, r *Fig6Row) error {
				s, err := c.Run(ctx, k, stream)
				r.Insert, r.Query = s.Insert, float64(s.Query)
				return err
			})
	}
	for _, lock := range []string{lockFree, mutex} {
		for _, k := range towers {
			for _, n := range z.goroutines {
				add(Fig6Row{Sketch: k.Label(), Lock: lock, Goroutines: n, Query: math.NaN()},
					func(ctx context.Context, r *Fig6Row) (err error) {
						r.Insert, r.Error, err = c.Parallel(ctx, stream, k == sketch.TowerCU, lock == mutex, n)
						return err
					})
			}
		}
	}
	all := study.Study{Cells: cells, Seeds: []uint64{j.Seed}, Alone: true}
	done, err := all.Run(ctx, j)
	if err != nil {
		return nil, err
	}
	rows := lists.Map(cells, func(c study.Cell) Fig6Row { return study.Made[Fig6Row](done, c)[0] })
	cores := runtime.GOMAXPROCS(0)
	j.Setting("memory", "SketchINT §VII-B1: 2 MB", "%s for each sketch", figure.Size(unit.Bytes(c.Memory)))
	j.Setting("arrays", "SketchINT §VII-B1: 5 hash functions for Tower, CM and CU", "%d", c.Arrays)
	j.Setting("keys", "code of SketchINT: 4 bytes", "4 bytes, a hash of the 5-tuple")
	j.Setting("cores", "", "%d", cores)
	j.Footnote("%d packets of %d flows, %s; best of %d rounds on %s", s.Packets, s.Flows,
		figure.Size(unit.Bytes(c.Memory)), z.rounds, figure.Count(cores, "core"))
	return rows, nil
}

// fig6At returns the row of a sketch, or nil.
func fig6At(rows []Fig6Row, k sketch.Kind, lock string, goroutines int) *Fig6Row {
	return figure.Find(rows,
		func(r *Fig6Row) bool { return r.Sketch == k.Label() && r.Lock == lock && r.Goroutines == goroutines })
}

// over returns the insertion rate of a divided by the insertion rate of b, on one core, or NaN if a row is missing.
func over(rows []Fig6Row, a, b sketch.Kind) float64 {
	x, y := fig6At(rows, a, alone, 1), fig6At(rows, b, alone, 1)
	if x == nil || y == nil {
		return math.NaN()
	}
	return x.Insert / y.Insert
}

// unlocked calls visit for both towers and for each number of goroutines above one. The arguments are the row without
// a lock and the row with a lock.
func unlocked(rows []Fig6Row, visit func(free, locked *Fig6Row)) {
	for _, r := range figure.Pick(rows, func(r *Fig6Row) bool { return r.Lock == lockFree && r.Goroutines > 1 }) {
		if x := figure.Find(rows, func(x *Fig6Row) bool {
			return x.Lock == mutex && x.Sketch == r.Sketch &&
				x.Goroutines == r.Goroutines
		}); x != nil {
			visit(&r, x)
		}
	}
}

func fig6Check(rows []Fig6Row) []figure.Finding {
	var list []figure.Finding
	for _, k := range towers {
		least := math.Min(over(rows, k, sketch.CM), over(rows, k, sketch.CU))
		list = append(list, figure.Timing(fmt.Sprintf("%s takes in packets about as fast as CM and CU", k.Label()),
			"%.2f times as fast as the faster one", least))
	}
	elastic := math.NaN()
	for _, k := range single {
		if x := over(rows, sketch.Elastic, k); k != sketch.Elastic && !(x >= elastic) {
			elastic = x
		}
	}
	fastest := figure.Timing("ElasticSketch takes in packets faster than all others",
		"%.2f times as fast as the fastest other", elastic)
	if elastic < 1 {
		fastest = fastest.Explained("no place")
	}
	faster := math.NaN()
	worst := map[string]float64{sketch.TowerCM.Label(): math.NaN(),
		sketch.TowerCU.Label(): math.NaN()} // ratio of errors
	unlocked(rows, func(free, locked *Fig6Row) {
		if x := free.Insert / locked.Insert; !(x >= faster) {
			faster = x
		}
		if x := free.Error / locked.Error; !(x <= worst[free.Sketch]) {
			worst[free.Sketch] = x
		}
	})
	cm := worst[sketch.TowerCM.Label()]
	return append(list, fastest,
		figure.Timing("goroutines that share a sketch insert faster without a lock", "at least %.2f times as fast",
			faster),
		// CM insertion only adds, so the order of packets does not matter. For CU insertion, the order matters, even
		// with a lock.
		figure.Judge("without a lock the ARE of TowerCM is at most 1 % higher", cm <= 1.01, cm > 1.01,
			"at most %s %%", number.Change(stats.Percent(cm), 2)),
		figure.Timing("without a lock the ARE of TowerCU is at most 1 % higher", "at most %+.2f %%",
			stats.Percent(worst[sketch.TowerCU.Label()])))
}

// insertion returns the insertion rate of a sketch on one core, or its ratio to the rate of the sketch p.Against.
func insertion(rows []Fig6Row, p *figure.Published, _ *report.Compared) stats.Number {
	of := func(label string) float64 {
		if r := figure.Find(rows, func(r *Fig6Row) bool { return r.Sketch == label && r.Lock == alone }); r != nil {
			return r.Insert
		}
		return math.NaN()
	}
	n := stats.None()
	if n.Value = of(p.Scheme); p.Against != "" {
		n.Value /= of(p.Against)
	}
	return n
}

// withoutLock returns the insertion rate without a lock divided by the rate with a lock, for the largest number of
// goroutines.
func withoutLock(rows []Fig6Row, p *figure.Published, c *report.Compared) stats.Number {
	most, n := 1, stats.None()
	unlocked(rows, func(free, locked *Fig6Row) {
		if free.Sketch == p.Scheme && free.Goroutines > most {
			most, n.Value = free.Goroutines, free.Insert/locked.Insert
		}
	})
	c.Quantity = fmt.Sprintf(c.Quantity, most)
	return n
}

// unlockedInsertion returns the insertion rate of TowerCM without a lock, with 30 goroutines. The paper has 30
// threads.
func unlockedInsertion(rows []Fig6Row, _ *figure.Published, _ *report.Compared) stats.Number {
	n := stats.None()
	if r := fig6At(rows, sketch.TowerCM, lockFree, 30); r != nil {
		n.Value = r.Insert
	}
	return n
}

func fig6Tables(rows []Fig6Row) []figure.Table {
	return []figure.Table{
		figure.Show("alone", figure.Pick(rows, func(r *Fig6Row) bool { return r.Lock == alone }), "sketch=scheme",
			"insert", "query"),
		figure.Show("shared", figure.Pick(rows, func(r *Fig6Row) bool { return r.Lock != alone }),
			"sketch=scheme", "lock", "goroutines", "insert", "ARE of flow sizes=are"),
	}
}

func fig6Draw(rows []Fig6Row) ([]figure.Drawing, error) {
	f := plots.Figure{Title: "Speed", Columns: 2}
	for _, x := range []struct {
		label string
		of    func(*Fig6Row) float64
	}{
		{"Insertion on one core", func(r *Fig6Row) float64 { return r.Insert }},
		{"Queries on one core", func(r *Fig6Row) float64 { return r.Query }},
	} {
		p := plots.Panel{
			X: plots.Axis{Label: "Sketch", Scale: plots.Categorical},
			Y: plots.Axis{Label: x.label, Unit: "Mpps", Scale: plots.Linear, Min: plots.At(0)},
		}
		of := figure.Pick(rows, func(r *Fig6Row) bool { return r.Lock == alone })
		p.Series = []plots.Series{figure.Curve(plots.Series{Name: "one core", Style: plots.Bar}, of,
			func(r *Fig6Row) (float64, float64) {
				p.X.Categories = append(p.X.Categories, r.Sketch)
				return float64(len(p.X.Categories) - 1), x.of(r)
			})}
		f.Panels = append(f.Panels, p)
	}
	most := 1
	for _, r := range rows {
		most = max(most, r.Goroutines)
	}
	for _, x := range []struct {
		label, unit string
		of          func(*Fig6Row) float64
	}{
		{"Insertion by goroutines", "Mpps", func(r *Fig6Row) float64 { return r.Insert }},
		{"ARE of flow sizes", "", func(r *Fig6Row) float64 { return r.Error }},
	} {
		p := plots.Panel{
			X: plots.Axis{Label: "Goroutines", Scale: plots.Log, Min: plots.At(1), Max: plots.At(float64(most))},
			Y: plots.Axis{Label: x.label, Unit: x.unit, Scale: plots.Linear, Min: plots.At(0)},
		}
		for _, k := range towers {
			for _, lock := range []string{lockFree, mutex} {
				s := plots.Series{Name: k.Label() + ", lock-free", Style: plots.Line}
				if lock == mutex {
					s.Name = k.Label() + ", mutex"
				}
				of := figure.Pick(rows, func(r *Fig6Row) bool { return r.Sketch == k.Label() && r.Lock == lock })
				p.Series = append(p.Series,
					figure.Curve(s, of, func(r *Fig6Row) (float64, float64) { return float64(r.Goroutines), x.of(r) }))
			}
		}
		for _, r := range figure.Pick(rows,
			func(r *Fig6Row) bool { return r.Sketch == towers[0].Label() && r.Lock == lockFree }) {
			p.X.Ticks = append(p.X.Ticks, plots.Tick{At: float64(r.Goroutines), Label: strconv.Itoa(r.Goroutines)})
		}
		f.Panels = append(f.Panels, p)
	}
	return []figure.Drawing{{Name: "speed", Plot: f}}, nil
}
