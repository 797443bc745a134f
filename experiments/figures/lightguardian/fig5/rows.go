package fig5

import (
	"context"
	"fmt"
	"math"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/lightguardian/panels"
	"pintlab/experiments/measure/lightguardian/local"
	"pintlab/int/sketch/sumax"
	"pintlab/internal/hash"
)

// kb is a kilobyte of the LightGuardian paper's memories.
const kb = 1000

// What is measured, at the LightGuardian paper's scale.
var (
	sizeMemories    = []int{96 * kb, 192 * kb, 384 * kb, 576 * kb, 768 * kb}
	shares          = []float64{0.1, 0.25, 0.4, 0.55, 0.7, 0.8, 0.9, 1}
	taskMemories    = []int{192 * kb, 384 * kb, 768 * kb, 1536 * kb}
	delayBuckets    = []int{1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17}
	gapMemories     = []int{3000 * kb, 6000 * kb, 12000 * kb, 24000 * kb}
	selectedBuckets = []int{1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16}
)

// partial is the memory of panels (b) and (c), and largest the flows that they ask for.
const (
	partial = 768 * kb
	largest = 1000
)

// The selections of panel (h).
var selections = []string{"random", "k = 1", "k = 2", "k = 4", "round robin"}

func measure(ctx context.Context, j *figure.Job, z local.Scale) ([]panels.Row, error) {
	t, err := local.Load(z, j.Seed)
	if err != nil {
		return nil, err
	}
	var cells []local.Cell
	for _, s := range local.Sketches {
		for _, m := range sizeMemories {
			x := float64(m)
			cells = append(cells, local.Cell{
				Rows: []panels.Row{{Panel: "a", Scheme: s, X: x}, {Panel: "a, largest", Scheme: s, X: x}},
				Of:   func(seed uint64) ([]float64, error) { return t.Size(s, m/z.Share, []int{0, z.Some(largest)}, seed) },
			})
		}
		for _, m := range taskMemories {
			x := float64(m)
			cells = append(cells, local.Cell{
				Rows: []panels.Row{{Panel: "d", Scheme: s, X: x}, {Panel: "e", Scheme: s, X: x}},
				Of: func(seed uint64) ([]float64, error) {
					flows, h, _, err := t.Tasks(s, m/z.Share, seed)
					return []float64{flows, h}, err
				},
			})
		}
		for _, w := range delayBuckets {
			cells = append(cells, local.One("f", s, float64(w), func(seed uint64) (float64, error) {
				return t.Delay(s, local.ChiSquare, max(1, w/z.Share), z.Some(local.DelayLargest), seed)
			}))
		}
	}
	parts := local.Cell{Of: func(seed uint64) ([]float64, error) {
		valid, are, err := t.Part(partial/z.Share, z.Some(largest), shares, seed)
		for i := range valid {
			valid[i] *= 100
		}
		return append(valid, are...), err
	}}
	for _, panel := range []string{"b", "c"} {
		for _, x := range shares {
			parts.Rows = append(parts.Rows, panels.Row{Panel: panel, Scheme: local.SuMax, X: 100 * x})
		}
	}
	cells = append(cells, parts)
	for _, m := range gapMemories {
		cells = append(cells, local.One("g", local.SuMax, float64(m), func(seed uint64) (float64, error) {
			a, err := t.Arrivals(m/z.Share, 0, seed)
			return a.Interval, err
		}))
	}
	for _, s := range selections {
		for _, w := range selectedBuckets {
			cells = append(cells, local.One("h", s, float64(w), func(seed uint64) (float64, error) {
				n, err := required(s, w/z.Share, seed)
				return n / float64(w/z.Share), err
			}))
		}
	}
	seeds := j.SeedList(z.Seeds)
	list, err := local.Measure(ctx, j, cells, seeds)
	if err != nil {
		return nil, err
	}
	local.Tell(j, z, t, len(seeds))
	j.Setting("largest flows of (a) to (c) and (f)", "LightGuardian §8.1: 1 K in (b) and (c)", "%d", z.Some(largest))
	j.Setting("delays", "LightGuardian §8.1: chi-square, λ_d = 8", "chi-square with four degrees of freedom, λ_d = %d", local.DelayCells)
	return list, nil
}

// enough is the share of the sketchlets that panel (h) waits for, and carry λ_c.
const (
	enough = 0.99
	carry  = 16
)

// required is how many packets pass until enough of w sketchlets have been carried.
func required(selection string, w int, seed uint64) (float64, error) {
	kind, k := "k+chance", 0
	switch selection {
	case "random":
		kind = "random"
	case "round robin":
		kind = "round-robin"
	default:
		if _, err := fmt.Sscanf(selection, "k = %d", &k); err != nil {
			return 0, err
		}
	}
	c, err := sumax.NewChooser(kind, k, w)
	if err != nil {
		return 0, err
	}
	seen, left := make([]bool, w), int(math.Ceil(enough*float64(w)))
	for i := 1; ; i++ {
		id, _ := c.Choose(hash.Combine(seed, uint64(i)))
		if seen[id] {
			continue
		}
		seen[id] = true
		if left--; left == 0 {
			return float64(carry * i), nil
		}
	}
}
