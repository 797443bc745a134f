package deploy

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/pint/query"
)

// percents are the percentiles in the tables.
var percents = []float64{50, 95, 99}

// rankDelta is the probability that the bounds of a percentile do not hold.
const rankDelta = 0.1

// flowHead has the columns that identify a flow and the length of its path.
const flowHead = "query src dst src_port dst_port hops lane "

// tables returns the results: a summary per query and details per flow.
func (w *monitor) tables(end unit.Time) []telemetry.Table {
	list := []telemetry.Table{w.queries()}
	if len(w.collector.singles.queries) > 0 {
		list = append(list, w.values())
	}
	if w.params.Flows {
		list = append(list, w.flows()...)
	}
	if w.sources != nil {
		list = append(list, w.reports(end)...)
	}
	return list
}

// queries returns the table of what was recorded per query.
func (w *monitor) queries() telemetry.Table {
	t := telemetry.NewTable("queries", "query value aggregation bits share packets flows flows_forgotten memory_bytes")
	p := w.plan()
	for i := range p.Queries {
		q := &p.Queries[i]
		u := w.collector.Usage(q.Name)
		share := float64(p.Parts(i)) / float64(uint64(1)<<p.HashBits)
		t.Add(q.Name, q.Value.String(), q.Aggregation.String(), q.Bits, share, u.Packets, u.Flows, u.Evicted, u.Bytes)
	}
	return t
}

// values returns the table of results of per-packet queries, by recording node.
func (w *monitor) values() telemetry.Table {
	t := telemetry.NewTable("values", "query node packets mean max unit")
	singles := w.collector.singles
	for j, i := range singles.queries {
		q := &w.plan().Queries[i]
		scale, name := unitOf(q.Value)
		for node := range w.at.Graph.Nodes {
			if e := singles.at(node, j); e.packets > 0 {
				t.Add(q.Name, node, e.packets, scale*e.sum/float64(e.packets), scale*e.max, name)
			}
		}
	}
	return t
}

// unitOf returns the unit of a value in the tables, and the factor that converts from the unit of
// its code.
func unitOf(v query.Value) (scale float64, name string) {
	switch v {
	case query.HopLatency:
		return 1 / float64(unit.Second), "s"
	case query.QueueOccupancy:
		return 1, "B"
	}
	return 1, "1"
}

// flows returns the tables per flow: paths of switches, quantiles and frequent values of hops.
func (w *monitor) flows() []telemetry.Table {
	quantiles := flowHead + "hop samples"
	for _, p := range percents {
		quantiles += fmt.Sprintf(" p%g p%[1]g_low p%[1]g_high", p)
	}
	var list []telemetry.Table
	for _, x := range []struct {
		of    query.Aggregation
		add   func(t *telemetry.Table, q *query.Query) // the rows of a query
		table telemetry.Table
	}{
		{query.Path, w.addPaths, telemetry.NewTable("paths", flowHead+"epoch digests hops_known path")},
		{query.Quantiles, w.addQuantiles, telemetry.NewTable("quantiles", quantiles+" unit")},
		{query.Frequent, w.addFrequent, telemetry.NewTable("frequent", flowHead+"hop value share_low share_high unit")},
	} {
		asked := false
		for _, q := range w.plan().Queries {
			if q.Aggregation == x.of {
				asked = true
				x.add(&x.table, &q)
			}
		}
		if asked {
			list = append(list, x.table)
		}
	}
	return list
}

// remembered calls the function use for each flow of a query at each place where digests are recorded, sorted by flow.
func (w *monitor) remembered(q *query.Query, use func(n *query.Inference, id query.FlowID, name []any)) {
	type flow struct {
		n  *query.Inference
		id query.FlowID
	}
	var list []flow
	for n, id := range w.collector.flows(q.Name) {
		list = append(list, flow{n, id})
	}
	slices.SortFunc(list, func(a, b flow) int { return a.id.Compare(b.id) })
	for _, f := range list {
		use(f.n, f.id, w.name(q.Name, f.id))
	}
}

// name returns the cells of flowHead. Fields that are not part of the query's flow definition are empty.
func (w *monitor) name(of string, id query.FlowID) []any {
	port := func(p uint16) any {
		if p == 0 {
			return ""
		}
		return p
	}
	f := &id.Flow
	var lane any = ""
	if w.plan().Lane() >= 0 {
		lane = id.Lane
	}
	return []any{
		of, w.host(f.Src), w.host(f.Dst), port(f.SrcPort), port(f.DstPort), id.Hops, lane,
	}
}

// host returns the number of the host with address a, or "" if no host has this address.
func (w *monitor) host(a [16]byte) any {
	if w.addresses == nil {
		w.addresses = map[[16]byte]netsim.NodeID{}
		for _, h := range w.at.Graph.Hosts() {
			w.addresses[address(h)] = h
		}
	}
	if h, ok := w.addresses[a]; ok {
		return h
	}
	return ""
}

