package lightguardian

import (
	"context"
	"math"
	"slices"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/lightguardian"
	"pintlab/experiments/results/stats"
	"pintlab/int/sketch/sumax"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/plots/report"
)

var workloads = []lightguardian.Workload{lightguardian.DCTCP, lightguardian.WEB}

func guardian(w lightguardian.Workload) string { return "LightGuardian, " + w.Label }
func inband(w lightguardian.Workload) string   { return "INT, " + w.Label }
func without(w lightguardian.Workload) string  { return "without, " + w.Label }
func short(scheme string) string               { return scheme + ", 7.5 KB" }

func measureCollection(ctx context.Context, j *figure.Job, z lightguardian.NetworkScale) ([]row, error) {
	var points, shorts []lightguardian.Point
	for _, w := range workloads {
		for _, load := range z.Loads {
			p := lightguardian.Default(w, load)
			points = append(points, p, p.Without())
		}
	}
	for _, load := range []int{z.Loads[0], z.Loads[len(z.Loads)-1]} {
		p := lightguardian.Default(lightguardian.DCTCP, load)
		p.Short = true
		shorts = append(shorts, p)
	}
	return lightguardian.Network(ctx, j, z, append(points, shorts...), func(r *lightguardian.Rows) {
		for _, w := range workloads {
			for _, load := range z.Loads {
				p, x := lightguardian.Default(w, load), float64(load)
				bandwidths(r, x, p, guardian(w), inband(w))
				r.Add("a, links", guardian(w), x, p, lightguardian.Link)
				r.Add("a, links", inband(w), x, p, lightguardian.LinkINT)
				with, base, change := r.FCT(p, 0, unit.Bytes(math.MaxInt64))
				r.Append("b", guardian(w), x, with)
				r.Append("b", without(w), x, base)
				r.Append("b, change", guardian(w), x, change)
				r.Add("c", guardian(w), x, p, lightguardian.Hop)
				r.Add("c", without(w), x, p.Without(), lightguardian.Hop)
			}
		}
		for _, p := range shorts {
			bandwidths(r, float64(p.Load), p, short(guardian(p.Workload)), short(inband(p.Workload)))
		}
		for _, layer := range layers {
			r.Progress("d", lightguardian.Default(lightguardian.DCTCP, z.Loads[len(z.Loads)-1]), layer)
		}
		for _, layer := range layers {
			r.Progress("d, 7.5 KB", shorts[1], layer)
		}
	})
}

// bandwidths adds the bandwidth that a point costs at hosts, with LightGuardian and with INT, and the share of the
// sketchlets in the traffic.
func bandwidths(r *lightguardian.Rows, x float64, p lightguardian.Point, own, ofINT string) {
	r.Add("a", own, x, p, lightguardian.Host)
	r.Add("a", ofINT, x, p, lightguardian.HostINT)
	r.Add("a, share", own, x, p, lightguardian.Traffic)
}

var (
	loadAxis = figure.Linear("Load", "%")

	guarded = []string{guardian(lightguardian.DCTCP), guardian(lightguardian.WEB)}
	ofINT   = []string{inband(lightguardian.DCTCP), inband(lightguardian.WEB)}
	ofShort = []string{short(guardian(lightguardian.DCTCP)), short(inband(lightguardian.DCTCP))}
	bare    = []string{without(lightguardian.DCTCP), without(lightguardian.WEB)}

	collectionPanels = []figure.Panel{
		panel("a", "(a) bandwidth at hosts", loadAxis, figure.Log("Overhead at a host", plots.InBitsPerSecond),
			slices.Concat(guarded, ofINT, ofShort)...),
		panel("a, links", "(a) mean of all links", loadAxis, figure.Log("Overhead of a link",
			plots.InBitsPerSecond), slices.Concat(guarded, ofINT)...),
		panel("a, share", "(a) share of the traffic", loadAxis, figure.Linear("Sketchlets in the traffic", "%"),
			append(guarded[:2:2], ofShort[0])...),
		panel("b", "(b) completion times", loadAxis, figure.Log("Mean completion time", plots.InSeconds),
			slices.Concat(guarded, bare)...),
		panel("b, change", "(b) their change", loadAxis, plots.Axis{Label: "Change by LightGuardian", Unit: "%",
			Scale: plots.Linear, Lines: []plots.RefLine{{At: 0}}}, guarded...),
		panel("c", "(c) time in a switch", loadAxis, figure.Linear("Mean time in a switch", plots.InSeconds),
			slices.Concat(guarded, bare)...),
		panel("d", "(d) reconstruction, DCTCP at 90 %", timeAxis, arrivedAxis, layers...),
		panel("d, 7.5 KB", "(d) packets of 7.5 KB", timeAxis, arrivedAxis, layers...),
	}
)

// saved returns the share of INT's bandwidth that LightGuardian saves, in %. It is the smallest share over all
// workloads and loads.
func saved(rows []row, _ *figure.Published, _ *report.Compared) stats.Number {
	least := stats.None()
	for _, w := range workloads {
		for _, r := range figure.PointsOf(rows, "a", guardian(w)) {
			o := figure.PointAt(rows, "a", inband(w), r.X)
			if x := 100 * (1 - r.Value/o.Value); !(x >= least.Value) {
				least = stats.Number{Value: x, Lo: 100 * (1 - r.Hi/o.Lo), Hi: 100 * (1 - r.Lo/o.Hi)}
			}
		}
	}
	return least
}

// longer returns the additional time that packets spend in a switch with LightGuardian, at 90 % load. It is the
// largest difference over the workloads.
func longer(rows []row, _ *figure.Published, _ *report.Compared) stats.Number {
	most := stats.None()
	for _, w := range workloads {
		r, o := figure.PointAt(rows, "c", guardian(w), 90), figure.PointAt(rows, "c", without(w), 90)
		if r != nil && o != nil && !(r.Value-o.Value <= most.Value) {
			most = stats.Number{Value: r.Value - o.Value, Lo: r.Lo - o.Hi, Hi: r.Hi - o.Lo}
		}
	}
	return most
}

// idle returns the additional time that a packet with a sketchlet spends in a switch with empty queues: the
// transmission time of the sketchlet. The interval begins at 0, because a packet without a sketchlet takes no
// additional time.
func idle([]row, *figure.Published, *report.Compared) stats.Number {
	most := linkRate.TxTime(sumax.SketchletBytes).Seconds()
	return stats.Number{Value: most, Hi: most}
}

// linkRate is the rate of a link of the testbed.
const linkRate = 40 * unit.Gbps

// capacity returns the mean share of a link's rate that the sketchlets take, in %.
func capacity(rows []row, p *figure.Published, _ *report.Compared) stats.Number {
	r := figure.PointAt(rows, "a, links", p.Scheme, p.X)
	if r == nil {
		return stats.None()
	}
	return r.Times(100 / float64(linkRate))
}

// Fig6 is Figure 6 of LightGuardian (§8.2). It shows the cost of the collection in the testbed, and how fast sketches
// are reconstructed. The paper scale takes 17 min of CPU.
var Fig6 = figure.Spec[lightguardian.NetworkScale]{
	Name: "lightguardian/fig6", Files: files, Columns: stored,
	Scales:  lightguardian.NetworkScales,
	Measure: measureCollection,
	Ours: map[string]figure.Ours[row]{
		"saved": saved, "longer in a switch": longer, "idle switch": idle, "share of the capacity": capacity,
		"reached": reached("d"),
	},
	Charts: []figure.Chart{{Name: "panels", Title: "Cost and speed of the collection", Columns: 2,
		Panels: collectionPanels}},
}.Figure()
