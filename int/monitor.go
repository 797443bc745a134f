package inband

import (
	"encoding/binary"
	"fmt"
	"math"

	"pintlab/internal/hash"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// Monitor holds the keys of INT that ends at a collector. It is independent of the telemetry for the
// congestion control.
//
//	passport  each switch adds its record to the packet, and the host at the end sends
//	          the records to the collector
//	postcard  each switch sends its record to the collector at once; the packet carries
//	          nothing
//
// These are the modes INT-MD and INT-XD of the P4.org INT specification 2.1 (§3). SketchINT and
// LightGuardian are compared with them. Sizes follow PINT §2: 8 B of header and 4 B for each value of
// a hop. Reports are packets of the simulated network: they share links and buffers with the flows,
// and may be lost. Each source numbers its reports, and the collector finds gaps by these numbers.
type Monitor struct {
	// Who sends records: the destination, which sends all records of a packet together, or each switch, which sends its
	// own.
	Mode string `yaml:"mode" default:"passport" oneof:"passport|postcard"`
	// Values per hop, of 4 B each. Three of them are the switch, the latency and the queue length.
	Values int `yaml:"values" default:"3" range:">=3 <=16" draw:"3..16"`
	// Share of packets that are watched, chosen by a hash of 32 bits.
	Share float64 `yaml:"share" default:"1" range:">=1e-9 <=1" draw:"1|0.1"`
	// Node number of the host that collects.
	Collector int `yaml:"collector" default:"0" range:">=0" draw:"0..hosts"`
	// Headers of a report: Ethernet, IPv4, UDP, the report's own 12 B and the 5-tuple.
	ReportHeader unit.Bytes `yaml:"report_header" default:"67B" range:">=42B <=256B"`
}

// header is the number of bytes that passport mode adds to a packet in addition to the values (PINT §2).
const header = 8

// The room of a packet holds, in this order: the number of records, or unwatched; the key of the flow; the name of
// the flow (source, destination, ports), which reports carry as the 5-tuple in their header; whether a switch found
// no room for its record; and the records. A record is the node, the latency in ns and the queue in bytes, four bytes
// each.
const (
	roomHeader = 1 + 8 + route.TupleBytes + 1
	recordSize = 12
	unwatched  = 0xff
)

// Room returns the cargo for the records of a packet, the size of a report and, in passport mode, the bytes that the
// records of a whole path add to a packet.
func (p *Monitor) Room(maxHops int) telemetry.Room {
	hops := maxHops
	r := telemetry.Room{Growth: p.records(hops)}
	if p.Mode == "postcard" {
		r.Growth, hops = 0, 1
	}
	r.Cargo = roomHeader + recordSize*hops
	r.Report = p.ReportHeader + p.records(hops)
	return r
}

func (p *Monitor) records(n int) unit.Bytes { return header + 4*unit.Bytes(p.Values*n) }

// Check has nothing to check beyond the ranges of the keys.
func (*Monitor) Check(*schema.Checker, string) {}

// Watch puts taps at all switches and a collector at its host.
func (p *Monitor) Watch(at *telemetry.Place) (*telemetry.Watch, error) {
	collector, err := at.Host("collector", p.Collector)
	if err != nil {
		return nil, err
	}
	if at.MaxHops >= unwatched {
		return nil, fmt.Errorf("kind = int: the network has paths of %d hops, want fewer than "+
			"%d", at.MaxHops, unwatched)
	}
	m := &monitor{
		params: *p, at: at, collector: collector, passport: p.Mode == "passport",
		limit: uint64(p.Share * (1 << 32)), salt: hash.Combine(hash.String("int/mirror"), at.Seed),
		sources: make([]source, len(at.Graph.Nodes)), hops: make([]hop, len(at.Graph.Nodes)),
	}
	r := &telemetry.Reports{To: m.collector}
	if m.passport {
		r.PerArrival = p.Share * float64(p.ReportHeader+p.records(0))
		r.PerHop = p.Share * float64(p.records(1)-p.records(0))
	} else {
		r.PerSwitch = p.Share * float64(p.ReportHeader+p.records(1))
	}
	return &telemetry.Watch{Tap: m, Watcher: m, Reports: r, Tables: m.tables, Notes: m.notes, System: m}, nil
}

// monitor is INT in a network: the tap at every switch, the state of the hosts, and the
// collector.
type monitor struct {
	params    Monitor
	at        *telemetry.Place
	collector netsim.NodeID
	passport  bool
	limit     uint64 // packets are watched if their 32-bit hash is below this
	salt      uint64

	sources  []source // by node; each owned by the engine that runs the node
	hops     []hop    // by switch; owned by the engine that runs the collector
	received struct {
		reports int64
		bytes   unit.Bytes
	}
	share float64 // share of the collector's link that reports used; set by tables

	// listen, if not nil, is called with the content of each report, in the order of arrival. The records are from one
	// packet, the oldest hop first, and are valid only during the call.
	listen  func(now unit.Time, flow uint64, records []hopRecord)
	full    bool        // the packet has passed more switches than these
	records []hopRecord // of the report at hand
}

// hopRecord is the report of a switch about a packet.
type hopRecord struct {
	Node    netsim.NodeID
	Latency unit.Time // from arrival to departure from the queue, in whole ns
	Queue   unit.Bytes
}

// source counts the reports that a node has sent, and the reports that the collector has received from this node.
type source struct {
	number  uint32            // number of its next report
	bytes   unit.Bytes        // size of the node's reports
	inBand  unit.Bytes        // that it has added to packets
	packets int64             // watched packets that it added a record to or reported
	arrived telemetry.Numbers // numbers of the reports that the collector has received

	report netsim.Report // the last one, kept here to avoid an allocation
}

// hop holds what the collector knows about a switch.
type hop struct {
	records    int64
	latency    int64 // sum in ns
	maxLatency uint32
	maxQueue   uint32
}

func (m *monitor) Dequeue(h *netsim.Hop) {
	k := h.Packet
	if k.Kind != netsim.Data {
		return
	}
	room := m.at.Part(h.Cargo())
	first := h.Number == 0
	switch {
	case !m.passport:
		if !m.watches(h.Key()) {
			return
		}
		room[0] = 0
	case first:
		if !m.watches(h.Key()) {
			room[0] = unwatched
			return
		}
		room[0] = 0
	case room[0] == unwatched:
		return
	}
	n := int(room[0])
	if roomHeader+recordSize*(n+1) > len(room) {
		room[roomHeader-1] = 1
		return // a detour longer than any path of the unbroken network
	}
	if n == 0 {
		room[roomHeader-1] = 0
		binary.LittleEndian.PutUint64(room[1:], h.FlowKey())
		m.at.Net.FiveTuple(k.Flow).Put(room[1+8:])
	}
	record := room[roomHeader+recordSize*n:]
	binary.LittleEndian.PutUint32(record, uint32(h.Switch))
	binary.LittleEndian.PutUint32(record[4:], uint32((h.Now-k.At)/unit.Nanosecond))
	binary.LittleEndian.PutUint32(record[8:], uint32(h.Queue))
	room[0]++
	s := &m.sources[h.Switch]
	s.packets++
	if !m.passport {
		m.send(s, 1, h.Cargo(), h)
		return
	}
	grown := m.params.records(1)
	if !first {
		grown -= header
	}
	s.inBand += grown
	k.Size += uint16(grown)
}

// watches reports whether the packet with a key is watched.
func (m *monitor) watches(key uint64) bool {
	return m.limit > math.MaxUint32 || uint64(uint32(hash.Combine(m.salt, key))) < m.limit
}

// send sends n records of a packet's room to the collector.
func (m *monitor) send(s *source, n int, cargo []byte, from interface{ Report(*netsim.Report) bool }) {
	s.report = netsim.Report{
		Monitor: m.at.Number, To: m.collector, Class: m.at.Class,
		Size: m.params.ReportHeader + m.params.records(n), Number: s.number, Cargo: cargo,
	}
	s.number++
	s.bytes += s.report.Size
	from.Report(&s.report)
}

// Arrive implements netsim.Watcher: the host removes the records from the packet and reports them.
func (m *monitor) Arrive(a *netsim.Arrival) {
	if !m.passport || a.Packet.Hop == 0 {
		return
	}
	room := m.at.Part(a.Cargo())
	if room[0] == unwatched {
		return
	}
	n := int(room[0])
	a.Packet.Size -= uint16(m.params.records(n))
	if a.Host == m.collector { // the collector need not send reports to itself
		m.take(a.Now, room)
		return
	}
	s := &m.sources[a.Host]
	s.packets++
	m.send(s, n, a.Cargo(), a)
}

func (m *monitor) Collect(a *netsim.Arrival) {
	m.sources[a.Packet.ReportSource()].arrived.Hear(a.Packet.ID)
	m.received.reports++
	m.received.bytes += unit.Bytes(a.Packet.Size)
	m.take(a.Now, m.at.Part(a.Cargo()))
}

// lost returns how many reports of the source did not reach the collector.
func (s *source) lost() int64 { return s.arrived.Lost(s.number) }

// take adds the records of a packet to the collector's counters.
func (m *monitor) take(now unit.Time, room []byte) {
	m.records, m.full = m.records[:0], room[roomHeader-1] != 0
	for i := range int(room[0]) {
		node, latency, queue := record(room, i)
		x := hopRecord{netsim.NodeID(node), unit.Time(latency) * unit.Nanosecond, unit.Bytes(queue)}
		m.records = append(m.records, x)
		h := &m.hops[node]
		h.records++
		h.latency += int64(latency)
		h.maxLatency = max(h.maxLatency, latency)
		h.maxQueue = max(h.maxQueue, queue)
	}
	if m.listen != nil {
		m.listen(now, binary.LittleEndian.Uint64(room[1:]), m.records)
	}
}

// tables returns the results: the cost of the reports by source, and the reported values by switch.
func (m *monitor) tables(end unit.Time) []telemetry.Table {
	sources := telemetry.NewTable("sources",
		"node packets bytes_on_packets reports report_bytes reports_received reports_missing")
	hops := telemetry.NewTable("hops", "node records latency_mean_s latency_max_s queue_max_bytes")
	for node := range m.sources {
		if s := &m.sources[node]; s.packets > 0 {
			sources.Add(node, s.packets, s.inBand, s.number, s.bytes, s.arrived.Received, s.lost())
		}
		if h := &m.hops[node]; h.records > 0 {
			mean := float64(h.latency) / float64(h.records)
			hops.Add(node, h.records, mean*1e-9, float64(h.maxLatency)*1e-9, h.maxQueue)
		}
	}
	total := telemetry.NewTable("collector", "host reports bytes share_of_link")
	m.share = m.at.LinkShare(m.collector, m.received.bytes, end)
	total.Add(m.params.Collector, m.received.reports, m.received.bytes, m.share)
	return []telemetry.Table{total, sources, hops}
}

// notes reports how many reports were lost. No check before the run can refuse a collector that is too slow, because
// the number of reports depends on the traffic.
func (m *monitor) notes() []string {
	var sent, lost int64
	for i := range m.sources {
		sent += int64(m.sources[i].number)
		lost += m.sources[i].lost()
	}
	if lost == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d of %s did not reach the collector; the others used %.2g of the rate of its link: "+
		"watch a smaller share", lost, number.Count(sent, "report"), m.share)}
}
