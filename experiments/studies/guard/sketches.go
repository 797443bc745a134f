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

// monitor is the place of the first monitor of a kind in a scenario; -1 for none.
func monitor(sc *scenario.Scenario, kind string) int {
	return slices.IndexFunc(sc.Monitors, func(m scenario.Monitor) bool { return m.Kind == kind })
}

// watched is a scenario with the monitor of a view, which it gets if it has none.
func watched(sc scenario.Scenario, v View) (scenario.Scenario, error) {
	kind, text := "lightguardian", "keep: 1000"
	switch v {
	case Exact:
		return sc, nil
	case PINT:
		kind, text = "pint", "hops: 9"
	}
	i := monitor(&sc, kind)
	switch {
	case i >= 0 && v == Sketches && sc.Monitors[i].Params.(*lightguardian.Params).Analysis == "local":
		return sc, fmt.Errorf("monitors.%d.analysis = local: a culprit on a path can be found by the global analyzer only", i)
	case i >= 0:
		return sc, nil
	case len(sc.Monitors) > 0:
		return sc, fmt.Errorf("none of the monitors of the scenario is %s: add one, or take exact counters", kind)
	}
	return sc.With(fmt.Sprintf("monitors=[{kind: %s, %s}]", kind, text))
}

// sketches is what the analyzer knows at the end of a run.
func sketches(s *sim.Simulation) (view diagnose.View, interval unit.Time, note string) {
	i := monitor(&s.Scenario, "lightguardian")
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
