package fig5

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure"
	"pintlab/experiments/measure/accuracy"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/int/sketch/heavy"
	"pintlab/internal/progress"
	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

// Row is a line of rows.csv: one number of one sketch with one memory.
type Row struct {
	Task   string  `col:"task"`   // accuracy.Tasks
	Sketch string  `col:"scheme"` // as in the legend of the SketchINT paper
	Memory int     `col:"memory" unit:"B"`
	Value  float64 `col:"value"` // mean over the seeds
	Lo     float64 `col:"lo"`    // its 95 % interval; NaN for one seed
	Hi     float64 `col:"hi"`
	Median float64 `col:"median"` // over the seeds; one unlucky hash does not move it
	Least  float64 `col:"least"`
	Most   float64 `col:"most"`
	Seeds  int     `col:"seeds"`
}

// scale is what is run at a scale.
type scale struct {
	share          int // the trace and the memories are the SketchINT paper's over this
	memories       []int
	seeds          int
	hitter, change uint64 // Δh and Δc
}

var scales = map[figure.Scale]scale{
	figure.Smoke:  {40, []int{300_000, 900_000}, 2, 200, 100},
	figure.Laptop: {1, []int{100_000, 300_000, 500_000, 700_000, 900_000}, 5, 500, 250},
	figure.Paper:  {1, []int{100_000, 200_000, 300_000, 400_000, 500_000, 600_000, 700_000, 800_000, 900_000}, 100, 500, 250},
}

// trace is the generated trace of the scale.
func (z scale) trace() packets.Skewed {
	s := packets.DefaultSkewed()
	s.Packets /= z.share
	s.Flows /= z.share
	return s
}

// String says what is run.
func (z scale) String() string {
	var sizes []string
	for _, m := range z.memories {
		sizes = append(sizes, figure.Size(unit.Bytes(m/z.share)))
	}
	s := z.trace()
	return fmt.Sprintf("generated trace of %d packets and %d flows, %s, %s", s.Packets, s.Flows, strings.Join(sizes, ", "), figure.Count(z.seeds, "seed"))
}

// together is how many seeds have their sketches in memory at the same time.
const together = 10

// run passes two windows of the trace to all sketches.
func run(ctx context.Context, c accuracy.Config, s packets.Skewed) ([]accuracy.Result, *accuracy.Truth, error) {
	first, err := s.Window(0)
	if err != nil {
		return nil, nil, err
	}
	second, err := s.Window(1)
	if err != nil {
		return nil, nil, err
	}
	return accuracy.Run(ctx, c, first, second)
}

// batch is what some seeds gave: a unit of work that is kept.
type batch struct {
	Packets, Flows int
	Results        []kept
}

// kept is an accuracy.Result with its numbers in the order of numbers.
type kept struct {
	Sketch            accuracy.Kind
	Memory            int
	Seed              uint64
	Numbers           []columns.Number
	Infinite, Dropped int
}

// numbers are the real numbers of a result.
func numbers(r *accuracy.Result) []*float64 {
	return []*float64{&r.ARE, &r.AAE, &r.HitterF1, &r.HitterARE, &r.ChangeF1, &r.Entropy, &r.Cardinality, &r.Distribution}
}

func keep(r *accuracy.Result) kept {
	k := kept{Sketch: r.Sketch, Memory: r.Memory, Seed: r.Seed, Infinite: r.Infinite, Dropped: r.Dropped}
	for _, x := range numbers(r) {
		k.Numbers = append(k.Numbers, columns.Number(*x))
	}
	return k
}

func (k *kept) result() (accuracy.Result, error) {
	r := accuracy.Result{Sketch: k.Sketch, Memory: k.Memory, Seed: k.Seed, Infinite: k.Infinite, Dropped: k.Dropped}
	list := numbers(&r)
	if len(k.Numbers) != len(list) {
		return r, fmt.Errorf("a stored result of %s has %d numbers, want %d", k.Sketch.Label(), len(k.Numbers), len(list))
	}
	for i, x := range list {
		*x = float64(k.Numbers[i])
	}
	return r, nil
}

