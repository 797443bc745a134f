package transport_test

import (
	"testing"

	"pgregory.net/rapid"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/route"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
)

// One flow alone, in the default transport: a packet is 48 B longer than its
// payload, an ACK 60 B. A byte takes 80 ps at 100 Gb/s and 20 ps at 400 Gb/s, so that
//
//	              100 Gb/s   400 Gb/s
//	1000 + 48 B   83 840     20 960
//	   1 + 48 B    3 920        980
//	  ACK, 60 B    4 800      1 200   ps.
//
// A link adds 1 us. The sums are for each kind of path:
//
//   - one switch (hosts of a star or of one ToR): two links of 100 Gb/s each way;
//   - three switches (hosts of one pod): two of 100 and two of 400 Gb/s;
//   - five switches (between pods): two of 100 and four of 400 Gb/s;
//   - a chain of k switches: k+1 of 100 Gb/s.
//
// A flow of 1001 B has a full packet and a packet of 49 B right behind it. On the last link the short packet waits for
// the full one, and its ACK waits for the ACK of the full one: the receiver gets the full packet at t and the short one
// 3920 ps later, and sends the ACKs at t and t + 4800 ps. On the other links of 100 Gb/s the second ACK arrives just as
// the first one ends.
//
// A flow of 100 packets ends 99 times 83 840 ps later than a flow of one packet.
func TestFCTOfOneFlowOnEachPathLength(t *testing.T) {
	const us, train = 1_000_000, 99 * 83_840
	type sizes struct{ one, full, plus, many unit.Time } // 1, 1000, 1001, 100000 bytes
	star := sizes{
		one:  2*3_920 + 2*4_800 + 4*us,
		full: 2*83_840 + 2*4_800 + 4*us,
		plus: 2*83_840 + 3*4_800 + 4*us,
		many: 2*83_840 + 2*4_800 + 4*us + train,
	}
	if star != (sizes{4_017_440, 4_177_280, 4_182_080, 12_477_440}) {
		t.Fatalf("the sums for a star are %+v", star)
	}
	fat := netsimtest.FatTree320()
	for _, tt := range []struct {
		name     string
		graph    *topo.Graph
		src, dst netsim.NodeID
		want     sizes
	}{
		{"star", netsimtest.Star(3), 0, 2, star},
		{"same ToR", fat, 17, 30, star},
		{"same pod", fat, 0, 63, sizes{
			2*3_920 + 2*980 + 2*4_800 + 2*1_200 + 8*us,
			2*83_840 + 2*20_960 + 2*4_800 + 2*1_200 + 8*us,
			2*83_840 + 2*20_960 + 3*4_800 + 2*1_200 + 8*us,
			2*83_840 + 2*20_960 + 2*4_800 + 2*1_200 + 8*us + train}},
		{"across pods", fat, 0, 319, sizes{
			2*3_920 + 4*980 + 2*4_800 + 4*1_200 + 12*us,
			2*83_840 + 4*20_960 + 2*4_800 + 4*1_200 + 12*us,
			2*83_840 + 4*20_960 + 3*4_800 + 4*1_200 + 12*us,
			2*83_840 + 4*20_960 + 2*4_800 + 4*1_200 + 12*us + train}},
		{"chain of 1", netsimtest.Chain(1), 0, 1, star},
		{"chain of 2", netsimtest.Chain(2), 0, 1, sizes{
			3*(3_920+4_800) + 6*us, 3*(83_840+4_800) + 6*us, 3*(83_840+4_800) + 4_800 + 6*us,
			3*(83_840+4_800) + 6*us + train}},
		{"chain of 3", netsimtest.Chain(3), 0, 1, sizes{
			4*(3_920+4_800) + 8*us, 4*(83_840+4_800) + 8*us, 4*(83_840+4_800) + 4_800 + 8*us,
			4*(83_840+4_800) + 8*us + train}},
		{"chain of 4", netsimtest.Chain(4), 0, 1, sizes{
			5*(3_920+4_800) + 10*us, 5*(83_840+4_800) + 10*us, 5*(83_840+4_800) + 4_800 + 10*us,
			5*(83_840+4_800) + 10*us + train}},
		{"chain of 5", netsimtest.Chain(5), 0, 1, sizes{
			6*(3_920+4_800) + 12*us, 6*(83_840+4_800) + 12*us, 6*(83_840+4_800) + 4_800 + 12*us,
			6*(83_840+4_800) + 12*us + train}},
	} {
		for _, s := range []struct {
			size unit.Bytes
			want unit.Time
		}{{1, tt.want.one}, {1000, tt.want.full}, {1001, tt.want.plus}, {100_000, tt.want.many}} {
			lab := cctest.Lab{Graph: tt.graph, Transport: cctest.RDMA()}
			x := lab.Run(t, cctest.Flow(tt.src, tt.dst, s.size)).Of(0)
			if x.FCT != s.want || x.Ideal != s.want {
				t.Errorf("%s, %d bytes: FCT %d ps, ideal %d ps, want %d", tt.name, s.size, x.FCT, x.Ideal, s.want)
			}
		}
	}
}

