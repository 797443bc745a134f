package sketchint

import (
	"fmt"
	"math"
	"strconv"

	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// results holds the rows of the tables of the global tasks.
type results struct{ hitters, changes, inflated, latencies [][]string }

// add adds the rows of one agent's shipment. before is nil in its first period.
func (r *results) add(m *Monitor, period int, g, before *group) {
	at := func(p pair) []string {
		return []string{telemetry.Whole(period), telemetry.Whole(int(m.at.Graph.Switches()[p.hop])), fmt.Sprintf("%016x", p.flow)}
	}
	for _, h := range g.hitters(uint64(m.params.Hitter)) {
		r.hitters = append(r.hitters, append(at(h.at), strconv.FormatUint(h.packets, 10)))
	}
	if before != nil {
		for _, c := range g.changes(before, uint64(m.params.Change)) {
			r.changes = append(r.changes, append(at(c.at), strconv.FormatUint(c.before, 10), strconv.FormatUint(c.after, 10)))
		}
	}
	for i, f := range g.inflated.Flows() {
		s := g.sources[i]
		if int(s.hop) < len(m.at.Graph.Switches()) {
			r.inflated = append(r.inflated, append(at(pair(s)), strconv.FormatUint(f.Estimate, 10)))
		}
	}
	for i, f := range g.flows.Flows() {
		for _, id := range g.path(i) {
			if ns, ok := g.meanLatency(f.Key, id); ok {
				r.latencies = append(r.latencies, append(at(pair{f.Key, id}), telemetry.Real(ns*1e-9)))
			}
		}
	}
}

// tables returns the results: the cost of the collection, what it found, and, with the truth, the errors.
func (m *Monitor) tables(end unit.Time) []telemetry.Table {
	m.close()
	sources := telemetry.Table{Name: "agents", Head: []string{"node", "packets", "bytes_on_packets", "frames", "frame_bytes", "frames_missing", "packets_left"}}
	var frames int64
	var sent unit.Bytes
	var passport mirrored // what passport mode would have sent in place of the shipments
	for _, h := range m.sites {
		a := &m.agents[h]
		if a.packets == 0 {
			continue
		}
		frames += int64(a.number)
		sent += a.sent
		passport.packets += a.shipped.packets
		passport.bytes += a.shipped.bytes
		sources.Rows = append(sources.Rows, []string{
			telemetry.Whole(int(h)), telemetry.Whole(int(a.packets)), telemetry.Whole(int(a.inBand)), telemetry.Whole(int(a.number)), telemetry.Whole(int(a.sent)), telemetry.Whole(int(a.missing)), telemetry.Whole(int(a.passport.packets)),
		})
	}
	share := math.NaN()
	if end > 0 {
		share = 8 * float64(m.received.bytes) / end.Seconds() / float64(m.rate())
	}
	analyzer := telemetry.Table{
		Name: "analyzer",
		Head: []string{"host", "periods", "frames", "bytes", "share_of_link", "frames_late", "bytes_over_passport", "packets_over_passport"},
		Rows: [][]string{{
			telemetry.Whole(m.params.Collector), telemetry.Whole(m.periods), telemetry.Whole(int(m.received.frames)), telemetry.Whole(int(m.received.bytes)), telemetry.Real(share), telemetry.Whole(int(m.received.late)),
			telemetry.Real(float64(sent) / float64(passport.bytes)), telemetry.Real(float64(frames) / float64(passport.packets)),
		}},
	}
	r := &m.results
	list := []telemetry.Table{
		analyzer, sources,
		{Name: "heavy-hitters", Head: []string{"period", "node", "flow", "packets"}, Rows: r.hitters},
		{Name: "heavy-changes", Head: []string{"period", "node", "flow", "packets_before", "packets_after"}, Rows: r.changes},
		{Name: "inflated", Head: []string{"period", "node", "flow", "times"}, Rows: r.inflated},
		{Name: "latencies", Head: []string{"period", "node", "flow", "latency_mean_s"}, Rows: r.latencies},
	}
	if m.params.Truth {
		e := &m.errors
		t := telemetry.Table{Name: "errors", Head: []string{"task", "f1", "are", "reported", "real", "untold"}}
		for _, x := range []struct {
			name string
			s    *score
		}{{"heavy-hitters", &e.hitters}, {"heavy-changes", &e.changes}, {"inflated", &e.inflated}} {
			t.Rows = append(t.Rows, []string{x.name, telemetry.Real(x.s.f1()), "", telemetry.Whole(int(x.s.reported)), telemetry.Whole(int(x.s.real)), "0"})
		}
		t.Rows = append(t.Rows, []string{"latency", "", telemetry.Real(e.are()), telemetry.Whole(int(e.latencies)), telemetry.Whole(int(e.latencies)), telemetry.Whole(int(e.untold))})
		list = append(list, t)
	}
	return list
}

// rate returns the rate of the analyzer's link.
func (m *Monitor) rate() unit.Rate {
	return m.at.Net.PortRate(m.at.Net.Home(m.collector))
}

// notes warns of runs that were too short, of missing frames, and of agents that failed.
func (m *Monitor) notes() []string {
	var notes []string
	if m.periods == 0 {
		notes = append(notes, fmt.Sprintf("the run ended before the first period of %v: nothing was collected", m.params.Period))
	}
	var missing, refused, left int64
	for i := range m.agents {
		missing += m.agents[i].missing
		refused += m.agents[i].refused
		left += m.agents[i].passport.packets
		if err := m.agents[i].err; err != nil {
			notes = append(notes, fmt.Sprintf("node %d has no agent: %v", i, err))
		}
	}
	if left > 0 && m.periods > 0 {
		notes = append(notes, fmt.Sprintf("%d packets of the last, unfinished period stayed with the agents: the network carries nothing after its last event", left))
	}
	if missing > 0 {
		notes = append(notes, fmt.Sprintf("%d frames with counters were not there at the end of their period; %d had no room at their agent's port", missing, refused))
	}
	if m.failed != nil {
		notes = append(notes, m.failed.Error())
	}
	return notes
}
