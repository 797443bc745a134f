package lightguardian

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// results holds the tables that grow during the run.
type results struct{ switches, progress, local, errors telemetry.Table }

func newResults() results {
	return results{
		switches: telemetry.NewTable("switches",
			"interval node layer packets carried received share half_s p90_s p99_s all_s"),
		progress: telemetry.NewTable("progress", "interval time_s layer switches share"),
		local:    telemetry.NewTable("local", "interval node received devices largest_share"),
		errors: telemetry.NewTable("errors",
			"interval node flows share valid valid_expected are_size wmre_delay are_longest aae_last_s"),
	}
}

// points is the number of times per interval that the progress of the collection is recorded.
const points = 50

// note records the progress of the collection.
func (r *results) note(m *Monitor, now unit.Time) {
	if m.analyzer == nil || m.analyzer.current == nil {
		return
	}
	p := &m.params
	every := (p.Interval/points + p.Poll - 1) / p.Poll * p.Poll
	since := now % p.Interval
	if since%every != 0 && since != 0 {
		return
	}
	since = cmp.Or(since, p.Interval)
	type sum struct {
		switches int
		share    float64
	}
	of := map[string]*sum{}
	c := m.analyzer.current
	for i := range m.devices {
		if m.devices[i].packets[c.Interval&1] == 0 {
			continue // the switch has recorded nothing
		}
		s := of[m.layout.layers[i]]
		if s == nil {
			s = &sum{}
			of[m.layout.layers[i]] = s
		}
		s.switches++
		s.share += float64(c.devices[i].columns) / float64(m.layout.ids)
	}
	for _, layer := range slices.Sorted(maps.Keys(of)) {
		s := of[layer]
		r.progress.Add(c.Interval, since.Seconds(), layer, s.switches, s.share/float64(s.switches))
	}
}

// close records what has been collected about the interval that ends.
func (r *results) close(m *Monitor, now unit.Time) {
	r.note(m, now)
	if m.intervals == 0 {
		return
	}
	interval := m.intervals - 1
	for i := range m.devices {
		if m.devices[i].packets[interval&1] > 0 {
			r.device(m, interval, i)
		}
	}
	for i := range m.hosts {
		if h := &m.hosts[i]; h.local != nil {
			r.host(interval, h.node, h.local.current)
		}
	}
}

// device records how much of a switch's sketch of an interval has arrived, and when. It also records the errors of the
// sketch.
func (r *results) device(m *Monitor, interval, i int) {
	d, idle := &m.devices[i], interval&1 // the sketch that has been sent
	row := []any{interval, d.node, m.layout.layers[i], d.packets[idle], d.carried}
	if m.analyzer == nil {
		r.switches.Add(append(row, slices.Repeat([]any{""}, 2+len(levels))...)...)
		return
	}
	c := m.analyzer.current
	p := &c.devices[i]
	row = append(row, p.columns, float64(p.columns)/float64(c.layout.ids))
	began := unit.Time(m.intervals) * m.params.Interval
	for _, at := range p.reached {
		if at == 0 {
			row = append(row, "")
		} else {
			row = append(row, (at - began).Seconds())
		}
	}
	r.switches.Add(row...)
	if t := d.truth[idle]; t != nil {
		e := t.compare(c, int32(i))
		r.errors.Add(c.Interval, d.node, e.flows, c.Received(d.node), float64(e.valid)/float64(e.flows),
			c.expected(int32(i)), e.size, e.delay, e.longest, e.last)
	}
}

// host records which sketchlets have arrived at a host that reconstructs sketches itself.
func (r *results) host(interval int, node netsim.NodeID, c *Reconstruction) {
	devices, columns, share := 0, 0, 0.0
	for k := range c.devices {
		if n := c.devices[k].columns; n > 0 {
			devices++
			columns += n
			share = max(share, float64(n)/float64(c.layout.ids))
		}
	}
	if columns > 0 {
		r.local.Add(interval, node, columns, devices, share)
	}
}

// tables returns the results: the cost of the collection, and the collected values.
func (m *Monitor) tables(end unit.Time) []telemetry.Table {
	if end > 0 {
		m.read(end)
	}
	r := &m.results
	hosts := telemetry.NewTable("hosts",
		"node sketchlets datagrams datagram_bytes datagrams_refused busy dropped expired")
	var datagrams int64
	var sent unit.Bytes
	for i := range m.hosts {
		h := &m.hosts[i]
		datagrams += int64(h.number)
		sent += h.bytes
		if h.sketchlets > 0 {
			hosts.Add(h.node, h.sketchlets, h.number, h.bytes, h.refused, h.busy, h.dropped, h.expired)
		}
	}
	list := []telemetry.Table{m.cost(end, datagrams, sent), r.switches, hosts}
	if m.analyzer != nil {
		x := m.analyzer.Received
		analyzer := telemetry.NewTable("analyzer",
			"host bytes new duplicate stale unknown_device unknown_id corrupt_length late_datagrams")
		analyzer.Add(m.params.Collector, m.received, x.New, x.Duplicate, x.Stale, x.UnknownDevice, x.UnknownID,
			x.CorruptLengths, m.late)
		list = append(list, analyzer, r.progress, m.tasks())
	}
	if m.params.local() {
		list = append(list, r.local)
	}
	if m.params.Truth && m.analyzer != nil {
		list = append(list, r.errors)
	}
	return list
}

