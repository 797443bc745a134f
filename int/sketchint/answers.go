package sketchint

import (
	"slices"

	"pintlab/internal/lists"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// analyses contains the analyzer's sketches of each agent and period. It answers questions about any flow, but only
// knows the paths of the flows in its tables.
type analyses struct {
	monitor *monitor
	until   unit.Time // periods that end later do not count
	slow    unit.Time // without the pipeline
	agents  map[netsim.NodeID][]analysis
	known   func(flow uint64, switches []netsim.NodeID)
}

// analysis contains the sketches of one agent and one period.
type analysis struct {
	*group
	begin unit.Time // start of the period
	at    unit.Time // when the sketches were read
	paths map[uint64][]netsim.NodeID
}

func (m *monitor) Answers(w telemetry.Window) (any, error) {
	return m.analyses(w.Until, unit.Never), nil
}

func (m *monitor) Evidence(s telemetry.Scale) (telemetry.Evidence, error) {
	return m.analyses(unit.Never, s.Slow), nil
}

func (m *monitor) analyses(until, slow unit.Time) *analyses {
	a := &analyses{monitor: m, until: until, slow: slow, agents: map[netsim.NodeID][]analysis{}}
	m.listen = a.take
	return a
}

func (a *analyses) OnPath(known func(flow uint64, switches []netsim.NodeID)) { a.known = known }

// take records the sketches that the analyzer has read from an agent.
func (a *analyses) take(agent netsim.NodeID, period int, g *group) {
	x := analysis{g, a.monitor.params.Period * unit.Time(period), a.monitor.now, map[uint64][]netsim.NodeID{}}
	if x.begin+a.monitor.params.Period > a.until {
		return
	}
	switches := a.monitor.at.Graph.Switches()
	for i, f := range g.flows.Flows() {
		path := lists.Map(g.path(i), func(id uint16) netsim.NodeID { return switches[id] })
		if x.paths[f.Key] = path; a.known != nil {
			a.known(f.Key, path)
		}
	}
	a.agents[agent] = append(a.agents[agent], x)
}

// of returns the analyses of the agent that sees the packets of a flow.
func (a *analyses) of(f *telemetry.Flow) []analysis {
	if a.monitor.atSwitches {
		return a.agents[f.Path[len(f.Path)-1]]
	}
	return a.agents[f.Tuple.Dst]
}

// mean returns the estimated mean latency of a flow's packets at a switch in whole ps, with the pipeline. ok is
// false if the sketch has not seen the flow there, or if all its buckets have overflowed.
func (a *analyses) mean(x *analysis, f *telemetry.Flow, hop int) (mean unit.Time, ok bool) {
	ns, ok := x.meanLatency(f.Key, a.monitor.ids[f.Path[hop]], hop)
	return unit.Time(ns * float64(unit.Nanosecond)), ok
}

// Latency returns the mean over the periods, weighted by the packets that the sketch counted in each.
func (a *analyses) Latency(f *telemetry.Flow, hop int) (mean float64, since unit.Time, ok bool) {
	var sum, n float64
	for _, x := range a.of(f) {
		packets, known := x.heavy.Estimate(f.Key)
		if !known || packets == 0 {
			continue
		}
		t, known := a.mean(&x, f, hop)
		if !known {
			continue
		}
		if n == 0 {
			since = x.at
		}
		sum += float64(t) * float64(packets)
		n += float64(packets)
	}
	return sum / n, since, n > 0
}

func (a *analyses) Packets(f *telemetry.Flow) (n float64, ok bool) {
	for _, x := range a.of(f) {
		if packets, known := x.heavy.Estimate(f.Key); known {
			n += float64(packets)
			ok = ok || packets > 0
		}
	}
	return n, ok
}

func (a *analyses) Facts(v *telemetry.Flow) telemetry.Facts {
	f := telemetry.Facts{Stopped: -1, Slow: make([]bool, len(v.Path)), Asked: 1}
	for _, x := range a.of(v) {
		if x.begin >= v.End || x.begin+a.monitor.params.Period <= v.Start {
			continue
		}
		f.Known = 1
		if p := x.paths[v.Key]; p != nil && f.Other == nil && !slices.Equal(p, v.Path) {
			f.Other, f.Since = p, x.at
		}
		for i := range v.Path {
			if mean, ok := a.mean(&x, v, i); ok && mean-a.monitor.params.Pipeline >= a.slow && !f.Slow[i] {
				f.Slow[i], f.Since = true, max(f.Since, x.at)
			}
		}
	}
	return f
}

func (*Params) Locating() (settings string, counts bool) { return "", false }
