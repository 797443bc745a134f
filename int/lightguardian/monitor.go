package lightguardian

import (
	"math"

	"pintlab/int/sketch/sumax"
	"pintlab/internal/hash"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// Monitor is LightGuardian in a network.
type Monitor struct {
	params Params
	at     *telemetry.Place
	layout *layout
	salt   uint64
	limit  uint64 // packets get a sketchlet if their 32-bit hash is below this

	intervals int       // number of past intervals; its parity selects the active sketch
	quietFrom unit.Time // time from which no packet gets a sketchlet
	numbers   []int32   // numbers of devices, by node
	devices   []device  // each owned by the engine that runs it
	memory    sumax.Memory

	hosts       []host  // each owned by the engine that runs it
	hostNumbers []int32 // by node
	collector   netsim.NodeID
	analyzer    *Module
	whole       *Module    // nil unless sketches are read whole
	inbox       []delivery // owned by the engine that runs the collector
	late        int64      // datagrams whose content was overwritten
	received    unit.Bytes // datagrams that the collector has received

	results results
}

// device is the state of a switch. The sketches are made when the first packet passes.
type device struct {
	node     netsim.NodeID
	seed     uint64
	sketches [2]*sumax.Parts
	chooser  *sumax.Chooser
	truth    [2]*truth // exact numbers, by sketch; nil unless they are counted
	pending  record    // the last packet, which the active sketch records when the next one passes
	err      error     // error in making the sketches
	latest   unit.Time // latest arrival of a packet that has left

	packets [2]int64 // by sketch, in its interval
	carried int64    // sketchlets of the idle sketch
	total   struct { // from the second interval on, when sketchlets are carried
		packets, carried int64
		delay            unit.Time  // sum of the delays of all packets
		inBand           unit.Bytes // sketchlets and carry bits, on every link after a switch
		inBandOfINT      unit.Bytes // bytes of INT with 20 B from each hop, on the same packets and links
	}
}

// record is a packet in the form in which a sketch counts it. A packet is recorded when the next packet passes. Until
// then, its registers, which are rarely in the cache, can be prefetched.
type record struct {
	set              bool
	delay, now, size uint32
	place            sumax.Place
}

// catchUp records the last packet in the active sketch.
func (d *device) catchUp(active int) {
	if b := &d.pending; b.set {
		b.set = false
		d.sketches[active].Record(&b.place, b.delay, b.now, b.size)
	}
}

// The INT that the LightGuardian paper compares with has 20 B from each hop (§8.2), after a header of 4 B in the
// published analyzer.
const bytesOfINT, headerOfINT = 20, 4

// Analyzer returns the global analyzer, or nil in local analysis.
func (m *Monitor) Analyzer() *Module { return m.analyzer }

// Received returns the share of a switch's sketchlets of an interval that the analyzer has received.
func (m *Monitor) Received(interval int, at netsim.NodeID) float64 {
	return m.analyzer.At(interval).Received(at)
}

// Whole returns the sketches of all switches as if every sketchlet reached an analyzer at the end of its
// interval. The comparison with Analyzer shows what is lost because packets carry the sketchlets. Whole returns
// nil unless Counters keeps these sketches.
func (m *Monitor) Whole() *Module { return m.whole }

// Dequeue implements netsim.Tap: a switch counts a packet, and may add a sketchlet to it.
func (m *Monitor) Dequeue(h *netsim.Hop) {
	k := h.Packet
	if k.Kind != netsim.Data {
		return
	}
	number := m.numbers[h.Switch]
	d := &m.devices[number]
	active := m.intervals & 1
	if d.sketches[active] == nil && !m.prepare(d) {
		return
	}
	room := m.at.Part(h.Cargo())
	if h.Number == 0 {
		room[0] = 0
	}
	flow := h.FlowKey()
	d.catchUp(active)
	b := &d.pending
	m.layout.shape.Locate(flow, d.seed, &b.place)
	d.sketches[active].Prefetch(&b.place)
	delay := uint32(min((h.Now-k.At)/unit.Nanosecond, math.MaxUint32))
	// Packets of two ports can leave in another order than they came. Time must not go back,
	// because the sketch would take this for a wrap of the clock, a gap of nearly 2^32.
	d.latest = max(d.latest, k.At)
	now := m.layout.ticks(d.latest)
	b.set, b.delay, b.now, b.size = true, delay, now, uint32(k.Payload)
	if t := d.truth[active]; t != nil {
		t.record(flow, m.layout.shape.DelayCell(delay), now)
	}
	d.packets[active]++
	if m.intervals == 0 {
		return
	}
	if room[0] == 0 && h.Now < m.quietFrom {
		m.carry(d, uint16(number), h, room)
	}
	d.total.packets++
	d.total.delay += h.Now - k.At
	d.total.inBandOfINT += bytesOfINT * unit.Bytes(h.Number+1)
	d.total.inBand += m.params.Tag
	if room[0] != 0 {
		d.total.inBand += m.params.onPacket()
	}
}

func (m *Monitor) prepare(d *device) bool {
	if d.err != nil {
		return false
	}
	for i := range d.sketches {
		if d.sketches[i], d.err = m.memory.NewParts(m.layout.shape); d.err != nil {
			d.sketches = [2]*sumax.Parts{}
			return false
		}
		if m.params.Truth {
			d.truth[i] = newTruth()
		}
	}
	return true
}

// carry adds a sketchlet to a packet that has none, with probability λ_c.
func (m *Monitor) carry(d *device, number uint16, h *netsim.Hop, room []byte) {
	// If a packet passes the switch again, it draws again. The choice of the sketchlet depends only on the packet, not
	// on the hop, because the host must repeat the choice.
	packet := hash.Words(h.Key(), d.seed)
	if hash.Words(packet^m.salt, uint64(h.Number))>>32 >= m.limit {
		return
	}
	last := m.intervals - 1
	id, array := d.chooser.Choose(packet)
	x := sumax.Sketchlet{Device: number, Interval: modular(last), ID: id, Cells: d.sketches[last&1].Column(id)}
	if m.params.ID == "array" {
		x.ID = uint32(array)
	}
	room[0] = 1
	x.AppendTo(room[1:1])
	h.Packet.Size += uint16(m.params.onPacket())
	d.carried++
	d.total.carried++
}

// Arrive implements netsim.Watcher: a host takes the sketchlet from a packet.
func (m *Monitor) Arrive(a *netsim.Arrival) {
	if a.Packet.Hop == 0 {
		return
	}
	room := m.at.Part(a.Cargo())
	h := &m.hosts[m.hostNumbers[a.Host]]
	if k := a.Packet; k.Kind == netsim.Data && a.Now < m.quietFrom {
		h.arrived.all += unit.Bytes(k.Size)
		h.arrived.ofINT += headerOfINT + bytesOfINT*unit.Bytes(k.Hop)
		h.arrived.inBand += m.params.Tag
		if room[0] != 0 {
			h.arrived.inBand += m.params.onPacket()
		}
	}
	if room[0] == 0 {
		return
	}
	a.Packet.Size -= uint16(m.params.onPacket())
	x := sumax.ReadSketchlet(room[1:])
	if m.params.ID == "array" {
		packet := hash.Words(netsim.PacketKey(a.FlowKey(), a.Packet.ID), m.layout.seeds[x.Device])
		x.ID = sumax.Position(packet, int(x.ID), m.layout.ids)
	}
	h.sketchlets++
	if node := m.layout.nodes[x.Device]; !a.OnPath(node) {
		h.notice(a.FlowKey(), node)
	}
	if h.local != nil {
		h.local.take(&x, a.Now)
	}
	if m.analyzer != nil {
		h.queue(&x)
	}
}

// Collect implements netsim.Watcher: a datagram has reached the analyzer. Its content is
// read between events (tick), because another engine may be using the data now.
func (m *Monitor) Collect(a *netsim.Arrival) {
	m.received += unit.Bytes(a.Packet.Size)
	m.inbox = append(m.inbox, delivery{m.hostNumbers[a.Packet.ReportSource()], a.Packet.ID, a.Now})
}

// tick is called between events: the analyzer reads what has arrived, sketches change places if an
// interval is over, and hosts send.
func (m *Monitor) tick(now unit.Time) {
	m.read(now)
	if now%m.params.Interval == 0 {
		m.swap(now)
	} else {
		m.results.note(m, now)
	}
	for i := range m.hosts {
		m.send(&m.hosts[i], now)
	}
}

// read passes the datagrams that have arrived to the analyzer.
func (m *Monitor) read(now unit.Time) {
	if m.analyzer == nil {
		return
	}
	for _, x := range m.inbox {
		b, ok := m.hosts[x.host].content(x.number)
		if !ok {
			m.late++
			continue
		}
		m.analyzer.datagram(b, x.at)
	}
	m.inbox = m.inbox[:0]
	// Sketchlets at the analyzer's own host need not travel.
	h := &m.hosts[m.hostNumbers[m.collector]]
	m.analyzer.datagram(h.waiting, now)
	h.waiting = h.waiting[:0]
}

// swap ends an interval in all switches.
func (m *Monitor) swap(now unit.Time) {
	m.results.close(m, now)
	m.intervals++
	m.quietFrom = now + m.params.Interval - m.params.Quiet
	active := m.intervals & 1
	for i := range m.devices {
		d := &m.devices[i]
		d.catchUp(active ^ 1)
		d.packets[active], d.carried = 0, 0
		d.chooser.Reset()
		if d.sketches[active] == nil {
			continue
		}
		d.sketches[active].Reset()
		if d.truth[active] != nil {
			d.truth[active].reset()
		}
	}
	if m.analyzer != nil {
		m.analyzer.begin(m.intervals - 1)
	}
	if m.whole != nil {
		m.readWhole(now)
	}
	for i := range m.hosts {
		h := &m.hosts[i]
		h.expired += int64(len(h.waiting) / sumax.SketchletBytes)
		h.waiting = h.waiting[:0]
		if h.local != nil {
			h.local.begin(m.intervals - 1)
		}
	}
}

// readWhole copies all sketchlets of the interval that has just ended.
func (m *Monitor) readWhole(now unit.Time) {
	last := m.intervals - 1
	m.whole.begin(last)
	for i := range m.devices {
		sketch := m.devices[i].sketches[last&1]
		for id := range m.layout.ids {
			x := sumax.Sketchlet{Device: uint16(i), Interval: modular(last), ID: id}
			if sketch != nil { // the sketch has seen a packet
				x.Cells = sketch.Column(id)
			}
			m.whole.take(&x, now)
		}
	}
}
