package lightguardian

import (
	"slices"

	"pintlab/int/sketch/sumax"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// host is the state of a host: the forwarding module and, in local analysis, the reconstruction module.
type host struct {
	node  netsim.NodeID
	home  netsim.PortID // port of the host's link
	local *Module       // nil in global analysis

	waiting []byte     // sketchlets to be sent
	sent    unit.Time  // when it last sent
	passed  unit.Bytes // bytes that its link had sent at the last poll
	number  uint32     // number of the next datagram
	outbox  [outbox]datagram
	report  netsim.Report // the last datagram, kept here to avoid an allocation

	strays map[stray]int64 // packets

	sketchlets int64 // sketchlets taken from packets
	arrived    arrived
	dropped    int64 // sketchlets for which there was no room
	expired    int64 // sketchlets that were still waiting at the end of an interval
	busy       int64 // polls at which the host did not send because its link was busy
	refused    int64 // datagrams without room at the link, or without a path
	bytes      unit.Bytes
}

// arrived sums up bytes of the data packets that hosts receive while packets may carry sketchlets: sketchlets and carry
// bits, INT with 20 B from each hop, and all bytes. The published analyzers count the same packets (testbed/analyzer).
type arrived struct{ inBand, ofINT, all unit.Bytes }

// stray is a switch that packets of a flow have passed although it is not on the flow's path.
type stray struct {
	flow uint64
	node netsim.NodeID
}

// notice counts a packet that carries the sketchlet of a switch that is not on the path of the
// flow (§6.2). This is how a host finds an abnormal path.
func (h *host) notice(flow uint64, at netsim.NodeID) {
	if h.strays == nil {
		h.strays = map[stray]int64{}
	}
	h.strays[stray{flow, at}]++
}

// Strays returns the switches, in ascending order, from which packets of a flow have brought
// sketchlets to their destination although they are not on the path of the flow.
func (m *Monitor) Strays(flow uint64, destination netsim.NodeID) []netsim.NodeID {
	var list []netsim.NodeID
	for x := range m.hosts[m.hostNumbers[destination]].strays {
		if x.flow == flow {
			list = append(list, x.node)
		}
	}
	slices.Sort(list)
	return list
}

// outbox is the number of datagrams of a host that may be in flight. A further datagram overwrites the oldest.
const outbox = 64

// mostWaiting is the number of bytes of sketchlets that may wait at a host.
const mostWaiting = 1 << 19

// datagram is a datagram in flight.
type datagram struct {
	number  uint32
	content []byte
}

// delivery is a datagram that has arrived.
type delivery struct {
	host   int32
	number uint32
	at     unit.Time
}

// queue stores a sketchlet until it is sent.
func (h *host) queue(x *sumax.Sketchlet) {
	if len(h.waiting) >= mostWaiting {
		h.dropped++
		return
	}
	h.waiting = x.AppendTo(h.waiting)
}

// content returns the content of a datagram, unless a newer one has overwritten it.
func (h *host) content(number uint32) ([]byte, bool) {
	d := &h.outbox[number%outbox]
	if d.number != number {
		return nil, false
	}
	return d.content, true
}

// send sends the waiting sketchlets if they are many or old, and if the link was not busy
// since the last poll.
func (m *Monitor) send(h *host, now unit.Time) {
	if m.analyzer == nil {
		return
	}
	passed := m.at.Net.PortSent(h.home)
	used := passed - h.passed
	h.passed = passed
	n := len(h.waiting) / sumax.SketchletBytes
	if n == 0 || n < m.params.Batch && now-h.sent < m.params.Timeout {
		return
	}
	if capacity := m.at.Net.PortRate(h.home).In(m.params.Poll); float64(used) > m.params.Load*float64(capacity) {
		h.busy++
		return
	}
	rest := h.waiting
	for len(rest) > 0 {
		d := &h.outbox[h.number%outbox]
		part := rest[:min(len(rest), m.params.most()*sumax.SketchletBytes)]
		rest = rest[len(part):]
		d.number = h.number
		d.content = append(d.content[:0], part...)
		size := datagramHeader + unit.Bytes(len(part))
		h.report = netsim.Report{Monitor: m.at.Number, To: m.collector, Class: m.at.Class, Size: size, Number: h.number}
		if !m.at.Report(h.node, &h.report) {
			h.refused++
		}
		h.number++
		h.bytes += size
	}
	h.waiting = h.waiting[:0]
	h.sent = now
}
