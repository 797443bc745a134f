package pint

import (
	"fmt"

	"pintlab/netsim"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	detect "pintlab/pint/loops"
)

// loopRun is a flow that a wrong route sends into a loop. Its packets pass Prefix switches, and then circulate in a
// ring of Ring switches until their TTL ends. The switches run detect.Detector on every packet.
type loopRun struct {
	Detector *detect.Detector
	Prefix   int // 0 or more
	Ring     int // 2 or more; with 2, the switches send packets back and forth
	TTL      int // hops that a packet may make, Prefix + Ring to 255
	Packets  int // packets of the flow
	Interval unit.Time
	Size     unit.Bytes
	Rate     unit.Rate // rate of every link
	Delay    unit.Time // delay of every link
}

// defaultLoopRun returns a flow that sends a 1000-byte packet every 4 us (2 Gb/s). After three switches, its packets go
// back and forth between two other switches. Links have 100 Gb/s and 1 us. The loop multiplies the load by TTL/Ring:
// with 32 rounds, the flow fills 64 % of the loop's links.
func defaultLoopRun(d *detect.Detector) loopRun {
	return loopRun{
		Detector: d, Prefix: 3, Ring: 2, TTL: 64, Packets: 1000,
		Interval: 4 * unit.Microsecond, Size: 1000, Rate: 100 * unit.Gbps, Delay: unit.Microsecond,
	}
}

// found describes how a loop was found.
type found struct {
	At       []int     // by hop: number of packets that were first reported there; At[0]: never reported
	Packet   int       // number of the first packet that was reported, counted from 1; 0 if none was reported
	Hop      int       // the hop that reported it
	Delay    unit.Time // time from the start of the flow until the report
	Counters netsim.Counters
}

// graph returns the network and the ports that the flow takes.
func (l *loopRun) graph() (*topo.Graph, []netsim.PortID) {
	g := &topo.Graph{Name: "loop", Nodes: []topo.Node{{Kind: topo.Host, Name: "source"}}}
	for i := range l.Prefix + l.Ring {
		g.Nodes = append(g.Nodes, topo.Node{Kind: topo.Switch, Name: fmt.Sprintf("s%d", i+1)})
	}
	var ports []netsim.PortID
	link := func(a, b int) netsim.PortID {
		g.Links = append(g.Links, topo.Link{A: topo.NodeID(a), B: topo.NodeID(b), Rate: l.Rate, Delay: l.Delay})
		return netsim.PortID(2 * (len(g.Links) - 1))
	}
	// The chain leads to the first switch of the ring.
	for i := range l.Prefix + 1 {
		ports = append(ports, link(i, i+1))
	}
	first := l.Prefix + 1
	var ring []netsim.PortID
	for i := range l.Ring - 1 {
		ring = append(ring, link(first+i, first+i+1))
	}
	if l.Ring == 2 {
		ring = append(ring, ring[0]+1) // the same link in the other direction
	} else {
		ring = append(ring, link(first+l.Ring-1, first))
	}
	// The first port belongs to the source. One port for each hop follows.
	for i := 0; len(ports) < l.TTL+1; i++ {
		ports = append(ports, ring[i%l.Ring])
	}
	return g, ports
}

// run sends the packets.
func (l *loopRun) run() (*found, error) {
	if least := l.Prefix + l.Ring; l.TTL < least {
		return nil, fmt.Errorf("ttl = %d, want prefix + ring = %d to %d", l.TTL, least, maxTTL)
	}
	g, path := l.graph()
	cfg := netsim.Default()
	cfg.MaxPacket = max(cfg.MaxPacket, l.Size)
	cfg.PFC.Enabled = false // with pauses, the switches of a loop would wait for each other forever
	net, err := netsim.New(g, l.TTL, cfg)
	if err != nil {
		return nil, fmt.Errorf("loops: %w", err)
	}
	t := &looping{loopRun: l, found: &found{At: make([]int, l.TTL+1)}, hop: make([]uint8, l.Packets)}
	if t.engine, err = netsim.NewEngine(net, 1, []netsim.Tap{t}, nil); err != nil {
		return nil, fmt.Errorf("loops: %w", err)
	}
	t.engine.Attach(t)
	t.engine.GrowFlows(1, 2)
	net.SetFlow(0, 1, path, nil)
	t.port = path[0]
	t.engine.StartAt(0, 0)
	t.engine.Run(unit.Never - 1)
	for _, hop := range t.hop {
		t.found.At[hop]++
	}
	t.found.Counters = t.engine.Counters()
	return t.found, nil
}

// dataClass is the class of the packets; acknowledgements have class 0.
const dataClass = 3

// looping is the simulation of a loop. It is the source's transport and also the tap of the switches. The flow's
// packets never reach a host.
type looping struct {
	*loopRun
	engine *netsim.Engine
	port   netsim.PortID // port of the source
	sent   int
	hop    []uint8 // by packet: the hop that reported it first
	found  *found
}

// Dequeue runs the detector at a switch.
func (t *looping) Dequeue(h *netsim.Hop) {
	i := h.Packet.ID
	if t.hop[i] != 0 {
		return
	}
	hop := h.Number + 1
	next, loop := t.Detector.Process(h.Key(), hop, uint64(h.Switch), h.Packet.Digest)
	h.Packet.Digest = next
	if !loop {
		return
	}
	t.hop[i] = uint8(hop)
	if t.found.Packet == 0 {
		t.found.Packet, t.found.Hop, t.found.Delay = int(i)+1, hop, h.Now
	}
}

// due returns when the next packet may leave.
func (t *looping) due() unit.Time {
	if t.sent == t.Packets {
		return unit.Never
	}
	return unit.Time(t.sent) * t.Interval
}

func (t *looping) Start() { t.engine.Kick(t.port) }

func (t *looping) Next(netsim.PortID) netsim.PacketID {
	if due := t.due(); due > t.engine.Now() {
		if due != unit.Never {
			t.engine.WakeAt(t.port, due)
		}
		return netsim.NoPacket
	}
	id := t.engine.Make(0)
	p := t.engine.Packet(id)
	p.Kind, p.Class, p.ID, p.Size, p.Payload = netsim.Data, dataClass, uint32(t.sent), uint16(t.Size), uint16(t.Size)
	t.sent++
	return id
}

func (t *looping) Due(netsim.PortID) unit.Time { return t.due() }

// Reroute implements netsim.Stack. It is called when the TTL of a packet has reached 0.
func (t *looping) Reroute(netsim.NodeID, *netsim.Packet) (netsim.PortID, bool) {
	return netsim.NoPort, false
}

// Deliver implements netsim.Stack. No packet leaves the loop.
func (t *looping) Deliver(_ netsim.NodeID, id netsim.PacketID) { t.engine.Free(id) }

// Timer implements netsim.Stack. No timer is ever set.
func (t *looping) Timer(int32) {}
