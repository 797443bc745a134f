package lightguardian

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// results holds the rows of the tables that grow during the run.
type results struct {
	switches, progress, local, errors [][]string
}

// points is how often per interval the progress of the collection is recorded.
const points = 50

func sortedKeys[V any](m map[uint64]V) []uint64 { return slices.Sorted(maps.Keys(m)) }

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
			continue // it has recorded nothing
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
		r.progress = append(r.progress, []string{telemetry.Whole(c.Interval), telemetry.Real(since.Seconds()), layer, telemetry.Whole(s.switches), telemetry.Real(s.share / float64(s.switches))})
	}
}

// close records what has been collected of the interval that ends.
func (r *results) close(m *Monitor, now unit.Time) {
	r.note(m, now)
	if m.intervals == 0 {
		return
	}
	interval := m.intervals - 1
	began := unit.Time(m.intervals) * m.params.Interval
	for i := range m.devices {
		d := &m.devices[i]
		if d.packets[interval&1] == 0 {
			continue
		}
		row := []string{telemetry.Whole(interval), telemetry.Whole(int(d.node)), m.layout.layers[i], telemetry.Whole(d.packets[interval&1]), telemetry.Whole(d.carried)}
		if m.analyzer != nil {
			row = r.collected(row, m.analyzer.current, int32(i), began)
			if t := d.truth[interval&1]; t != nil {
				r.hold(m.analyzer.current, t, int32(i))
			}
		} else {
			for range 2 + len(levels) {
				row = append(row, "")
			}
		}
		r.switches = append(r.switches, row)
	}
	for i := range m.hosts {
		h := &m.hosts[i]
		if h.local == nil {
			continue
		}
		c := h.local.current
		devices, columns, share := 0, 0, 0.0
		for k := range c.devices {
			if n := c.devices[k].columns; n > 0 {
				devices++
				columns += n
				share = max(share, float64(n)/float64(m.layout.ids))
			}
		}
		if columns > 0 {
			r.local = append(r.local, []string{telemetry.Whole(interval), telemetry.Whole(int(h.node)), telemetry.Whole(columns), telemetry.Whole(devices), telemetry.Real(share)})
		}
	}
}

// collected appends to a switch's row the share of its sketch that has arrived, and the times at which it arrived.
func (r *results) collected(row []string, c *Reconstruction, device int32, began unit.Time) []string {
	p := &c.devices[device]
	row = append(row, telemetry.Whole(p.columns), telemetry.Real(float64(p.columns)/float64(c.layout.ids)))
	for _, at := range p.reached {
		if at == 0 {
			row = append(row, "")
			continue
		}
		row = append(row, telemetry.Real((at - began).Seconds()))
	}
	return row
}

// hold compares the arrived part of a switch's sketch with the truth.
func (r *results) hold(c *Reconstruction, t *truth, device int32) {
	e := t.hold(c, device)
	node := c.layout.nodes[device]
	r.errors = append(r.errors, []string{
		telemetry.Whole(c.Interval), telemetry.Whole(int(node)), telemetry.Whole(e.flows), telemetry.Real(c.Received(node)), telemetry.Real(float64(e.valid) / float64(e.flows)), telemetry.Real(c.expected(device)),
		telemetry.Real(e.size), telemetry.Real(e.delay), telemetry.Real(e.longest), telemetry.Real(e.last),
	})
}

