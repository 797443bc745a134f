package netsimtest

import (
	"cmp"
	"maps"
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
)

// Send is one packet of a Script.
type Send struct {
	At       unit.Time // when it is due at its host
	Src, Dst netsim.NodeID
	Size     unit.Bytes
	Class    uint8      // 0 stands for 3
	Header   unit.Bytes // the part of Size that is not payload
}

// Arrival is the outcome of a Send.
type Arrival struct {
	Sent, At unit.Time // start of the first and end of the last transmission; At is Never if the packet did not arrive
	Marked   bool
	Trimmed  bool
	Returned unit.Time // when its headers came back; 0 if they did not
	Stack    []netsim.PortSample
}

// Script is a transport without congestion control, acknowledgements or recovery. Each host sends the packets of a
// list. Packets of the same class keep the order of the list. Packet.Seq is the index of the packet in the list.
type Script struct {
	net      *Net
	sends    []Send
	arrivals []Arrival
	slots    map[[2]netsim.NodeID]int32
	coming   map[netsim.NodeID][]int // by host: sends that are not due yet, in order of time
	waiting  map[netsim.PortID][]int // by port: sends that are due
}

// NewScript attaches a script to a network. The sends may be in any order.
func NewScript(tb TB, n *Net, sends []Send) *Script {
	tb.Helper()
	s := &Script{
		net: n, sends: slices.Clone(sends), arrivals: make([]Arrival, len(sends)),
		slots: map[[2]netsim.NodeID]int32{}, coming: map[netsim.NodeID][]int{}, waiting: map[netsim.PortID][]int{},
	}
	n.Engine.Attach(s)
	n.Engine.GrowFlows(int32(len(n.Graph.Nodes)), 2)
	for i := range s.sends {
		x := &s.sends[i]
		if x.Class == 0 {
			x.Class = 3
		}
		s.arrivals[i] = Arrival{Sent: unit.Never, At: unit.Never}
		s.slot(tb, x.Src, x.Dst)
		s.coming[x.Src] = append(s.coming[x.Src], i)
	}
	for _, host := range n.Graph.Hosts() {
		slices.SortStableFunc(s.coming[host], func(i, j int) int { return cmp.Compare(s.sends[i].At, s.sends[j].At) })
		s.setTimer(host)
	}
	return s
}

// setTimer sets the timer for a host's next packet.
func (s *Script) setTimer(host netsim.NodeID) {
	if c := s.coming[host]; len(c) > 0 {
		s.net.Engine.SetTimer(s.net.Net.Home(host), int32(host), s.sends[c[0]].At, uint64(host))
	}
}

// Play runs a script to its end and returns the outcome of each Send.
func Play(tb TB, n *Net, sends []Send) []Arrival {
	tb.Helper()
	s := NewScript(tb, n, sends)
	n.Engine.Run(unit.Never - 1)
	return s.arrivals
}

// slot returns the flow slot of a pair of hosts.
func (s *Script) slot(tb TB, src, dst netsim.NodeID) int32 {
	pair := [2]netsim.NodeID{src, dst}
	if slot, ok := s.slots[pair]; ok {
		return slot
	}
	slot := int32(len(s.slots))
	s.slots[pair] = slot
	tuple := route.FiveTuple{Src: src, Dst: dst, SrcPort: 1, DstPort: 2}
	outbound := s.net.Routes.Path(nil, src, dst, tuple)
	inbound := s.net.Routes.Path(nil, dst, src, tuple.Reverse())
	if len(outbound) == 0 {
		tb.Fatalf("no path from %d to %d", src, dst)
	}
	s.net.Net.SetFlow(slot, uint64(slot), outbound, inbound)
	s.net.Engine.GrowFlows(slot+1, 2)
	return slot
}

// Arrivals returns the outcome of each Send.
func (s *Script) Arrivals() []Arrival { return s.arrivals }

// Timer implements netsim.Stack. It sends the packets of a host that are due.
func (s *Script) Timer(id int32) {
	host := netsim.NodeID(id)
	now := s.net.Engine.Now()
	c := s.coming[host]
	ports := map[netsim.PortID]bool{}
	for len(c) > 0 && s.sends[c[0]].At <= now {
		x := &s.sends[c[0]]
		p, _ := s.net.Engine.PathEnds(s.slots[[2]netsim.NodeID{x.Src, x.Dst}])
		s.waiting[p] = append(s.waiting[p], c[0])
		ports[p] = true
		c = c[1:]
	}
	s.coming[host] = c
	s.setTimer(host)
	for _, p := range slices.Sorted(maps.Keys(ports)) {
		s.net.Engine.Kick(p)
	}
}

// Next implements netsim.Stack. It returns the first waiting packet whose class is not paused.
func (s *Script) Next(p netsim.PortID) netsim.PacketID {
	for k, i := range s.waiting[p] {
		x := &s.sends[i]
		if s.net.Engine.Paused(p, x.Class) {
			continue
		}
		s.waiting[p] = slices.Delete(s.waiting[p], k, k+1)
		id := s.net.Engine.Make(s.slots[[2]netsim.NodeID{x.Src, x.Dst}])
		d := s.net.Engine.Packet(id)
		d.Kind, d.Class = netsim.Data, x.Class
		d.Seq, d.ID, d.Size, d.Payload = int64(i), uint32(i), uint16(x.Size), uint16(x.Size-x.Header)
		s.arrivals[i].Sent = s.net.Engine.Now()
		return id
	}
	return netsim.NoPacket
}

func (s *Script) Due(p netsim.PortID) unit.Time {
	if len(s.waiting[p]) > 0 {
		return 0
	}
	return unit.Never
}

func (s *Script) Deliver(host netsim.NodeID, id netsim.PacketID) {
	p := s.net.Engine.Packet(id)
	a := &s.arrivals[p.Seq]
	if host == s.sends[p.Seq].Dst {
		a.At, a.Marked, a.Trimmed = s.net.Engine.Now(), p.Flags&netsim.FlagCE != 0, p.Flags&netsim.FlagTrimmed != 0
		a.Stack = slices.Clone(s.net.Engine.Telemetry(id))
	} else {
		a.Returned = s.net.Engine.Now()
	}
	s.net.Engine.Free(id)
}

// Reroute implements netsim.Stack. For headers that a switch returns, it returns the route back. Other packets have no
// other route.
func (s *Script) Reroute(at netsim.NodeID, p *netsim.Packet) (netsim.PortID, bool) {
	if p.Kind != netsim.Returned {
		return netsim.NoPort, false
	}
	return s.net.Routes.Pick(at, s.sends[p.Seq].Src, route.FiveTuple{})
}

// Start implements netsim.Stack. Scripts have no flows to start.
func (s *Script) Start() {}
