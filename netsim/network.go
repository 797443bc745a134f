package netsim

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"pintlab/internal/hash"
	"pintlab/internal/mem"
	"pintlab/netsim/buffer"
	"pintlab/netsim/route"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Network holds the wiring, the queues and the switch memories of a simulation. One Engine runs all domains of the
// Network, or each of several engines runs some of them. Only the engine that runs a domain uses the state of its nodes
// and of the ports on which they send.
type Network struct {
	cfg    Config
	graph  *topo.Graph
	ports  []port
	infos  []portInfo // by port
	losses []Losses   // by port
	salt   uint64     // salt of the hashes for ties

	aside int      // bytes that each packet has in addition to its slab entry
	room  int      // cache lines of aside if there are monitors, which use aside at every switch; otherwise 0
	lines []line   // by port.line
	kinds []uint16 // port.line by port, for code that reads many ports
	// See the method queue. The queues of a host contain acknowledgements, which go before data.
	queues   []fifo
	buffers  []*buffer.Shared // by node; nil for hosts
	entries  [][]PortID       // by node: the ports that send to it, by port.ingress
	deficits []int32          // by class and port, like queues; nil unless scheduling counts what is sent
	sending  []int32          // size and class of the packet that each port is sending; nil unless trimming counts it
	host     []bool           // by node
	home     []PortID         // by node: the first port of a host

	// paths contains, for the flow in each slot, the ports to the destination and then the ports back, with stride
	// entries each. flows contains the fields for hashes of the flow.
	paths    []PortID
	stride   int
	followed int // number of first ports of a path that packets follow; only the method destination reads later ports
	flows    []identity

	scheduling scheduling
	quanta     [buffer.Classes]int32 // shares of the classes in a round: bytes for deficit, packets for weighted
	trimming   *trimming             // nil: a packet that finds no room is dropped

	// Silent faults by node; nil until the first one.
	wrong [][]Misforwarding
	dead  []bool
}

// port returns the state of a port.
func (n *Network) port(p PortID) *port { return mem.At(n.ports, p) }

// queue returns the queue of a class at a port. Queues of one class lie together, because most
// waiting packets are of one class.
func (n *Network) queue(p PortID, class uint8) *fifo {
	return mem.At(n.queues, int(class)*len(n.ports)+int(p))
}

// memory returns the memory of a switch.
func (n *Network) memory(node NodeID) *buffer.Shared { return *mem.At(n.buffers, node) }

// fifo is the queue of a class at a port.
type fifo struct {
	head, tail PacketID
	bytes      int32
}

// line is a kind of link.
type line struct {
	tx    []unit.Time // how long a packet takes to send, by its bytes
	delay unit.Time   // from the end of a transmission to the arrival
	rate  unit.Rate
	// With trimming: how many bytes may wait in a queue of data, and in the queue of headers.
	queue, headers unit.Bytes
}

// port is one direction of a link. It has the fields that every packet needs, in one cache line. The other fields are
// in portInfo.
type port struct {
	busyUntil unit.Time // end of the transmission in progress, or of the last one
	readyTie  uint64    // order of that end among simultaneous events
	sent      unit.Bytes
	count     int64  // transmissions
	queued    int32  // queued bytes, all classes
	node      NodeID // the sending node
	peer      NodeID // the receiving node
	domain    int32  // domain of the node
	onward    int32  // domain of peer
	ingress   uint16 // number of this link among the ingress ports of peer
	line      uint16 // kind of the link
	waiting   uint8  // classes with packets in the queue, a bit each
	paused    uint8  // classes that the peer has paused for all packets, a bit each
	held      uint8  // with Config.FreeAcks, at a host: the classes in which only data is paused
	served    uint8  // class served last by the round robin
	readySet  bool   // the end of transmission is in the event queue
	atHost    bool   // a host sends on it
	toHost    bool   // a host receives from it
	special   uint8  // bits for rare work: see faulty
}

