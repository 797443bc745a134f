package uet_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/invariants"
	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/route"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/uet"
)

const (
	us, ms  = unit.Microsecond, unit.Millisecond
	segment = 4086
	packet  = segment + 64
	queue   = 43 * packet
)

var controls = []string{"nscc", "rccc", "both", "constant"}

// params returns the defaults, with the values that follow from the network of §1 (RTT0).
func params(control string, change ...func(*uet.Params)) *uet.Params {
	p := &uet.Params{}
	schema.Defaults(p) // sets the keys of NSCC; those of RCCC stay 0
	p.Pull, p.PullShare = 16384, 0.99
	p.Control, p.BaseRTT = control, 14_022_720
	p.Target = p.BaseRTT * 3 / 4
	for _, f := range change {
		f(p)
	}
	return p
}

// lab returns the network of uet-htsim: links of 100 Gb/s and 1 us, queues of a bandwidth-delay
// product, 64 entropy values.
func lab(g *topo.Graph, p *uet.Params, change ...func(*netsim.Config)) cctest.Lab {
	balancer := &route.Mixed{Oblivious: route.Oblivious{Values: 64}}
	hosts := cctest.Of(p.Recovery(nil))
	hosts.Segment, hosts.AckMin, hosts.RTOInitial, hosts.RTOMax = segment, 64, 100_656*unit.Nanosecond, 10*ms
	hosts.Balancer, hosts.Spread = balancer.Balancer(g, 1), true
	return cctest.Lab{
		Graph: g, Transport: hosts,
		Network: func(c *netsim.Config) {
			c.Trimming = netsim.Trimming{Enabled: true, Action: "trim", Queue: queue / packet,
				HeaderQueue: 2 * queue / packet, Tail: 0.5}
			c.HeaderClass = 7
			c.ECN = netsim.ECN{Enabled: true, KMin: 37_350, KMax: 145_250, PMax: 1, AtRate: 100 * unit.Gbps,
				AtHosts: true}
			c.Scheduling.Kind = netsim.Strict
			c.PFC.Enabled, c.PerPacket = false, true
			for _, f := range change {
				f(c)
			}
		},
		Control: func(*netsim.Network) transport.Factory {
			f, err := p.New(nil)
			if err != nil {
				panic(err)
			}
			return f
		},
	}
}

func TestSuite(t *testing.T) {
	for _, control := range controls {
		f, err := params(control).New(nil)
		if err != nil {
			t.Fatal(err)
		}
		cctest.Suite(t, f)
	}
}

// The flows that §11 works out by hand, between two pods of a fat tree: one byte, 2 MB at the rate of the link with
// NSCC, and 2 MB with a window of one packet. After the first 1.5 bandwidth-delay products RCCC's credit arrives at
// 0.99 of the rate.
func TestOneFlowByHand(t *testing.T) {
	for _, tt := range []struct {
		control string
		window  int
		size    unit.Bytes
		want    unit.Time
	}{
		{"nscc", 0, 1, 12_061_920},
		{"nscc", 0, 2_000_000, 176_199_520},
		{"constant", 1, 2_000_000, 6_870_105_600},
		{"rccc", 0, 1, 12_061_920},
	} {
		p := params(tt.control, func(p *uet.Params) { p.Initial = tt.window })
		r := lab(netsimtest.KAry(4), p).Run(t, cctest.Flow(0, 13, tt.size))
		if x := r.Of(0); x.FCT != tt.want || x.Retx != 0 {
			t.Errorf("%s, %d B: %v, want %v", tt.control, tt.size, x.FCT, tt.want)
		}
	}
}

// Receivers reduce the window by the given number of 128ths of the received bytes (§10).
func TestReceiversTakeOffTheWindow(t *testing.T) {
	var windows []unit.Bytes
	for _, penalty := range []int{0, 16} {
		p := params("nscc", func(p *uet.Params) { p.Penalty = penalty })
		f, err := p.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		c := f()
		c.Start(0, transport.FlowInfo{Segment: segment, Packet: packet, LineRate: 100 * unit.Gbps, BaseRTT: p.BaseRTT})
		// With a mark and a delay below the target, NSCC itself does not change the window.
		c.OnAck(1, &transport.Ack{Acked: 4 * packet, Marked: true, RTT: p.BaseRTT + us, HasRTT: true})
		windows = append(windows, c.Window())
	}
	if windows[0]-windows[1] != 4*packet*16/128 {
		t.Errorf("windows %v", windows)
	}
}

