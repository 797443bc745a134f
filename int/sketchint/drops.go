package sketchint

import (
	"math"
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/telemetry"
)

// drops counts the packets that each switch drops, by the ID of the switch. Switches write counters of drops into
// records, and the growth of a counter is the number of drops in a period. A counter never falls, so the largest value
// that any agent has read is the newest. Packets that were dropped after the switch sent this value count in the next
// period.
type drops struct {
	net   *netsim.Network
	nodes []netsim.NodeID
	ports [][]netsim.PortID // on which the switch sends

	read  []uint32 // the largest counter that the analyzer has read
	was   []uint32 // `read` at the end of the previous period
	table telemetry.Table

	truth      bool
	seen       []uint32 // the counters at the end of the last period
	real       []uint32 // packets dropped in that period
	errors     score
	error      float64 // sum of the relative errors where packets were dropped
	unreported int     // switches and periods with drops about which nothing was reported
}

func newDrops(at *telemetry.Place, truth bool) *drops {
	nodes := at.Graph.Switches()
	n := len(nodes)
	d := &drops{
		net: at.Net, nodes: nodes, ports: make([][]netsim.PortID, n), read: make([]uint32, n), was: make([]uint32, n),
		table: telemetry.NewTable("drops", "period node packets"), truth: truth,
		seen: make([]uint32, n), real: make([]uint32, n),
	}
	if truth {
		d.table = telemetry.NewTable("drops", "period node packets real")
	}
	for p := range netsim.PortID(at.Net.Ports()) {
		from, _ := at.Net.PortEnds(p)
		if id, ok := slices.BinarySearch(nodes, from); ok {
			d.ports[id] = append(d.ports[id], p)
		}
	}
	return d
}

// counter returns the packets that a switch has dropped since the start of the run, at all of its ports. Silent faults
// are not counted, because the switch does not know about them.
func (d *drops) counter(id uint16) uint32 {
	n := int64(0)
	for _, p := range d.ports[id] {
		n += d.net.PortDrops(p)
	}
	return uint32(min(n, math.MaxUint32))
}

// look records how many packets were really dropped in a period, at its end.
func (d *drops) look() {
	for id := range d.nodes {
		now := d.counter(uint16(id))
		d.real[id], d.seen[id] = now-d.seen[id], now
	}
}

// take reads the counters of an agent's shipment.
func (d *drops) take(counters []uint32) {
	for id, n := range counters {
		d.read[id] = max(d.read[id], n)
	}
}

// close adds the rows of a period, once all shipments are read.
func (d *drops) close(period int) {
	for id, node := range d.nodes {
		said, real := d.read[id]-d.was[id], d.real[id]
		d.was[id] = d.read[id]
		if d.truth {
			d.compare(said, real)
		}
		switch {
		case d.truth && said+real > 0:
			d.table.Add(period, node, said, real)
		case !d.truth && said > 0:
			d.table.Add(period, node, said)
		}
	}
}

// compare counts the errors of one switch and period.
func (d *drops) compare(said, real uint32) {
	if said > 0 {
		d.errors.reported++
	}
	if real == 0 {
		return
	}
	d.errors.real++
	d.error += math.Abs(float64(said)-float64(real)) / float64(real)
	if said > 0 {
		d.errors.hits++
	} else {
		d.unreported++
	}
}
