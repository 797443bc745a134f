package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/workloads"
)

// listed is the number of ports or flows that a sentence of the account names.
const listed = 3

// scene is the state of flows and routes when a fault began.
type scene struct {
	fault    int
	at       unit.Time
	routes   *route.Table // before the fault
	underway []caught
}

// caught is a flow that was active when a fault began, and its progress at that time.
type caught struct {
	transport.Flow
	met, rerouted bool
	acked         unit.Bytes
	rtt           unit.Time // base RTT of its path
	retx          uint32
	timeouts      uint32
}

// fate is the outcome of a flow after a fault.
type fate struct {
	*caught
	outcome        store.FlowStatus
	resent, alarms uint32
	late           unit.Time // delay relative to its pace before the fault; unit.Never if unknown
}

// single reports whether all packets of a flow take the one path that its routes determine.
func (s *Simulation) single() bool {
	return s.Scenario.Network.Balancing.Balancer().Splits() == route.Flows
}

// look records which flows are active when a fault begins, and which of them it affects.
func (f *faults) look(s *Simulation, number int, at unit.Time) {
	x, sizes := scene{fault: number, at: at, routes: s.routesNow}, s.sizes()
	s.Stack.Underway(func(r *transport.Record) {
		if r.Number >= workloads.FirstUnmeasured {
			return
		}
		c := caught{Flow: r.Flow, met: s.meets(number, r.Flow, x.routes), acked: r.Acked, retx: r.Retx, timeouts: r.Timeouts}
		inbound := reverse(r.Flow)
		if outbound, inbound := r.Path(nil, x.routes), inbound.Path(nil, x.routes); len(outbound) > 0 && len(inbound) > 0 {
			c.rtt = transport.BaseRTT(s.Net, &sizes, outbound, inbound)
		}
		x.underway = append(x.underway, c)
	})
	f.scenes = append(f.scenes, x)
}

// moved records which flows have another path after a change of routes.
func (x *scene) moved(now *route.Table) {
	for i := range x.underway {
		c := &x.underway[i]
		for _, way := range []transport.Flow{c.Flow, reverse(c.Flow)} {
			c.rerouted = c.rerouted || !slices.Equal(way.Path(nil, x.routes), way.Path(nil, now))
		}
	}
}

// flowOf returns the flow of a record.
func flowOf(r *store.FlowRecord) transport.Flow {
	return transport.Flow{Number: int32(r.ID), Src: topo.NodeID(r.Src), Dst: topo.NodeID(r.Dst), SrcPort: r.SrcPort, DstPort: r.DstPort, Start: r.Start}
}

// reverse returns the flow of a flow's acknowledgements.
func reverse(f transport.Flow) transport.Flow {
	f.Src, f.Dst, f.SrcPort, f.DstPort = f.Dst, f.Src, f.DstPort, f.SrcPort
	return f
}

// meets reports whether a fault lies on the path of a flow in either direction, according to some routes.
// If packets of a flow take several paths, it reports whether the fault lies on one of them.
func (s *Simulation) meets(fault int, f transport.Flow, routes *route.Table) bool {
	d := &s.faults.damage[fault]
	if d.halt >= 0 && (d.halt == f.Src || d.halt == f.Dst) {
		return true
	}
	key := transport.FlowKey(s.Scenario.Seed, f.Number)
	for _, way := range []transport.Flow{f, reverse(f)} {
		if s.single() {
			if path := way.Path(nil, routes); len(path) > 0 && s.OnWay(fault, path, key) {
				return true
			}
			continue
		}
		for at := []topo.NodeID{way.Src}; len(at) > 0; at = at[1:] {
			for _, p := range routes.NextHops(at[0], way.Dst) {
				_, fails := d.fail[int(p)/2]
				_, misleads := d.mislead[p.To(s.Graph)]
				if fails || misleads || slices.Contains(d.down, int(p)/2) {
					return true
				}
				if to := p.To(s.Graph); to != way.Dst && !slices.Contains(at, to) {
					at = append(at, to)
				}
			}
		}
	}
	return false
}

