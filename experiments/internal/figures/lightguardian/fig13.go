package lightguardian

import (
	"context"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/lightguardian"
	"pintlab/plots"
)

// carries lists values of λ_c in 64ths.
var carries = []float64{1, 2, 4, 6, 8}

// fullLoad is the load at which the bandwidth on all links is measured, in percent.
const fullLoad = 90

// The schemes of panel (a). overINT is the bandwidth at a host that receives from another host in its rack. allLinks
// is the bandwidth on all links of the testbed.
const (
	overINT  = "LightGuardian over INT"
	allLinks = overINT + ", all links, DCTCP at 90 %"
)

func measureCarry(ctx context.Context, j *figure.Job, z lightguardian.NetworkScale) ([]row, error) {
	var points []lightguardian.Point
	carries := lightguardian.Ends(z, carries)
	for _, c := range carries {
		p, q := lightguardian.Default(lightguardian.DCTCP, fullLoad), lightguardian.Default(lightguardian.Pair, 0)
		p.Carry, q.Carry = c, c
		points = append(points, p, q)
	}
	return lightguardian.Network(ctx, j, z, points, func(r *lightguardian.Rows) {
		for i, c := range carries {
			r.Add("a", overINT, c, points[2*i+1], lightguardian.OverINT)
			r.Add("a", allLinks, c, points[2*i], lightguardian.LinkOverINT)
			r.Required("b", "c", c, points[2*i+1])
		}
	})
}

var (
	carryAxis = figure.Linear("λ_c in 64ths", "")

	carryPanels = []figure.Panel{
		panel("a", "(a) bandwidth", carryAxis, figure.Linear("Bandwidth over INT", "%"), overINT, allLinks),
		panel("b", "(b) required time", carryAxis, figure.Log("Time at the paper's scale", plots.InSeconds),
			lightguardian.Levels...),
		panel("c", "(c) required packets", carryAxis, figure.Log("Packets at the paper's scale", ""),
			lightguardian.Levels...),
	}
)

// Fig13 is Figure 13 of LightGuardian (appendix D.3). It shows the effect of the carrying probability λ_c on the
// bandwidth, and on the time and the number of packets until all sketchlets of a switch have been collected. The
// bandwidth on all links is measured with DCTCP traffic. All other numbers are measured with a flow of 36 Gb/s
// between two hosts below one switch.
var Fig13 = figure.Spec[lightguardian.NetworkScale]{
	Name: "lightguardian/fig13", Files: files, Columns: stored,
	Scales:  lightguardian.NetworkScales,
	Measure: measureCarry,
	Charts:  []figure.Chart{{Name: "panels", Title: "The carrying probability", Columns: 3, Panels: carryPanels}},
}.Figure()
