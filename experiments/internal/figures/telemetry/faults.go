package telemetry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/guard"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Faults applies LightGuardian's questions to PINT: which silent faults can the 16 bits of PINT's combined plan
// locate, with which precision and recall, and how soon? It compares PINT with LightGuardian's own diagnosis and with
// exact counters, on the same packets.
//
// Four views of LightGuardian show how much each part contributes to the errors. They are exact counters with
// LightGuardian's rules (no sketch); its sketches, each read as a whole (no collection); its sketches as packets
// carry them; and these sketches with PINT's comparison of flows, which uses the knowledge of hosts. The following
// results are from stored.csv (the laptop scale, seeds 1 to 5). docs/telemetry.md contains the larger contest of
// SideBySide.
//
// With the comparison of flows, LightGuardian is as good as PINT. So LightGuardian is behind because of its rules,
// not because of its sketches. The rules suffer from the collection: the sketches of a failed switch are lost, and a
// blackhole or a failed host stops packets that would have carried sketchlets. If sketches are read as a whole, the
// rules suffer from flows that share buckets: the rules compare a victim at five switches, and a single number that
// is too large names the wrong switch.
//
// ChameleMon counts the losses of every flow between the flow's first and last switch. With so few victims,
// ChameleMon stays healthy, so the counts are exact. With the comparison of flows, these counts locate faults of
// switches and links as well as PINT, but one epoch later. ChameleMon detects no wrong path, and no loss after the
// last switch.
//
// Of the faults that lose packets, PINT locates fewer than exact counters. Flows that lost nothing on the bad link
// speak for this link, and flows with losses also cross good links. PINT is better if packets are late: jitter
// reorders packets, so that go-back-N sends many packets again, and the longest times between packets grow at the
// wrong switches. PFC makes no difference to loops, because only two or three flows enter the loop in a millisecond,
// and these do not fill the link.
var Faults = figure.Of[contest, faultRow]{
	Name: "telemetry/faults", Files: files,
	Scales: map[figure.Scale]contest{
		figure.Smoke:  {4 * unit.Millisecond, 4 * unit.Millisecond, 1},
		figure.Laptop: {16 * unit.Millisecond, 15 * unit.Millisecond, 5},
		figure.Paper:  {40 * unit.Millisecond, 15 * unit.Millisecond, 10},
	},
	Measure: measureFaults,
	Claims: figure.Kinds[faultRow]{
		"some of each kind": someLocated, "higher F1": better, "pauses": pauses,
	},
	// The LightGuardian paper prints F1 for ten million packets and at least 0.8 MB per switch.
	Ours: map[string]figure.Ours[faultRow]{
		"F1": func(rows []faultRow, p *figure.Published, _ *report.Compared) stats.Number {
			if r := faultAt(rows, p.Panel, guard.View(p.Scheme)); r != nil {
				return r.F1
			}
			return stats.None()
		},
	},
	Tables: func(rows []faultRow) []figure.Table {
		return []figure.Table{figure.Show("views", rows, "fault",
			figure.Text("by", func(r faultRow) string { return viewNames[guard.View(r.View)] }), "precision", "recall",
			"F1=f1", figure.Real("faults located", "%", func(r faultRow) float64 { return 100 * r.Located }),
			"first after:s=after", "faults", "victims")}
	},
	Draw: drawFaults,
}.Figure()

// faultRow is a line of rows.csv: how well a view locates a kind of fault. Numbers are means over the seeds with 95 %
// intervals. With one seed, the ends of the intervals are NaN.
type faultRow struct {
	Fault string `col:"fault"`
	View  string `col:"view"`
	// Precision is the share of correct names among the victims that name a culprit. Recall is the share of the faults'
	// victims that name the correct culprit.
	Precision stats.Number `col:"precision,precision_lo,precision_hi"`
	Recall    stats.Number `col:"recall,recall_lo,recall_hi"`
	F1        stats.Number `col:"f1,f1_lo,f1_hi"`
	Located   float64      `col:"located"`        // share of the faults with victims that some victim names correctly
	After     float64      `col:"after"`          // mean time from a located fault to the first correct name, or NaN
	Faults    int          `col:"faults"`         // number of faults with victims, in all seeds
	Victims   int          `col:"victims"`        // number of victims of faults, in all seeds
	Flows     int          `col:"flows_per_seed"` // number of flows in the seed with the fewest
	Seeds     int          `col:"seeds"`
}

