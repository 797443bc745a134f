package telemetry

import (
	"context"
	"embed"
	"fmt"
	"math/rand/v2"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/guard"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/scenario"
	"pintlab/int/lightguardian/diagnose"
	"pintlab/internal/hash"
	"pintlab/internal/lists"
	"pintlab/internal/progress"
	"pintlab/netsim/unit"
)

//go:embed */figure.md */published.csv */claims.csv
var files embed.FS

// contest describes runs with one silent fault each, which all systems observe. Monitors cost nothing, so that all
// systems can share a run. Package experiments/internal/measure/guard contains the diagnosis.
type contest struct {
	// asked is the time during which the diagnosed flows arrive. Afterwards, other flows arrive for the time `then`.
	// The packets of these flows collect the sketches of the last interval in which diagnosed flows send. A sender
	// gives up 7 ms after the start of its first timeout.
	asked, then unit.Time
	seeds       int
}

// noPFC names a loop in a network without PFC. With PFC, packets in the loop can fill the links of the loop, and
// pauses then stop the flows upstream before these have sent much.
const noPFC = "loop-no-pfc"

// kinds lists the silent faults. Routing does not react to them.
var kinds = []string{
	scenario.Blackhole, scenario.BlackholeEntry, scenario.Loop, noPFC, scenario.RandomDrop, scenario.Jitter,
	scenario.WrongPath,
	scenario.HostFailure, scenario.SwitchFailure,
}

// contestText describes the network and its flows of 200 packets.
//
// In an interval of LightGuardian, about 40 flows pass a switch. So there are 0.3 flows for each of the 128 buckets
// in each of d = 3 arrays. In the simulation of the LightGuardian paper, sketches of 0.8 MB have about the same
// number of flows per bucket (§8.3.1: 0.1 M flows of 100 packets at 20 switches). A switch has 512 sketchlets. The
// packets of an interval carry a little more than twice as many sketchlets. They do not carry more, because most
// packets already carry a sketchlet of another switch.
const contestText = `name: faults
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

// The monitors of ChameleMon, LightGuardian and PINT in the contest. ChameleMon has sketches for thousands of flows,
// so that it stays in its healthy state.
const (
	subtracted = "{kind: chamelemon, epoch: 4ms}"
	sketches   = "{kind: lightguardian, interval: 4ms, quiet: 100us, carry: 0.25, delay_arrays: 3, " +
		"delay_buckets: 128, interval_buckets: 128, keep: 1000}"
	digests = "{kind: pint, hops: 9, horizon: 13us, memory: 64MiB, flows: false}"
)

// begins returns the time at which a fault begins: 300 µs after three eighths of the time `asked`, so that it is not at
// the boundary of an interval of any monitor.
func (c contest) begins() unit.Time { return 3*c.asked/8 + 300*unit.Microsecond }

// scenario returns the network with monitors and a random fault of a kind. With the same seed, a loop is at the same
// place with PFC and without.
func (c contest) scenario(kind string, seed uint64, monitors ...string) (scenario.Scenario, error) {
	pfc := kind != noPFC
	if !pfc {
		kind = scenario.Loop
	}
	fault := random(kind, c.begins(), hash.Stream(seed, "figures/telemetry/faults/"+kind))
	text := fmt.Sprintf(contestText, seed, c.asked+c.then, pfc, fault)
	for _, m := range monitors {
		text += "  - " + m + "\n"
	}
	return scenario.Parse([]byte(text), "faults")
}

// toAggregation returns the keys of a link from an edge switch to an aggregation switch. The switches of a pod are
// counted from 0.
func toAggregation(pod, edge, aggregation int) string {
	return fmt.Sprintf("a: %d, b: %d", 16+2*pod+edge, 24+2*pod+aggregation)
}

// toCore returns the keys of a link from an aggregation switch to one of its two core switches.
func toCore(pod, aggregation, core int) string {
	return fmt.Sprintf("a: %d, b: %d", 24+2*pod+aggregation, 32+2*aggregation+core)
}

// random returns a random fault of a kind in the fat tree of 16 hosts. In this network, hosts are the nodes 0 to 15,
// edge switches are 16 to 23, aggregation switches are 24 to 31, and core switches are 32 to 35.
func random(kind string, at unit.Time, r *rand.Rand) string {
	link := func() string {
		pod := r.IntN(4)
		agg := r.IntN(2)
		if r.IntN(2) == 0 {
			return toAggregation(pod, r.IntN(2), agg)
		}
		return toCore(pod, agg, r.IntN(2))
	}
	// entry returns a random host and an aggregation switch in the pod of this host.
	entry := func() (dst, at int) {
		dst = r.IntN(16)
		return dst, 24 + 2*(dst/4) + r.IntN(2)
	}
	what := ""
	switch kind {
	case scenario.BlackholeEntry:
		dst, sw := entry()
		what = fmt.Sprintf("switch: %d, dst: %d", sw, dst)
	case scenario.WrongPath:
		dst, sw := entry()
		other := 16 + (dst/2 ^ 1) // the other edge switch in the pod of the host
		what = fmt.Sprintf("switch: %d, next: %d, dst: %d", sw, other, dst)
	case scenario.HostFailure:
		what = fmt.Sprintf("host: %d", r.IntN(16))
	case scenario.SwitchFailure:
		what = fmt.Sprintf("switch: %d, reroute: false", 24+r.IntN(12))
	case scenario.RandomDrop:
		what = link() + ", probability: 0.05"
	case scenario.Jitter:
		what = link() + ", rate: 1Gbps, delay: 100us"
	default:
		what = link()
	}
	return fmt.Sprintf("{kind: %s, %s, at: %v}", kind, what, at)
}

// ask runs a scenario for each kind of fault and each seed, and asks the systems about the fault. q is the question
// without its scenario. The answers are in the order of kinds, seeds and systems.
func (c contest) ask(
	ctx context.Context, j *figure.Job, seeds []uint64, q guard.Question, systems []guard.System, monitors ...string,
) ([][][]*guard.Answer, error) {
	q.Thresholds, q.Inflation, q.Interval, q.Before = diagnose.Default(), 10, unit.Millisecond, c.asked
	all := study.Study{Seeds: seeds}
	for _, kind := range kinds {
		all.Cells = append(all.Cells, study.Cell{
			Case: kind, Label: kind,
			Work: func(ctx context.Context, seed uint64, show *progress.Task) (any, error) {
				sc, err := j.Scenario(c.scenario(kind, seed, monitors...))
				if err != nil {
					return nil, err
				}
				of := q
				of.Scenario = sc
				return guard.Compare(ctx, of, systems, study.Report(show))
			},
		})
	}
	done, err := all.Run(ctx, j)
	if err != nil {
		return nil, err
	}
	return lists.Map(all.Cells, func(kind study.Cell) [][]*guard.Answer {
		return study.Made[[]*guard.Answer](done, kind)
	}), nil
}

// tally counts the faults with victims, the faults that at least one victim names correctly (found), and the victims.
type tally struct {
	faults, found, victims int       // in all runs
	after                  []float64 // for each found fault: time until the first correct name
}

func (t *tally) add(a *guard.Answer) {
	t.victims += a.Afflicted
	for _, f := range a.Faults {
		if f.Victims == 0 {
			continue
		}
		t.faults++
		if f.Found > 0 {
			t.found++
			t.after = append(t.after, float64(f.After))
		}
	}
}