// addPaths adds the paths of switches that follow from the digests of a static query. An unknown hop is "-". A digest
// that contradicts earlier digests begins a new epoch. This happens after a route change. Paths of ports are not
// decoded.
func (w *monitor) addPaths(t *telemetry.Table, q *query.Query) {
	if q.Value != query.SwitchID {
		return
	}
	switches, decoders := w.at.Graph.Switches(), w.decoders(q.Name)
	w.remembered(q, func(n *query.Inference, id query.FlowID, name []any) {
		epochs, err := w.collector.epochs(q.Name, n, id, decoders.of)
		if err != nil {
			panic(err) // every recorded length has a decoder
		}
		for number, e := range epochs {
			path := make([]string, id.Hops)
			for h := range path {
				if path[h] = "-"; e.Known.Has(h + 1) {
					path[h] = strconv.Itoa(int(switches[e.Hops[h]]))
				}
			}
			t.Add(append(slices.Clone(name), number+1, e.Packets, e.Known.Len(), strings.Join(path, " "))...)
		}
	})
}

// addQuantiles adds the quantiles of the streams of a query, hop by hop, with their bounds. A bound that is infinite or
// unknown is an empty cell.
func (w *monitor) addQuantiles(t *telemetry.Table, q *query.Query) {
	scale, name := unitOf(q.Value)
	w.remembered(q, func(n *query.Inference, id query.FlowID, flow []any) {
		for hop := 1; hop <= int(id.Hops); hop++ {
			var values []any
			samples := uint64(0)
			for _, p := range percents {
				e, err := n.Quantile(q.Name, id, hop, p/100, rankDelta)
				if err != nil { // without samples
					e.Value, e.Low, e.High = math.NaN(), math.NaN(), math.NaN()
				}
				samples = e.Samples
				values = append(values, scale*e.Value, scale*e.Low, scale*e.High)
			}
			t.Add(slices.Concat(flow, []any{hop, samples}, values, []any{name})...)
		}
	})
}

// addFrequent adds the values that make up frequentShare of the streams of a query.
func (w *monitor) addFrequent(t *telemetry.Table, q *query.Query) {
	scale, name := unitOf(q.Value)
	w.remembered(q, func(n *query.Inference, id query.FlowID, flow []any) {
		for hop := 1; hop <= int(id.Hops); hop++ {
			values, err := n.Frequent(q.Name, id, hop, frequentShare)
			if err != nil {
				continue // no sample
			}
			for _, v := range values {
				t.Add(append(slices.Clone(flow), hop, scale*v.Value, v.Low, v.High, name)...)
			}
		}
	})
}

// reports returns the tables of the cost of reports, at the collector and by source.
func (w *monitor) reports(end unit.Time) []telemetry.Table {
	sources := telemetry.NewTable("sources", "node reports report_bytes reports_received reports_missing")
	for node := range w.sources {
		if s := &w.sources[node]; s.number > 0 {
			sources.Add(node, s.number, s.bytes, s.arrived.Received, s.arrived.Lost(s.number))
		}
	}
	total := telemetry.NewTable("collector", "host reports bytes share_of_link")
	total.Add(w.params.Collector, w.received.reports, w.received.bytes, w.at.LinkShare(w.to, w.received.bytes, end))
	return []telemetry.Table{total, sources}
}

// beyond returns a note about the digests of query i that have the largest code, or "" if there are no such digests.
func beyond(p *query.Plan, i int, u query.Usage) string {
	if u.Largest == 0 {
		return ""
	}
	scale, name := unitOf(p.Queries[i].Value)
	return fmt.Sprintf("warning: %s: %d of %s %s the largest code, which means %s or more: values near it are lower "+
		"bounds (give the query a wider range)", p.Queries[i].Label(), u.Largest, number.Count(u.Packets, "digest"),
		number.Plural(u.Largest, "has", "have"), number.Format(scale*u.Top, name, 6))
}

// notes returns what is missing in the results.
func (w *monitor) notes() []string {
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	var sent, lost int64
	for i := range w.sources {
		sent += int64(w.sources[i].number)
		lost += w.sources[i].arrived.Lost(w.sources[i].number)
	}
	if lost > 0 {
		note("%d of %s did not reach the collector: report a smaller share", lost, number.Count(sent, "report"))
	}
	notes = append(notes, w.collector.refusals()...)
	for i, q := range w.plan().Queries {
		if w.at.Splits && w.plan().Lane() < 0 && q.Aggregation.Class() != query.PerPacket {
			note("warning: %s: packets of a flow take several paths (network.balancing), but the results of this "+
				"query treat them as one path (path_checksum separates them)", q.Label())
		}
		if u := w.collector.Usage(q.Name); u.Evicted > 0 {
			note("%s: %s forgotten for lack of memory", q.Label(), number.Count(u.Evicted, "flow"))
		}
		if note := beyond(w.plan(), i, w.collector.Usage(q.Name)); note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}
