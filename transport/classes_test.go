package transport_test

import (
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
)

// Host 0 sends a long flow of class 3 to slow host 2, until the switch pauses class 3. Host 0 also sends ACKs of class
// 4 to host 1. The pause does not stop them, although an ACK of class 3, for a flow from host 2, waits in front of
// them.
func TestAPauseStopsTheAcksOfItsClassOnly(t *testing.T) {
	g := netsimtest.Star(3)
	g.Links[2].Rate = 10 * unit.Gbps
	l := cctest.Lab{
		Graph: g, Transport: cctest.RDMA(),
		Network: func(c *netsim.Config) {
			c.PFC.Threshold, c.PFC.XOff, c.PFC.Reserve, c.PFC.Hysteresis, c.Classes = "static", 5000, 0, 2000, 2
		},
	}
	l.Transport.RTOMin, l.Transport.RTOInitial = 10*unit.Millisecond, 10*unit.Millisecond
	long := cctest.Flow(0, 2, 200_000)
	three := cctest.Flow(2, 0, 1000) // the ACK of this flow waits for the pause to end
	four := cctest.Flow(1, 0, 1000)
	four.Class = 4
	three.Start, four.Start = 6*unit.Microsecond, 8*unit.Microsecond
	r := l.Run(t, long, three, four)
	// The pause begins at about 2 us. By then some 30 kB wait on the way to host 2, and they take
	// 24 us to drain.
	if x := r.Of(1); x.FCT < 2*x.Ideal {
		t.Errorf("the ACK of class 3 is not held up (FCT %v, ideal %v): the test needs a pause", x.FCT, x.Ideal)
	}
	if x := r.Of(2); x.FCT > x.Ideal+2*83_840 {
		t.Errorf("class 4: FCT %v, want the ideal %v and at most two packets", x.FCT, x.Ideal)
	}
}

// A host and its receiver are both linked to two switches, 1 and 2. When the link in use breaks, the data and ACKs of a
// flow move to the other link. New routes reach the flow before its timeout, so that only the packets on the wire are
// lost.
func TestAFlowOfAMultiHomedHostMovesToItsOtherLink(t *testing.T) {
	g := &topo.Graph{Nodes: []topo.Node{{Kind: topo.Host}, {Kind: topo.Host}, {Kind: topo.Switch}, {Kind: topo.Switch}}}
	for _, l := range [][2]netsim.NodeID{{0, 2}, {0, 3}, {1, 2}, {1, 3}} {
		g.Links = append(g.Links, topo.Link{A: l[0], B: l[1], Rate: 100 * unit.Gbps, Delay: unit.Microsecond})
	}
	for broken := range g.Links {
		l := cctest.Lab{
			Graph: g, Transport: cctest.RDMA(),
			Control: func(*netsim.Network) transport.Factory { return cctest.Fixed(100_000, unit.Tbps) },
			Faults:  []cctest.Fault{{At: 20 * unit.Microsecond, Link: broken, Broken: true}},
		}
		r := l.Run(t, cctest.Flow(0, 1, 1_000_000), cctest.Flow(1, 0, 1_000_000))
		for n := range int32(2) {
			if x := r.Of(n); x.Outcome != transport.Finished || x.Timeouts > 2 {
				t.Errorf("link %d broken: flow %d %+v, want a finished flow", broken, n, x)
			}
		}
	}
}

// A host serves two flows, of classes 2 and 6, by round robin. With Strict it serves the higher class first, even if
// that flow starts later. Two packets of the lower class have left by then.
func TestStrictHostsServeTheHighestClass(t *testing.T) {
	low, high := cctest.Flow(0, 1, 10_000), cctest.Flow(0, 1, 4000)
	low.Class, high.Class, high.Start = 2, 6, 100*unit.Nanosecond
	for strict, want := range map[bool]string{false: "l l h l h l h l h l l l l l",
		true: "l l h h h h l l l l l l l l"} {
		l := cctest.Lab{Graph: netsimtest.Star(2), Transport: cctest.RDMA(), Trace: true}
		l.Transport.Strict = strict
		l.Network = func(c *netsim.Config) { c.Classes = 2 }
		r := l.Run(t, low, high)
		got := ""
		for _, e := range r.Wire {
			if e.Sent {
				got += map[uint8]string{2: "l ", 6: "h "}[e.Packet.Class]
			}
		}
		if got != want+" " {
			t.Errorf("strict %v: %s, want %s", strict, got, want)
		}
	}
}

// ACKs have the class of their data, or Params.AckClass.
func TestTheClassOfAcks(t *testing.T) {
	for class, want := range map[int]uint8{0: 3, 6: 6} {
		l := cctest.Lab{Graph: netsimtest.Star(2), Transport: cctest.RDMA(), Trace: true}
		l.Transport.AckClass = class
		l.Network = func(c *netsim.Config) { c.Classes = 2 }
		for _, e := range l.Run(t, cctest.Flow(0, 1, 5000)).Wire {
			if e.Packet.Kind == netsim.Ack && e.Packet.Class != want {
				t.Fatalf("an ACK of class %d, want %d", e.Packet.Class, want)
			}
		}
	}
}