// fates returns the outcomes of the flows that a fault affected, and of the others that were active when it
// began. The affected flows include those that started during the fault and whose path by the earlier
// routes crosses it.
func (s *Simulation) fates(x *scene, flows *store.Flows) (met, others []fate) {
	under := map[int64]*caught{}
	for i := range x.underway {
		under[int64(x.underway[i].Number)] = &x.underway[i]
	}
	fault := &s.Scenario.Faults[x.fault]
	for r := range flows.All() {
		c := under[r.ID]
		if c == nil {
			if r.Start < x.at || r.Start >= fault.Until || len(s.faults.damage[x.fault].down) > 0 {
				continue
			}
			f := flowOf(r)
			if !s.meets(x.fault, f, x.routes) {
				continue
			}
			c = &caught{Flow: f, met: true}
		}
		y := fate{caught: c, outcome: r.Outcome, resent: r.Retransmitted - c.retx, alarms: r.Timeouts - c.timeouts, late: unit.Never}
		if so := x.at - r.Start - c.rtt; r.Outcome == store.Finished && c.acked > 0 && so > 0 {
			y.late = r.FCT - c.rtt - unit.Time(float64(so)*float64(r.Size)/float64(c.acked))
		}
		if c.met {
			met = append(met, y)
		} else {
			others = append(others, y)
		}
	}
	byNumber := func(a, b fate) int { return cmp.Compare(a.Number, b.Number) }
	slices.SortFunc(met, byNumber)
	return met, others
}

// account describes the outcomes of flows after faults, where packets were dropped or lost, and the busiest
// ports. The table contains every flow that a fault affected; it is nil if there are none.
func (s *Simulation) account(flows *store.Flows, ended unit.Time, c *netsim.Counters) (lines []string, table *telemetry.Table) {
	t := telemetry.NewTable("faults",
		"fault kind at_ps flow src dst rerouted acked_bytes resent timeouts outcome later_ps")
	for i := range s.faults.scenes {
		x := &s.faults.scenes[i]
		met, others := s.fates(x, flows)
		lines = append(lines, s.story(x, met, others))
		for _, y := range met {
			late := any(y.late)
			if y.late == unit.Never {
				late = ""
			}
			t.Add(x.fault, s.Scenario.Faults[x.fault].Kind, x.at, y.Number, y.Src, y.Dst,
				y.rerouted, y.acked, y.resent, y.alarms, y.outcome.String(), late)
		}
	}
	if t.Rows != nil {
		table = &t
	}
	lines = append(lines, s.ends(c)...)
	return append(lines, s.busiest(ended)...), table
}

// story describes the outcomes of the flows that a fault affected.
func (s *Simulation) story(x *scene, met, others []fate) string {
	fault := &s.Scenario.Faults[x.fault]
	under := lists.Keep(met, func(y fate) bool { return y.Start < x.at })
	how := plural(len(under), "was on its way", "were on its way")
	if !s.single() {
		how = "could meet it"
	}
	text := fmt.Sprintf("faults.%d (%s) at %v: %d of %d flows under way %s", x.fault, s.faultAt(fault), x.at, len(under), len(under)+len(others), how)
	if n := len(met) - len(under); n > 0 {
		text += fmt.Sprintf(", and %d that began later", n)
	}
	part := func(what string, has func(*fate) bool) {
		var names []string
		for i := range met {
			if has(&met[i]) {
				names = append(names, fmt.Sprint(met[i].Number))
			}
		}
		if n := len(names); n > 0 {
			text += fmt.Sprintf("; %d %s (%s %s)", n, what, plural(n, "flow", "flows"), someOf(names))
		}
	}
	if s.single() {
		part("took another path", func(y *fate) bool { return y.rerouted })
	}
	packets := lists.Sum(met, func(y fate) int { return int(y.resent) })
	part(fmt.Sprintf("sent %d %s again", packets, plural(packets, "packet", "packets")), func(y *fate) bool { return y.resent > 0 })
	part("timed out", func(y *fate) bool { return y.alarms > 0 })
	part("failed", func(y *fate) bool { return y.outcome.Failed() })
	part("never ended", func(y *fate) bool { return y.outcome == store.Unfinished || y.outcome == store.Projected })
	mean, worst, n := lateness(met)
	if n == 0 {
		return text
	}
	if n == 1 {
		text += fmt.Sprintf("; flow %d finished %s than at its pace until then", worst.Number, later(mean))
	} else {
		text += fmt.Sprintf("; those that finished did so %s on average than at their pace until then, flow %d %s", later(mean), worst.Number, later(worst.late))
	}
	if mean, _, n := lateness(others); n > 0 {
		text += fmt.Sprintf(" (the others under way: %s)", later(mean))
	}
	return text
}

// lateness returns the mean delay of the n flows with a known delay, and the latest of them.
func lateness(list []fate) (mean unit.Time, worst *fate, n int) {
	sum := 0.0
	for i := range list {
		y := &list[i]
		if y.late == unit.Never {
			continue
		}
		n, sum = n+1, sum+float64(y.late)
		if worst == nil || y.late > worst.late {
			worst = y
		}
	}
	return unit.Time(sum / float64(max(1, n))), worst, n
}