func (c contest) String() string {
	return fmt.Sprintf("%v of arrivals at 16 hosts, %s of each of %d kinds of faults", c.asked,
		figure.Count(c.seeds, "seed"), len(kinds))
}

var views = []guard.View{guard.Exact, guard.Whole, guard.Sketches, guard.Voting, "pint", "chamelemon"}

// viewNames maps views to their names in the legend.
var viewNames = map[guard.View]string{guard.Exact: "exact counters",
	guard.Whole: "LightGuardian, sketches read whole", guard.Sketches: "LightGuardian",
	guard.Voting: withVotes, "pint": "PINT, 16 bits", "chamelemon": "ChameleMon"}

func measureFaults(ctx context.Context, j *figure.Job, c contest) ([]faultRow, error) {
	if err := j.Fixed("seed", "faults", "topology.", "monitors.", "run.monitor_cost"); err != nil {
		return nil, err
	}
	seeds := j.SeedList(c.seeds)
	runs, err := c.ask(ctx, j, seeds, guard.Question{}, lists.Map(views, guard.First), sketches, digests,
		subtracted)
	if err != nil {
		return nil, err
	}
	var rows []faultRow
	for k, kind := range kinds {
		for v, view := range views {
			r, err := faultRowOf(lists.Map(runs[k], func(run []*guard.Answer) *guard.Answer { return run[v] }))
			if err != nil {
				return nil, err
			}
			r.Fault, r.View = kind, string(view)
			rows = append(rows, r)
		}
	}
	j.Footnote("fat tree of 16 hosts at 10 Gb/s, flows of 200 KB at 40 %% load, faults from %v on, "+
		"%s; bars: 95 %% intervals", c.begins(), figure.Count(len(seeds), "seed"))
	j.Setting("digest", "PINT §6.4: 16 bits, path on all packets, latency on 15/16, load on 1/16",
		"the same, for paths of up to 9 switches")
	j.Setting("sketches", "LightGuardian §8.3.1: 0.34 flows for a bucket of d = 3 arrays", "0.3 flows for a bucket: "+
		"3 × 128 buckets for sizes and delays, 4 × 128 for times between packets, 4 ms, λ_c = 1/4")
	return rows, nil
}

// faultRowOf returns the row of a view from its answers, one for each seed.
func faultRowOf(answers []*guard.Answer) (r faultRow, err error) {
	var precision, recall, f1 stats.PerSeed
	var t tally
	for _, a := range answers {
		precision.Add(a.Precision, a.Flows)
		recall.Add(a.Recall, a.Flows)
		f1.Add(a.F1, a.Flows)
		t.add(a)
	}
	var errs [3]error
	r.Precision, errs[0] = precision.Share()
	r.Recall, errs[1] = recall.Share()
	r.F1, errs[2] = f1.Share()
	r.Located, r.After = share(t.found, t.faults), floats.Sum(t.after)/float64(len(t.after))
	r.Faults, r.Victims = t.faults, t.victims
	r.Flows, r.Seeds = r.F1.Flows, r.F1.Seeds
	return r, errors.Join(errs[:]...)
}

// faultAt returns the row of a kind of fault for a view, or nil.
func faultAt(rows []faultRow, kind string, v guard.View) *faultRow {
	return figure.Find(rows, func(r *faultRow) bool { return r.Fault == kind && r.View == string(v) })
}

// pauses reports F1 for loops with PFC and without, for every view.
func pauses(_ *figure.Claim, rows []faultRow) figure.Finding {
	var list []string
	for _, v := range views {
		if a, b := faultAt(rows, scenario.Loop, v), faultAt(rows, noPFC, v); a != nil && b != nil {
			list = append(list, fmt.Sprintf("%s %.3f and %.3f", viewNames[v], a.F1.Value, b.F1.Value))
		}
	}
	return figure.Finding{Outcome: figure.Found, Detail: strings.Join(list, ", ")}
}

