package fridge

import (
	"context"
	"fmt"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/fridges"
	"pintlab/experiments/results/stats"
	"pintlab/int/fridge"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Speed measures how many requests and responses per second a fridge processes on one core. The fridges paper reports
// 2 million for its simulator in C++, without details (§6.3). Our results depend on the machine and its load.
var Speed = figure.Of[scaleSpeed, SpeedRow]{
	Name:   "fridge/speed",
	Files:  files,
	Scales: map[figure.Scale]scaleSpeed{figure.Smoke: {32, 2}, figure.Laptop: {4, 5}, figure.Paper: {1, 10}},
	Measure: func(ctx context.Context, j *figure.Job, z scaleSpeed) ([]SpeedRow, error) {
		if err := j.NoSet(); err != nil {
			return nil, err
		}
		if j.Seeds > 0 {
			return nil, fmt.Errorf("--seeds %d has no effect on this figure: speed is measured on one trace", j.Seeds)
		}
		var rows []SpeedRow
		for _, d := range []struct {
			name  string
			parts []fridge.Part
		}{
			{"4096 entries, p = 1/4", []fridge.Part{{Entries: 1 << 12, Probability: 0.25}}},
			{"65,536 entries, p = 1", []fridge.Part{{Entries: 1 << 16, Probability: 1}}},
			{"2 × 32,768, p = 1/2, 1/4",
				[]fridge.Part{{Entries: 1 << 15, Probability: 0.5}, {Entries: 1 << 15, Probability: 0.25}}},
		} {
			speed, err := fridges.Speed(ctx, fridges.ISP(j.Seed, z.part), fridges.Fridges(fridge.Entered, d.parts...),
				z.rounds)
			if err != nil {
				return nil, err
			}
			rows = append(rows, SpeedRow{"ours", d.name, z.rounds, speed})
		}
		j.Footnote("%s, on one core", z)
		return append(rows, SpeedRow{Source: "published", Design: "simulator in C++", Speed: 2}), nil
	},
	Check: func(rows []SpeedRow) []figure.Finding {
		least := slowest(rows)
		return []figure.Finding{figure.Timing("a fridge is at least as fast as the authors' simulator in C++",
			"%.1f million requests and responses per second at least", least).Own()}
	},
	Ours: map[string]figure.Ours[SpeedRow]{"slowest": func(rows []SpeedRow, _ *figure.Published,
		_ *report.Compared) stats.Number {
		n := stats.None()
		n.Value = slowest(rows)
		return n
	}},
	Tables: func(rows []SpeedRow) []figure.Table {
		return []figure.Table{{Caption: "rows", Rows: rows}}
	},
	Draw: func(rows []SpeedRow) ([]figure.Drawing, error) {
		p := plots.Panel{X: plots.Axis{Label: "Fridges", Scale: plots.Categorical},
			Y: plots.Axis{Label: "Requests and responses", Unit: "M/s", Scale: plots.Linear, Min: plots.At(0)}}
		p.Series = []plots.Series{figure.Curve(plots.Series{Name: "one core", Style: plots.Bar}, rows,
			func(r *SpeedRow) (x, y float64) {
				p.X.Categories = append(p.X.Categories, r.Design)
				return float64(len(p.X.Categories) - 1), r.Speed
			})}
		return []figure.Drawing{figure.Draw("speed", "Speed", p)}, nil
	},
	Timed: []string{"speed_Mps"},
}.Figure()

// SpeedRow is a line of rows.csv.
type SpeedRow struct {
	Source string  `col:"source"`
	Design string  `col:"design"`
	Rounds int     `col:"rounds"`
	Speed  float64 `col:"speed" unit:"M/s"`
}

// scaleSpeed contains the settings of a scale. The fridge processes 1/part of the packets of the ISP-like trace, in
// the given number of rounds.
type scaleSpeed struct {
	part   int64
	rounds int
}

func (z scaleSpeed) String() string {
	return fmt.Sprintf("%.1f million packets, best of %d rounds", 10/float64(z.part), z.rounds)
}

// slowest returns the lowest speed of our rows.
func slowest(rows []SpeedRow) float64 {
	least := nan
	for _, r := range rows {
		if r.Source == "ours" && !(r.Speed >= least) {
			least = r.Speed
		}
	}
	return least
}