// later formats a delay in us.
func later(t unit.Time) string {
	if t < 0 {
		return fmt.Sprintf("%.4g us earlier", -1e6*t.Seconds())
	}
	return fmt.Sprintf("%.4g us later", 1e6*t.Seconds())
}

// plural returns one if n is 1, else many.
func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// someOf lists the first few names and the number of the others.
func someOf(names []string) string {
	if n := len(names) - listed; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:listed], ", "), n)
	}
	return strings.Join(names, ", ")
}

func (s *Simulation) faultAt(f *scenario.Fault) string {
	of := func(n int) string { return s.name(topo.NodeID(n)) }
	switch f.Kind {
	case scenario.HostPause, scenario.HostFailure:
		return f.Kind + " of " + of(f.Host)
	case scenario.BlackholeEntry, scenario.WrongPath, scenario.SwitchFailure:
		return f.Kind + " of " + of(f.Switch)
	}
	return fmt.Sprintf("%s, %s to %s", f.Kind, of(f.A), of(f.B))
}

func (s *Simulation) name(n topo.NodeID) string {
	return cmp.Or(s.Graph.Nodes[n].Name, s.Graph.Label(n))
}

// between names a port by the nodes at the ends of its link.
func (s *Simulation) between(p netsim.PortID) string {
	from, to := s.Net.PortEnds(p)
	return s.name(from) + " to " + s.name(to)
}

// ends returns a line for each cause of drops and losses, with the places.
func (s *Simulation) ends(c *netsim.Counters) []string {
	type cause struct {
		text string
		at   func(p netsim.PortID) int64
		node bool // the place is the node to which the port leads
	}
	list := []cause{
		{"dropped for want of room", func(p netsim.PortID) int64 { return s.Net.PortDrops(p) - s.Net.PortLosses(p).Flushed }, false},
		{"dropped at ports whose link broke", func(p netsim.PortID) int64 { return s.Net.PortLosses(p).Flushed }, false},
		{"dropped without a path", func(p netsim.PortID) int64 { return s.Net.PortLosses(p).Unrouted }, true},
		{"lost on links that were down", func(p netsim.PortID) int64 { return s.Net.PortLosses(p).Broken }, false},
		{"lost by bit errors", func(p netsim.PortID) int64 { return s.Net.PortLosses(p).Errors }, false},
	}
	for by, text := range causes {
		list = append(list, cause{"lost " + text, func(p netsim.PortID) int64 { return s.Net.PortLosses(p).Tolls[by] }, by == int(netsim.Dead) || by == int(netsim.Expired)})
	}
	var lines []string
	rest := c.Dropped + c.Lost
	for _, x := range list {
		sums := map[string]int64{}
		total := int64(0)
		for p := range netsim.PortID(s.Net.Ports()) {
			if n := x.at(p); n > 0 {
				place := s.between(p)
				if x.node {
					_, to := s.Net.PortEnds(p)
					place = s.name(to)
				}
				sums[place], total = sums[place]+n, total+n
			}
		}
		if total == 0 {
			continue
		}
		rest -= total
		var places []string
		for place := range sums {
			places = append(places, place)
		}
		slices.SortFunc(places, func(a, b string) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), strings.Compare(a, b)) })
		for i, place := range places {
			places[i] = fmt.Sprintf("%d at %s", sums[place], place)
		}
		lines = append(lines, fmt.Sprintf("%d %s %s: %s", total, plural(int(total), "packet", "packets"), x.text, someOf(places)))
	}
	if rest > 0 {
		lines = append(lines, fmt.Sprintf("%d %s of monitors dropped where they were made", rest, plural(int(rest), "report", "reports")))
	}
	return lines
}

// use returns the utilisation of a port over the whole run.
func (s *Simulation) use(p netsim.PortID, ended unit.Time) float64 {
	return s.Net.PortCarried(p, ended).Use(netsim.Carried{}, s.Net.PortRate(p), ended)
}

// busiest returns a line with the ports of the highest utilisation over the run.
func (s *Simulation) busiest(ended unit.Time) []string {
	if ended == 0 {
		return nil
	}
	var ports []netsim.PortID
	for p := range netsim.PortID(s.Net.Ports()) {
		if s.Net.PortSent(p) > 0 {
			ports = append(ports, p)
		}
	}
	share := func(p netsim.PortID) float64 { return s.use(p, ended) }
	slices.SortStableFunc(ports, func(a, b netsim.PortID) int { return cmp.Compare(share(b), share(a)) })
	names := lists.Map(ports[:min(len(ports), listed)], func(p netsim.PortID) string { return fmt.Sprintf("%s %.1f %%", s.between(p), 100*share(p)) })
	if names == nil {
		return nil
	}
	return []string{"busiest ports, of their rates over the whole run: " + strings.Join(names, ", ")}
}
