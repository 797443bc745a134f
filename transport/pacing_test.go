package transport_test

import (
	"fmt"
	"strings"
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
)

// sent returns the times at which a flow's data packets leave their source.
func sent(r *cctest.Trial, flow int32) []unit.Time {
	var at []unit.Time
	for _, e := range r.Wire {
		if e.Sent && e.Packet.Flow == flow {
			at = append(at, e.At)
		}
	}
	return at
}

// Packets of 1048 B at 50 Gb/s leave every 167.68 ns.
func TestPacingKeepsTheRate(t *testing.T) {
	r := cctest.Lab{
		Graph: netsimtest.Star(2), Transport: cctest.RDMA(), Trace: true,
		Control: cctest.Puppets(&cctest.Puppet{R: 50 * unit.Gbps}),
	}.Run(t, cctest.Flow(0, 1, 20_000))
	for i, at := range sent(r, 0) {
		if want := unit.Time(i) * 167_680; at != want {
			t.Errorf("packet %d leaves at %v, want %v", i, at, want)
		}
	}
}

// A new rate moves the next packet as if the last one had been sent at the new rate. At 10 Gb/s a packet leaves every
// 838.4 ns. The first ACK arrives at 4177.28 ns and sets 20 Gb/s. The last packet left at 3353.6 ns, so at the new rate
// the next packet was due 419.2 ns after that. This time is in the past, and the packet leaves at once. The second ACK
// arrives 838.4 ns later and sets 5 Gb/s, a packet every 1676.8 ns.
func TestANewRateMovesTheNextPacket(t *testing.T) {
	p := &cctest.Puppet{R: 10 * unit.Gbps}
	p.OnAckDo = func(p *cctest.Puppet, _ unit.Time, _ *transport.Ack) bool {
		switch len(p.Acks) {
		case 1:
			p.R = 20 * unit.Gbps
		case 2:
			p.R = 5 * unit.Gbps
		}
		return len(p.Acks) <= 2
	}
	r := cctest.Lab{
		Graph: netsimtest.Star(2), Transport: cctest.RDMA(), Trace: true, Control: cctest.Puppets(p),
	}.Run(t, cctest.Flow(0, 1, 10_000))
	// At 20 Gb/s packets leave at 4177.28, 4596.48 and 5015.68 ns. Then the second ACK arrives, and the next packet
	// leaves 1676.8 ns later.
	want := []unit.Time{0, 838_400, 1_676_800, 2_515_200, 3_353_600, 4_177_280, 4_596_480, 5_015_680, 6_692_480,
		8_369_280}
	if got := sent(r, 0); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("packets leave at\n%v, want\n%v", got, want)
	}
}

// A controller without a window or a rate stops the run, when the flow starts or later.
func TestControllersWithoutWindowOrRate(t *testing.T) {
	for _, tt := range []struct {
		puppet cctest.Puppet
		want   string
	}{
		{cctest.Puppet{W: -5}, "the controller *cctest.Puppet returns a window of -5 bytes and a rate of 1000"},
		{cctest.Puppet{OnAckDo: func(p *cctest.Puppet, _ unit.Time, _ *transport.Ack) bool {
			p.W, p.R = 1000, -1
			return true
		}}, "a window of 1000 bytes and a rate of -1 bit/s"},
	} {
		func() {
			defer func() {
				if p := fmt.Sprint(recover()); !strings.Contains(p, tt.want) {
					t.Errorf("panic %q, want %q", p, tt.want)
				}
			}()
			cctest.Lab{
				Graph: netsimtest.Star(2), Transport: cctest.RDMA(), Control: cctest.Puppets(&tt.puppet),
			}.Run(t, cctest.Flow(0, 1, 10_000))
		}()
	}
}

// A run worked by hand shows that the wake-up of one flow does not suppress another flow. One flow of host 0 has a
// window of one packet, and the ACK of this packet takes 400 us. The other flow is paced at 50 Gb/s. The first flow
// sends at 0. The other flow sends every 167.68 ns from 83.84 ns on, while the first flow is due by its pacing but
// waits for its window.
func TestAWindowBoundFlowDoesNotSuppressTheOthers(t *testing.T) {
	g := netsimtest.Star(3)
	g.Links[2].Delay = 200 * unit.Microsecond
	l := cctest.Lab{
		Graph: g, Transport: cctest.RDMA(), Trace: true,
		Control: cctest.Puppets(&cctest.Puppet{W: 1000}, &cctest.Puppet{R: 50 * unit.Gbps}),
	}
	l.Transport.RTOMin, l.Transport.RTOInitial = 10*unit.Millisecond, 10*unit.Millisecond
	r := l.Run(t, cctest.Flow(0, 2, 2000), cctest.Flow(0, 1, 500_000))
	for i, at := range sent(r, 1) {
		if want := 83_840 + unit.Time(i)*167_680; at != want {
			t.Fatalf("packet %d leaves at %v, want %v", i, at, want)
		}
	}
}

// Any number of flows of a host share its link by round robin.
func TestFlowsOfAHostTakeTurns(t *testing.T) {
	r := cctest.Lab{Graph: netsimtest.Star(4), Transport: cctest.RDMA(), Trace: true}.
		Run(t, cctest.Flow(0, 1, 5000), cctest.Flow(0, 2, 3000), cctest.Flow(0, 3, 4000))
	got := ""
	for _, e := range r.Wire {
		if e.Sent {
			got += fmt.Sprint(e.Packet.Flow)
		}
	}
	if want := "012012012020"; got != want {
		t.Errorf("packets of flows %s, want %s", got, want)
	}
}

