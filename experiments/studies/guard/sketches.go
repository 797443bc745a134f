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
var kinds = map[View]string{Sketches: "lightguardian", PINT: "pint", Collector: "int", SketchINT: "sketchint"}

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
	case i >= 0 && x.View == Sketches && sc.Monitors[i].Params.(*lightguardian.Params).Analysis == "local":
		return sc, fmt.Errorf("monitors.%d.analysis = local: a culprit on a path can be found by the global analyzer only", i)
	case i >= 0:
		return sc, nil
	case len(sc.Monitors) > 0:
		return sc, fmt.Errorf("none of the monitors of the scenario is %s: add one, or take exact counters", kind)
	}
	more := map[View]string{Sketches: ", keep: 1000", PINT: ", hops: 9"}[x.View]
	return sc.With(fmt.Sprintf("monitors=[{kind: %s%s}]", kind, more))
}

// sketches is what the analyzer knows at the end of a run.
func sketches(s *sim.Simulation, i int) (view diagnose.View, interval unit.Time, note string) {
	p := s.Scenario.Monitors[i].Params.(*lightguardian.Params)
	v := diagnose.NewSketches(s.Monitor(i).(*lightguardian.Monitor))
	switch from, to := v.Intervals(); {
	case to == 0:
		note = fmt.Sprintf("no sketch has been collected: the run must last longer than monitors.%d.interval = %v", i, p.Interval)
	case from > 0:
		note = fmt.Sprintf("the first %d of %d intervals are not kept (monitors.%d.keep = %d): flows that ended in them name no culprit", from, to, i, p.Keep)
	}
	return v, p.Interval, note
}
