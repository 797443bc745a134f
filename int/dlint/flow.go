package dlint

import (
	"pintlab/internal/hash"
	"pintlab/netsim"
)

// Flow is a flow of DLINT or PLINT over one path, without a network and without other flows. An ACK of each packet
// comes back at once. Flow has the methods of a decoder of PINT (coding.Decoder), so that both can be compared.
type Flow struct {
	FlowConfig
	hops          int
	forward, back []cell
	sink          traced
	onWay         map[uint64][]header // packets by identifier, in the order in which they were sent
	begun         bool
	own           value // ID of the last switch
}

// FlowConfig configures a Flow.
type FlowConfig struct {
	PLINT  bool   // otherwise DLINT
	Exact  bool   // PLINT's hop i replaces a pair with probability 1/i, otherwise with ⌊100/i⌋ %
	Values int    // room for values on a packet
	Seed   uint64 // of the random numbers of PLINT and of the places of losses
}

// NewFlow returns a flow over the given number of switches, 1 to 255.
func NewFlow(c FlowConfig, hops int) *Flow {
	f := &Flow{FlowConfig: c, hops: hops, forward: make([]cell, hops), back: make([]cell, hops)}
	f.Reset()
	return f
}

// HeaderBits returns the size of a header with IDs of one byte.
func HeaderBits(plint bool, values int) int {
	k := deterministic
	if plint {
		k = probabilistic
	}
	c := common{Values: values, IDBytes: 1}
	return int(8 * c.keys(k).size)
}

// Send sends a packet over the switches of path. The numbers of switches are at most 2^32 - 6. If lost is set, the
// packet is lost after one of these switches. The packet's identifier selects the switch.
func (f *Flow) Send(packet uint64, path []uint64, lost bool) {
	last := len(path)
	if lost {
		last = 1 + int(f.hash("dlint/lost", packet)%uint64(len(path)))
	}
	f.own = value(path[len(path)-1] + 1)
	h := f.carry(path[:last], f.forward, f.back, packet, !f.begun)
	if f.begun = true; !lost {
		f.onWay[packet] = append(f.onWay[packet], h)
	}
}

// hash returns a random number that depends on the seed, the use and the packet.
func (f *Flow) hash(use string, packet uint64) uint64 {
	return hash.Combine(hash.Combine(hash.String(use), f.Seed), packet)
}

// carry moves a packet over the given switches, which are the first ones of the flow's path. cells belong to the
// direction of the packet. carry returns the contents of the packet after these switches.
func (f *Flow) carry(path []uint64, cells, others []cell, packet uint64, syn bool) header {
	p := passing{values: f.Values, syn: syn}
	for i, v := range path {
		p.own, p.fromHost, p.toHost = value(v+1), i == 0, i == f.hops-1
		if f.PLINT {
			p.replace(uint8(i+1), f.Exact, drawFrom(hash.Combine(f.hash("dlint/draw", packet), uint64(i)), f.Exact))
			continue
		}
		p.apply(&cells[i], &others[i])
	}
	return p.header
}

// Add processes a packet at its destination.
func (f *Flow) Add(packet, _ uint64) error {
	waiting := f.onWay[packet]
	if len(waiting) == 0 {
		return nil
	}
	h := waiting[0]
	if f.onWay[packet] = waiting[1:]; len(waiting) == 1 {
		delete(f.onWay, packet)
	}
	f.sink.packets++
	if f.PLINT {
		f.sink.takePairs(0, h, uint8(f.hops))
		return nil
	}
	f.sink.take(0, h, f.own)
	f.acknowledge()
	return nil
}

// acknowledge sends an ACK back over the path.
func (f *Flow) acknowledge() {
	p := passing{values: f.Values}
	for i := f.hops - 1; i >= 0; i-- {
		p.own, p.fromHost, p.toHost = value(i+1), i == f.hops-1, i == 0
		p.apply(&f.back[i], &f.forward[i])
	}
}

// Done reports whether a path is known, right or wrong.
func (f *Flow) Done() bool { return f.sink.path != nil }

// Known returns the number of hops of the known path.
func (f *Flow) Known() int { return len(f.sink.path) }

// Value returns the switch of a hop. The first hop is 1.
func (f *Flow) Value(hop int) (uint64, bool) {
	if hop > len(f.sink.path) {
		return 0, false
	}
	return uint64(f.sink.path[hop-1]), true
}

// Reset begins another flow.
func (f *Flow) Reset() {
	clear(f.forward)
	clear(f.back)
	f.sink, f.begun = traced{switches: map[netsim.NodeID]*seen{}}, false
	f.onWay = map[uint64][]header{}
}
