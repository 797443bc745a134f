package sim

import (
	"cmp"
	"fmt"
	"slices"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/workloads"
)

// faultStart is the state of flows and routes when a fault began.
type faultStart struct {
	fault  int
	at     unit.Time
	routes *route.Table          // before the fault
	flows  map[int32]*activeFlow // by number: those under way then, and those that new routes led to the fault later
}

// activeFlow is a flow, and its progress when it met a fault or, if the fault did not affect it, when the fault began.
type activeFlow struct {
	transport.Flow
	affected, rerouted bool
	met                unit.Time
	acked              unit.Bytes
	rtt                unit.Time // base RTT of its path
	retx               uint32
	timeouts           uint32
}

// flowOutcome describes the progress of a flow after a fault.
type flowOutcome struct {
	*activeFlow
	status         store.FlowStatus
	retx, timeouts uint32    // after it met the fault
	delay          unit.Time // relative to its pace before it met the fault; unit.Never if unknown
}

// single reports whether all packets of a flow take the one path that its routes determine.
func (s *Simulation) single() bool {
	return s.Scenario.Network.Balancing.Balancer().Splits() == route.Flows
}

// recordStart records which flows are active when a fault begins, and which of them the fault affects.
func (f *faults) recordStart(s *Simulation, number int, at unit.Time) {
	x := faultStart{fault: number, at: at, routes: s.routesNow, flows: map[int32]*activeFlow{}}
	s.measured(func(r *transport.Record) {
		a := s.progress(r, at, x.routes)
		a.affected = s.affects(number, r.Flow, x.routes)
		x.flows[r.Number] = &a
	})
	f.starts = append(f.starts, x)
}

// measured calls f with the current record of each flow that is under way and counts.
func (s *Simulation) measured(f func(*transport.Record)) {
	s.Stack.Underway(func(r *transport.Record) {
		if r.Number < workloads.FirstUnmeasured {
			f(r)
		}
	})
}

// progress returns the progress of a flow whose path follows from the given routes.
func (s *Simulation) progress(r *transport.Record, now unit.Time, routes *route.Table) activeFlow {
	a := activeFlow{Flow: r.Flow, met: now, acked: r.Acked, retx: r.Retx, timeouts: r.Timeouts}
	reversed := reverse(r.Flow)
	outbound, inbound := r.Path(nil, routes), reversed.Path(nil, routes)
	if len(outbound) > 0 && len(inbound) > 0 {
		sizes := s.sizes()
		a.rtt = transport.BaseRTT(s.Net, &sizes, outbound, inbound)
	}
	return a
}

// recordMoves records what a change of routes does to flows under way. Some leave a link that fails now, some move to a
// link with a silent fault, and some started while a link was down and move to it at its repair.
func (s *Simulation) recordMoves(now unit.Time, routes *route.Table) {
	s.measured(func(r *transport.Record) {
		moves := s.single() && moves(r.Flow, s.routesNow, routes)
		for i := range s.faults.starts {
			x := &s.faults.starts[i]
			a := x.flows[r.Number]
			switch breaks := s.faults.breaks(x.fault); {
			case a != nil && a.affected:
				a.rerouted = a.rerouted || breaks && x.at == now && moves
			case s.comes(x, r, now, routes, moves):
				led := s.progress(r, now, routes)
				led.affected, led.rerouted = true, breaks
				x.flows[r.Number] = &led
			}
		}
	})
}

// comes reports whether new routes lead a flow to a fault that has not affected it before.
func (s *Simulation) comes(x *faultStart, r *transport.Record, now unit.Time, routes *route.Table, moves bool) bool {
	if s.faults.breaks(x.fault) {
		if s.Scenario.Faults[x.fault].Until != now || r.Start < x.at || !moves {
			return false
		}
	} else if !s.faults.active[x.fault] {
		return false
	}
	return s.affects(x.fault, r.Flow, routes) &&
		(r.Start < x.at || !s.affects(x.fault, r.Flow, s.faults.routesAt(r.Start)))
}

// moves reports whether a change of routes moves a flow to another path. A flow without a path keeps its old one.
func moves(f transport.Flow, before, after *route.Table) bool {
	changes := false
	for _, way := range []transport.Flow{f, reverse(f)} {
		path := way.Path(nil, after)
		if len(path) == 0 {
			return false
		}
		changes = changes || !slices.Equal(path, way.Path(nil, before))
	}
	return changes
}

