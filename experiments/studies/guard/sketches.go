package guard

import (
	"fmt"
	"slices"

	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/int/lightguardian"
	"pintlab/int/lightguardian/diagnose"
	"pintlab/netsim/unit"
)

// kinds are the monitors that the views read; "" for none.
var kinds = map[View]string{Sketches: "lightguardian", Whole: "lightguardian", Voting: "lightguardian", PINT: "pint", Collector: "int", SketchINT: "sketchint"}

// place is the number of the monitor that a system reads; -1 for none.
func (x System) place(sc *scenario.Scenario) int {
	if x.Monitor >= 0 {
		return x.Monitor
	}
	return slices.IndexFunc(sc.Monitors, func(m scenario.Monitor) bool { return m.Kind == kinds[x.View] })
}

// watched is a scenario with the monitor of a system, which it gets if it has none.
func watched(sc scenario.Scenario, x System) (scenario.Scenario, error) {
	kind := kinds[x.View]
	if kind == "" {
		return sc, nil
	}
	i := x.place(&sc)
	switch {
	case i >= len(sc.Monitors) || i >= 0 && sc.Monitors[i].Kind != kind:
		return sc, fmt.Errorf("monitor %d of the scenario is not %s, which %s reads", i, kind, x.View)
	case i >= 0 && kind == "lightguardian" && sc.Monitors[i].Params.(*lightguardian.Params).Analysis == "local":
		return sc, fmt.Errorf("monitors.%d.analysis = local: a culprit on a path can be found by the global analyzer only", i)
	case i >= 0:
		return sc, nil
	case len(sc.Monitors) > 0:
		return sc, fmt.Errorf("none of the monitors of the scenario is %s: add one, or take exact counters", kind)
	}
	more := map[string]string{"lightguardian": ", keep: 1000", "pint": ", hops: 9"}[kind]
	return sc.With(fmt.Sprintf("monitors=[{kind: %s%s}]", kind, more))
}

// keepAll is how many intervals of sketches are kept that are read whole.
const keepAll = 1000

// sketches is what the analyzer knows at the end of a run.
func sketches(s *sim.Simulation, x System) (view diagnose.View, interval unit.Time, note string) {
	i := x.place(&s.Scenario)
	p, m := s.Scenario.Monitors[i].Params.(*lightguardian.Params), s.Monitor(i).(*lightguardian.Monitor)
	if x.View == Whole {
		return diagnose.NewWhole(m), p.Interval, ""
	}
	v := diagnose.NewSketches(m)
	switch from, to := v.Intervals(); {
	case to == 0:
		note = fmt.Sprintf("no sketch has been collected: the run must last longer than monitors.%d.interval = %v", i, p.Interval)
	case from > 0:
		note = fmt.Sprintf("the first %d of %d intervals are not kept (monitors.%d.keep = %d): flows that ended in them name no culprit", from, to, i, p.Keep)
	}
	return v, p.Interval, note
}

// sketched is what LightGuardian's sketches know of a flow that the comparison of flows asks for. Sketches never count
// too little. So a number of packets above what the host has sent is that of several flows, unless packets go round.
type sketched struct {
	p       *patient
	monitor int // its number
	view    *asked
	every   unit.Time // interval
}

// look reads what has been collected, after the run. It returns the interval of the sketches.
func (k *sketched) look() unit.Time {
	view, every, _ := sketches(k.p.s, System{Voting, k.monitor})
	k.view, k.every = &asked{View: view}, every
	return every
}

func (k *sketched) share() float64 { return k.view.share() }

func (k *sketched) of(x *record) facts {
	v := x.victim
	f := facts{stopped: -1, beside: k.view.Strays(&v), slow: k.slow(&v)}
	f.since = (unit.Time(v.Life[1]) + 1) * k.every // the last sketches are collected in the interval after
	if v.Sent <= v.Received {
		return f // nothing is lost, and nothing goes round
	}
	v.Symptom = diagnose.Timeout
	found, ok := diagnose.Locate(&v, k.view, k.p.q.Thresholds, k.p.flows.adjacent)
	switch {
	case !ok:
	case found.Rule == diagnose.Loop && len(found.Switches) > 1:
		f.loop = found.Switches
	case (found.Rule == diagnose.Blackhole || found.Rule == diagnose.Drops) && found.L <= float64(v.Sent):
		f.stopped = slices.Index(v.Path, found.Last)
	}
	return f
}

// slow says of each hop whether the p95 is in the slowest cell, over the life of the flow.
func (k *sketched) slow(v *diagnose.Victim) []bool {
	from, to := k.view.Intervals()
	list := make([]bool, len(v.Path))
	for i, at := range v.Path {
		var slow, all uint64
		for interval := max(from, v.Life[0]); interval < min(to, v.Life[1]); interval++ {
			for c, n := range k.view.Row(interval, at, v.Flow).Delay {
				if all += n; c == diagnose.Cells-1 {
					slow += n
				}
			}
		}
		list[i] = slow > 0 && 20*slow > all
	}
	return list
}
