package fig6

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/accuracy"
	"pintlab/experiments/measure/speed"
	"pintlab/internal/progress"
	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

// Row is a line of rows.csv: one sketch, alone or shared by goroutines.
type Row struct {
	Sketch     string  `col:"scheme"` // as in the legend of the SketchINT paper
	Lock       string  `col:"lock"`   // alone, or, of a shared sketch, none or mutex
	Goroutines int     `col:"goroutines"`
	Insert     float64 `col:"insert" unit:"Mpps"`
	Query      float64 `col:"query" unit:"Mpps"` // NaN of a shared sketch
	Error      float64 `col:"are"`               // of flow sizes; NaN of a sketch alone
	Rounds     int     `col:"rounds"`
}

// The locks.
const (
	alone    = "alone"
	lockFree = "none"
	mutex    = "mutex"
)

// scale is what is run at a scale.
type scale struct {
	share      int // the trace and the memory are the SketchINT paper's over this
	rounds     int
	goroutines []int
}

// memory of each sketch (§VII-B1).
const memory = 2_000_000

var scales = map[figure.Scale]scale{
	figure.Smoke:  {40, 2, []int{1, 2}},
	figure.Laptop: {1, 7, []int{1, 2, 4, 8}},
	figure.Paper:  {1, 20, []int{1, 2, 4, 8, 16, 30}},
}

// String says what is run.
func (z scale) String() string {
	s := z.trace()
	return fmt.Sprintf("generated trace of %d packets and %d flows, %s, five arrays, up to %s, best of %d rounds",
		s.Packets, s.Flows, figure.Size(unit.Bytes(memory/z.share)), figure.Count(z.most(), "goroutine"), z.rounds)
}

// trace is the generated trace of the scale.
func (z scale) trace() packets.Skewed {
	s := packets.DefaultSkewed()
	s.Packets /= z.share
	s.Flows /= z.share
	return s
}

func (z scale) most() int { return z.goroutines[len(z.goroutines)-1] }

var (
	single = []accuracy.Kind{accuracy.TowerCM, accuracy.TowerCU, accuracy.CM, accuracy.CU, accuracy.Elastic}
	towers = []accuracy.Kind{accuracy.TowerCM, accuracy.TowerCU}
)

func measure(ctx context.Context, j *figure.Job, z scale) ([]Row, error) {
	if len(j.Set) > 0 {
		return nil, fmt.Errorf("--set %s has no effect: the figure simulates nothing", j.Set[0])
	}
	if j.Seeds > 0 {
		return nil, fmt.Errorf("--seeds %d has no effect on this figure: speed is of one trace", j.Seeds)
	}
	s := z.trace()
	s.Seed = j.Seed
	window, err := s.Window(0)
	if err != nil {
		return nil, err
	}
	stream, err := speed.Read(window, s.Packets)
	if err != nil {
		return nil, err
	}
	c := speed.Config{Memory: memory / z.share, Arrays: 5, Rounds: z.rounds, Seed: j.Seed}
	show := progress.New(j.Campaign.Messages, progress.Options{Quiet: j.Campaign.Quiet, Tasks: 1})
	defer show.Close()
	task := show.Begin("sketchint/fig6")
	defer task.End()
	var rows []Row
	all := len(single) + 2*len(towers)*len(z.goroutines)
	add := func(r Row) {
		r.Rounds = z.rounds
		rows = append(rows, r)
		task.Update(float64(len(rows))/float64(all), fmt.Sprintf("%d of %d rows", len(rows), all))
	}
	for _, k := range single {
		r, err := c.Run(ctx, k, stream)
		if err != nil {
			return nil, err
		}
		add(Row{Sketch: k.Label(), Lock: alone, Goroutines: 1, Insert: r.Insert, Query: r.Query, Error: math.NaN()})
	}
	for _, lock := range []string{lockFree, mutex} {
		for _, k := range towers {
			for _, n := range z.goroutines {
				insert, are, err := c.Parallel(ctx, stream, k == accuracy.TowerCU, lock == mutex, n)
				if err != nil {
					return nil, err
				}
				add(Row{Sketch: k.Label(), Lock: lock, Goroutines: n, Insert: insert, Query: math.NaN(), Error: are})
			}
		}
	}
	cores := runtime.GOMAXPROCS(0)
	j.Setting("memory", "SketchINT §VII-B1: 2 MB", "%s for each sketch", figure.Size(unit.Bytes(c.Memory)))
	j.Setting("arrays", "SketchINT §VII-B1: 5 hash functions for Tower, CM and CU", "%d", c.Arrays)
	j.Setting("keys", "code of SketchINT: 4 bytes", "4 bytes, a hash of the 5-tuple")
	j.Setting("cores", "", "%d", cores)
	j.Footnote("%d packets of %d flows, %s; best of %d rounds on %s", s.Packets, s.Flows, figure.Size(unit.Bytes(c.Memory)), z.rounds, figure.Count(cores, "core"))
	return rows, nil
}