// Bits of port.special.
const (
	faulty  uint8 = 1 << iota // packets may be lost or are observed: see portInfo
	unequal                   // ties or arrival times follow other rules: Ties FIFO, Config.HopCost
)

// portInfo holds the rarely used fields of a port.
type portInfo struct {
	rate          unit.Rate
	loss          uint64 // a packet is lost if its draw is below this
	down          bool   // the link is broken
	halted        bool   // the host sends nothing
	ecnMin        unit.Bytes
	ecnMax        unit.Bytes
	last          unit.Time // latest arrival at the peer, when HopCost is used
	lastOrder     uint64    // order of this latest arrival among simultaneous arrivals
	drops         int64
	reporting     unit.Bytes // bytes of reports that wait at the node that made them
	marks         int64
	pauses        int64     // number of pauses by the peer
	pausedAt      unit.Time // since when it is paused in any class
	pausedIn      unit.Time // total time of earlier pauses
	observed      bool      // Engine.Observe watches it; sets faulty, so that other ports pay nothing
	reportedMarks int64     // marks that the observer has seen
	failures
}

// New builds a network. maxHops is the largest number of switches on a path.
func New(g *topo.Graph, maxHops int, cfg Config) (*Network, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if len(g.Links) > 1<<29 {
		return nil, errors.New("netsim: too many links")
	}
	if cfg.ShiftFrom == 0 {
		cfg.ShiftFrom = slowestHost(g)
	}
	n := &Network{
		cfg:     cfg,
		graph:   g,
		ports:   make([]port, 2*len(g.Links)),
		infos:   make([]portInfo, 2*len(g.Links)),
		losses:  make([]Losses, 2*len(g.Links)),
		kinds:   make([]uint16, 2*len(g.Links)),
		salt:    hash.Combine(hash.String("port"), cfg.Seed),
		queues:  make([]fifo, 2*len(g.Links)*buffer.Classes),
		buffers: make([]*buffer.Shared, len(g.Nodes)),
		entries: make([][]PortID, len(g.Nodes)),
		host:    make([]bool, len(g.Nodes)),
		home:    make([]PortID, len(g.Nodes)),
		stride:  maxHops + 1,
		aside:   cfg.aside(),
	}
	n.schedule()
	if cfg.Trimming.Enabled {
		n.trims()
	}
	if cfg.Cargo > 0 {
		n.room = max(1, n.aside/cacheLine)
	}
	if n.followed = n.stride; cfg.PerPacket {
		n.followed = 0
	}
	for i := range n.queues {
		n.queues[i] = fifo{head: NoPacket, tail: NoPacket}
	}
	for i, node := range g.Nodes {
		n.host[i] = node.Kind == topo.Host
		n.home[i] = -1
	}
	w := wiring{
		lines: map[topo.Link]uint16{}, times: map[unit.Rate][]unit.Time{}, ingress: make([][]buffer.Port, len(g.Nodes)),
	}
	for i, l := range g.Links {
		for dir := range PortID(2) {
			if err := n.connect(&w, 2*PortID(i)+dir, l); err != nil {
				return nil, err
			}
		}
	}
	for i := range g.Nodes {
		if n.host[i] {
			continue
		}
		s, err := buffer.New(cfg.memory(w.ingress[i]))
		if err != nil {
			return nil, fmt.Errorf("netsim: switch %d: %w", i, err)
		}
		n.buffers[i] = s
	}
	return n, nil
}

// wiring is the state of New while it connects ports.
type wiring struct {
	lines   map[topo.Link]uint16      // by rate and delay
	times   map[unit.Rate][]unit.Time // duration of a transmission, by bytes
	ingress [][]buffer.Port           // ingress ports of each node
}

