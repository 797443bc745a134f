package guard

import (
	"errors"
	"fmt"
	"slices"

	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/int/lightguardian"
	"pintlab/int/lightguardian/diagnose"
	"pintlab/netsim/unit"
)

const kind = "lightguardian"

// monitor is the place of LightGuardian among the monitors of a scenario; -1 for none.
func monitor(sc *scenario.Scenario) int {
	return slices.IndexFunc(sc.Monitors, func(m scenario.Monitor) bool { return m.Kind == kind })
}

// watched is the scenario with LightGuardian, unless exact counters take its place.
func (q *Question) watched() (scenario.Scenario, error) {
	sc := q.Scenario
	i := monitor(&sc)
	switch {
	case q.Interval > 0:
		return sc, nil
	case i >= 0 && sc.Monitors[i].Params.(*lightguardian.Params).Analysis == "local":
		return sc, fmt.Errorf("monitors.%d.analysis = local: a culprit on a path can be found by the global analyzer only", i)
	case i >= 0:
		return sc, nil
	case len(sc.Monitors) > 0:
		return sc, errors.New("none of the monitors of the scenario is lightguardian: add one, or take exact counters")
	}
	return sc.With("monitors=[{kind: lightguardian, keep: 1000}]")
}

// sketches is what the analyzer knows at the end of a run.
func sketches(s *sim.Simulation) (view diagnose.View, interval unit.Time, note string) {
	i := monitor(&s.Scenario)
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
