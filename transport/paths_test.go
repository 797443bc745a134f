package transport_test

import (
	"testing"

	"pgregory.net/rapid"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/recovery"
)

// permuted returns a lab with IRN on a 4-ary fat tree. The senders choose the paths.
func permuted(crossed map[netsim.Kind]map[netsim.NodeID]int) cctest.Lab {
	l := cctest.Lab{Graph: netsimtest.KAry(4), Transport: cctest.Of(recovery.IRN)}
	l.Transport.DupAcks, l.Transport.RTOLow, l.Transport.RTOHigh = 100, unit.Millisecond, 2*unit.Millisecond
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

// Each of the four core switches forwards ten of 40 packets to another pod, and ten of the ACKs.
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

// A broken link changes the number of paths, and packets in flight find another path.
func TestSendersForgetPathsThatAreGone(t *testing.T) {
	l := permuted(nil)
	l.Taps = nil
	for i, x := range l.Graph.Links {
		if len(l.Graph.Hosts()) <= int(min(x.A, x.B)) {
			l.Faults = []cctest.Fault{{At: 20 * unit.Microsecond, Link: i, Broken: true},
				{At: 200 * unit.Microsecond, Link: i}}
			break
		}
	}
	for parts := 1; parts <= 2; parts++ {
		l.RunParts(t, parts, cctest.Flow(0, 15, 4_000_000), cctest.Flow(1, 14, 4_000_000))
	}
}

// A flow whose only packet is lost gets a controller that was started for this flow, although the controller has served
// another flow before.
func TestSinglePacketsOnTheirPathsHaveAController(t *testing.T) {
	l := permuted(map[netsim.Kind]map[netsim.NodeID]int{})
	sizes := []unit.Bytes{}
	l.Control = cctest.Puppets(&cctest.Puppet{OnLossDo: func(p *cctest.Puppet, _ transport.Loss) {
		sizes = append(sizes, p.Info.Size)
	}})
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

// A flow whose packets take several paths is never faster than its ideal, whatever the rates and
// delays of the links. It takes its ideal time if a short packet overtakes the only full packet. On
// each of six links of 100 Gb/s, a packet of 1048 B takes 83.84 ns and an ACK of 60 B takes 4.8 ns,
// and a link adds 1 us.
func TestSeveralPathsAreNotFasterThanIdeal(t *testing.T) {
	if x := permuted(map[netsim.Kind]map[netsim.NodeID]int{}).Run(t,
		cctest.Flow(0, 15, 1230)).Of(0); x.FCT != 12_531_840 || x.Ideal != x.FCT {
		t.Errorf("1230 B take %v, ideally %v, want 12.53184us", x.FCT, x.Ideal)
	}
	rapid.Check(t, func(t *rapid.T) {
		l := permuted(map[netsim.Kind]map[netsim.NodeID]int{})
		hosts, spines := rapid.SampledFrom([]int64{10, 100, 400}).Draw(t, "host rate"), []int64{10, 25, 40, 100}
		for i := range l.Graph.Links {
			x := &l.Graph.Links[i]
			if x.Rate = unit.Rate(hosts) * unit.Gbps; min(x.A, x.B) >= 16 {
				x.Rate = unit.Rate(rapid.SampledFrom(spines).Draw(t, "gbps")) * unit.Gbps
				x.Delay = unit.Time(rapid.Int64Range(0, 2_000_000).Draw(t, "delay"))
			}
		}
		balancing := rapid.SampledFrom([]route.Balancing{&route.Permute{}, &route.Spray{},
			&route.Spray{Choice: "round-robin"}, &route.LetFlow{Gap: 1, Entries: 16}}).Draw(t, "balancing")
		l.Transport.Balancer = balancing.Balancer(l.Graph, rapid.Uint64().Draw(t, "seed"))
		l.Transport.AckEvery = rapid.SampledFrom([]int{1, 2}).Draw(t, "every")
		size := unit.Bytes(rapid.OneOf(rapid.Int64Range(1, 5000), rapid.Int64Range(1, 200_000)).Draw(t, "size"))
		if x := l.Run(t, cctest.Flow(0, 15, size)).Of(0); x.FCT < x.Ideal {
			t.Fatalf("FCT %d ps, ideal %d ps", x.FCT, x.Ideal)
		}
	})
}

// Switches add up to 150 B, and packets leave room for them (segment: mtu). To be the same for every scheme, the ideal
// assumes full packets without telemetry. A flow of two packets is faster than that, because its first packet is
// shorter.
func TestIdealIsThatOfFullPackets(t *testing.T) {
	c := cctest.RDMA()
	c.IdealSegment, c.Segment = 1000, 850
	run := func() transport.Record {
		lab := cctest.Lab{Graph: netsimtest.Chain(5), Transport: c, Network: func(n *netsim.Config) {
			n.MaxPacket = 1048
		}}
		return *lab.Run(t, cctest.Flow(0, 1, 1500)).Of(0)
	}
	x := run()
	if c.IdealSegment, c.Segment = 0, 1000; x.FCT >= x.Ideal || x.Ideal != run().Ideal {
		t.Errorf("FCT %v, ideal %v, want the ideal %v of full packets, and less", x.FCT, x.Ideal, run().Ideal)
	}
}