// connect sets up the port with number id, which belongs to link l. Ports with even numbers send from end A to end B.
func (n *Network) connect(w *wiring, id PortID, l topo.Link) error {
	p, info := &n.ports[id], &n.infos[id]
	p.node, p.peer = l.A, l.B
	if id%2 == 1 {
		p.node, p.peer = l.B, l.A
	}
	p.atHost, p.toHost = n.host[p.node], n.host[p.peer]
	info.rate = l.Rates()[id%2]
	delay := l.Delay
	if !p.toHost {
		delay += n.cfg.ProcessingDelay + n.graph.Nodes[p.peer].Delay
	}
	number, err := n.lineOf(w, info.rate, delay)
	if err != nil {
		return err
	}
	p.line, n.kinds[id] = number, number
	info.loss = uint64(l.ErrorRate * (1 << 63) * 2)
	if info.loss != 0 {
		p.special |= faulty
	}
	if n.cfg.Ties == FIFO || n.cfg.HopCost != nil {
		p.special |= unequal
	}
	if n.cfg.ECN.Enabled {
		n.setMarks(p, info)
	}
	if p.atHost && n.home[p.node] < 0 {
		n.home[p.node] = id
	}
	in := &w.ingress[p.peer]
	if len(*in) > math.MaxUint16 {
		return fmt.Errorf("netsim: node %d has more than %d links", p.peer, math.MaxUint16)
	}
	p.ingress = uint16(len(*in))
	*in = append(*in, n.cfg.ingress(n.graph, l))
	n.entries[p.peer] = append(n.entries[p.peer], id)
	return nil
}

// lineOf returns the number of the line with a rate and a delay. For the first port with this rate and delay, it adds a
// line.
func (n *Network) lineOf(w *wiring, rate unit.Rate, delay unit.Time) (uint16, error) {
	kind := topo.Link{Rate: rate, Delay: delay}
	if number, ok := w.lines[kind]; ok {
		return number, nil
	}
	if len(n.lines) > math.MaxUint16 {
		return 0, fmt.Errorf("netsim: links of more than %d rates and delays", len(n.lines))
	}
	if w.times[rate] == nil {
		t := make([]unit.Time, n.cfg.MaxPacket+1)
		for size := range t {
			t[size] = n.cfg.TxTime(rate, unit.Bytes(size))
		}
		w.times[rate] = t
	}
	w.lines[kind] = uint16(len(n.lines))
	l := line{tx: w.times[rate], delay: delay, rate: rate}
	if n.trimming != nil {
		l.queue, l.headers = n.trimming.limits(rate, n.cfg.MaxPacket)
	}
	n.lines = append(n.lines, l)
	return w.lines[kind], nil
}

// setMarks sets the queue lengths from which a port marks packets.
func (n *Network) setMarks(p *port, info *portInfo) {
	e := &n.cfg.ECN
	info.ecnMin, info.ecnMax = scale(e.KMin, info.rate, e.AtRate), scale(e.KMax, info.rate, e.AtRate)
	if n.cfg.MarkTimes != nil {
		times := n.cfg.MarkTimes(p.node)
		info.ecnMin, info.ecnMax = info.ecnMin*times, info.ecnMax*times
	}
	if !e.AtHosts && p.toHost {
		info.ecnMin = math.MaxInt64
	}
}

// scale returns b·rate/base, rounded down, or the largest size on overflow.
func scale(b unit.Bytes, rate, base unit.Rate) unit.Bytes {
	hi, lo := bits.Mul64(uint64(b), uint64(rate))
	if hi >= uint64(base) {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, uint64(base))
	return unit.Bytes(min(q, math.MaxInt64))
}

// Graph returns the graph that the network was built from.
func (n *Network) Graph() *topo.Graph { return n.graph }

// PortRate returns the rate of a port.
func (n *Network) PortRate(p PortID) unit.Rate { return n.lines[n.kinds[p]].rate }

// PortDelay returns the time from the end of a packet's transmission to its arrival, including the
// processing of the switch at the end.
func (n *Network) PortDelay(p PortID) unit.Time { return n.lines[n.kinds[p]].delay }

// TxTime returns how long a port takes to send a packet of the given size.
func (n *Network) TxTime(p PortID, size unit.Bytes) unit.Time {
	return n.lines[n.kinds[p]].tx[size]
}

// Home returns the first port of a host, or -1 if the host has no link.
func (n *Network) Home(host NodeID) PortID { return n.home[host] }

