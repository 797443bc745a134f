package dlint

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"pintlab/internal/hash"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// monitor is one of the three systems in a network.
type monitor struct {
	params  keys
	at      *telemetry.Place
	nodes   []node
	hosts   []bool // by node
	control *controller
	answer  *answers // nil unless it is queried
	// known is called with the paths that arriving packets show. It is nil unless Follow was called.
	known func(now unit.Time, flow uint64, switches []netsim.NodeID)
}

// node is a switch. The engine that runs it owns it.
type node struct {
	cells []cell // DLINT's, or CLINT's once an entry is installed
	sink  sink

	reported []bool         // CLINT
	entries  map[uint64]int // CLINT: the first cell of a flow
	reports  uint32
	report   netsim.Report

	added   int64      // headers
	bytes   unit.Bytes // bytes of headers on packets that leave the switch
	resets  int64      // number of RESETs that it has added
	packets int64      // number of packets that leave it
	slots   [16]slot
}

func (m *monitor) watch() *telemetry.Watch {
	if m == nil {
		return nil
	}
	return &telemetry.Watch{Tap: m, Watcher: m, Tables: m.tables, Notes: m.notes, System: m}
}

// Arrive removes nothing, because the last switch has removed the header.
func (m *monitor) Arrive(a *netsim.Arrival) {
	if m.known != nil || m.answer != nil {
		m.arrived(a)
	}
}

// Collect receives a report at CLINT's controller.
func (m *monitor) Collect(a *netsim.Arrival) {
	c := m.control
	c.pending = append(c.pending, entry{a.Packet.ReportSource(), uint64(a.Packet.Seq)})
}

// install adds an entry for each reported flow to the switch that has reported the flow.
func (m *monitor) install(unit.Time) {
	c := m.control
	for _, e := range c.pending {
		place, known := c.places[e.flow]
		if !known {
			if place = 2 * len(c.places); place+1 >= m.params.cells {
				c.full++
				continue
			}
			c.places[e.flow] = place
		}
		n := &m.nodes[e.at]
		if n.cells == nil {
			n.cells = slices.Repeat([]cell{setUp}, m.params.cells)
		}
		n.entries[e.flow] = place
	}
	c.pending = c.pending[:0]
}

func (m *monitor) Dequeue(h *netsim.Hop) {
	k := h.Packet
	if k.Kind != netsim.Data && k.Kind != netsim.Ack && k.Kind != netsim.Nack {
		return
	}
	n := &m.nodes[h.Switch]
	room := m.at.Part(h.Cargo())
	_, to := m.at.Net.PortEnds(h.Port)
	p := passing{
		header: n.slots[:0], values: m.params.values, own: value(h.Switch) + 1,
		latency:  uint32((h.Now - k.At) / unit.Nanosecond),
		fromHost: h.Number == 0, toHost: m.hosts[to], syn: k.Kind == netsim.Data && k.Seq == 0,
	}
	if !p.fromHost {
		p.header = read(p.header, room)
	}
	had := len(p.header) > 0
	switch m.params.kind {
	case deterministic:
		f, r := m.places(h, len(n.cells))
		m.step(n, &p, &n.cells[f], &n.cells[r])
	case controlled:
		m.controlled(h, n, &p)
	case probabilistic:
		p.replace(uint8(h.Number+1), m.params.exact, m.drawOf(h))
	}
	if !had && len(p.header) > 0 {
		n.added++
	}
	if p.toHost {
		if k.Kind == netsim.Data {
			m.read(h, n, &p)
		}
		p.header = nil
	}
	has := len(p.header) > 0
	switch size := uint16(m.params.size); {
	case has && !had:
		k.Size += size
	case had && !has:
		k.Size -= size
	}
	n.packets++
	if has {
		n.bytes += m.params.size
	}
	write(room, p.header)
}

// step applies the rules and counts RESETs.
func (m *monitor) step(n *node, p *passing, f, r *cell) {
	had := p.has(reset)
	p.apply(f, r)
	if !had && p.has(reset) {
		n.resets++
	}
}

// controlled applies the rules of CLINT to a packet.
func (m *monitor) controlled(h *netsim.Hop, n *node, p *passing) {
	flow := h.FlowKey()
	place, known := n.entries[flow]
	if !known {
		bit := smaller(m.tuple(h)) % uint32(len(n.reported))
		if !n.reported[bit] {
			n.reported[bit] = true
			n.report = netsim.Report{Monitor: m.at.Number, To: m.control.host, Size: m.control.size,
				Class: m.at.Class, Number: n.reports, Content: flow}
			n.reports++
			h.Report(&n.report)
		}
		p.prepared(false, nil, nil)
		return
	}
	f, r := &n.cells[place], &n.cells[place+1]
	if h.Packet.Kind != netsim.Data {
		f, r = r, f
	}
	if !p.prepared(true, f, r) {
		m.step(n, p, f, r)
	}
}

