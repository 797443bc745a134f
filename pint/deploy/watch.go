package deploy

import (
	"encoding/binary"

	"pintlab/internal/hash"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/pint/query"
)

// monitor is PINT as a monitor that is attached to a network.
type monitor struct {
	attached
	params Monitor
	at     *telemetry.Place

	// listen is called with each recorded digest. It may be nil.
	listen func(now unit.Time, flow route.FiveTuple, p query.Packet, digest uint64)

	addresses map[[16]byte]netsim.NodeID // address to host; made for the tables

	// With record = collector:
	to       netsim.NodeID // the host that collects
	limit    uint64        // packets are reported if 32 bits of their hash are below this
	salt     uint64
	sources  []source // by node; each is used by the engine that runs the node
	received struct {
		reports int64
		bytes   unit.Bytes
	}
}

// source is the state of a reporting host, and what the collector knows about this host.
type source struct {
	number  uint32     // number of its next report
	bytes   unit.Bytes // size of its reports
	arrived telemetry.Numbers

	report netsim.Report // the last report, stored here to avoid an allocation
}

func (w *monitor) Dequeue(h *netsim.Hop) {
	s := w.switches
	data := h.Packet.Kind == netsim.Data
	if !data && !s.counts() {
		return
	}
	var o query.Observation
	s.observe(h, &o)
	if data {
		room := w.at.Part(h.Cargo())
		if h.Number == 0 {
			room[digestBytes] = uint8(min(s.encoder.Set(h.Key()), otherSet))
		}
		set := int(room[digestBytes])
		if set == otherSet {
			set = s.encoder.Set(h.Key())
		}
		digest := s.encoder.EncodeIn(set, h.Key(), h.Number+1, binary.LittleEndian.Uint64(room), &o)
		binary.LittleEndian.PutUint64(room, digest)
	}
}

// Arrive implements netsim.Watcher. The host records the digest or reports it.
func (w *monitor) Arrive(a *netsim.Arrival) {
	k := a.Packet
	if k.Hop == 0 {
		return
	}
	room := w.at.Part(a.Cargo())
	id := netsim.PacketKey(a.FlowKey(), k.ID)
	tuple := w.at.Net.FiveTuple(k.Flow)
	if w.sources != nil && uint64(uint32(hash.Combine(w.salt, id))) >= w.limit {
		return
	}
	if w.sources == nil || a.Host == w.to { // needs no report
		w.record(a, query.Packet{ID: id, Hops: int(k.Hop)}, tuple, room)
		return
	}
	s := &w.sources[a.Host]
	s.report = netsim.Report{
		Monitor: w.at.Number, To: w.to, Class: w.at.Class,
		Size: w.params.report(), Number: s.number, Content: id, Cargo: a.Cargo(),
	}
	rest := room[dataCargo:]
	rest[0] = k.Hop
	tuple.Put(rest[1:])
	binary.LittleEndian.PutUint32(rest[1+route.TupleBytes:], k.ID)
	s.number++
	s.bytes += s.report.Size
	a.Report(&s.report)
}

// Collect implements netsim.Watcher. It records the digest of a report that has reached the
// collector.
func (w *monitor) Collect(a *netsim.Arrival) {
	k := a.Packet
	w.sources[k.ReportSource()].arrived.Hear(k.ID)
	w.received.reports++
	w.received.bytes += unit.Bytes(k.Size)
	room := w.at.Part(a.Cargo())
	w.record(a, query.Packet{ID: uint64(k.Seq), Hops: int(room[dataCargo])}, reported(room), room)
}

// reported returns the flow that the cargo of a report identifies.
func reported(room []byte) route.FiveTuple { return route.ReadFiveTuple(room[dataCargo+1:]) }

// record reads the digest of packet p from room, the cargo of the arrived packet, and records it at the host a.Host.
func (w *monitor) record(a *netsim.Arrival, p query.Packet, tuple route.FiveTuple, room []byte) {
	p.Flow = headers(tuple)
	digest := binary.LittleEndian.Uint64(room)
	w.collector.record(a.Host, a.Now, p, digest)
	if w.listen != nil {
		w.listen(a.Now, tuple, p, digest)
	}
}