// question is all that a batch depends on.
type question struct {
	Trace          packets.Skewed
	Sketches       []accuracy.Kind
	Memories       []int
	Seeds          []uint64
	Hitter, Change uint64
	Table          int
}

func ask(ctx context.Context, j *figure.Job, z scale) ([]Row, error) {
	if len(j.Set) > 0 {
		return nil, fmt.Errorf("--set %s has no effect: the figure simulates nothing", j.Set[0])
	}
	s := z.trace()
	s.Seed = j.Seed
	show := progress.New(j.Campaign.Messages, progress.Options{Quiet: j.Campaign.Quiet, Tasks: 1})
	defer show.Close()
	task := show.Begin("sketchint/fig5")
	defer task.End()
	c := accuracy.Config{
		Sketches: accuracy.SketchINT(), Hitter: z.hitter, Change: z.change, Table: heavy.Capacity, Workers: j.Campaign.Workers,
	}
	for _, m := range z.memories {
		c.Memories = append(c.Memories, m/z.share)
	}
	var results []accuracy.Result
	var truth batch // without results: what all batches have in common
	seeds := j.SeedList(z.seeds)
	for done := 0; done < len(seeds); done += len(c.Seeds) {
		c.Seeds = seeds[done:min(done+together, len(seeds))]
		c.Progress = func(n int64) {
			share := float64(n) / float64(s.Packets) / 2
			task.Update((float64(done)+share*float64(len(c.Seeds)))/float64(len(seeds)), fmt.Sprintf("%d packets", n))
		}
		b, err := measure.Part(j, "sketchint/fig5", question{s, c.Sketches, c.Memories, c.Seeds, c.Hitter, c.Change, c.Table}, func() (batch, error) {
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
	slices.SortStableFunc(results, func(a, b accuracy.Result) int {
		return cmp.Or(cmp.Compare(slices.Index(c.Sketches, a.Sketch), slices.Index(c.Sketches, b.Sketch)), cmp.Compare(a.Memory, b.Memory))
	})
	means, err := accuracy.Means(results)
	if err != nil {
		return nil, err
	}
	j.Setting("trace", "SketchINT §VII-B1 (CAIDA 2018: about 2.3 M packets of 170 K flows in 5 s)", "generated, %d packets of %d flows in %v, sizes fall as rank^-%g", truth.Packets, truth.Flows, s.Duration, s.Skew)
	j.Setting("Δh", "SketchINT §VII-B1: 500", "%d", c.Hitter)
	j.Setting("Δc", "SketchINT §VII-B1: 250", "%d; from one window to the next %g %% of the flows are replaced", c.Change, 100*s.Churn)
	j.Setting("repetitions", "SketchINT §VII-B1: 100", "%d, with other hashes on the same trace", len(seeds))
	j.Footnote("%d packets of %d flows, generated; median of %s, bars: least to most", truth.Packets, truth.Flows, figure.Count(len(seeds), "seed"))
	return rowsOf(means), nil
}

// rowsOf are the rows of all tasks.
func rowsOf(means []accuracy.Mean) []Row {
	var rows []Row
	for _, t := range accuracy.Tasks() {
		for i := range means {
			m := &means[i]
			x := t.Of(m)
			r := Row{Task: t.Name, Sketch: m.Sketch.Label(), Memory: m.Memory, Median: x.Median, Least: x.Least, Most: x.Most, Seeds: m.Seeds}
			if math.IsNaN(x.Value) {
				r.Value, r.Lo, r.Hi = math.NaN(), math.NaN(), math.NaN()
			} else {
				r.Value, r.Lo, r.Hi = stats.Ends(x.Interval)
			}
			rows = append(rows, r)
		}
	}
	return rows
}
