package netsim_test

import (
	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
)

// watch is a tap and a sink that fails a test if time goes back, a queue is not first in first out,
// a packet reaches the wrong place, or telemetry contradicts itself. It changes nothing.
type watch struct {
	TB  netsimtest.TB
	Net *netsim.Network
	Dst func(*netsim.Packet) netsim.NodeID // destination of a data packet; nil: any
	// Reorder allows packets of a flow to overtake each other, as they do when the flow's path changes.
	Reorder bool
	last    unit.Time
	port    map[portClass]unit.Time // latest arrival time of a packet that has left a queue
	flow    map[flowPort]uint32     // latest packet of a flow that has left a port
	sent    map[netsim.PortID]unit.Bytes
	Seen    int // packets that have left a switch
}

type portClass struct {
	port  netsim.PortID
	class uint8
}

type flowPort struct {
	port netsim.PortID
	flow uint64 // key of the flow
}

// newWatch makes a watch.
func newWatch(tb netsimtest.TB, n *netsim.Network) *watch {
	return &watch{
		TB: tb, Net: n,
		port: map[portClass]unit.Time{}, flow: map[flowPort]uint32{}, sent: map[netsim.PortID]unit.Bytes{},
	}
}

func (w *watch) at(now unit.Time) {
	if now < w.last {
		w.TB.Fatalf("time goes back from %v to %v", w.last, now)
	}
	w.last = now
}

func (w *watch) Dequeue(h *netsim.Hop) {
	w.Seen++
	w.at(h.Now)
	k := h.Packet
	if from, _ := w.Net.PortEnds(h.Port); from != h.Switch {
		w.TB.Fatalf("port %d belongs to node %d, not to switch %d", h.Port, from, h.Switch)
	}
	if h.Rate() != w.Net.PortRate(h.Port) || h.Queue < 0 {
		w.TB.Fatalf("port %d: rate %v, queue %d", h.Port, h.Rate(), h.Queue)
	}
	if before := w.sent[h.Port]; h.Sent < before {
		w.TB.Fatalf("port %d had sent %d bytes and now %d", h.Port, before, h.Sent)
	}
	w.sent[h.Port] = h.Sent + unit.Bytes(k.Size)
	if k.Kind >= netsim.Pause {
		return
	}
	if int(k.Hop) != h.Number || k.At > h.Now {
		w.TB.Fatalf("packet at hop %d of %d came at %v, now %v", k.Hop, h.Number, k.At, h.Now)
	}
	pc := portClass{h.Port, k.Class}
	if before := w.port[pc]; k.At < before {
		w.TB.Fatalf("port %d class %d: a packet of %v leaves after one of %v", h.Port, k.Class, k.At, before)
	}
	w.port[pc] = k.At
	if k.Kind == netsim.Data {
		fp := flowPort{h.Port, h.FlowKey()}
		if before, ok := w.flow[fp]; ok && !w.Reorder && k.ID <= before {
			w.TB.Fatalf("port %d flow %d: packet %d leaves after packet %d", h.Port, k.Flow, k.ID, before)
		}
		w.flow[fp] = k.ID
	}
}

func (w *watch) Deliver(now unit.Time, host netsim.NodeID, p *netsim.Packet, _ []netsim.PortSample) {
	w.at(now)
	if w.Dst != nil && p.Kind == netsim.Data {
		if want := w.Dst(p); want != host {
			w.TB.Fatalf("a packet for host %d came to host %d", want, host)
		}
	}
}
