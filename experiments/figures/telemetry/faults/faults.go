// Package faults asks LightGuardian's questions of PINT: which silent faults the 16 bits of PINT's combined
// plan locate, how surely and how soon, beside LightGuardian's own diagnosis and exact
// counters, on the same packets of the same network.
//
// Package experiments/measure/guard has the diagnosis. Monitors cost nothing here, so that one run serves all three.
// What monitors cost is what telemetry/side-by-side measures; it also has a row of hosts without any telemetry, since
// the comparison of flows that locates losses for PINT needs no digest.
//
// # The contest
//
// Flows have 200 packets, a bucket of the sketches has 0.3 flows as in the LightGuardian paper's simulation (§8.3.1;
// its 10 M packets are of 0.1 M flows), and traffic goes on until the sketches of the last interval that matters have
// been carried. Four rows tell what costs LightGuardian what: exact counters with its rules (no sketch), its sketches
// read whole (no collection), its sketches as packets carry them, and these with the comparison of flows that PINT has,
// which uses what hosts know.
//
// # What comes out, and why
//
// stored.csv has the rows of the laptop scale, seeds 1 to 5 (52 s of CPU); docs/side-by-side.md has the larger contest.
//
// LightGuardian's rules are behind PINT, and with the comparison of flows they are level: the rules and not the
// sketches make the difference. The rules lose by collection: a switch that fails takes its sketches with it, and a
// blackhole or a failed host stops packets that would have carried some. Read whole, sketches lose by flows that share
// buckets: a victim is compared at five switches, and one number that is too large names the wrong one.
//
// Of faults that lose packets, exact counters locate nearly all. PINT locates fewer, because flows that lost nothing on
// the bad link speak for it, and those that lost something lie on good links too. PINT locates late packets better than
// counters do: jitter reorders packets, go-back-N then sends much again, and the longest times between packets grow at
// the wrong switches.
//
// PFC makes no difference to loops here. A sender has one window under way until it times out, and a switch drops what
// has gone round 64 times, so the two or three flows of a millisecond that meet the loop do not fill its link. With
// flows of 20 packets at the same load ten times as many meet it, and PFC stops flows upstream before they have sent
// much.
//
// Exact counters name drops and wrong paths first, then PINT; LightGuardian waits until the sketches of the interval
// have been collected. What loses all packets shows when the first sender gives up, whoever looks.
package faults

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/guard"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/scenario"
	"pintlab/experiments/study"
	"pintlab/int/lightguardian/diagnose"
	"pintlab/internal/hash"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/plots/report"
)

// Figure is telemetry/faults.
var Figure = figure.Of[scale, Row]{
	Name:   "telemetry/faults",
	Title:  "LightGuardian's questions, asked of 16 bits of PINT",
	Source: "no paper; PINT §6.4 and LightGuardian §6.2, §8.3.1",
	Claim: "16 bits of PINT on every packet locate silent faults: what is lost by comparison of the flows that " +
		"share a link, what is late by the latencies of hops, what goes astray by its path.",
	Scales: map[figure.Scale]scale{
		figure.Smoke:  {Span{4 * unit.Millisecond, 4 * unit.Millisecond}, 1},
		figure.Laptop: {Span{16 * unit.Millisecond, 15 * unit.Millisecond}, 5},
		figure.Paper:  {Span{40 * unit.Millisecond, 15 * unit.Millisecond}, 10},
	},
	Measure: measure,
	Check:   check,
	Compare: compare,
	Tables:  tables,
	Draw:    draw,
	Why: []string{
		"LightGuardian's numbers are of sketches of 0.8 MB that are read whole, of an instance for each flow and " +
			"switch, and of one kind of fault that it asks for; here a victim names one culprit of any kind, " +
			"and an interval is 4 ms. lightguardian/fig7 has its numbers at its scale.",
		"The digests of PINT tell nothing of packets that are lost. What names a lost packet's link is the " +
			"comparison of flows with known paths, of which hosts know what was sent and what has arrived.",
	},
}.Figure()