// A receiver acknowledges every fourth packet, the first one, marked packets, and packets that request an ACK, such as
// the last packet (§4).
func TestOneAckForFourPackets(t *testing.T) {
	l := lab(netsimtest.Star(2), params("nscc"))
	l.Trace = true
	r := l.Run(t, cctest.Flow(0, 1, 11*segment))
	var acks []int64
	for _, e := range r.Wire {
		if e.Packet.Kind == netsim.Ack {
			acks = append(acks, e.Packet.Seq/segment)
		}
	}
	if want := []int64{1, 5, 9, 11}; !slices.Equal(acks, want) {
		t.Errorf("ACKs of %v packets, want %v", acks, want)
	}
}

// kinds is an observer that records the kinds of the packets that leave a port.
type kinds []netsim.Kind

func (k *kinds) Observe(s *netsim.Sight) {
	if s.Fate == netsim.Sent {
		*k = append(*k, s.Packet.Kind)
	}
}

// A host that has far more NACKs to send than its link carries still sends one data packet per ten NACKs (§3).
func TestTenControlPacketsForOneOfData(t *testing.T) {
	flows := []transport.Flow{cctest.Flow(0, 15, 1<<30)}
	for h := range netsim.NodeID(14) {
		flows = append(flows, cctest.Flow(1+h, 0, 1<<30))
	}
	r := lab(netsimtest.Star(16), params("constant", func(p *uet.Params) { p.Initial = 100_000 })).Start(t, flows...)
	var sent kinds
	r.Engine.Observe([]netsim.PortID{r.Engine.Network().Home(0)}, &sent)
	r.Engine.Run(100 * us)
	runs := map[int]int{}
	control := 0
	for _, k := range sent {
		if k != netsim.Data {
			control++
			continue
		}
		runs[control]++
		control = 0
	}
	total := 0
	for _, n := range runs {
		total += n
	}
	if total < 200 || runs[10] < total-20 {
		t.Errorf("of %d packets of data so many follow so many control packets: %v", total, runs)
	}
}

// With the list of uet-htsim, which contains idle flows several times, a flow of 2 MB between pods gets as many PULLs
// as recorded (206).
func TestStalePulls(t *testing.T) {
	var pulls [2]int
	for i := range pulls {
		l := lab(netsimtest.KAry(4), params("rccc", func(p *uet.Params) { p.StalePulls = i == 1 }))
		l.Trace = true
		r := l.Run(t, cctest.Flow(0, 13, 2_000_000))
		for _, e := range r.Wire {
			if e.Packet.Kind == netsim.Control {
				pulls[i]++
			}
		}
		if x := r.Of(0); x.Outcome != transport.Finished {
			t.Errorf("%+v", x)
		}
	}
	if pulls != [2]int{163, 206} {
		t.Errorf("%v PULLs", pulls)
	}
}

// Fifteen senders send to one port. A packet is sent again once for each time that it was trimmed, and no packet waits
// for a timeout.
func TestTrimmedPacketsAreSentAgain(t *testing.T) {
	for _, control := range controls[:3] {
		var flows []transport.Flow
		for h := range netsim.NodeID(15) {
			flows = append(flows, cctest.Flow(1+h, 0, 500_000))
		}
		r := lab(netsimtest.KAry(4), params(control)).Run(t, flows...)
		c := r.Counters()
		var again int64
		for i := range r.Records {
			again += int64(r.Records[i].Retx)
			if r.Records[i].Timeouts > 0 {
				t.Errorf("%s: %+v", control, r.Records[i])
			}
		}
		if c.Trimmed == 0 || again != c.Trimmed || c.Dropped > 0 {
			t.Errorf("%s: %d packets sent again, %+v", control, again, c)
		}
	}
}

// After a timeout of 100 us the sender sends a lost packet again, or requests its ACK.
func TestLostPackets(t *testing.T) {
	for _, control := range controls {
		for name, lost := range map[string]func(p *netsim.Packet) bool{
			"data":      func(p *netsim.Packet) bool { return p.Kind == netsim.Data && p.Seq == 2*segment },
			"last data": func(p *netsim.Packet) bool { return p.Kind == netsim.Data && p.Flags&netsim.FlagLast != 0 },
			"last ACK":  func(p *netsim.Packet) bool { return p.Kind == netsim.Ack && p.Seq == 100*segment },
			"PULL":      func(p *netsim.Packet) bool { return p.Kind == netsim.Control },
		} {
			l := lab(netsimtest.Star(2), params(control))
			gone := map[[2]int64]bool{}
			l.Drop = func(_ unit.Time, p *netsim.Packet) bool {
				key := [2]int64{int64(p.Kind), p.Seq}
				drop := lost(p) && !gone[key] && len(gone) < 1
				gone[key] = gone[key] || drop
				return drop
			}
			x := l.Run(t, cctest.Flow(0, 1, 100*segment)).Of(0)
			if x.Outcome != transport.Finished || x.FCT > x.Ideal+400*us {
				t.Errorf("%s, %s: %+v", control, name, x)
			}
		}
	}
}