// tables returns the results: the cost of the collection, and what it found.
func (m *Monitor) tables(end unit.Time) []telemetry.Table {
	if end > 0 {
		m.read(end)
	}
	switches := telemetry.Table{
		Name: "switches", Rows: m.results.switches,
		Head: []string{"interval", "node", "layer", "packets", "carried", "received", "share", "half_s", "p90_s", "p99_s", "all_s"},
	}
	hosts := telemetry.Table{Name: "hosts", Head: []string{"node", "sketchlets", "datagrams", "datagram_bytes", "datagrams_refused", "busy", "dropped", "expired"}}
	var datagrams, expired int64
	var sent unit.Bytes
	for i := range m.hosts {
		h := &m.hosts[i]
		datagrams += int64(h.number)
		sent += h.bytes
		expired += h.expired
		if h.sketchlets > 0 {
			hosts.Rows = append(hosts.Rows, []string{
				telemetry.Whole(int(h.node)), telemetry.Whole(h.sketchlets), telemetry.Whole(int64(h.number)), telemetry.Whole(h.bytes), telemetry.Whole(h.refused), telemetry.Whole(h.held), telemetry.Whole(h.dropped), telemetry.Whole(h.expired),
			})
		}
	}
	list := []telemetry.Table{m.cost(end, datagrams, sent), switches, hosts}
	if m.analyzer != nil {
		x := m.analyzer.Received
		list = append(list, telemetry.Table{
			Name: "analyzer",
			Head: []string{"host", "bytes", "new", "duplicate", "stale", "unknown_device", "unknown_id", "corrupt_length", "late_datagrams"},
			Rows: [][]string{{
				telemetry.Whole(m.params.Collector), telemetry.Whole(m.heard), telemetry.Whole(x.New), telemetry.Whole(x.Duplicate), telemetry.Whole(x.Stale), telemetry.Whole(x.UnknownDevice), telemetry.Whole(x.UnknownID), telemetry.Whole(x.CorruptLengths), telemetry.Whole(m.late),
			}},
		}, telemetry.Table{Name: "progress", Head: []string{"interval", "time_s", "layer", "switches", "share"}, Rows: m.results.progress})
		list = append(list, m.tasks())
	}
	if m.params.local() {
		list = append(list, telemetry.Table{Name: "local", Head: []string{"interval", "node", "received", "devices", "largest_share"}, Rows: m.results.local})
	}
	if m.params.Truth && m.analyzer != nil {
		list = append(list, telemetry.Table{
			Name: "errors", Rows: m.results.errors,
			Head: []string{"interval", "node", "flows", "share", "valid", "valid_expected", "are_size", "wmre_delay", "are_longest", "aae_last_s"},
		})
	}
	return list
}

// cost returns the cost of the collection from the end of the first interval on; before, packets carry no sketchlets.
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
	perLink := func(n unit.Bytes) string { return telemetry.Real(8 * float64(n) / seconds / float64(links)) }
	return telemetry.Table{
		Name: "cost",
		Head: []string{
			"intervals", "sketchlets", "packets", "carried", "delay_mean_s", "bytes_on_links", "int_bytes_on_links", "link_bps", "int_link_bps", "share_of_links",
			"datagrams", "datagram_bytes",
		},
		Rows: [][]string{{
			telemetry.Whole(m.intervals), telemetry.Whole(int64(m.layout.ids)), telemetry.Whole(packets), telemetry.Whole(carried), telemetry.Real(delay.Seconds() / float64(packets)),
			telemetry.Whole(inBand), telemetry.Whole(ofINT), perLink(inBand), perLink(ofINT), telemetry.Real(8 * float64(inBand) / seconds / rates), telemetry.Whole(datagrams), telemetry.Whole(sent),
		}},
	}
}

// epochs of MRAC for the table of tasks.
const epochs = 10

// tasks returns the local tasks of all switches, with the newest sketches that have been collected in full, or else
// with those that are being collected.
func (m *Monitor) tasks() telemetry.Table {
	t := telemetry.Table{Name: "tasks", Head: []string{"interval", "node", "share", "flows", "entropy_bits"}}
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
		flows := ""
		if x.FlowsOK {
			flows = telemetry.Real(x.Flows)
		}
		t.Rows = append(t.Rows, []string{telemetry.Whole(r.Interval), telemetry.Whole(int(node)), telemetry.Real(r.Received(node)), flows, telemetry.Real(x.Entropy)})
	}
	return t
}

// stale returns how many sketchlets came too late for the analyzer and for local analysis.
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
	if m.intervals < 2 {
		notes = append(notes, fmt.Sprintf("the run ended before the sketches of an interval of %v were collected, which takes two", m.params.Interval))
	}
	var dropped, expired int64
	for i := range m.hosts {
		dropped += m.hosts[i].dropped
		expired += m.hosts[i].expired
	}
	if dropped+expired > 0 {
		notes = append(notes, fmt.Sprintf("%d sketchlets found no room at their host, %d waited there at the end of their interval", dropped, expired))
	}
	if late := m.stale(); late > 0 {
		notes = append(notes, fmt.Sprintf("%d sketchlets came after the end of the interval in which their sketch was collected, and were ignored; "+
			"some packets or datagrams took longer than monitors.%d.quiet = %v", late, m.at.Number, m.params.Quiet))
	}
	for i := range m.devices {
		if err := m.devices[i].err; err != nil {
			notes = append(notes, fmt.Sprintf("switch %d has no sketch: %v", m.devices[i].node, err))
		}
	}
	return notes
}
