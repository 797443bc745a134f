package transport_test

import (
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/recovery"
)

// permuted returns IRN on a 4-ary fat tree whose senders choose the paths.
func permuted(crossed map[netsim.Kind]map[netsim.NodeID]int) cctest.Lab {
	l := cctest.Lab{Graph: netsimtest.KAry(4), Transport: cctest.RDMA()}
	l.Transport.Recovery, l.Transport.DupThreshold = recovery.IRN, 100
	l.Transport.RTOMin, l.Transport.RTOInitial, l.Transport.RTOMax = unit.Millisecond, 2*unit.Millisecond, 2*unit.Millisecond
	l.Transport.Balancer = (&route.Permute{}).Balancer(l.Graph, 3)
	l.Network = func(c *netsim.Config) { c.PerPacket = true }
	l.Taps = func(*netsim.Network) []netsim.Tap {
		return []netsim.Tap{observe(func(h *netsim.Hop) {
			if h.Number != 2 {
				return
			}
			if crossed[h.Packet.Kind] == nil {
				crossed[h.Packet.Kind] = map[netsim.NodeID]int{}
			}
			crossed[h.Packet.Kind][h.Switch]++
		})}
	}
	return l
}

type observe func(*netsim.Hop)

func (o observe) Dequeue(h *netsim.Hop) { o(h) }

// Of 40 packets to another pod each of the four core switches has ten, and of the ACKs as
// many. After the link of one breaks the others share its part as far as the switches do.
func TestSendersUseTheirPathsInTurn(t *testing.T) {
	crossed := map[netsim.Kind]map[netsim.NodeID]int{}
	permuted(crossed).Run(t, cctest.Flow(0, 15, 40_000))
	answers := map[netsim.NodeID]int{}
	for _, kind := range []netsim.Kind{netsim.Ack, netsim.Nack} {
		for sw, n := range crossed[kind] {
			answers[sw] += n
		}
	}
	if len(crossed[netsim.Data]) != 4 || len(answers) != 4 {
		t.Fatalf("data by %v, ACKs by %v", crossed[netsim.Data], answers)
	}
	for sw, n := range crossed[netsim.Data] {
		if n != 10 || answers[sw] != 10 {
			t.Errorf("switch %d: %d packets and %d ACKs, want 10", sw, n, answers[sw])
		}
	}
}

// A broken link changes the number of paths, and packets that are on the way find another one.
func TestSendersForgetPathsThatAreGone(t *testing.T) {
	l := permuted(nil)
	l.Taps = nil
	for i, x := range l.Graph.Links {
		if len(l.Graph.Hosts()) <= int(min(x.A, x.B)) {
			l.Faults = []cctest.Fault{{At: 20 * unit.Microsecond, Link: i, Broken: true}, {At: 200 * unit.Microsecond, Link: i}}
			break
		}
	}
	for parts := 1; parts <= 2; parts++ {
		l.RunParts(t, parts, cctest.Flow(0, 15, 4_000_000), cctest.Flow(1, 14, 4_000_000))
	}
}

// A flow of a single packet that is lost finds a controller that knows it, although that has served another flow before.
func TestSinglePacketsOnTheirPathsHaveAController(t *testing.T) {
	l := permuted(map[netsim.Kind]map[netsim.NodeID]int{})
	sizes := []unit.Bytes{}
	l.Control = cctest.Puppets(&cctest.Puppet{OnLossDo: func(p *cctest.Puppet, _ transport.Loss) { sizes = append(sizes, p.Info.Size) }})
	l.Drop = func(now unit.Time, p *netsim.Packet) bool {
		return now > unit.Millisecond && p.Kind == netsim.Data && p.Flags&netsim.FlagRetx == 0
	}
	second := cctest.Flow(0, 15, 500)
	second.Start = unit.Millisecond
	l.Run(t, cctest.Flow(0, 15, 40_000), second)
	if len(sizes) != 1 || sizes[0] != 500 {
		t.Errorf("losses of flows of %v bytes", sizes)
	}
}