// If no packet of the receiver arrives, the flow ends after max_retries timeouts.
func TestNobodyAnswers(t *testing.T) {
	for _, control := range controls {
		l := lab(netsimtest.Star(2), params(control))
		l.Transport.MaxRetries = 2
		l.Drop = func(_ unit.Time, p *netsim.Packet) bool { return p.Kind == netsim.Data }
		if x := l.Run(t, cctest.Flow(0, 1, 6*segment)).Of(0); x.Outcome != transport.Failed || x.Timeouts != 2 {
			t.Errorf("%s: %+v", control, x)
		}
	}
}

// Several engines give the same records as one.
func TestSeveralEngines(t *testing.T) {
	for _, control := range controls[:3] {
		run := func(parts int) []transport.Record {
			var flows []transport.Flow
			for h := range netsim.NodeID(15) {
				flows = append(flows, cctest.Flow(h, 15, 20*segment), cctest.Flow(h, (h+4)%15, 30*segment))
			}
			r := lab(netsimtest.KAry(4), params(control)).RunParts(t, parts, flows...)
			slices.SortFunc(r.Records, func(a, b transport.Record) int { return int(a.Number - b.Number) })
			return r.Records
		}
		one := run(1)
		for _, parts := range []int{2, 3, 7} {
			if !slices.Equal(run(parts), one) {
				t.Errorf("%s: on %d engines other records", control, parts)
			}
		}
	}
}

// Every flow ends, for any losses by bit errors, broken links or short queues.
func TestComesToAnEnd(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := netsimtest.KAry(4)
		loss := rapid.SampledFrom([]float64{0, 0, 0.001, 0.05}).Draw(rt, "loss")
		for i := range g.Links {
			g.Links[i].ErrorRate = loss
		}
		p := params(rapid.SampledFrom(controls).Draw(rt, "control"), func(p *uet.Params) {
			p.Sleek = rapid.Bool().Draw(rt, "sleek")
			p.Threshold = rapid.SampledFrom([]unit.Bytes{1, 16384, 65536}).Draw(rt, "threshold")
			p.Initial = rapid.IntRange(0, 40).Draw(rt, "window")
		})
		l := lab(g, p, func(c *netsim.Config) {
			c.Trimming.Queue = rapid.IntRange(1, 8).Draw(rt, "queue")
			c.Trimming.HeaderQueue = rapid.IntRange(1, 2).Draw(rt, "headers")
			c.Trimming.Action = []string{"drop", "trim", "trim"}[rapid.IntRange(0, 2).Draw(rt, "drop")]
			c.Trimming.Return = rapid.Bool().Draw(rt, "return")
		})
		l.Seed = rapid.Uint64().Draw(rt, "seed")
		if rapid.IntRange(0, 3).Draw(rt, "fault") == 0 {
			at := unit.Time(rapid.IntRange(1, 300).Draw(rt, "at")) * us
			x := rapid.IntRange(0, len(g.Links)-1).Draw(rt, "link")
			l.Faults = []cctest.Fault{{At: at, Link: x, Broken: true}, {At: at + 200*us, Link: x}}
		}
		var flows []transport.Flow
		for range rapid.IntRange(1, 20).Draw(rt, "flows") {
			src := rapid.IntRange(0, 15).Draw(rt, "src")
			flows = append(flows, cctest.Flow(netsim.NodeID(src),
				netsim.NodeID((src+rapid.IntRange(1, 15).Draw(rt, "distance"))%16),
				unit.Bytes(rapid.IntRange(1, 300_000).Draw(rt, "size"))))
		}
		r := l.Run(rt, flows...)
		if loss == 0 && len(l.Faults) == 0 {
			for i := range r.Records {
				if r.Records[i].Outcome != transport.Finished {
					rt.Errorf("%+v", r.Records[i])
				}
			}
		}
	})
}