// flowOf returns the flow of a record.
func flowOf(r *store.FlowRecord) transport.Flow {
	return transport.Flow{
		Number: int32(r.ID), Src: topo.NodeID(r.Src), Dst: topo.NodeID(r.Dst),
		SrcPort: r.SrcPort, DstPort: r.DstPort, Start: r.Start,
	}
}

// reverse returns the flow of a flow's acknowledgements.
func reverse(f transport.Flow) transport.Flow {
	f.Src, f.Dst, f.SrcPort, f.DstPort = f.Dst, f.Src, f.DstPort, f.SrcPort
	return f
}

// affects reports whether a fault lies on the path of a flow in either direction, according to the given routes. If
// packets of a flow take several paths, it reports whether the fault lies on one of them.
func (s *Simulation) affects(fault int, f transport.Flow, routes *route.Table) bool {
	effect := &s.faults.effects[fault]
	if effect.halt >= 0 && (effect.halt == f.Src || effect.halt == f.Dst) {
		return true
	}
	key := transport.FlowKey(s.Scenario.Seed, f.Number)
	for _, way := range []transport.Flow{f, reverse(f)} {
		if s.single() {
			if path := way.Path(nil, routes); len(path) > 0 && s.OnPath(fault, path, key) {
				return true
			}
			continue
		}
		for at := []topo.NodeID{way.Src}; len(at) > 0; at = at[1:] {
			for _, p := range routes.NextHops(at[0], way.Dst) {
				link, to := int(p)/2, p.To(s.Graph)
				_, fails := effect.fail[link]
				_, misforwards := effect.misforward[to]
				if fails || misforwards || slices.Contains(effect.down, link) {
					return true
				}
				if to != way.Dst && !slices.Contains(at, to) {
					at = append(at, to)
				}
			}
		}
	}
	return false
}

// outcomesAfter returns the outcomes of the flows that a fault affected, by number. It also returns the outcomes of the
// other flows that were active when the fault began.
func (s *Simulation) outcomesAfter(x *faultStart, flows *store.Flows) (affected, others []flowOutcome) {
	for r := range flows.All() {
		a := x.flows[int32(r.ID)]
		if a == nil {
			if !s.affectsStart(x, r) {
				continue
			}
			a = &activeFlow{Flow: flowOf(r), affected: true, met: r.Start}
		}
		y := flowOutcome{
			activeFlow: a, status: r.Outcome,
			retx: r.Retransmitted - a.retx, timeouts: r.Timeouts - a.timeouts, delay: unit.Never,
		}
		if before := a.met - r.Start - a.rtt; r.Outcome == store.Finished && a.acked > 0 && before > 0 {
			y.delay = r.FCT - a.rtt - unit.Time(float64(before)*float64(r.Size)/float64(a.acked))
		}
		if a.affected {
			affected = append(affected, y)
		} else {
			others = append(others, y)
		}
	}
	slices.SortFunc(affected, func(a, b flowOutcome) int { return cmp.Compare(a.Number, b.Number) })
	return affected, others
}

// affectsStart reports whether a fault affects a flow when the flow starts. If links are down, routes avoid them, so
// that the fault affects only flows that have no path.
func (s *Simulation) affectsStart(x *faultStart, r *store.FlowRecord) bool {
	f := flowOf(r)
	switch {
	case r.Start < x.at || r.Start >= s.Scenario.Faults[x.fault].Until:
		return false
	case !s.faults.breaks(x.fault):
		return s.affects(x.fault, f, s.faults.routesAt(r.Start))
	}
	return r.Outcome == store.Unreachable && (s.affects(x.fault, f, x.routes) || s.affects(x.fault, f, s.Routes))
}

// faultOutcomes describes the outcomes of flows after each fault. The table contains every flow that a fault affected;
// it is nil if there are no such flows.
func (s *Simulation) faultOutcomes(flows *store.Flows) (lines []string, table *telemetry.Table) {
	t := telemetry.NewTable("faults",
		"fault kind at_ps flow src dst rerouted acked_bytes resent timeouts outcome later_ps met_ps")
	for i := range s.faults.starts {
		x := &s.faults.starts[i]
		affected, others := s.outcomesAfter(x, flows)
		lines = append(lines, s.describeOutcomes(x, affected, others))
		for _, y := range affected {
			t.Add(x.fault, s.Scenario.Faults[x.fault].Kind, x.at, y.Number, y.Src, y.Dst, y.rerouted, y.acked,
				y.retx, y.timeouts, y.status.String(), optional(int64(y.delay), y.delay != unit.Never), y.met)
		}
	}
	if t.Rows != nil {
		table = &t
	}
	return lines, table
}

