package guard

import (
	"fmt"
	"slices"

	"pintlab/experiments/scenario"
	"pintlab/int/lightguardian/diagnose"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// counts reports whether a view reads the counters of switches.
func (v View) counts() bool { return v == Sketches || v == Whole || v == Voting }

// reads reports whether a view reads monitors of a kind with these parameters.
func (v View) reads(kind string, params any) bool {
	l, ok := params.(telemetry.Locating)
	if !ok {
		return false
	}
	_, counts := l.Locating()
	return counts && v.counts() || string(v) == kind
}

// place returns the number of the monitor that a system reads, or -1.
func (x System) place(sc *scenario.Scenario) int {
	if x.Monitor >= 0 {
		return x.Monitor
	}
	return slices.IndexFunc(sc.Monitors, func(m scenario.Monitor) bool { return x.View.reads(m.Kind, m.Params) })
}

// watched returns a scenario that contains the monitor of a system. If the scenario has no monitors, watched adds the
// monitor. It returns an error if a monitor is selected for a view that reads none, because the answer would seem to
// describe the monitor.
func watched(sc scenario.Scenario, x System) (scenario.Scenario, error) {
	kinds := sc.Protocols().Monitors.Kinds
	k := slices.IndexFunc(kinds, func(k schema.Kind) bool { return x.View.reads(k.Name, k.New()) })
	switch {
	case k < 0 && x.Monitor >= 0:
		return sc, fmt.Errorf("%s reads no monitor, so it cannot read monitor %d", x.View, x.Monitor)
	case k < 0:
		return sc, nil
	}
	kind := kinds[k]
	switch i := x.place(&sc); {
	case i >= len(sc.Monitors) || i >= 0 && !x.View.reads(sc.Monitors[i].Kind, sc.Monitors[i].Params):
		return sc, fmt.Errorf("monitor %d of the scenario is not %s, which %s reads", i, kind.Name, x.View)
	case i >= 0:
		return sc, nil
	case len(sc.Monitors) > 0:
		return sc, fmt.Errorf("none of the monitors of the scenario is %s: add one, or use exact counters", kind.Name)
	}
	settings, _ := kind.New().(telemetry.Locating).Locating()
	return sc.With(fmt.Sprintf("monitors=[{kind: %s%s}]", kind.Name, settings))
}

// sketched answers the questions of the comparison of flows from counters. Sketches never count too few packets. So if
// packets do not loop, a count that exceeds the packets of the host covers several flows.
type sketched struct {
	p    *patient
	view *asked // after the run
}

func (k *sketched) Facts(x *telemetry.Flow) telemetry.Facts {
	before := *k.view
	f := k.facts(k.p.victim(x))
	f.Asked, f.Known = k.view.rows-before.rows, k.view.known-before.known
	return f
}

func (k *sketched) facts(v diagnose.Victim) telemetry.Facts {
	f := telemetry.Facts{Stopped: -1, OffPath: k.view.Strays(&v), Slow: k.slow(&v)}
	f.Since = (unit.Time(v.Life[1]) + 1) * k.p.interval // the last sketches are collected in the following interval
	if v.Sent <= v.Received {
		return f // nothing is lost, and no packet loops
	}
	v.Symptom = diagnose.Timeout
	found, ok := diagnose.Locate(&v, k.view, k.p.q.Thresholds, k.p.flows.adjacent)
	switch {
	case !ok:
	case found.Rule == diagnose.Loop && len(found.Switches) > 1:
		f.Loop = found.Switches
	case (found.Rule == diagnose.Blackhole || found.Rule == diagnose.Drops) && found.L <= float64(v.Sent):
		f.Stopped = slices.Index(v.Path, found.Last)
	}
	return f
}

// slow reports, for each hop, whether the p95 of the delays over the life of the flow lies in the slowest cell.
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