// A permutation allocates nothing in the long run.
func TestAllocatesNothing(t *testing.T) {
	if invariants.Enabled {
		t.Skip("needs go test without -tags invariants, whose checks allocate")
	}
	for _, control := range controls[:3] {
		var flows []transport.Flow
		for h := range netsim.NodeID(16) {
			flows = append(flows, cctest.Flow(h, (h+5)%16, 1<<40))
		}
		r := lab(netsimtest.KAry(4), params(control)).Start(t, flows...)
		at := 2 * ms
		r.Engine.Run(at)
		before := r.Counters().PacketHops
		allocs := testing.AllocsPerRun(5, func() {
			at += 100 * us
			r.Engine.Run(at)
		})
		if n := r.Counters().PacketHops - before; allocs > 1 || n < 10_000 { // a list may double
			t.Errorf("%s: %v allocations in 100 us, %d packet-hops in all", control, allocs, n)
		}
	}
}

// BenchmarkPermutation runs a fat tree of 128 hosts at full load.
func BenchmarkPermutation(b *testing.B) {
	for _, control := range controls[:3] {
		b.Run(control, func(b *testing.B) {
			var flows []transport.Flow
			for h := range netsim.NodeID(128) {
				flows = append(flows, cctest.Flow(h, (h+37)%128, 1<<40))
			}
			r := lab(netsimtest.KAry(8), params(control)).Start(b, flows...)
			r.Engine.Run(200 * us)
			before := r.Counters().PacketHops
			b.ReportAllocs()
			b.ResetTimer()
			for r.Counters().PacketHops < before+int64(b.N) {
				r.Engine.Run(r.Engine.Now() + us)
			}
			b.ReportMetric(float64(r.Counters().PacketHops-before)/b.Elapsed().Seconds()/1e6, "Mhops/s")
		})
	}
}

// Receivers.Answers counts the ACKs of a flow in an empty network, and one PULL for every Pull bytes. A receiver that
// has nothing else to ask for sends more PULLs, for up to two windows.
func TestAnswersOfAFlow(t *testing.T) {
	for _, control := range []string{"nscc", "rccc"} {
		for _, threshold := range []unit.Bytes{1, 16384} {
			for _, packets := range []int64{1, 2, 3, 16, 100} {
				p := params(control, func(p *uet.Params) { p.Threshold = threshold })
				l := lab(netsimtest.Star(2), p)
				var acks, pulls int64
				l.Drop = func(_ unit.Time, p *netsim.Packet) bool {
					switch p.Kind {
					case netsim.Ack:
						acks++
					case netsim.Control:
						pulls++
					}
					return false
				}
				l.Run(t, cctest.Flow(0, 1, unit.Bytes(packets*segment)))
				want := p.Receivers().Answers(packets, unit.Bytes(packets*packet))
				most := int64(0)
				if control == "rccc" {
					most = int64(2*1.5*float64((100*unit.Gbps).In(p.BaseRTT)))/int64(p.Pull) + 1
				}
				if got := acks + pulls; got < want-1 || got > want+most {
					t.Errorf("%s, %v, %d packets: %d ACKs and %d PULLs, want %d to %d together", control, threshold,
						packets, acks, pulls, want-1, want+most)
				}
			}
		}
	}
}

// The last packet has 65 B. It waits for the previous packet on the link of 100 Gb/s and arrives 65·8/100 = 5.2 ns
// after it. On the link of 10 Gb/s an ACK takes 51.2 ns. So the last ACK waits there for 51.2 - 5.2 = 46 ns, but only
// if the receiver acknowledges the previous packet.
func TestIdealWithFewAcks(t *testing.T) {
	g := netsimtest.Star(2)
	g.Links[0].Rate = 10 * unit.Gbps
	var fct [2]unit.Time
	for i, threshold := range []unit.Bytes{1, 16384} {
		l := lab(g, params("rccc", func(p *uet.Params) { p.Threshold = threshold }))
		x := l.Run(t, cctest.Flow(0, 1, 10*segment+1)).Of(0)
		if fct[i] = x.FCT; x.FCT != x.Ideal {
			t.Errorf("an ACK after %v: FCT %v, ideal %v", threshold, x.FCT, x.Ideal)
		}
	}
	if wait := fct[0] - fct[1]; wait != 46*unit.Nanosecond {
		t.Errorf("the last ACK waits for %v, want 46 ns", wait)
	}
}