// Row is a line of rows.csv: a kind of fault by one view. Numbers are means over the seeds with 95 %
// intervals, NaN for one seed.
type Row struct {
	Fault string `col:"fault"`
	View  string `col:"view"`
	// Precision is the share of the victims that name a culprit, which name the right one; Recall is the share of the
	// victims of faults that name theirs.
	Precision stats.Number `col:"precision,precision_lo,precision_hi"`
	Recall    stats.Number `col:"recall,recall_lo,recall_hi"`
	F1        stats.Number `col:"f1,f1_lo,f1_hi"`
	Located   float64      `col:"located"`        // share of the faults with victims that one names rightly
	After     float64      `col:"after"`          // mean time from such a fault to the first one; NaN without one
	Faults    int          `col:"faults"`         // with victims, in all seeds
	Victims   int          `col:"victims"`        // of faults, in all seeds
	Flows     int          `col:"flows_per_seed"` // in the seed that has the fewest
	Seeds     int          `col:"seeds"`
}

// Span is how long flows arrive: those that are asked, and then others until the sketches of the last interval of the
// former have been carried. A sender gives up 7 ms after its first timeout began to run.
type Span struct{ Asked, Then unit.Time }

type scale struct {
	Span
	seeds int
}

func (z scale) String() string {
	return fmt.Sprintf("%v of arrivals at 16 hosts, %s of each of %d kinds of faults", z.Asked,
		figure.Count(z.seeds, "seed"), len(Kinds))
}

var views = []guard.View{guard.Exact, guard.Whole, guard.Sketches, guard.Voting, "pint"}

// systems are the views with the monitors of traffic.
var systems = firsts(views)

func firsts(views []guard.View) []guard.System {
	return lists.Map(views, guard.First)
}

// LoopWithoutPFC is a loop in a network without flow control. With it, packets that go round fill their link, and the
// pauses stop flows upstream before they have sent much.
const LoopWithoutPFC = "loop-no-pfc"

// Kinds are the silent faults: routing does not react to them.
var Kinds = []string{
	scenario.Blackhole, scenario.BlackholeEntry, scenario.Loop, LoopWithoutPFC, scenario.RandomDrop, scenario.Jitter,
	scenario.WrongPath,
	scenario.HostFailure, scenario.SwitchFailure,
}

// traffic is flows of 200 packets. The monitors cost nothing, so that all views see the same packets.
//
// An interval of LightGuardian's sketches sees about 40 flows at a switch. So 128 buckets have 0.3 flows each in d = 3
// arrays, as those of 0.8 MB have in the LightGuardian paper's simulation (§8.3.1: 0.1 M flows of 100 packets at 20
// switches). A switch has 512 sketchlets, and the packets of an interval carry away a little more than twice as many,
// since most of them come with a sketchlet of another switch.
const traffic = `name: faults
seed: %d
topology: {kind: fattree, k: 4, host_rate: 10Gbps, fabric_rate: 10Gbps}
workload: [{kind: poisson, sizes: fixed, size: 200KB, load: 0.4, duration: %v}]
network: {pfc: {enabled: %v}}
transport: {rto_min: 1ms, rto_initial: 1ms, max_retries: 2}
cc: {kind: hpcc, t: 13us, w_ai: 80B}
telemetry: {kind: int, hops: 9}
run: {monitor_cost: none}
faults: [%s]
monitors:
`

// Sketches and Digests are the monitors of LightGuardian and PINT in that traffic.
const (
	Sketches = "{kind: lightguardian, interval: 4ms, quiet: 100us, carry: 0.25, delay_arrays: 3, delay_buckets: 128, " +
		"interval_buckets: 128, keep: 1000}"
	Digests = "{kind: pint, hops: 9, horizon: 13us, memory: 64MiB, flows: false}"
)

// Scenario returns the traffic with monitors and a random fault of a kind, which begins after three eighths of the
// arrivals that are asked and within an interval of every monitor. A loop is at the same place with PFC and without.
func Scenario(kind string, seed uint64, span Span, monitors ...string) (scenario.Scenario, error) {
	pfc := true
	if kind == LoopWithoutPFC {
		kind, pfc = scenario.Loop, false
	}
	fault := random(kind, 3*span.Asked/8+300*unit.Microsecond, hash.Stream(seed, "figures/telemetry/faults/"+kind))
	text := fmt.Sprintf(traffic, seed, span.Asked+span.Then, pfc, fault)
	for _, m := range monitors {
		text += "  - " + m + "\n"
	}
	return scenario.Parse([]byte(text), "faults")
}

// exactly is the interval of exact counters.
const exactly = unit.Millisecond