// Telemetry makes the packets longer but does not change the ideal: each data packet has 42 B more, and its ACK 46 + 42
// = 88 B in total.
func TestIdealCountsNoTelemetry(t *testing.T) {
	c := cctest.RDMA()
	c.Telemetry, c.Echo = 42, true
	x := cctest.Lab{Graph: netsimtest.Star(2), Transport: c}.Run(t, cctest.Flow(0, 1, 1000)).Of(0)
	if want := unit.Time(2*1090*80 + 2*88*80 + 4_000_000); x.FCT != want {
		t.Errorf("FCT %v, want %v", x.FCT, want)
	}
	if want := unit.Time(4_177_280); x.Ideal != want {
		t.Errorf("ideal %v, want %v", x.Ideal, want)
	}
}

// The packet stays 1048 B long, and telemetry takes 42 B of its payload. The ideal still has full packets with 1000 B
// of payload.
func TestIdealOfAFixedPacketSize(t *testing.T) {
	c := cctest.RDMA()
	c.Telemetry, c.Segment, c.IdealSegment = 42, 958, 1000
	x := cctest.Lab{Graph: netsimtest.Star(2), Transport: c}.Run(t, cctest.Flow(0, 1, 1000)).Of(0)
	if want := unit.Time(4_177_280); x.Ideal != want || x.Packets != 2 {
		t.Errorf("ideal %v in %d packets, want %v in 2", x.Ideal, x.Packets, want)
	}
}

// A flow alone takes its ideal time, for any rates, delays, sizes and intervals of ACKs. The ideal is computed link by
// link; the flow is simulated.
func TestAFlowAloneTakesItsIdealTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := netsimtest.Chain(rapid.IntRange(1, 5).Draw(t, "switches"))
		for i := range g.Links {
			g.Links[i].Rate = unit.Rate(rapid.SampledFrom([]int64{1, 10, 25, 40, 100, 400}).Draw(t, "gbps")) * unit.Gbps
			g.Links[i].Delay = unit.Time(rapid.Int64Range(0, 2_000_000).Draw(t, "delay"))
		}
		c := cctest.RDMA()
		if rapid.Bool().Draw(t, "tcp") {
			c = cctest.TCP()
		}
		c.AckEvery = rapid.SampledFrom([]int{1, 1, 2, 3, 20}).Draw(t, "every")
		c.RTOMin, c.RTOInitial = 90*unit.Millisecond, 90*unit.Millisecond
		processing := unit.Time(rapid.SampledFrom([]int64{0, 300_000}).Draw(t, "processing"))
		lab := cctest.Lab{
			Graph: g, Transport: c, Seed: rapid.Uint64().Draw(t, "seed"),
			Network: func(n *netsim.Config) { n.ProcessingDelay = processing },
		}
		size := unit.Bytes(rapid.OneOf(rapid.Int64Range(1, 5000), rapid.Int64Range(1, 200_000)).Draw(t, "size"))
		src := netsim.NodeID(rapid.IntRange(0, 1).Draw(t, "src"))
		if x := lab.Run(t, cctest.Flow(src, 1-src, size)).Of(0); x.FCT != x.Ideal {
			t.Fatalf("FCT %d ps, ideal %d ps", x.FCT, x.Ideal)
		}
	})
}

// The FCT is measured from the start of the flow, and the record contains the start.
func TestFCTCountsFromTheStart(t *testing.T) {
	f := cctest.Flow(0, 1, 1000)
	f.Start = 123_456_789
	x := cctest.Lab{Graph: netsimtest.Star(2), Transport: cctest.RDMA()}.Run(t, f).Of(0)
	if x.FCT != 4_177_280 || x.Start != 123_456_789 || x.Hops != 1 {
		t.Errorf("FCT %v from %v over %d switches, want 4.17728us from 123.456789us over 1", x.FCT, x.Start, x.Hops)
	}
}

// Both directions together have 12 links of 1 us. Each direction has two links of 100 Gb/s and four of 400 Gb/s. A
// packet of 1048 B takes 2·83.84 + 4·20.96 ns in addition, and its ACK of 60 B takes 2·4.8 + 4·1.2 ns. The published
// simulator counts only 1000 B of data: 2·80 + 4·20 ns.
func TestBaseRTTByHand(t *testing.T) {
	r := cctest.Lab{Graph: netsimtest.FatTree320(), Transport: cctest.RDMA()}.Start(t, cctest.Flow(0, 319, 1))
	outbound := r.Routes.Path(nil, 0, 319, route.FiveTuple{})
	inbound := r.Routes.Path(nil, 319, 0, route.FiveTuple{})
	c := cctest.RDMA()
	for counts, want := range map[string]unit.Time{"wire": 12_265_920, "payload": 12_240_000} {
		c.RTTCounts = counts
		if got := transport.BaseRTT(r.Net.Net, &c, outbound, inbound); got != want*unit.Picosecond {
			t.Errorf("base RTT of the %s: %v, want %v", counts, got, want*unit.Picosecond)
		}
	}
}
