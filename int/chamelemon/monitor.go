package chamelemon

import (
	"math"

	"pintlab/int/sketch/fermat"
	"pintlab/int/sketch/tower"
	"pintlab/internal/hash"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// Monitor is ChameleMon in a network.
type Monitor struct {
	params Params
	at     *telemetry.Place
	salt   uint64
	hosts  []bool // by node
	edges  []edge // by node, each owned by the engine that runs it

	epoch    int // the lowest bit of the epoch is the number of the copy
	settings [2]setting
	control  controller
	sums     [2]*fermat.Sketch // the controller's sums over all switches, of LL and HL

	lost    map[uint64]int64 // number of packets, by flow
	decoded []bool           // epochs in which all losses are known
	asked   *answers         // nil unless sizes are queried
	results results
}

// edge is a switch in its role as the first and the last switch of paths.
type edge struct {
	copies        [2]*sketches // made with the first packet at the switch
	names         map[uint64]route.FiveTuple
	entered, left int64 // packets
	late          int64 // packets of a past epoch
}

// sketches is one copy of the sketches of an edge switch.
type sketches struct {
	sizes *tower.Sketch
	in    [parts]*fermat.Sketch // nil without buckets
	out   [heavy]*fermat.Sketch // LL and HL
	truth [2]map[uint64]int64   // packets that entered and left, by flow; nil unless they are counted
}

// A packet carries the lowest bit of its epoch. The bits above contain the number of the part plus 1, or 0 if the
// packet is not encoded.
const epochBit, partShift = 1, 1

// Dequeue implements netsim.Tap: the first and the last switch count a packet.
func (m *Monitor) Dequeue(h *netsim.Hop) {
	k := h.Packet
	if h.Number == 0 {
		m.enter(h)
	}
	if _, to := m.at.Net.PortEnds(h.Port); k.Kind == netsim.Data && m.hosts[to] {
		m.leave(&m.edges[h.Switch], m.at.Part(h.Cargo())[0], m.key(h))
	}
}

// Discard implements netsim.Discards: a packet that the first switch drops has entered.
func (m *Monitor) Discard(h *netsim.Hop) {
	if h.Number == 0 {
		m.enter(h)
	}
}

// enter counts a packet from a host.
func (m *Monitor) enter(h *netsim.Hop) {
	k := h.Packet
	if k.Kind != netsim.Data && k.Kind != netsim.Returned {
		return
	}
	e, flow := &m.edges[h.Switch], m.key(h)
	if k.Seq == 0 {
		e.names[flow] = m.at.Net.FiveTuple(k.Flow)
	}
	m.at.Part(h.Cargo())[0] = m.encode(e, flow)
}

// encode counts a packet in the copy of the present epoch. It returns what the packet carries.
func (m *Monitor) encode(e *edge, flow uint64) (mark byte) {
	copied := m.epoch & 1
	x, s := m.of(e, copied), &m.settings[copied]
	e.entered++
	if x.truth[0] != nil {
		x.truth[0][flow]++
	}
	x.sizes.Insert(flow, 1)
	size, ok := x.sizes.Estimate(flow)
	at, code := heavy, heavyLoss+1
	switch {
	case !ok || size >= s.high:
	case size >= s.low:
		at = heavyLoss
	case m.sampled(s, flow):
		at, code = light, light+1
	default:
		return byte(copied)
	}
	x.in[at].Insert(flow, 1)
	return byte(copied) | byte(code)<<partShift
}

// sampled reports whether a flow below T_l is in the share that is encoded.
func (m *Monitor) sampled(s *setting, flow uint64) bool {
	return hash.Combine(m.salt, flow)>>32 < uint64(math.Round(s.share*(1<<32)))
}

// leave counts a packet that a switch sends to a host. It uses the copy that counted the packet when the packet entered
// the network.
func (m *Monitor) leave(e *edge, mark byte, flow uint64) {
	x := m.of(e, int(mark&epochBit))
	e.left++
	if x.truth[1] != nil {
		x.truth[1][flow]++
	}
	switch at := mark >> partShift; {
	case at == 0:
	case x.out[at-1] == nil: // the part has no buckets any more
		e.late++
	default:
		x.out[at-1].Insert(flow, 1)
	}
}

// key returns the number of a packet's flow.
func (m *Monitor) key(h *netsim.Hop) uint64 { return m.short(h.FlowKey()) }

func (m *Monitor) short(key uint64) uint64 {
	if m.params.Key == "32-bit" {
		return uint64(uint32(key))
	}
	return key
}

// of returns a copy of the sketches of a switch.
func (m *Monitor) of(e *edge, copied int) *sketches {
	x := e.copies[copied]
	if x == nil {
		sizes, err := tower.New(m.params.classifier(m.salt))
		if err != nil {
			panic(err) // Watch has validated the shape
		}
		x = &sketches{sizes: sizes}
		if m.params.Truth {
			x.truth = [2]map[uint64]int64{{}, {}}
		}
		m.arrange(x, &m.settings[copied])
		e.copies[copied] = x
	}
	return x
}

// arrange empties the sketches and sets the widths of the parts.
func (m *Monitor) arrange(x *sketches, s *setting) {
	x.sizes.Reset()
	for i := range x.in {
		x.in[i] = m.emptied(x.in[i], s.widths[i])
	}
	for i := range x.out {
		x.out[i] = m.emptied(x.out[i], s.widths[i])
	}
	clear(x.truth[0])
	clear(x.truth[1])
}

// emptied returns an empty sketch with the given width. It reuses s if s has this width, and returns nil for a width of
// 0.
func (m *Monitor) emptied(s *fermat.Sketch, width int) *fermat.Sketch {
	switch {
	case width == 0:
		return nil
	case s != nil && s.Width() == width:
		s.Reset()
		return s
	}
	s, err := fermat.New(arrays, width, m.salt)
	if err != nil {
		panic(err) // the keys have a range
	}
	return s
}

// Arrive implements netsim.Watcher. It removes nothing, because the last switch has already counted the packet.
func (*Monitor) Arrive(*netsim.Arrival) {}

// Collect implements netsim.Watcher. There are no reports.
func (*Monitor) Collect(*netsim.Arrival) {}

// tick ends an epoch. The controller reads the previous epoch, whose copy of the sketches is used for the next one.
func (m *Monitor) tick(now unit.Time) {
	m.epoch = int(now / m.params.Epoch)
	if m.epoch < 2 {
		return
	}
	m.read(m.epoch - 2)
	copied := m.epoch & 1
	for i := range m.edges {
		if x := m.edges[i].copies[copied]; x != nil {
			m.arrange(x, &m.settings[copied])
		}
	}
}

// read decodes an epoch and chooses the next setting for its copy of the sketches.
func (m *Monitor) read(epoch int) {
	s := &m.settings[epoch&1]
	v, found := m.decode(epoch&1, s)
	for _, x := range found {
		m.lost[x.flow] += x.packets
	}
	m.results.add(m, epoch, s, v, found)
	m.decoded = append(m.decoded, v.failed == [parts]bool{} && (s.low == 0 || s.share == 1))
	if m.asked != nil {
		m.asked.keep(epoch)
	}
	*s = m.control.next(*s, v)
}
