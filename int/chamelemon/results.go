package chamelemon

import (
	"fmt"
	"maps"

	"pintlab/internal/number"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// results holds the tables that grow during the run, and the sums that notes reports.
type results struct {
	epochs, losses, errors telemetry.Table
	undecoded, ill         int // epochs
	packets                int64
}

func newResults(truth bool) results {
	r := results{
		epochs: telemetry.NewTable("epochs", "epoch state ll_buckets hl_buckets hh_buckets t_l t_h sampled ll_decoded "+
			"hl_decoded hh_decoded ll_victims hl_victims hh_flows lost_packets"),
		losses: telemetry.NewTable("losses", "epoch part src dst src_port dst_port packets"),
	}
	if truth {
		r.errors = telemetry.NewTable("errors", "epoch victims found right lost_packets found_packets")
	}
	return r
}

func (s *setting) state() string {
	if s.ill {
		return "ill"
	}
	return "healthy"
}

// add records an epoch.
func (r *results) add(m *Monitor, epoch int, s *setting, v *view, found []loss) {
	row := []any{epoch, s.state()}
	for _, w := range s.widths {
		row = append(row, w)
	}
	row = append(row, s.low, s.high, s.share)
	for i, failed := range v.failed {
		if s.widths[i] == 0 {
			row = append(row, "")
		} else {
			row = append(row, !failed)
		}
	}
	packets := int64(0)
	for _, x := range found {
		packets += x.packets
		name := m.name(x.flow)
		at := "hl"
		if x.sampled {
			at = "ll"
		}
		r.losses.Add(epoch, at, name.Src, name.Dst, name.SrcPort, name.DstPort, x.packets)
	}
	r.epochs.Add(append(row, v.flows[light], v.flows[heavyLoss], v.flows[heavy], packets)...)
	if v.failed != [parts]bool{} {
		r.undecoded++
	}
	if s.ill {
		r.ill++
	}
	r.packets += packets
	if m.params.Truth {
		r.compare(m, epoch, found)
	}
}

// compare records how well an epoch was decoded.
func (r *results) compare(m *Monitor, epoch int, found []loss) {
	truth, all := m.truth(epoch&1), int64(0)
	for _, n := range truth {
		all += n
	}
	reported, exact, packets := map[uint64]int64{}, 0, int64(0)
	for _, x := range found {
		reported[x.flow] += x.packets // of both parts
		packets += x.packets
	}
	for flow, n := range reported {
		if truth[flow] == n {
			exact++
		}
	}
	r.errors.Add(epoch, len(truth), len(reported), exact, all, packets)
}

// truth returns the number of packets of each flow that have entered and not left.
func (m *Monitor) truth(copied int) map[uint64]int64 {
	lost := map[uint64]int64{}
	for i := range m.edges {
		if x := m.edges[i].copies[copied]; x != nil {
			for flow, n := range x.truth[0] {
				lost[flow] += n
			}
			for flow, n := range x.truth[1] {
				lost[flow] -= n
			}
		}
	}
	maps.DeleteFunc(lost, func(_ uint64, n int64) bool { return n <= 0 })
	return lost
}

// name returns the 5-tuple of a flow.
func (m *Monitor) name(flow uint64) route.FiveTuple {
	for i := range m.edges {
		if name, ok := m.edges[i].names[flow]; ok {
			return name
		}
	}
	return route.FiveTuple{}
}

// tables returns what the controller has found, after it has read the last epochs.
func (m *Monitor) tables(unit.Time) []telemetry.Table {
	for len(m.decoded) <= m.epoch {
		m.read(len(m.decoded))
	}
	cost := telemetry.NewTable("switches", "node entered left late sketch_bytes")
	for i := range m.edges {
		if e := &m.edges[i]; e.entered+e.left > 0 {
			cost.Add(i, e.entered, e.left, e.late, m.params.memory())
		}
	}
	list := []telemetry.Table{cost, m.results.epochs, m.results.losses}
	if m.params.Truth {
		list = append(list, m.results.errors)
	}
	return list
}

// notes summarises the results.
func (m *Monitor) notes() []string {
	r, late := &m.results, int64(0)
	for i := range m.edges {
		late += m.edges[i].late
	}
	list := []string{fmt.Sprintf("%s found in %s, %d of them in the ill state; the last epoch ended with the run, and "+
		"packets that were in flight at that time count as lost", number.Count(r.packets, "lost packet"),
		number.Count(len(m.decoded), "epoch"), r.ill)}
	if r.undecoded > 0 {
		list = append(list, fmt.Sprintf("%s could not be decoded in full", number.Count(r.undecoded, "epoch")))
	}
	if late > 0 {
		list = append(list, fmt.Sprintf("%s arrived after the epoch had been read, because of delays longer than "+
			"monitors.%d.epoch = %v", number.Count(late, "packet"), m.at.Number, m.params.Epoch))
	}
	return list
}
