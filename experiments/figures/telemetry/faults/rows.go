package faults

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/guard"
	"pintlab/experiments/measure/observe"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/scenario"
	"pintlab/int/lightguardian/diagnose"
	"pintlab/internal/rng"
	"pintlab/netsim/unit"
)

// Row is a line of rows.csv: a kind of fault by one view. Numbers are means over the seeds with 95 %
// intervals, NaN for one seed.
type Row struct {
	Fault     string  `col:"fault"`
	View      string  `col:"view"`
	Precision float64 `col:"precision"` // share of the victims that name a culprit, which name the right one
	PLo       float64 `col:"precision_lo"`
	PHi       float64 `col:"precision_hi"`
	Recall    float64 `col:"recall"` // share of the victims of faults that name theirs
	RLo       float64 `col:"recall_lo"`
	RHi       float64 `col:"recall_hi"`
	F1        float64 `col:"f1"`
	F1Lo      float64 `col:"f1_lo"`
	F1Hi      float64 `col:"f1_hi"`
	Located   float64 `col:"located"`        // share of the faults with victims that one names rightly
	After     float64 `col:"after"`          // mean time from such a fault to the first one; NaN without one
	Faults    int     `col:"faults"`         // with victims, in all seeds
	Victims   int     `col:"victims"`        // of faults, in all seeds
	Flows     int     `col:"flows_per_seed"` // in the seed that has the fewest
	Seeds     int     `col:"seeds"`
}

// Span is how long flows arrive: those that are asked, and then others until the sketches of the last interval of the
// former have been carried. A sender gives up 7 ms after its first timeout began to run.
type Span struct{ Asked, Then unit.Time }

type scale struct {
	Span
	seeds int
}

// String says what is run.
func (z scale) String() string {
	return fmt.Sprintf("%v of arrivals at 16 hosts, %s of each of %d kinds of faults", z.Asked, figure.Count(z.seeds, "seed"), len(Kinds))
}

var views = []guard.View{guard.Exact, guard.Whole, guard.Sketches, guard.Voting, "pint"}

// systems are the views with the monitors of traffic.
var systems = firsts(views)

func firsts(views []guard.View) (list []guard.System) {
	for _, v := range views {
		list = append(list, guard.First(v))
	}
	return list
}

// LoopWithoutPFC is a loop in a network without flow control. With it, packets that go round fill their link, and the
// pauses stop flows upstream before they have sent much.
const LoopWithoutPFC = "loop-no-pfc"

// Kinds are the silent faults, of which nothing tells the routes.
var Kinds = []string{
	scenario.Blackhole, scenario.BlackholeEntry, scenario.Loop, LoopWithoutPFC, scenario.RandomDrop, scenario.Jitter, scenario.WrongPath,
	scenario.HostFailure, scenario.SwitchFailure,
}

// traffic is flows of 200 packets. The monitors cost nothing, so that all views see the same packets.
//
// An interval of LightGuardian's sketches sees about 40 flows at a switch. So 128 buckets have 0.3 flows each in d = 3
// arrays, as those of 0.8 MB have in the LightGuardian paper's simulation (§8.3.1: 0.1 M flows of 100 packets at 20 switches). A
// switch has 512 sketchlets, and the packets of an interval carry away a little more than twice as many, since most of them
// come with a sketchlet of another switch.
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
	Sketches = "{kind: lightguardian, interval: 4ms, quiet: 100us, carry: 0.25, delay_arrays: 3, delay_buckets: 128, interval_buckets: 128, keep: 1000}"
	Digests  = "{kind: pint, hops: 9, horizon: 13us, memory: 64MiB, flows: false}"
)

// Scenario is the traffic with monitors and a random fault of a kind, which begins after three eighths of the arrivals that
// are asked and within an interval of every monitor. A loop is at the same place with PFC and without.
func Scenario(kind string, seed uint64, span Span, monitors ...string) (scenario.Scenario, error) {
	pfc := true
	if kind == LoopWithoutPFC {
		kind, pfc = scenario.Loop, false
	}
	fault := random(kind, 3*span.Asked/8+300*unit.Microsecond, rng.New(seed, "figures/telemetry/faults/"+kind))
	text := fmt.Sprintf(traffic, seed, span.Asked+span.Then, pfc, fault)
	for _, m := range monitors {
		text += "  - " + m + "\n"
	}
	return scenario.Parse([]byte(text), "faults")
}

// exactly is the interval of exact counters.
const exactly = unit.Millisecond

// Question is how such a scenario is judged.
func Question(sc scenario.Scenario, span Span) guard.Question {
	return guard.Question{Scenario: sc, Thresholds: diagnose.Default(), Inflation: 10, Interval: exactly, Before: span.Asked}
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

// sums are what the seeds give of a kind by a view.
type sums struct {
	precision, recall, f1    stats.PerSeed
	faults, located, victims int
	after                    float64
}

func measure(ctx context.Context, j *figure.Job, z scale) ([]Row, error) {
	if err := observe.Fixed(j.Set, "seed", "faults", "topology.", "monitors.", "run.monitor_cost"); err != nil {
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
			answers, err := z.ask(ctx, j, kind, seed, observe.Report(task))
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
	j.Footnote("fat tree of 16 hosts at 10 Gb/s, flows of 200 KB at 40 %% load, faults from three eighths of %v on, %s; bars: 95 %%", z.Asked, figure.Count(len(seeds), "seed"))
	j.Setting("digest", "PINT §6.4: 16 bits, path on all packets, latency on 15/16, load on 1/16", "the same, for paths of up to 9 switches")
	j.Setting("sketches", "LightGuardian §8.3.1: 0.34 flows for a bucket of d = 3 arrays", "0.3 flows for a bucket: 3 × 128 buckets for sizes and delays, 4 × 128 for times between packets, 4 ms, λ_c = 1/4")
	return rows, nil
}

// ask runs a scenario with random faults of a kind and diagnoses it by all views.
func (z scale) ask(ctx context.Context, j *figure.Job, kind string, seed uint64, report observe.Progress) ([]*guard.Answer, error) {
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
	r := Row{Fault: kind, View: string(v), Faults: s.faults, Victims: s.victims, Flows: s.f1.Flows(), Located: math.NaN(), After: math.NaN()}
	for _, c := range []struct {
		of            *stats.PerSeed
		value, lo, hi *float64
	}{{&s.precision, &r.Precision, &r.PLo, &r.PHi}, {&s.recall, &r.Recall, &r.RLo, &r.RHi}, {&s.f1, &r.F1, &r.F1Lo, &r.F1Hi}} {
		m, err := c.of.Mean()
		if err != nil {
			return r, err
		}
		m = m.Within(0, 1)
		*c.value, *c.lo, *c.hi, r.Seeds = m.Value, m.Lo, m.Hi, m.Seeds
	}
	if s.faults > 0 {
		r.Located = float64(s.located) / float64(s.faults)
	}
	if s.located > 0 {
		r.After = s.after / float64(s.located)
	}
	return r, nil
}