// MaxPacket returns the size of the largest packet on the wire.
func (n *Network) MaxPacket() unit.Bytes { return n.cfg.MaxPacket }

// Ports returns the number of ports.
func (n *Network) Ports() int { return len(n.ports) }

// PortEnds returns the nodes that send and receive on a port.
func (n *Network) PortEnds(p PortID) (from, to NodeID) { return n.ports[p].node, n.ports[p].peer }

// PortSent returns the bytes of all packets that a port has begun to send since the start of the
// run.
func (n *Network) PortSent(p PortID) unit.Bytes { return n.port(p).sent }

// Carried is how much a port has carried since the start of the run: all packets that the port has begun to send,
// without the part of the last packet that it has not sent yet.
type Carried struct {
	Sent unit.Bytes
	Left unit.Time // time until the end of the transmission in progress
}

// PortCarried returns what a port has carried by now.
func (n *Network) PortCarried(p PortID, now unit.Time) Carried {
	x := n.port(p)
	return Carried{x.sent, max(0, x.busyUntil-max(now, n.infos[p].begun))}
}

// Use returns the share of a link's capacity that a port has used in a period. before is what the port had carried at
// the beginning of the period, and c what it has carried at the end. The share is in [0, 1], unless Config.TxTime sends
// packets faster than the rate. It is computed from whole picoseconds, because the quotient of two rounded numbers of
// bytes may exceed 1.
func (c Carried) Use(before Carried, rate unit.Rate, period unit.Time) float64 {
	hi, lo := bits.Mul64(uint64(c.Sent-before.Sent), uint64(8*unit.Second))
	took, rest := bits.Div64(hi, lo, uint64(rate))
	busy := float64(unit.Time(took)-c.Left+before.Left) + float64(rest)/float64(rate)
	return max(0, busy) / float64(period)
}

// PortQueue returns the bytes that wait at a port.
func (n *Network) PortQueue(p PortID) unit.Bytes { return unit.Bytes(n.port(p).queued) }

// PortPaused reports whether the peer has paused any class of a port.
func (n *Network) PortPaused(p PortID) bool { return n.port(p).stopped() != 0 }

// stopped returns the classes that the peer has paused.
func (p *port) stopped() uint8 { return p.paused | p.held }

// PortPackets returns the number of packets that a port has begun to send.
func (n *Network) PortPackets(p PortID) int64 { return n.port(p).count }

// PortPauses returns how often the peer has paused a port in any class, and the total time of the
// pauses until now.
func (n *Network) PortPauses(p PortID, now unit.Time) (times int64, total unit.Time) {
	x := &n.infos[p]
	total = x.pausedIn
	if n.port(p).stopped() != 0 {
		total += now - x.pausedAt
	}
	return x.pauses, total
}

// PortDrops returns the number of packets that found no room at a switch port.
func (n *Network) PortDrops(p PortID) int64 { return n.infos[p].drops }

// Losses count the packets that ended at a port or on its link for a reason other than a full
// buffer.
type Losses struct {
	Flushed  int64         // waited at the port when its link broke; part of PortDrops
	Broken   int64         // on the link when the link broke, or sent on it while it was broken
	Errors   int64         // bit errors of its link
	Unrouted int64         // came over the link to a switch that had no path for them
	Tolls    [Causes]int64 // ended by silent faults on the link or at its end
}

// PortLosses returns the losses at a port and on its link.
func (n *Network) PortLosses(p PortID) *Losses { return &n.losses[p] }

// PortMarks returns the number of packets that a switch port has marked.
func (n *Network) PortMarks(p PortID) int64 { return n.infos[p].marks }

// MarksFrom returns the queue length above which a port may mark packets.
func (n *Network) MarksFrom(p PortID) unit.Bytes { return n.infos[p].ecnMin }