// someLocated makes a finding. The finding holds if a view locates at least one fault of each kind. It fails if the
// view locates no fault of some kind.
func someLocated(c *figure.Claim, rows []faultRow) figure.Finding {
	missed, n := "", 0
	for _, k := range kinds {
		r := faultAt(rows, k, guard.View(c.Scheme))
		if r == nil || math.IsNaN(r.Located) {
			continue
		}
		n++
		if r.Located == 0 {
			missed += " " + k
		}
	}
	return figure.Judge("", missed == "" && n == len(kinds), missed != "",
		"missed:%s, of %s with victims", cmp.Or(missed, " none"), figure.Count(n, "kind"))
}

// meanF1 returns the mean of F1 over some kinds. The ends of the interval are the means of the ends.
func meanF1(rows []faultRow, v guard.View, of []string) (mean stats.Number) {
	rows = figure.Pick(rows, func(r *faultRow) bool { return r.View == string(v) && slices.Contains(of, r.Fault) })
	n := float64(len(rows))
	for _, r := range rows {
		mean.Value, mean.Lo, mean.Hi = mean.Value+r.F1.Value, mean.Lo+r.F1.Lo, mean.Hi+r.F1.Hi
	}
	return stats.Number{Value: mean.Value / n, Lo: mean.Lo / n, Hi: mean.Hi / n}
}

// better compares two means of F1 over the kinds of faults. The intervals of these means are wider than necessary
// (see meanF1).
func better(c *figure.Claim, rows []faultRow) figure.Finding {
	of := kinds
	if c.Case != "" {
		of = figure.List(c.Case)
	}
	x, y := meanF1(rows, guard.View(c.Scheme), of), meanF1(rows, guard.View(c.Against), of)
	return figure.Judge("", x.Value > y.Value, x.Under(1, y), "%.3f against %.3f", x.Value, y.Value)
}

func drawFaults(rows []faultRow) ([]figure.Drawing, error) {
	f := plots.Figure{Title: "Which faults 16 bits of PINT locate", Columns: 2}
	x := plots.Axis{Label: "Fault", Scale: plots.Linear, Min: plots.At(-0.5), Max: plots.At(float64(len(kinds)) - 0.5)}
	for i, k := range kinds {
		label := strings.ReplaceAll(k, "-", " ")
		if k == noPFC {
			label = "loop, no PFC"
		}
		x.Ticks = append(x.Ticks, plots.Tick{At: float64(i), Label: label})
	}
	share := func(label string) plots.Axis {
		return plots.Axis{Label: label, Scale: plots.Linear, Min: plots.At(0), Max: plots.At(1.05)}
	}
	for _, p := range []struct {
		title string
		y     plots.Axis
		of    func(*faultRow) stats.Number
	}{
		{"Precision", share("Correct among named"), func(r *faultRow) stats.Number { return r.Precision }},
		{"Recall", share("Correct among victims of faults"), func(r *faultRow) stats.Number { return r.Recall }},
		{"Faults located", share("Share of the faults"),
			func(r *faultRow) stats.Number { return stats.Alone(r.Located) }},
		{"Time to the first correct name", plots.Axis{Label: "Time from the fault", Unit: plots.InSeconds,
			Scale: plots.Log}, func(r *faultRow) stats.Number { return stats.Alone(r.After) }},
	} {
		panel := plots.Panel{Title: p.title, X: x, Y: p.y}
		for v, view := range views {
			of := figure.Pick(rows, func(r *faultRow) bool { return r.View == string(view) })
			s := figure.Ranges(plots.Series{Name: viewNames[view], Style: plots.Points}, of,
				func(r *faultRow) (x, y, lo, hi float64) {
					m := p.of(r)
					return float64(slices.Index(kinds, r.Fault)) + 0.13*(float64(v)-2.5), m.Value, m.Lo, m.Hi
				})
			panel.Series = append(panel.Series, figure.Drawn(s)...)
		}
		if len(panel.Series) > 0 {
			f.Panels = append(f.Panels, panel)
		}
	}
	return []figure.Drawing{{Name: "faults", Caption: "faults", Plot: f}}, nil
}
