package lightguardian

import (
	"math"
	"slices"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/lightguardian"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/plots"
	"pintlab/plots/report"
)

// row is a line of rows.csv.
type row = study.Row

// stored lists the columns of rows.csv.
var stored = columns.View{"panel=table", "scheme", "x", "value", "lo", "hi", "seeds"}

// panel returns a panel with the curves of schemes.
func panel(table, title string, x, y plots.Axis, schemes ...string) figure.Panel {
	return figure.Panel{Table: table, Title: title, X: x, Y: y, Schemes: schemes,
		Open: slices.Equal(schemes, lightguardian.Sketches)}
}

// reached returns a function that finds the X at which the curve of a scheme in a panel reaches a share. The share is
// X of the published number.
func reached(panel string) figure.Ours[row] {
	return func(rows []row, p *figure.Published, _ *report.Compared) stats.Number {
		return figure.Reaches(rows, panel, p.Scheme, p.X)
	}
}

// nearer makes a finding. The finding holds if SuMax is significantly nearer to CU than to CM at every point. It
// fails if SuMax is significantly nearer to CM at one point. The detail reports the least and the greatest position
// of SuMax between CM (0) and CU (1).
func nearer(c *figure.Claim, rows []row) figure.Finding {
	confirmed, contradicted, n := true, false, 0
	least, most := math.Inf(1), math.Inf(-1)
	for _, s := range figure.PointsOf(rows, c.Table, lightguardian.SuMax) {
		cm := figure.PointAt(rows, c.Table, lightguardian.CM, s.X)
		cu := figure.PointAt(rows, c.Table, lightguardian.CU, s.X)
		if cm == nil || cu == nil || math.IsNaN(s.Value+cm.Value+cu.Value) {
			continue
		}
		n++
		confirmed = confirmed && s.Hi-cu.Lo < cm.Lo-s.Hi
		contradicted = contradicted || s.Lo-cu.Hi > cm.Hi-s.Lo
		at := (cm.Value - s.Value) / (cm.Value - cu.Value)
		least, most = min(least, at), max(most, at)
	}
	return figure.Judge("", confirmed && n > 0, contradicted, "%.2f to %.2f of the way from CM to CU, of %s",
		least, most, figure.Count(n, "point"))
}
