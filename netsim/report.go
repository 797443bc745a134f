package netsim

import (
	"fmt"

	"pintlab/netsim/unit"
)

// Watcher is the part of a monitor at the hosts. As with a Sink, several engines call it at the same time, for the
// hosts of different domains.
type Watcher interface {
	// Arrive is called for each data packet that reaches its destination, after the sinks and
	// before the transport. It removes the bytes that the monitor's taps have added to the packet.
	Arrive(a *Arrival)
	// Collect is called for each report of the monitor that reaches its collector.
	Collect(a *Arrival)
}

// Arrival describes a packet for a Watcher. It is valid during the call only.
type Arrival struct {
	Now    unit.Time
	Host   NodeID
	Packet *Packet // a report has Report.Content in Seq and Report.Number in ID

	engine *Engine
	id     PacketID
	aside  []byte // cargo of a report that did not cross the network
}

// Cargo returns the part of the packet for monitors (Config.Cargo). Before a data packet reaches
// its first switch the content is undefined.
func (a *Arrival) Cargo() []byte {
	if a.aside != nil {
		return a.aside
	}
	return a.engine.cargo(a.id)
}

// Stack returns the telemetry of the packet, oldest hop first.
func (a *Arrival) Stack() []PortSample { return a.engine.Telemetry(a.id) }

// OnPath reports whether a switch is on the path of a data packet. If switches choose the next port per packet, there
// is no such path, and OnPath always returns true.
func (a *Arrival) OnPath(at NodeID) bool {
	n := a.engine.net
	if n.followed < n.stride {
		return true
	}
	path := n.paths[2*int(a.Packet.Flow)*n.stride:][:n.stride]
	for _, p := range path {
		if p == NoPort {
			break
		}
		if n.ports[p].node == at {
			return true
		}
	}
	return false
}

// Report sends a report from the host (see Engine.Report). It must be the last use of the
// Arrival.
func (a *Arrival) Report(r *Report) bool { return a.engine.Report(a.Host, r) }

// FlowKey identifies the flow of a data packet.
func (a *Arrival) FlowKey() uint64 { return a.engine.net.flows[a.Packet.Flow].key }

// Report is a message of a monitor to a collector. It is one real packet: it shares links and switch memories with the
// flows and may be lost. A lost report is not sent again.
type Report struct {
	Monitor uint8      // number of the monitor in the run
	To      NodeID     // the host that collects
	Size    unit.Bytes // on the wire, 1 to Config.MaxPacket
	Class   uint8      // traffic class, 1 to 7
	Number  uint32     // counts the reports of the source, so that collectors can find gaps
	Content uint64     // defined by the monitor, which finds the content of the report by this number
	Cargo   []byte     // copied into the packet's part for monitors, as far as it fits
}

// Report sends a report from a host or a switch. Reports that wait at the port use at most Config.ReportQueue bytes,
// and none of the switch's shared memory. A report is dropped if there is no room or no path for it. Report returns
// false if r was dropped. It panics if the size is out of range.
func (e *Engine) Report(from NodeID, r *Report) bool {
	if e.net.cfg.FreeReports {
		return e.deliverLocally(from, r)
	}
	out, ok := e.mirror(from, r)
	if !ok {
		return false
	}
	if p := e.port(out); p.atHost {
		e.Kick(out)
	} else {
		e.prompt(out, p)
	}
	return true
}

// localReport is the report that is being delivered without crossing the network.
type localReport struct {
	packet  Packet
	cargo   []byte
	arrival Arrival
}

// deliverLocally delivers a report to its collector without crossing the network.
func (e *Engine) deliverLocally(from NodeID, r *Report) bool {
	e.count.Reports++
	t := &e.local
	if t.cargo == nil {
		t.cargo = make([]byte, max(1, e.net.cfg.Cargo))
	}
	copy(t.cargo, r.Cargo)
	t.packet = mirrored(from, r)
	t.arrival = Arrival{Now: e.now, Host: r.To, Packet: &t.packet, engine: e, aside: t.cargo}
	e.watchers[r.Monitor].Collect(&t.arrival)
	return true
}

// mirrored returns the packet of a report.
func mirrored(from NodeID, r *Report) Packet {
	return Packet{
		Kind: Mirrored, Class: r.Class, Flow: int32(r.To), Seq: int64(r.Content), ID: r.Number,
		Digest: uint64(from)<<8 | uint64(r.Monitor), Size: uint16(r.Size), Flags: flagOrigin,
	}
}