// Question returns how the answers about such a scenario are scored.
func Question(sc scenario.Scenario, span Span) guard.Question {
	return guard.Question{Scenario: sc, Thresholds: diagnose.Default(), Inflation: 10, Interval: exactly,
		Before: span.Asked}
}

// random makes a random fault of a kind in the fat tree of 16 hosts: hosts 0 to 15, edge switches
// 16 to 23, aggregation 24 to 31 and core 32 to 35.
func random(kind string, at unit.Time, r *rand.Rand) string {
	link := func() string {
		pod := r.IntN(4)
		agg := r.IntN(2)
		if r.IntN(2) == 0 {
			return fmt.Sprintf("a: %d, b: %d", 16+2*pod+r.IntN(2), 24+2*pod+agg)
		}
		return fmt.Sprintf("a: %d, b: %d", 24+2*pod+agg, 32+2*agg+r.IntN(2))
	}
	// entry is an aggregation switch in the pod of a host.
	entry := func() (dst, at int) {
		dst = r.IntN(16)
		return dst, 24 + 2*(dst/4) + r.IntN(2)
	}
	switch kind {
	case scenario.BlackholeEntry:
		dst, sw := entry()
		return fmt.Sprintf("{kind: %s, switch: %d, dst: %d, at: %v}", kind, sw, dst, at)
	case scenario.WrongPath:
		dst, sw := entry()
		other := 16 + (dst/2 ^ 1) // the other edge switch of the pod
		return fmt.Sprintf("{kind: %s, switch: %d, next: %d, dst: %d, at: %v}", kind, sw, other, dst, at)
	case scenario.HostFailure:
		return fmt.Sprintf("{kind: %s, host: %d, at: %v}", kind, r.IntN(16), at)
	case scenario.SwitchFailure:
		return fmt.Sprintf("{kind: %s, switch: %d, reroute: false, at: %v}", kind, 24+r.IntN(12), at)
	case scenario.RandomDrop:
		return fmt.Sprintf("{kind: %s, %s, probability: 0.05, at: %v}", kind, link(), at)
	case scenario.Jitter:
		return fmt.Sprintf("{kind: %s, %s, rate: 1Gbps, delay: 100us, at: %v}", kind, link(), at)
	}
	return fmt.Sprintf("{kind: %s, %s, at: %v}", kind, link(), at)
}

// sums has the sums over the seeds for one kind of fault and one view.
type sums struct {
	precision, recall, f1    stats.PerSeed
	faults, located, victims int
	after                    float64
}