// The end of a flow does not change the order of the other flows, whichever flow ends and whichever flow is next. A
// flow of one byte ends after 4 to 5 us, while four others continue to take turns.
func TestTurnsGoOnWhenAFlowEnds(t *testing.T) {
	for short := range int32(5) {
		for phase := range unit.Time(8) {
			g := netsimtest.Star(6)
			g.Links[1+short].Delay += phase * 40 * unit.Nanosecond
			var flows []transport.Flow
			for i := range int32(5) {
				f := cctest.Flow(0, 1+netsim.NodeID(i), 100_000)
				if i == short {
					f.Size = 1
				}
				flows = append(flows, f)
			}
			r := cctest.Lab{Graph: g, Transport: cctest.RDMA(), Trace: true}.Run(t, flows...)
			last := int32(-1)
			for _, e := range r.Wire {
				if !e.Sent || e.Packet.Flow == short {
					continue
				}
				want := (last + 1) % 5
				if want == short {
					want = (want + 1) % 5
				}
				if e.Packet.Flow != want {
					t.Fatalf("without flow %d: flow %d follows flow %d at %v", short, e.Packet.Flow, last, e.At)
				}
				last = want
			}
		}
	}
}

// Several flows of a host keep its link busy together. Four flows fill the link if the window of each is a quarter of
// the bandwidth-delay product. 4 · 500 packets of 83.84 ns end one round trip after the last packet has left.
func TestManyFlowsKeepTheLinkBusy(t *testing.T) {
	// A round trip of one packet takes 4177.28 ns, the time in which the link sends 49.8 packets. So each window has 13
	// packets.
	r := cctest.Lab{
		Graph: netsimtest.Star(5), Transport: cctest.RDMA(),
		Control: func(*netsim.Network) transport.Factory { return cctest.Fixed(13_000, 400*unit.Gbps) },
	}.Run(t, cctest.Flow(0, 1, 500_000), cctest.Flow(0, 2, 500_000), cctest.Flow(0, 3, 500_000),
		cctest.Flow(0, 4, 500_000))
	if got, want := r.Engine.Now(), unit.Time(1999*83_840+4_177_280); got != want {
		t.Errorf("all flows end at %v, want %v", got, want)
	}
}

// Depending on window_edge, a packet must fit into the window or may exceed it. So a window of 2500 B admits two
// packets of 1000 B or three. A window of 1 B always admits one packet.
func TestWindowEdge(t *testing.T) {
	for _, tt := range []struct {
		window unit.Bytes
		edge   string
		want   int
	}{
		{2500, "fit", 2}, {2500, "overshoot", 3}, {3000, "fit", 3}, {3000, "overshoot", 3}, {1, "fit", 1},
		{1, "overshoot", 1},
	} {
		c := cctest.RDMA()
		c.WindowEdge = tt.edge
		r := cctest.Lab{
			Graph: netsimtest.Star(2), Transport: c, Trace: true, Control: cctest.Puppets(&cctest.Puppet{W: tt.window}),
		}.Run(t, cctest.Flow(0, 1, 20_000))
		got := 0
		for _, at := range sent(r, 0) {
			if at < 4_000_000 {
				got++
			}
		}
		if got != tt.want {
			t.Errorf("window %d, overshoot %v: %d packets in the first round trip, want %d",
				tt.window, tt.edge, got, tt.want)
		}
	}
}

// The sender reads window and rate after OnLoss, whatever OnAck returns: a NACK halves the
// rate here, and the next packets leave half as often.
func TestTheControllerIsReadAfterALoss(t *testing.T) {
	p := &cctest.Puppet{R: 50 * unit.Gbps}
	p.OnLossDo = func(p *cctest.Puppet, _ transport.Loss) { p.R = 25 * unit.Gbps }
	r := cctest.Lab{
		Graph: netsimtest.Star(2), Transport: cctest.RDMA(), Trace: true,
		Control: cctest.Puppets(p), Drop: cctest.DropFirst(1000, 3),
	}.Run(t, cctest.Flow(0, 1, 20_000))
	at := sent(r, 0)
	if n := len(at); at[n-1]-at[n-2] != 335_360 {
		t.Errorf("the last two packets are %v apart, want 335.36ns at 25 Gb/s", at[n-1]-at[n-2])
	}
}

// A controller gets the right FlowInfo.
func TestFlowInfo(t *testing.T) {
	p := &cctest.Puppet{}
	g := netsimtest.Chain(3)
	g.Links[2].Rate = 25 * unit.Gbps // between switches
	cctest.Lab{Graph: g, Transport: cctest.RDMA(), Control: cctest.Puppets(p)}.Run(t, cctest.Flow(0, 1, 5555))
	got := p.Info
	got.Key = 0
	want := transport.FlowInfo{
		Number: 0, Size: 5555, Segment: 1000, Packet: 1048, LineRate: 100 * unit.Gbps, PathRate: 25 * unit.Gbps,
		// 1048 B on the way out, 60 B on the way back
		BaseRTT: 8*unit.Microsecond + (3*83_840+335_360)*unit.Picosecond + (3*4_800+19_200)*unit.Picosecond,
		Hops:    3,
	}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
