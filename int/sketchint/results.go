package sketchint

import (
	"fmt"

	"pintlab/internal/number"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// results contains the rows of the tables of the global tasks.
type results struct{ hitters, changes, inflated, latencies telemetry.Table }

func newResults() results {
	return results{
		hitters:   telemetry.NewTable("heavy-hitters", "period node flow packets"),
		changes:   telemetry.NewTable("heavy-changes", "period node flow packets_before packets_after"),
		inflated:  telemetry.NewTable("inflated", "period node flow times"),
		latencies: telemetry.NewTable("latencies", "period node flow latency_mean_s"),
	}
}

// add adds the rows of one agent's shipment. before is nil in the first period of the run.
func (r *results) add(m *monitor, period int, g, before *group) {
	add := func(t *telemetry.Table, p pair, cells ...any) {
		at := []any{period, m.at.Graph.Switches()[p.hop], fmt.Sprintf("%016x", p.flow)}
		t.Add(append(at, cells...)...)
	}
	for _, h := range g.hitters(uint64(m.params.Hitter)) {
		add(&r.hitters, h.at, h.packets)
	}
	if before != nil {
		for _, c := range g.changes(before, uint64(m.params.Change)) {
			add(&r.changes, c.at, c.before, c.after)
		}
	}
	for i, f := range g.inflated.Flows() {
		s := g.sources[i]
		if int(s.hop) < len(m.at.Graph.Switches()) {
			add(&r.inflated, s, f.Estimate)
		}
	}
	for i, f := range g.flows.Flows() {
		for hop, id := range g.path(i) {
			if ns, ok := g.meanLatency(f.Key, id, hop); ok {
				add(&r.latencies, pair{f.Key, id}, ns*1e-9)
			}
		}
	}
}

// tables returns the results: the cost of the collection, what the analyzer found and, if the truth is known, the
// errors.
func (m *monitor) tables(end unit.Time) []telemetry.Table {
	m.close()
	sources := telemetry.NewTable("agents",
		"node packets bytes_on_packets frames frame_bytes frames_missing packets_left")
	var frames int64
	var sent unit.Bytes
	var passport mirrored // what passport mode would have sent instead of the shipments
	for _, h := range m.sites {
		a := &m.agents[h]
		if a.packets == 0 {
			continue
		}
		frames += int64(a.number)
		sent += a.sent
		passport.packets += a.shipped.packets
		passport.bytes += a.shipped.bytes
		sources.Add(h, a.packets, a.inBand, a.number, a.sent, a.missing, a.passport.packets)
	}
	share := m.at.LinkShare(m.collector, m.received.bytes, end)
	analyzer := telemetry.NewTable("analyzer",
		"host periods frames bytes share_of_link frames_late bytes_over_passport packets_over_passport")
	analyzer.Add(m.params.Collector, m.periods, m.received.frames, m.received.bytes, share, m.received.late,
		float64(sent)/float64(passport.bytes), float64(frames)/float64(passport.packets))
	r := &m.results
	list := []telemetry.Table{analyzer, sources, r.hitters, r.changes, r.inflated, r.latencies}
	if m.drops != nil {
		list = append(list, m.drops.table)
	}
	if m.params.Truth {
		list = append(list, m.errors.table(m.drops))
	}
	return list
}

// table returns the errors of each task. d is nil unless switches count drops.
func (e *evaluation) table(d *drops) telemetry.Table {
	t := telemetry.NewTable("errors", "task f1 are reported real unreported")
	for _, x := range []struct {
		name string
		s    *score
	}{{"heavy-hitters", &e.hitters}, {"heavy-changes", &e.changes}, {"inflated", &e.inflated}} {
		t.Add(x.name, x.s.f1(), "", x.s.reported, x.s.real, 0)
	}
	t.Add("latency", "", e.are(), e.latencies-e.missing, e.latencies, e.missing)
	if d != nil {
		t.Add("drops", d.errors.f1(), d.error/float64(d.errors.real), d.errors.reported, d.errors.real, d.unreported)
	}
	return t
}

// notes warns of runs that were too short, of missing frames, and of agents that failed.
func (m *monitor) notes() []string {
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if m.periods == 0 {
		note("the run ended before the first period of %v: nothing was collected", m.params.Period)
	}
	var missing, refused, left int64
	for i := range m.agents {
		missing += m.agents[i].missing
		refused += m.agents[i].refused
		left += m.agents[i].passport.packets
		if err := m.agents[i].err; err != nil {
			note("node %d has no agent: %v", i, err)
		}
	}
	if left > 0 && m.periods > 0 {
		note("the counts of %s in the last, unfinished period stayed with the agents, because the network carries "+
			"nothing after its last event", number.Count(left, "packet"))
	}
	if missing > 0 {
		note("%s with counters did not arrive by the end of the period; %d found no room at the port of the agent",
			number.Count(missing, "frame"), refused)
	}
	if m.failed != nil {
		notes = append(notes, m.failed.Error())
	}
	return notes
}
