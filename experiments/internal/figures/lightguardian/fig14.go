package lightguardian

import (
	"context"
	"fmt"
	"math"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/lightguardian"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// groups lists the upper ends of the groups of flow sizes in panel (b).
var groups = []unit.Bytes{10 * unit.KB, 100 * unit.KB, unit.MB, 10 * unit.MB, 100 * unit.MB}

// sketchlets lists the numbers of sketchlets per switch in panels (c) and (d), for the LightGuardian paper's scale.
var sketchlets = []int{1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16}

const (
	ofGuardian = "LightGuardian"
	ofNone     = "without"
)

func measureSizes(ctx context.Context, j *figure.Job, z lightguardian.NetworkScale) ([]row, error) {
	web, dctcp := lightguardian.Default(lightguardian.WEB, fullLoad),
		lightguardian.Default(lightguardian.DCTCP, fullLoad)
	points := []lightguardian.Point{web, dctcp, dctcp.Without()}
	pairs, sketchlets := len(points), lightguardian.Ends(z, sketchlets)
	for _, n := range sketchlets {
		p := lightguardian.Default(lightguardian.Pair, 0)
		p.Buckets = n / 2
		points = append(points, p)
	}
	return lightguardian.Network(ctx, j, z, points, func(r *lightguardian.Rows) {
		for _, layer := range layers {
			r.Progress("a", web, layer)
		}
		above := unit.Bytes(0)
		for _, upTo := range groups {
			with, base, _ := r.FCT(dctcp, above, upTo)
			r.Append("b", ofGuardian, float64(upTo), with)
			r.Append("b", ofNone, float64(upTo), base)
			above = upTo
		}
		for i, n := range sketchlets {
			r.Required("d", "c", float64(n), points[pairs+i])
		}
	})
}

var (
	sketchletsAxis = figure.Log("Sketchlets at the paper's scale", "")

	sizePanels = []figure.Panel{
		panel("a", "(a) reconstruction, WEB at 90 %", timeAxis, arrivedAxis, layers...),
		panel("b", "(b) completion times, DCTCP at 90 %", figure.Log("Flows up to", plots.InBytes),
			figure.Log("Mean completion time", plots.InSeconds), ofGuardian, ofNone),
		panel("c", "(c) required packets", sketchletsAxis, figure.Log("Packets at the paper's scale", ""),
			lightguardian.Levels...),
		panel("d", "(d) required time", sketchletsAxis, figure.Log("Time at the paper's scale", plots.InSeconds),
			lightguardian.Levels...),
	}
)

// linear makes a finding. The finding holds if the values of all levels grow in proportion to the number of
// sketchlets, within 30 %, from the first to the last point. It fails if the whole interval of one level is outside
// the 30 %.
func linear(c *figure.Claim, rows []row) figure.Finding {
	const within = 0.3
	confirmed, contradicted, text := true, false, ""
	for _, level := range lightguardian.Levels {
		list := figure.Pick(figure.PointsOf(rows, c.Table, level), func(r *row) bool { return !math.IsNaN(r.Value) })
		if len(list) < 2 {
			continue
		}
		a, b := list[0], list[len(list)-1]
		x := b.X / a.X
		lo, hi := b.Lo/a.Hi/x, b.Hi/a.Lo/x
		confirmed = confirmed && lo >= 1-within && hi <= 1+within
		contradicted = contradicted || hi < 1-within || lo > 1+within
		text += fmt.Sprintf("%g times the sketchlets need %.3g times as much for %s (%.3g to %.3g); ", x,
			b.Value/a.Value, level, lo*x, hi*x)
	}
	return figure.Judge("", confirmed && text != "", contradicted, "%s", text)
}

// Fig14 is Figure 14 of LightGuardian (appendix D.3). It shows the reconstruction under WEB traffic, and completion
// times by flow size. It also shows how the number of sketchlets changes the time and the number of packets until all
// sketchlets of a switch have been collected.
var Fig14 = figure.Spec[lightguardian.NetworkScale]{
	Name: "lightguardian/fig14", Files: files, Columns: stored,
	Scales:  lightguardian.NetworkScales,
	Measure: measureSizes,
	Claims:  map[string]func(*figure.Claim, []row) figure.Finding{"linear": linear},
	Ours:    map[string]figure.Ours[row]{"reached": reached("a")},
	Charts: []figure.Chart{{Name: "panels", Title: "Reconstruction, completion times, sketchlets", Columns: 2,
		Panels: sizePanels}},
}.Figure()