// describeOutcomes describes the outcomes of flows after a fault in a sentence.
func (s *Simulation) describeOutcomes(x *faultStart, affected, others []flowOutcome) string {
	breaks := s.faults.breaks(x.fault)
	started := func(y *flowOutcome) bool { return y.Start >= x.at && y.met == y.Start }
	came := func(y *flowOutcome) bool { return y.met > max(x.at, y.Start) }
	before, active, later := len(others), 0, 0
	for i := range affected {
		switch y := &affected[i]; {
		case y.Start < x.at && !came(y):
			active++
		case y.Start < x.at:
			before++
		case started(y) && !breaks:
			later++
		}
	}
	how := "were on its path"
	if active == 1 || active+before == 1 { // also "0 of 1 flow"
		how = "was on its path"
	}
	if !s.single() {
		how = "could meet it"
	}
	text := fmt.Sprintf("faults.%d (%s) at %v: %d of %s under way %s",
		x.fault, s.describeFault(&s.Scenario.Faults[x.fault]), x.at, active,
		number.Count(active+before, "flow"), how)
	if later > 0 {
		text += fmt.Sprintf(", and %d that began later", later)
	}
	part := func(what string, has func(*flowOutcome) bool) {
		var names []string
		for i := range affected {
			if has(&affected[i]) {
				names = append(names, fmt.Sprint(affected[i].Number))
			}
		}
		if n := len(names); n > 0 {
			text += fmt.Sprintf("; %d %s (%s %s)", n, what, number.Plural(n, "flow", "flows"), someOf(names))
		}
	}
	if breaks {
		part("began later without a path", started)
		part("began later and moved to its path at its end", came)
	} else {
		part("moved to its path later", came)
	}
	if breaks && s.single() {
		part("took another path", func(y *flowOutcome) bool { return y.rerouted && !came(y) })
		part("had no other path", func(y *flowOutcome) bool { return !y.rerouted && !started(y) })
	}
	packets := lists.Sum(affected, func(y flowOutcome) int { return int(y.retx) })
	part(fmt.Sprintf("sent %s again", number.Count(packets, "packet")),
		func(y *flowOutcome) bool { return y.retx > 0 })
	part("timed out", func(y *flowOutcome) bool { return y.timeouts > 0 })
	part("failed", func(y *flowOutcome) bool { return y.status.Failed() })
	part("never ended", func(y *flowOutcome) bool {
		return y.status == store.Unfinished || y.status == store.Projected
	})
	switch mean, worst, n := delays(affected); n {
	case 0:
		return text
	case 1:
		text += fmt.Sprintf("; flow %d finished %s than at its pace before the fault", worst.Number, formatDelay(mean))
	default:
		text += fmt.Sprintf("; the flows that finished did so on average %s than at their pace before the fault, and "+
			"the latest of them (flow %d) %s", formatDelay(mean), worst.Number, formatDelay(worst.delay))
	}
	if mean, _, n := delays(others); n > 0 {
		text += fmt.Sprintf("; the others under way finished on average %s", formatDelay(mean))
	}
	return text
}

// delays returns the mean delay of the n flows with a known delay, and the flow with the largest delay.
func delays(list []flowOutcome) (mean unit.Time, worst *flowOutcome, n int) {
	sum := 0.0
	for i := range list {
		y := &list[i]
		if y.delay == unit.Never {
			continue
		}
		n, sum = n+1, sum+float64(y.delay)
		if worst == nil || y.delay > worst.delay {
			worst = y
		}
	}
	return unit.Time(sum / float64(max(1, n))), worst, n
}

// formatDelay formats a delay.
func formatDelay(t unit.Time) string {
	way := " later"
	if t < 0 {
		t, way = -t, " earlier"
	}
	return number.Format(t.Seconds(), number.Seconds, 4) + way
}

// describeFault returns the kind of a fault and the nodes that it concerns.
func (s *Simulation) describeFault(f *scenario.Fault) string {
	of := func(n int) string { return s.name(topo.NodeID(n)) }
	switch f.Kind {
	case scenario.HostPause, scenario.HostFailure:
		return f.Kind + " of " + of(f.Host)
	case scenario.BlackholeEntry, scenario.WrongPath, scenario.SwitchFailure:
		return f.Kind + " of " + of(f.Switch)
	}
	return fmt.Sprintf("%s, %s to %s", f.Kind, of(f.A), of(f.B))
}