// read passes the values of a data packet to the sink.
func (m *monitor) read(h *netsim.Hop, n *node, p *passing) {
	x := n.sink.of(h.FlowKey(), h.Packet.Flow, m.at.Net)
	x.packets++
	if len(p.header) > 0 {
		if m.params.kind == probabilistic {
			x.takePairs(h.Now, p.header, uint8(h.Number+1))
		} else {
			x.take(h.Now, p.header, p.own)
		}
	}
}

// drawOf returns the random numbers of PLINT, which are a hash of packet, hop and slot.
func (m *monitor) drawOf(h *netsim.Hop) draw {
	seed := hash.Combine(hash.Combine(hash.Combine(hash.String("int/dlint"), m.at.Seed), h.Key()), uint64(h.Switch))
	seed = hash.Combine(seed, uint64(h.Packet.Kind))
	return drawFrom(seed, m.params.exact)
}

// tuple returns the 5-tuple of a packet.
func (m *monitor) tuple(h *netsim.Hop) route.FiveTuple {
	t := m.at.Net.FiveTuple(h.Packet.Flow)
	if h.Packet.Kind != netsim.Data {
		return t.Reverse()
	}
	return t
}

// places returns the indices, below n, of the cells of a packet's direction and of the other direction.
func (m *monitor) places(h *netsim.Hop, n int) (f, r uint32) {
	t := m.tuple(h)
	return crc(t) % uint32(n), crc(t.Reverse()) % uint32(n)
}

// crc returns the CRC32 of source, destination, ports and protocol (6), in the form in which headers contain them.
func crc(t route.FiveTuple) uint32 {
	var b [13]byte
	binary.BigEndian.PutUint32(b[:], route.HostIP(t.Src))
	binary.BigEndian.PutUint32(b[4:], route.HostIP(t.Dst))
	binary.BigEndian.PutUint16(b[8:], t.SrcPort)
	binary.BigEndian.PutUint16(b[10:], t.DstPort)
	b[12] = 6
	return crc32.ChecksumIEEE(b[:])
}

// smaller returns the CRC32 of a flow with the smaller address first.
func smaller(t route.FiveTuple) uint32 {
	if r := t.Reverse(); r.Src < t.Src {
		t = r
	}
	return crc(t)
}

// read appends the slots in a packet's cargo to h.
func read(h header, room []byte) header {
	for i := range int(room[0]) {
		b := room[1+i*slotCargo:]
		h = append(h, slot{value(binary.LittleEndian.Uint32(b)), b[4], binary.LittleEndian.Uint32(b[5:])})
	}
	return h
}

// write puts the slots into a packet's cargo.
func write(room []byte, h header) {
	room[0] = uint8(len(h))
	for i, s := range h {
		b := room[1+i*slotCargo:]
		binary.LittleEndian.PutUint32(b, uint32(s.value))
		b[4] = s.hop
		binary.LittleEndian.PutUint32(b[5:], s.latency)
	}
}

// tables returns two tables: the headers that each switch has added, and the paths of flows.
func (m *monitor) tables(unit.Time) []telemetry.Table {
	cost := telemetry.NewTable("switches", "node packets headers_added header_bytes resets reports")
	flows := telemetry.NewTable("flows",
		"sink src dst packets paths packets_until_path changes packets_until_change path")
	for i := range m.nodes {
		n := &m.nodes[i]
		if n.packets > 0 {
			cost.Add(i, n.packets, n.added, n.bytes, n.resets, n.reports)
		}
		for _, x := range n.sink.list {
			path := strings.Join(lists.Map(x.path, func(id netsim.NodeID) string { return fmt.Sprint(id) }), "-")
			flows.Add(i, x.tuple.Src, x.tuple.Dst, x.packets, x.paths, x.after, x.changes, x.changed, path)
		}
	}
	return []telemetry.Table{cost, flows}
}

// notes summarises what is known.
func (m *monitor) notes() []string {
	known, all := 0, 0
	for i := range m.nodes {
		for _, x := range m.nodes[i].sink.list {
			if all++; x.path != nil {
				known++
			}
		}
	}
	list := []string{fmt.Sprintf("the paths of %d of %s are known", known, number.Count(all, "flow"))}
	if c := m.control; c != nil && c.full > 0 {
		list = append(list, fmt.Sprintf("the controller had no cell for %s: %d cells hold %s",
			number.Count(c.full, "report"), m.params.cells, number.Count(m.params.cells/2, "flow")))
	}
	return list
}