func measure(ctx context.Context, j *figure.Job, z scale) ([]Row, error) {
	if err := j.Fixed("seed", "faults", "topology.", "monitors.", "run.monitor_cost"); err != nil {
		return nil, err
	}
	seeds := j.SeedList(z.seeds)
	show := j.Progress(len(seeds) * len(Kinds))
	defer show.Close()
	var rows []Row
	for _, kind := range Kinds {
		all := make([]sums, len(views))
		for _, seed := range seeds {
			task := show.Begin(fmt.Sprintf("%s, seed %d", kind, seed))
			answers, err := z.ask(ctx, j, kind, seed, study.Report(task))
			task.End()
			if err != nil {
				return nil, err
			}
			for v, a := range answers {
				all[v].add(a)
			}
		}
		for v := range views {
			r, err := all[v].row(kind, views[v])
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
	}
	j.Footnote("fat tree of 16 hosts at 10 Gb/s, flows of 200 KB at 40 %% load, faults from three eighths of %v "+
		"on, %s; bars: 95 %%", z.Asked, figure.Count(len(seeds), "seed"))
	j.Setting("digest", "PINT §6.4: 16 bits, path on all packets, latency on 15/16, load on 1/16",
		"the same, for paths of up to 9 switches")
	j.Setting("sketches", "LightGuardian §8.3.1: 0.34 flows for a bucket of d = 3 arrays", "0.3 flows for a bucket: "+
		"3 × 128 buckets for sizes and delays, 4 × 128 for times between packets, 4 ms, λ_c = 1/4")
	return rows, nil
}

// ask runs a scenario with random faults of a kind and diagnoses it by all views.
func (z scale) ask(ctx context.Context, j *figure.Job, kind string, seed uint64,
	report study.Progress) ([]*guard.Answer, error) {
	sc, err := Scenario(kind, seed, z.Span, Sketches, Digests)
	if err != nil {
		return nil, err
	}
	if sc, err = sc.With(j.Set...); err != nil {
		return nil, err
	}
	return guard.Compare(ctx, Question(sc, z.Span), systems, report)
}

func (s *sums) add(a *guard.Answer) {
	s.precision.Add(a.Precision, a.Flows)
	s.recall.Add(a.Recall, a.Flows)
	s.f1.Add(a.F1, a.Flows)
	s.victims += a.Afflicted
	for _, f := range a.Faults {
		if f.Victims == 0 {
			continue
		}
		s.faults++
		if f.Found > 0 {
			s.located++
			s.after += float64(f.After)
		}
	}
}

func (s *sums) row(kind string, v guard.View) (Row, error) {
	r := Row{Fault: kind, View: string(v), Faults: s.faults, Victims: s.victims, Located: math.NaN(), After: math.NaN()}
	var errs [3]error
	r.Precision, errs[0] = s.precision.Share()
	r.Recall, errs[1] = s.recall.Share()
	r.F1, errs[2] = s.f1.Share()
	r.Flows, r.Seeds = r.F1.Flows, r.F1.Seeds
	if s.faults > 0 {
		r.Located = float64(s.located) / float64(s.faults)
	}
	if s.located > 0 {
		r.After = s.after / float64(s.located)
	}
	return r, errors.Join(errs[:]...)
}

// lossy are the kinds that lose packets.
var lossy = []string{scenario.Blackhole, scenario.BlackholeEntry, scenario.Loop, LoopWithoutPFC, scenario.RandomDrop,
	scenario.HostFailure, scenario.SwitchFailure}

// names are the views in the legend.
var names = map[guard.View]string{guard.Exact: "exact counters", guard.Whole: "LightGuardian, sketches read whole",
	guard.Sketches: "LightGuardian", guard.Voting: "LightGuardian + host votes", "pint": "PINT, 16 bits"}

// at returns the row of a kind by a view; nil without one.
func at(rows []Row, kind string, v guard.View) *Row {
	return figure.Find(rows, func(r *Row) bool { return r.Fault == kind && r.View == string(v) })
}

func check(rows []Row) []figure.Finding {
	return []figure.Finding{
		located("exact counters of every switch locate some fault of every kind", rows, guard.Exact),
		located("16 bits of PINT do, too", rows, "pint"),
		better("over all kinds, PINT has a higher F1 than LightGuardian's sketches and rules in runs of milliseconds",
			rows, "pint", guard.Sketches, Kinds...),
		better("LightGuardian's sketches have a higher F1 with the comparison of flows that PINT has, too", rows,
			guard.Voting, guard.Sketches, Kinds...),
		better("they have a higher F1 when they are read whole than when packets carry them", rows, guard.Whole,
			guard.Sketches, Kinds...),
		better("of faults that lose packets, exact counters have a higher F1 than PINT", rows, guard.Exact, "pint",
			lossy...),
		pauses(rows),
	}
}

// pauses compares how many loops are located with PFC and without.
func pauses(rows []Row) figure.Finding {
	var list []string
	for _, v := range views {
		if a, b := at(rows, scenario.Loop, v), at(rows, LoopWithoutPFC, v); a != nil && b != nil {
			list = append(list, fmt.Sprintf("%s %.3f and %.3f", names[v], a.F1.Value, b.F1.Value))
		}
	}
	return figure.Finding{Outcome: figure.Found, Statement: "F1 of loops with PFC and without",
		Detail: strings.Join(list, ", ")}
}

// located holds if some fault of each kind is located, and fails if none of a kind is.
func located(statement string, rows []Row, v guard.View) figure.Finding {
	missed, n := "", 0
	for _, k := range Kinds {
		r := at(rows, k, v)
		if r == nil || math.IsNaN(r.Located) {
			continue
		}
		n++
		if r.Located == 0 {
			missed += " " + k
		}
	}
	missed = cmp.Or(missed, " none")
	return figure.Judge(statement, missed == " none" && n == len(Kinds), missed != " none",
		"missed:%s, of %s with victims", missed, figure.Count(n, "kind"))
}

// mean returns the mean F1 over some kinds, and of the ends of the intervals.
func mean(rows []Row, v guard.View, of []string) stats.Number {
	var sum stats.Number
	n := 0.0
	for _, k := range of {
		if r := at(rows, k, v); r != nil {
			sum.Value, sum.Lo, sum.Hi, n = sum.Value+r.F1.Value, sum.Lo+r.F1.Lo, sum.Hi+r.F1.Hi, n+1
		}
	}
	return stats.Number{Value: sum.Value / n, Lo: sum.Lo / n, Hi: sum.Hi / n}
}

// better compares means over the kinds of faults. It takes the mean of the intervals' ends, which is wider than the
// interval of the mean.
func better(statement string, rows []Row, a, b guard.View, of ...string) figure.Finding {
	x, y := mean(rows, a, of), mean(rows, b, of)
	return figure.Judge(statement, x.Value > y.Value, x.Under(1, y), "%.3f against %.3f", x.Value, y.Value)
}

// published are the numbers of LightGuardian's testbed (§8.3.1, Fig. 7), with ten million packets and 0.8 MB or more in
// a switch.
var published = []struct {
	kind string
	f1   float64
}{{scenario.Blackhole, 0.99}, {scenario.Loop, 0.99}, {scenario.Jitter, 1}}

func compare(rows []Row) []report.Compared {
	var list []report.Compared
	for _, p := range published {
		for _, v := range views[1:] {
			c := report.Compared{Quantity: fmt.Sprintf("F1 of %s, %s", p.kind, names[v]), Published: p.f1,
				Ours: math.NaN(), Source: "LightGuardian §8.3.1, Fig. 7, sketches"}
			if r := at(rows, p.kind, v); r != nil {
				c.Ours, c.Lo, c.Hi = r.F1.Value, r.F1.Lo, r.F1.Hi
			}
			list = append(list, figure.Beside(c, figure.Score))
		}
	}
	return list
}

func tables(rows []Row) []figure.Table {
	return []figure.Table{figure.Show("Which fault is located by what, on the same packets. "+
		"Precision and recall count victims; a fault is located when one victim names it.", rows,
		"fault", figure.Text("by", func(r Row) string { return names[guard.View(r.View)] }), "precision", "recall",
		"F1=f1",
		figure.Real("faults located", "%", func(r Row) float64 { return 100 * r.Located }), "first after:s=after",
		"faults", "victims")}
}

func draw(rows []Row) ([]figure.Drawing, error) {
	f := plots.Figure{Title: "Which faults 16 bits of PINT locate", Columns: 2}
	var ticks []plots.Tick
	for i, k := range Kinds {
		ticks = append(ticks, plots.Tick{At: float64(i), Label: k})
	}
	x := plots.Axis{Label: "Fault", Scale: plots.Linear, Ticks: ticks, Min: plots.At(-0.5),
		Max: plots.At(float64(len(Kinds)) - 0.5)}
	share := func(label string) plots.Axis {
		return plots.Axis{Label: label, Scale: plots.Linear, Min: plots.At(0), Max: plots.At(1.05)}
	}
	for _, p := range []struct {
		title string
		y     plots.Axis
		of    func(*Row) stats.Number
	}{
		{"precision", share("Right among named"), func(r *Row) stats.Number { return r.Precision }},
		{"recall", share("Right among victims of faults"), func(r *Row) stats.Number { return r.Recall }},
		{"faults located", share("Share of the faults"), func(r *Row) stats.Number { return stats.Alone(r.Located) }},
		{"time to the first right name", plots.Axis{Label: "Time from the fault", Unit: plots.InSeconds,
			Scale: plots.Log}, func(r *Row) stats.Number { return stats.Alone(r.After) }},
	} {
		panel := plots.Panel{Title: p.title, X: x, Y: p.y}
		for v, view := range views {
			of := figure.Pick(rows, func(r *Row) bool {
				return r.View == string(view) && !p.of(r).Missing()
			})
			s := figure.Ranges(plots.Series{Name: names[view], Style: plots.Points}, of,
				func(r *Row) (x, y, lo, hi float64) {
					m := p.of(r)
					return float64(slices.Index(Kinds, r.Fault)) + 0.15*float64(v-2), m.Value, m.Lo, m.Hi
				})
			panel.Series = append(panel.Series, figure.Drawn(s)...)
		}
		if len(panel.Series) > 0 {
			f.Panels = append(f.Panels, panel)
		}
	}
	return []figure.Drawing{{Name: "faults", Caption: "Precision, recall, faults located and the time that " +
		"took, by kind of fault.", Plot: f}}, nil
}
