// Package lightguardian contains the figures of the LightGuardian paper. Package measure/lightguardian contains the
// definitions and settings of the experiments. The rows of each figure are in the folder with its name.
package lightguardian

import (
	"context"
	"embed"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/lightguardian"
	"pintlab/experiments/internal/study"
	"pintlab/plots"
)

// The figures of precision and recall of locating faults, against the memory of a switch.
var (
	Fig8  = ofScores("lightguardian/fig8", lightguardian.Blackhole)
	Fig9  = ofScores("lightguardian/fig9", lightguardian.Loop)
	Fig10 = ofScores("lightguardian/fig10", lightguardian.Jitter)
)

//go:embed headlines.csv shared.md */figure.md */known.csv */published.csv */claims.csv
var files embed.FS

// A kilobyte and a megabyte of the LightGuardian paper, in bytes: a register of 256 KB stores 2^16 cells of 32 bits
// (§7.1.2), and the published code divides bytes by 1024.
const kb, mb = 1024, 1024 * kb

// Names that several figures use.
var (
	memoryAxis  = figure.Log("Memory at the paper's scale", plots.InBytes)
	bucketsAxis = figure.Log("Buckets w at the paper's scale", "")
	flowsAxis   = figure.Log("Largest flows at the paper's scale", "")
	timeAxis    = figure.Linear("Time at the paper's scale", plots.InSeconds)
	arrivedAxis = figure.Linear("Sketchlets at the analyzer", "%")
	linearWMRE  = figure.Linear("WMRE", "")
	logARE      = figure.Log("ARE", "")
	alone       = []string{lightguardian.SuMax}
	layers      = []string{"edge", "aggregation", "core"} // levels of the switches
)

// ofTrace returns a function that measures cells on the trace of a scale. `tell` records settings.
func ofTrace(cells func(*lightguardian.Trace, lightguardian.LocalScale) []study.Cell,
	tell func(*figure.Job, lightguardian.LocalScale)) func(context.Context, *figure.Job,
	lightguardian.LocalScale) ([]row, error) {
	return func(ctx context.Context, j *figure.Job, z lightguardian.LocalScale) ([]row, error) {
		if err := j.NoSet(); err != nil {
			return nil, err
		}
		t, err := z.Load(lightguardian.Lives, 1, j.Seed)
		if err != nil {
			return nil, err
		}
		t.Protocols = j.Campaign.Language.Protocols()
		s := study.Study{Cells: cells(t, z), Seeds: j.SeedList(z.Seeds)}
		rows, err := s.Measure(ctx, j, study.All("", ""))
		if err != nil {
			return nil, err
		}
		lightguardian.Tell(j, z, t, len(s.Seeds))
		tell(j, z)
		return rows, nil
	}
}

// coded returns the name of the panel whose numbers are measured as in the published code
// (measure/lightguardian/local.go).
func coded(panel string) string { return panel + ", published code" }