// SetFlow sets the paths of the flow in a slot, as the ports to its destination and back, and the
// key that identifies the flow to hashes.
func (n *Network) SetFlow(slot int32, key uint64, outbound, inbound []PortID) {
	if int(slot) >= len(n.flows) {
		n.paths = extended(n.paths, (int(slot)+1)*2*n.stride, n.cfg.Crowd*2*n.stride)
		n.flows = extended(n.flows, int(slot)+1, n.cfg.Crowd)
	}
	n.flows[slot].key = key
	at := int(slot) * 2 * n.stride
	fill(n.paths[at:at+n.stride], outbound)
	fill(n.paths[at+n.stride:at+2*n.stride], inbound)
}

// FetchFlow prefetches the memory that SetFlow and SetFiveTuple write for a slot. The slot need not
// exist yet.
func (n *Network) FetchFlow(slot int32) {
	if at := 2 * n.stride * int(slot); at < cap(n.paths) && int(slot) < cap(n.flows) {
		mem.PrefetchWrite(unsafe.Pointer(&n.paths[:cap(n.paths)][at]))
		mem.PrefetchWrite(unsafe.Pointer(&n.flows[:cap(n.flows)][slot]))
	}
}

// identity identifies the flow in a slot.
type identity struct {
	key   uint64 // for hashes
	tuple route.FiveTuple
}

// SetFiveTuple sets the five-tuple of the flow in a slot. SetFlow must have been called for the slot.
func (n *Network) SetFiveTuple(slot int32, tuple route.FiveTuple) { n.flows[slot].tuple = tuple }

// FiveTuple returns the five-tuple of the flow in a slot; it is zero if SetFiveTuple was not called.
func (n *Network) FiveTuple(slot int32) route.FiveTuple { return n.flows[slot].tuple }

// FlowKey returns the key of the flow in a slot.
func (n *Network) FlowKey(slot int32) uint64 { return n.flows[slot].key }

// DirectedKey returns a key that all packets of a flow in the direction of p share, and the host to which these packets
// go.
func (n *Network) DirectedKey(p *Packet) (key uint64, dst NodeID) {
	f := mem.At(n.flows, p.Flow)
	if p.Kind != Data {
		return ^f.key, f.tuple.Src
	}
	return f.key, f.tuple.Dst
}

// FlowPaths returns the paths that SetFlow has set for a slot. They are valid until the next call
// of SetFlow.
func (n *Network) FlowPaths(slot int32) (outbound, inbound []PortID) {
	at := int(slot) * 2 * n.stride
	return trim(n.paths[at : at+n.stride]), trim(n.paths[at+n.stride : at+2*n.stride])
}

// trim returns a path without the entries NoPort behind its end.
func trim(path []PortID) []PortID {
	for len(path) > 0 && path[len(path)-1] == NoPort {
		path = path[:len(path)-1]
	}
	return path
}

// extended returns a list grown to n elements; the new ones are zero. most is the expected final
// length, or 0 if it is unknown.
func extended[T any](s []T, n, most int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	t := mem.Make[T](n, roomFor(n, cap(s), most))
	copy(t, s)
	return t
}

// many is the length from which a list grows to its expected length at once.
const many = 1 << 14

// roomFor returns the new capacity of a list that needs n elements and whose capacity was had. The capacity doubles,
// but a long list grows to its expected length most at once. Unused memory costs nothing.
func roomFor(n, had, most int) int {
	if room := max(n, 2*had); room < many || most < room {
		return room
	}
	return most
}

// fill copies a path and sets the entries behind its end to NoPort.
func fill(to, path []PortID) {
	for i := copy(to, path); i < len(to); i++ {
		to[i] = NoPort
	}
}

// arrival and the functions below return the slots of the event queue.
func (n *Network) arrival(p PortID) slot { return slot(p) }
func (n *Network) ready(p PortID) slot   { return slot(int(p) + len(n.ports)) }
func (n *Network) wake(p PortID) slot    { return slot(int(p) + 2*len(n.ports)) }
func (n *Network) starter() slot         { return slot(3 * len(n.ports)) }
func (n *Network) timer(i int32) slot    { return slot(3*len(n.ports) + 1 + int(i)) }
