package deploy

import (
	"encoding/binary"

	"pintlab/internal/hash"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/pint/query/module"
)

// Watching is PINT as a monitor in a network.
type Watching struct {
	params  Monitor
	at      *telemetry.Place
	running *Running

	listen func(now unit.Time, flow netsim.FlowName, p module.Packet, digest uint64) // called with each digest that is recorded; may be nil

	addresses map[[16]byte]netsim.NodeID // of hosts; made for the tables

	// With record = collector:
	collector netsim.NodeID
	limit     uint64 // of 32 bits of hash: packets below are reported
	salt      uint64
	sources   []source // by node; each of the engine that runs it
	heard     struct {
		reports int64
		bytes   unit.Bytes
	}
}

// source is a host that reports, and what the collector knows of it.
type source struct {
	number uint32     // of its next report
	bytes  unit.Bytes // of reports
	came   telemetry.Numbers

	report netsim.Report // the last one, kept here to avoid an allocation
}

// Encoder returns the encoding module of the plan.
func (w *Watching) Encoder() *module.Encoder { return w.running.Encoder }

// Collector returns what has been recorded: by the hosts, or by the collector alone.
func (w *Watching) Collector() *Collector { return w.running.collector }

func (w *Watching) Dequeue(h *netsim.Hop) {
	s := w.running.switches
	data := h.Packet.Kind == netsim.Data
	if !data && !s.counts() {
		return
	}
	var o module.Observation
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

// Arrive implements netsim.Watcher: the host records the digest, or reports it.
func (w *Watching) Arrive(a *netsim.Arrival) {
	k := a.Packet
	if k.Hop == 0 {
		return
	}
	room := w.at.Part(a.Cargo())
	id := netsim.PacketKey(a.FlowKey(), k.ID)
	name := w.at.Net.FlowName(k.Flow)
	digest := binary.LittleEndian.Uint64(room)
	switch {
	case w.sources == nil:
		w.record(a.Host, a.Now, id, int(k.Hop), name, digest)
		return
	case uint64(uint32(hash.Combine(w.salt, id))) >= w.limit:
		return
	case a.Host == w.collector: // it need not send them to itself
		w.record(a.Host, a.Now, id, int(k.Hop), name, digest)
		return
	}
	s := &w.sources[a.Host]
	s.report = netsim.Report{
		Monitor: w.at.Number, To: w.collector, Class: w.at.Class, Size: w.params.report(), Number: s.number, Content: id, Cargo: a.Cargo(),
	}
	rest := room[dataCargo:]
	rest[0] = k.Hop
	binary.LittleEndian.PutUint32(rest[1:], uint32(name.Src))
	binary.LittleEndian.PutUint32(rest[5:], uint32(name.Dst))
	binary.LittleEndian.PutUint16(rest[9:], name.SrcPort)
	binary.LittleEndian.PutUint16(rest[11:], name.DstPort)
	binary.LittleEndian.PutUint32(rest[13:], k.ID)
	s.number++
	s.bytes += s.report.Size
	a.Report(&s.report)
}

// Collect implements netsim.Watcher: a report has reached the collector.
func (w *Watching) Collect(a *netsim.Arrival) {
	k := a.Packet
	w.sources[k.ReportSource()].came.Hear(k.ID)
	w.heard.reports++
	w.heard.bytes += unit.Bytes(k.Size)
	room := w.at.Part(a.Cargo())
	w.record(a.Host, a.Now, uint64(k.Seq), int(room[dataCargo]), reported(room), binary.LittleEndian.Uint64(room))
}

// reported returns the flow that the room of a report names.
func reported(room []byte) netsim.FlowName {
	rest := room[dataCargo:]
	return netsim.FlowName{
		Src: netsim.NodeID(binary.LittleEndian.Uint32(rest[1:])), Dst: netsim.NodeID(binary.LittleEndian.Uint32(rest[5:])),
		SrcPort: binary.LittleEndian.Uint16(rest[9:]), DstPort: binary.LittleEndian.Uint16(rest[11:]),
	}
}

func (w *Watching) record(host netsim.NodeID, now unit.Time, id uint64, hops int, name netsim.FlowName, digest uint64) {
	p := module.Packet{ID: id, Hops: hops, Flow: headers(name)}
	w.running.collector.record(host, now, p, digest)
	if w.listen != nil {
		w.listen(now, name, p, digest)
	}
}