// cost returns the cost of the collection from the end of the first interval on. Before this time, packets carry no
// sketchlets.
func (m *Monitor) cost(end unit.Time, datagrams int64, sent unit.Bytes) telemetry.Table {
	var packets, carried int64
	var inBand, ofINT unit.Bytes
	var delay unit.Time
	for i := range m.devices {
		t := &m.devices[i].total
		packets += t.packets
		carried += t.carried
		delay += t.delay
		inBand += t.inBand
		ofINT += t.inBandOfINT
	}
	links, rates := 0, 0.0 // one for each direction that leaves a switch
	for _, l := range m.at.Graph.Links {
		for _, from := range []netsim.NodeID{l.A, l.B} {
			if m.layout.devices[from] >= 0 {
				links++
				rates += float64(l.Rate)
			}
		}
	}
	seconds := math.NaN()
	if end > m.params.Interval {
		seconds = (end - m.params.Interval).Seconds()
	}
	perLink := func(n unit.Bytes) float64 { return 8 * float64(n) / seconds / float64(links) }
	receivers, sum := 0, arrived{}
	for i := range m.hosts {
		if x := &m.hosts[i].arrived; x.all > 0 {
			receivers++
			sum.inBand, sum.ofINT, sum.all = sum.inBand+x.inBand, sum.ofINT+x.ofINT, sum.all+x.all
		}
	}
	open := m.params.Interval - m.params.Quiet // open part of an interval
	carrying := unit.Time(m.intervals-1)*open + min(end-unit.Time(m.intervals)*m.params.Interval, open)
	perHost := func(n unit.Bytes) float64 { return 8 * float64(n) / carrying.Seconds() / float64(receivers) }
	t := telemetry.NewTable("cost", "intervals sketchlets packets carried delay_mean_s bytes_on_links "+
		"int_bytes_on_links link_bps int_link_bps share_of_links host_bps int_host_bps share_of_traffic datagrams "+
		"datagram_bytes")
	t.Add(m.intervals, m.layout.ids, packets, carried, delay.Seconds()/float64(packets), inBand,
		ofINT, perLink(inBand), perLink(ofINT), 8*float64(inBand)/seconds/rates, perHost(sum.inBand),
		perHost(sum.ofINT), float64(sum.inBand)/float64(sum.all), datagrams, sent)
	return t
}

// epochs of MRAC for the table of tasks.
const epochs = 10

// tasks returns the results of the local tasks of all switches. It uses the newest sketches that have been collected
// completely. If there are none, it uses the sketches that are being collected.
func (m *Monitor) tasks() telemetry.Table {
	t := telemetry.NewTable("tasks", "interval node share flows entropy_bits")
	r := m.analyzer.At(m.analyzer.Latest() - 1)
	if r == nil {
		r = m.analyzer.At(m.analyzer.Latest())
	}
	if r == nil {
		return t
	}
	for i, node := range m.layout.nodes {
		if r.devices[i].delays == 0 {
			continue
		}
		x := r.Tasks(node, epochs)
		flows := x.Flows
		if !x.FlowsOK {
			flows = math.NaN()
		}
		entropy := x.Entropy
		if len(x.Sizes) == 0 { // no counter with a packet has arrived, so the entropy is of nothing
			entropy = math.NaN()
		}
		t.Add(r.Interval, node, r.Received(node), flows, entropy)
	}
	return t
}

// stale returns the number of sketchlets that arrived too late for the analyzer and for local analysis.
func (m *Monitor) stale() (n int64) {
	if m.analyzer != nil {
		n = m.analyzer.Received.Stale
	}
	for i := range m.hosts {
		if local := m.hosts[i].local; local != nil {
			n += local.Received.Stale
		}
	}
	return n
}

// notes warns of runs that were too short, of lost and late sketchlets, and of switches without a sketch.
func (m *Monitor) notes() []string {
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if m.intervals < 2 {
		note("the run ended before any sketch was collected, which takes two intervals of %v",
			m.params.Interval)
	}
	var dropped, expired int64
	for i := range m.hosts {
		dropped += m.hosts[i].dropped
		expired += m.hosts[i].expired
	}
	if dropped+expired > 0 {
		note("%s found no room at the host; %d %s still waiting there at the end of the interval",
			number.Count(dropped, "sketchlet"), expired, number.Plural(expired, "was", "were"))
	}
	if late := m.stale(); late > 0 {
		note("%s arrived after the interval that collected their sketch, and %s ignored, because some packets "+
			"or datagrams took longer than monitors.%d.quiet = %v", number.Count(late, "sketchlet"),
			number.Plural(late, "was", "were"), m.at.Number, m.params.Quiet)
	}
	for i := range m.devices {
		if err := m.devices[i].err; err != nil {
			note("switch %d has no sketch: %v", m.devices[i].node, err)
		}
	}
	return notes
}
