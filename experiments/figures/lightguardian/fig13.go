package lightguardian

import (
	"context"
	_ "embed" // for known.csv

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/lightguardian"
	"pintlab/plots"
)

// carries are values of λ_c in 64ths, and load is the load at which bandwidth is measured, in percent.
var carries = []float64{1, 2, 4, 6, 8}

const fullLoad = 90

// The schemes of panel (a).
const (
	overINT = "LightGuardian over INT"
	toEnd   = overINT + ", until the end of an interval"
)

func measureCarry(ctx context.Context, j *figure.Job, z lightguardian.NetworkScale) ([]row, error) {
	var points []lightguardian.Point
	carries := lightguardian.Ends(z, carries)
	for _, c := range carries {
		p, q := lightguardian.Default(lightguardian.DCTCP, fullLoad), lightguardian.Default(lightguardian.Pair, 0)
		p.Carry, q.Carry = c, c
		end := p
		end.ToEnd = true
		points = append(points, p, q, end)
	}
	return lightguardian.Network(ctx, j, z, points, func(r *lightguardian.Rows) {
		for i, c := range carries {
			r.Add("a", overINT, c, points[3*i], lightguardian.OverINT)
			r.Add("a", toEnd, c, points[3*i+2], lightguardian.OverINT)
			r.Required("b", "c", c, points[3*i+1])
		}
	})
}

var (
	carryAxis = plots.Axis{Label: "λ_c in 64ths", Scale: plots.Linear}

	panels13 = []panel{
		{Letter: "a", Title: "(a) bandwidth", X: carryAxis, Y: plots.Axis{Label: "Bandwidth over INT", Unit: "%", Scale: plots.Linear}, Schemes: []string{overINT, toEnd}},
		{Letter: "b", Title: "(b) required time", X: carryAxis, Y: plots.Axis{Label: "Time at the paper's scale", Unit: plots.InSeconds, Scale: plots.Log}, Schemes: lightguardian.Levels},
		{Letter: "c", Title: "(c) required packets", X: carryAxis, Y: plots.Axis{Label: "Packets at the paper's scale", Scale: plots.Log}, Schemes: lightguardian.Levels},
	}
)

func check13(rows []row) []figure.Finding {
	return []figure.Finding{
		falls("(a) the bandwidth grows with λ_c", rows, "a", overINT, -1),
		falls("(b) the required time falls with λ_c", rows, "b", lightguardian.Levels[0], 1),
		falls("(c) the required packets fall with λ_c", rows, "c", lightguardian.Levels[0], 1),
		below("(b) 99 % take longer than 90 %", rows, "b", lightguardian.Levels[0], lightguardian.Levels[1]).Own(),
	}
}

var lastFifth = figure.Known(known13, "one sketchlet", "A packet that has a sketchlet takes no other one, so that our bandwidth grows by less than λ_c; the printed numbers are proportional to it within 4 %. Nothing is carried in the last fifth of an interval, which lowers our bandwidth by as much: without that the larger λ_c gives the printed number, and the smaller one gives more.").String()

//go:embed fig13/known.csv
var known13 string

const source13 = "LightGuardian D.3, Fig. 13 (a)"

var published13 = []beside{
	{Panel: "a", Scheme: overINT, X: 1, Value: 1.5, Quantity: "(a) bandwidth over INT, λ_c = 1/64", Unit: "%", Source: source13, Within: figure.OpenSetting, Why: lastFifth},
	{Panel: "a", Scheme: overINT, X: 8, Value: 12.4, Quantity: "(a) bandwidth over INT, λ_c = 8/64", Unit: "%", Source: source13, Within: figure.OpenSetting, Why: lastFifth},
}

// Fig13 is Figure 13 of LightGuardian (appendix D.3): what the carrying probability λ_c does to the
// bandwidth, and to the time and the packets until a switch's sketchlets are together.
//
// Package network has the setting. Times and packets are those of 36 Gb/s between two hosts below one
// switch, at the LightGuardian paper's scale.
var Fig13 = figure.Of[lightguardian.NetworkScale, row]{
	Columns: stored,
	Name:    "lightguardian/fig13",
	Title:   "The carrying probability of LightGuardian",
	Source:  "LightGuardian appendix D.3, Fig. 13 (a) to (c)",
	Claim:   "With λ_c the bandwidth grows, and time and packets until the sketchlets are together fall.",
	Scales:  lightguardian.NetworkScales,
	Measure: measureCarry,
	Check:   check13,
	Compare: comparePanels(published13),
	Tables:  panelTables(panels13),
	Draw:    drawPanels("The carrying probability", "Hollow marks: numbers of the paper's text.", 3, panels13, published13),
	Why: []string{
		lastFifth,
		"The curves of panels (b) and (c) that are missing at the smallest λ_c would need more than an interval.",
	},
}.Figure()