// mirror queues a report. Kick or prompt sends it.
func (e *Engine) mirror(from NodeID, r *Report) (PortID, bool) {
	if r.Size < 1 || r.Size > e.net.cfg.MaxPacket {
		panic(fmt.Sprintf("netsim: monitor %d sends a report of %v, want 1B to %v", r.Monitor, r.Size,
			e.net.cfg.MaxPacket))
	}
	out, ok := e.net.cfg.ReportRoute(from, r.To, reportKey(from, r.Monitor))
	e.count.Injected++
	e.count.Reports++
	if !ok || e.net.infos[out].reporting+r.Size > e.net.cfg.ReportQueue {
		e.count.Dropped++
		e.count.ReportsLost++
		return NoPort, false
	}
	id := e.allocate()
	k := e.Packet(id)
	*k = mirrored(from, r)
	if e.net.cfg.Cargo > 0 {
		copy(e.cargo(id), r.Cargo)
	}
	e.net.infos[out].reporting += r.Size
	e.enqueue(out, e.port(out), id, k)
	return out, true
}

// reportKey returns the flow key for ECMP of the reports of a source.
func reportKey(from NodeID, monitor uint8) uint64 { return uint64(from)<<8 | uint64(monitor) }

// ReportSource returns the node that has sent a report.
func (p *Packet) ReportSource() NodeID { return NodeID(p.Digest >> 8) }

// ReportMonitor returns the number of the monitor that made the report.
func (p *Packet) ReportMonitor() uint8 { return uint8(p.Digest) }

// cargo returns the part of a packet for monitors.
func (e *Engine) cargo(id PacketID) []byte {
	at := int(id) * e.net.aside
	end := at + e.net.cfg.Cargo
	return e.cargos[at:end:end]
}

// leaveOrigin updates the state when a report leaves the queue of the node that made it.
func (e *Engine) leaveOrigin(pi PortID, k *Packet) {
	k.Flags &^= flagOrigin
	e.net.infos[pi].reporting -= unit.Bytes(k.Size)
}

// reportArrives handles a report at the end of a link. The node there is the collector of the report or a switch, which
// forwards the report. wrong is the port chosen by a wrong forwarding entry, or NoPort.
func (e *Engine) reportArrives(pi PortID, p *port, id PacketID, k *Packet, wrong PortID) {
	if p.toHost {
		if p.peer == NodeID(k.Flow) {
			e.arrival.Now, e.arrival.Host, e.arrival.Packet, e.arrival.id = e.now, p.peer, k, id
			e.watchers[k.ReportMonitor()].Collect(&e.arrival)
		}
		e.Free(id)
		return
	}
	out, ok := wrong, true
	if wrong == NoPort {
		out, ok = e.net.cfg.ReportRoute(p.peer, NodeID(k.Flow), k.Digest)
	}
	var pause bool
	if ok = ok && (e.port(out).special&faulty == 0 || !e.net.infos[out].down); ok {
		ok, pause = e.net.memory(p.peer).Enter(
			int(p.ingress), int(k.Class), unit.Bytes(k.Size), unit.Bytes(e.port(out).queued))
	}
	if !ok {
		e.count.Dropped++
		e.count.ReportsLost++
		e.end(id)
		return
	}
	k.ingress = p.ingress
	if pause {
		e.sendPause(pi, k.Class, Pause)
		k = e.Packet(id)
	}
	o := e.port(out)
	e.enqueue(out, o, id, k)
	e.prompt(out, o)
}

// arrived calls the watchers for a data packet at its destination.
func (e *Engine) arrived(host NodeID, id PacketID) {
	for _, w := range e.watchers {
		e.arrival.Now, e.arrival.Host, e.arrival.Packet, e.arrival.id = e.now, host, e.Packet(id), id
		w.Arrive(&e.arrival)
	}
}

// Watch sets the watchers, indexed by the numbers of their monitors. It must be called before Run.
func (e *Engine) Watch(w []Watcher) {
	for _, x := range e.s.engines {
		x.watchers = w
	}
}

// Cargo returns the part of the packet for monitors (Config.Cargo). At the first switch (Number 0)
// the content is undefined.
func (h *Hop) Cargo() []byte { return h.cargo }

// Report sends a report from the switch (see Engine.Report).
func (h *Hop) Report(r *Report) bool {
	if h.engine.net.cfg.FreeReports {
		return h.engine.deliverLocally(h.Switch, r)
	}
	out, ok := h.engine.mirror(h.Switch, r)
	h.Packet, h.cargo = &h.engine.pkts[h.id], h.engine.cargo(h.id) // the slab may have grown
	if ok {
		h.engine.reported = append(h.engine.reported, out)
	}
	return ok
}

// afterReports ends dispatch if taps have sent reports: the packet leaves before these reports.
func (e *Engine) afterReports(pi PortID, p *port, id PacketID) {
	k := e.Packet(id) // the slab may have grown
	k.Hop++
	e.transmit(pi, p, id, k)
	for _, out := range e.reported {
		e.prompt(out, e.port(out))
	}
	e.reported = e.reported[:0]
}
