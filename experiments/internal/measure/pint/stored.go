package pint

import (
	_ "embed"
	"fmt"
	"math"
	"strings"

	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
	"pintlab/internal/number"
)

// storedText contains gains of PINT in runs of different lengths, under web search; each run ends when all flows have
// ended. The run of 200 ms at 70 % load with seed 1 has 326 734 flows, 9862 of them above 10 MB, and 6.19 G
// packet-hops. All statements about the length of runs are based on these gains.
//
//go:embed stored.csv
var storedText string

// PaperLength is the length of the arrival windows of the published scripts, in ms.
const PaperLength = 200

// The ways in which runs begin and end. Either a run begins in an empty network, or it begins with flows under way, and
// arrivals continue for as long again.
const (
	Cold   = "cold"
	Steady = "steady"
)

// Runs are stored runs that differ only in their seeds.
type Runs struct {
	Load     int     `col:"load" unit:"%"`
	Over     string  `col:"over"`
	Measure  string  `col:"measure"`
	Start    string  `col:"start"` // Cold or Steady
	Arrivals float64 `col:"arrivals" unit:"ms"`
}

// Gain is PINT's gain over a scheme in stored runs. It is a ratio, as the mean over the seeds.
type Gain struct {
	Runs
	stats.Number
}

// Stored returns the gains in stored.csv.
func Stored() ([]Gain, error) {
	type line struct {
		Runs
		Seed int     `col:"seed"`
		Gain float64 `col:"gain" unit:"%"`
	}
	lines, err := columns.Read[line](strings.NewReader(storedText), "stored.csv")
	if err != nil {
		return nil, err
	}
	var gains []Gain
	seeds := map[Runs][]float64{}
	for _, l := range lines {
		if l.Start != Cold && l.Start != Steady {
			return nil, fmt.Errorf("stored.csv: start %q (accepted: %s, %s)", l.Start, Cold, Steady)
		}
		if seeds[l.Runs] = append(seeds[l.Runs], 1+l.Gain/100); len(seeds[l.Runs]) == 1 {
			gains = append(gains, Gain{Runs: l.Runs})
		}
	}
	for i := range gains {
		g := &gains[i]
		m, err := stats.Mean(seeds[g.Runs], stats.Level)
		if err != nil {
			return nil, err
		}
		g.Number = m.Within(0, math.Inf(1))
	}
	return gains, nil
}

// Agreement describes how far short runs that begin and end at their load differ from runs of the published length. It
// compares stored runs of both lengths.
func Agreement() string {
	gains, err := Stored()
	if err != nil {
		panic(err) // a test reads it
	}
	long := map[Runs]float64{}
	for _, g := range gains {
		long[g.Runs] = g.Value
	}
	steady := lists.Keep(gains, func(g Gain) bool { return g.Start == Steady })
	var list []string
	for _, length := range lists.Distinct(steady, func(g Gain) float64 { return g.Arrivals }) {
		most, where := 0.0, ""
		for _, g := range steady {
			if g.Arrivals != length {
				continue
			}
			of := g.Runs
			of.Start, of.Arrivals = Cold, PaperLength
			if v, ok := long[of]; ok && math.Abs(stats.Percent(g.Value)-stats.Percent(v)) > math.Abs(most) {
				most, where = stats.Percent(g.Value)-stats.Percent(v),
					fmt.Sprintf("over %s at %d %% load", g.Over, g.Load)
			}
		}
		list = append(list, fmt.Sprintf("those of %g ms by %s points of gain at most (%s), at 1/%.0f of the cost",
			length, number.Change(most, 1), where, PaperLength/(2*length)))
	}
	return fmt.Sprintf("stored runs with flows under way before the arrivals that count and more for as long "+
		"after them differ from runs of %d ms: %s; they have a few hundred flows above 10 MB each",
		PaperLength, strings.Join(list,
			", "))
}
