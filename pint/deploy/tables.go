package deploy

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/pint/coding"
	"pintlab/pint/query"
	"pintlab/pint/query/module"
)

// percents are the percentiles in the tables.
var percents = []float64{50, 95, 99}

const rankDelta = 0.1

// flowHead is the head of the columns that identify a flow and the length of its path.
var flowHead = []string{"query", "src", "dst", "src_port", "dst_port", "hops"}

// tables returns the results: a summary per query and details per flow.
func (w *Watching) tables(end unit.Time) []telemetry.Table {
	list := []telemetry.Table{w.queries()}
	if len(w.Collector().singles.queries) > 0 {
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

func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// queries returns the table of what was recorded per query.
func (w *Watching) queries() telemetry.Table {
	t := telemetry.Table{Name: "queries", Head: []string{"query", "value", "aggregation", "bits", "share", "packets", "flows", "flows_forgotten", "memory_bytes"}}
	p := w.Encoder().Plan()
	for i := range p.Queries {
		q := &p.Queries[i]
		u := w.Collector().Usage(i)
		share := float64(p.Parts(i)) / float64(uint64(1)<<p.HashBits)
		t.Rows = append(t.Rows, []string{q.Name, q.Value.String(), q.Aggregation.String(), telemetry.Whole(q.Bits), number(share),
			telemetry.Whole(u.Packets), telemetry.Whole(u.Flows), telemetry.Whole(u.Evicted), telemetry.Whole(u.Bytes)})
	}
	return t
}

// values returns the table of results of per-packet queries, by recording node.
func (w *Watching) values() telemetry.Table {
	t := telemetry.Table{Name: "values", Head: []string{"query", "node", "packets", "mean", "max", "unit"}}
	singles := w.Collector().singles
	for j, i := range singles.queries {
		q := &w.Encoder().Plan().Queries[i]
		scale, name := unitOf(q.Value)
		for node := range w.at.Graph.Nodes {
			if e := singles.at(node, j); e.packets > 0 {
				t.Rows = append(t.Rows, []string{q.Name, telemetry.Whole(node), telemetry.Whole(e.packets), number(scale * e.sum / float64(e.packets)), number(scale * e.max), name})
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
func (w *Watching) flows() []telemetry.Table {
	paths := telemetry.Table{Name: "paths", Head: append(slices.Clone(flowHead), "digests", "hops_known", "path")}
	quantiles := telemetry.Table{Name: "quantiles", Head: append(slices.Clone(flowHead), "hop", "samples")}
	for _, p := range percents {
		quantiles.Head = append(quantiles.Head, fmt.Sprintf("p%g", p))
	}
	quantiles.Head = append(quantiles.Head, "unit")
	frequent := telemetry.Table{Name: "frequent", Head: append(slices.Clone(flowHead), "hop", "value", "share_low", "share_high")}
	var list []telemetry.Table
	asked := map[query.Aggregation]bool{}
	for i := range w.Encoder().Plan().Queries {
		q := &w.Encoder().Plan().Queries[i]
		asked[q.Aggregation] = true
		switch q.Aggregation {
		case query.Path:
			paths.Rows = append(paths.Rows, w.paths(i)...)
		case query.Quantiles:
			quantiles.Rows = append(quantiles.Rows, w.quantiles(i)...)
		case query.Frequent:
			frequent.Rows = append(frequent.Rows, w.frequent(i)...)
		}
	}
	for _, x := range []struct {
		a query.Aggregation
		t telemetry.Table
	}{{query.Path, paths}, {query.Quantiles, quantiles}, {query.Frequent, frequent}} {
		if asked[x.a] {
			list = append(list, x.t)
		}
	}
	return list
}

// remembered calls use for each flow of query i at each place where digests are recorded, sorted by
// flow.
func (w *Watching) remembered(i int, use func(n *module.Inference, id module.FlowID, name []string)) {
	type flow struct {
		n    *module.Inference
		id   module.FlowID
		name []string
	}
	var list []flow
	for host := range w.Collector().hosts {
		r := w.Collector().hosts[host].recorder
		if r == nil {
			continue
		}
		n := module.NewInference(r)
		for id := range r.Flows(i) {
			list = append(list, flow{n, id, w.name(i, id)})
		}
	}
	slices.SortFunc(list, func(a, b flow) int { return compareFlows(a.id, b.id) })
	for _, f := range list {
		use(f.n, f.id, f.name)
	}
}

func compareFlows(a, b module.FlowID) int {
	return cmp.Or(slices.Compare(a.Flow.Src[:], b.Flow.Src[:]), slices.Compare(a.Flow.Dst[:], b.Flow.Dst[:]),
		cmp.Compare(a.Flow.SrcPort, b.Flow.SrcPort), cmp.Compare(a.Flow.DstPort, b.Flow.DstPort), cmp.Compare(a.Hops, b.Hops))
}

// name returns the cells of flowHead. Fields that the flow definition of the query leaves out are
// empty.
func (w *Watching) name(i int, id module.FlowID) []string {
	f := &id.Flow
	cells := []string{w.Encoder().Plan().Queries[i].Name, w.host(f.Src), w.host(f.Dst), "", "", telemetry.Whole(id.Hops)}
	if f.SrcPort != 0 {
		cells[3] = telemetry.Whole(f.SrcPort)
	}
	if f.DstPort != 0 {
		cells[4] = telemetry.Whole(f.DstPort)
	}
	return cells
}

// host returns the number of the host with an address, or "" if there is none.
func (w *Watching) host(a [16]byte) string {
	if w.addresses == nil {
		w.addresses = map[[16]byte]netsim.NodeID{}
		for _, h := range w.at.Graph.Hosts() {
			w.addresses[address(h)] = h
		}
	}
	if h, ok := w.addresses[a]; ok {
		return telemetry.Whole(h)
	}
	return ""
}

// paths returns the rows with the paths of switches that follow from the digests of static query i.
// An unknown hop is "-". The path is empty if digests contradict each other, as after a route
// change. Paths of ports are not decoded.
func (w *Watching) paths(i int) (rows [][]string) {
	if w.Encoder().Plan().Queries[i].Value != query.SwitchID {
		return nil
	}
	switches, decoders := w.at.Graph.Switches(), w.running.decoders(i)
	w.remembered(i, func(n *module.Inference, id module.FlowID, name []string) {
		d, err := decoders.of(int(id.Hops))
		if err != nil {
			panic(err) // the plan has been compiled for paths of that length
		}
		digests, _ := n.Digests(i, id)
		hops, known, err := n.Path(i, id, d)
		count, path := 0, make([]string, len(hops))
		for h := range hops {
			if path[h] = "-"; known[h] {
				path[h] = telemetry.Whole(switches[hops[h]])
				count++
			}
		}
		text := strings.Join(path, " ")
		if errors.Is(err, coding.ErrInconsistent) {
			text = ""
		}
		rows = append(rows, append(name, telemetry.Whole(digests.Len()), telemetry.Whole(count), text))
	})
	return rows
}

// quantiles returns the rows with the quantiles of the streams of query i, hop by hop.
func (w *Watching) quantiles(i int) (rows [][]string) {
	scale, name := unitOf(w.Encoder().Plan().Queries[i].Value)
	w.remembered(i, func(n *module.Inference, id module.FlowID, flow []string) {
		for hop := 1; hop <= int(id.Hops); hop++ {
			cells := append(slices.Clone(flow), telemetry.Whole(hop), "0")
			for _, p := range percents {
				text := ""
				if e, err := n.Quantile(i, id, hop, p/100, rankDelta); err == nil {
					text = number(scale * e.Value)
					cells[len(flowHead)+1] = telemetry.Whole(e.Samples)
				}
				cells = append(cells, text)
			}
			rows = append(rows, append(cells, name))
		}
	})
	return rows
}

// frequent returns the rows with the values that make up frequentShare of the streams of query i.
func (w *Watching) frequent(i int) (rows [][]string) {
	w.remembered(i, func(n *module.Inference, id module.FlowID, flow []string) {
		for hop := 1; hop <= int(id.Hops); hop++ {
			values, err := n.Frequent(i, id, hop, frequentShare)
			if err != nil {
				continue // no sample
			}
			for _, v := range values {
				rows = append(rows, append(slices.Clone(flow), telemetry.Whole(hop), number(v.Value), number(v.Low), number(v.High)))
			}
		}
	})
	return rows
}

// reports returns the tables of the cost of reports, at the collector and by source.
func (w *Watching) reports(end unit.Time) []telemetry.Table {
	sources := telemetry.Table{Name: "sources", Head: []string{"node", "reports", "report_bytes", "reports_received", "reports_missing"}}
	for node := range w.sources {
		if s := &w.sources[node]; s.number > 0 {
			sources.Rows = append(sources.Rows, []string{telemetry.Whole(node), telemetry.Whole(int64(s.number)), telemetry.Whole(s.bytes), telemetry.Whole(s.came.Received), telemetry.Whole(s.came.Lost(s.number))})
		}
	}
	total := telemetry.Table{Name: "collector", Head: []string{"host", "reports", "bytes", "share_of_link"}}
	total.Rows = [][]string{{telemetry.Whole(w.params.Collector), telemetry.Whole(w.heard.reports), telemetry.Whole(w.heard.bytes), number(w.share(end))}}
	return []telemetry.Table{total, sources}
}

// share returns the share of the collector's link that reports used.
func (w *Watching) share(end unit.Time) float64 {
	if end <= 0 {
		return 0
	}
	return 8 * float64(w.heard.bytes) / end.Seconds() / float64(w.at.Net.PortRate(w.at.Net.Home(w.collector)))
}

// beyond returns a note about the digests of query i with the largest code, or "" if there are
// none.
func beyond(p *query.Plan, i int, u module.Usage) string {
	if u.Largest == 0 {
		return ""
	}
	scale, name := unitOf(p.Queries[i].Value)
	return fmt.Sprintf("warning: %s: %d of %d digests have the largest code, which stands for %s %s and everything above: values near it are lower bounds (give the query a wider range)",
		p.Queries[i].Label(), u.Largest, u.Packets, number(scale*u.Top), name)
}

// notes returns what is missing in the results.
func (w *Watching) notes() []string {
	var notes []string
	var sent, lost int64
	for i := range w.sources {
		sent += int64(w.sources[i].number)
		lost += w.sources[i].came.Lost(w.sources[i].number)
	}
	if lost > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d reports did not reach the collector: report a smaller share", lost, sent))
	}
	notes = append(notes, w.Collector().refusals()...)
	for i, q := range w.Encoder().Plan().Queries {
		if w.at.Splits && q.Aggregation.Class() != query.PerPacket {
			notes = append(notes, fmt.Sprintf("warning: %s: packets of a flow take several paths (network.balancing), and its results take these for one", q.Label()))
		}
		if u := w.Collector().Usage(i); u.Evicted > 0 {
			notes = append(notes, fmt.Sprintf("%s: %d flows forgotten for lack of memory", q.Label(), u.Evicted))
		}
		if note := beyond(w.Encoder().Plan(), i, w.Collector().Usage(i)); note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}
