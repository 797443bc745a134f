package ndp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/route"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/ndp"
)

const (
	us, ms  = unit.Microsecond, unit.Millisecond
	segment = 8936
	full    = 7200 * unit.Nanosecond // a packet of 9000 B at 10 Gb/s
)

// tengig returns a graph with links of 10 Gb/s and 1 us.
func tengig(g *topo.Graph) *topo.Graph {
	for i := range g.Links {
		g.Links[i].Rate = 10 * unit.Gbps
	}
	return g
}

// lab returns NDP with the paper's settings: packets of 9000 B with 64 B of headers, queues of eight packets, ten
// headers per packet, and senders that permute their paths.
func lab(t testing.TB, g *topo.Graph, window int, change ...func(*netsim.Config)) cctest.Lab {
	t.Helper()
	hosts := cctest.Of(ndp.Hosts{})
	hosts.Segment, hosts.AckMin, hosts.RTOInitial = segment, 64, ms
	hosts.Balancer = (&route.Permute{}).Balancer(g, 1)
	return cctest.Lab{
		Graph: g, Transport: hosts,
		Network: func(c *netsim.Config) {
			c.Trimming = netsim.Trimming{Enabled: true, Action: "trim", Queue: 8, HeaderQueue: 8, Tail: 0.5,
				Return: true}
			c.HeaderClass = 7
			c.Scheduling = netsim.Scheduling{Kind: netsim.Weighted, Weights: []string{"7=10"}}
			c.PFC.Enabled, c.PerPacket = false, true
			for _, f := range change {
				f(c)
			}
		},
		Control: control(t, window),
	}
}

// control returns a factory of controllers with the given first window.
func control(t testing.TB, window int) func(*netsim.Network) transport.Factory {
	return func(*netsim.Network) transport.Factory {
		f, err := (&ndp.Params{Initial: window}).New(&transport.Setting{Queue: 8 * 9000})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
}

func TestSuite(t *testing.T) {
	for _, window := range []int{0, 1, 30} {
		cctest.Suite(t, control(t, window)(nil))
	}
}

// The first window in the paper's fat tree, with five switches and 10 Gb/s: the base RTT is 12 us plus six packets of
// 7148.8 ns, in which a link sends 68 616 B. Half of five queues of 72 000 B is added, which gives 248 616 B, or 28
// packets.
func TestFirstWindow(t *testing.T) {
	for window, want := range map[int]unit.Bytes{0: 28, 30: 30, 1: 1} {
		c := control(t, window)(nil)()
		c.Start(0, transport.FlowInfo{
			Segment: segment, Packet: 9000, LineRate: 10 * unit.Gbps, PathRate: 10 * unit.Gbps, Hops: 5,
			BaseRTT: 12*us + 6*(10*unit.Gbps).TxTime(segment),
		})
		if c.Window() != want*segment || c.Rate() != 10*unit.Gbps {
			t.Errorf("initial_window %d: %v, %v, want %d packets", window, c.Window(), c.Rate(), want)
		}
	}
}

// log lists the packets that a source sends and the arrivals at hosts. Each entry has the kind and number of the packet
// or PULL, and the time in units of a full packet's transmission time.
func log(r *cctest.Trial, kinds ...netsim.Kind) string {
	names := map[netsim.Kind]string{netsim.Data: "data", netsim.Ack: "ack", netsim.Nack: "nack",
		netsim.Control: "pull", netsim.Returned: "back"}
	var words []string
	for _, e := range r.Wire {
		p := &e.Packet
		if !slices.Contains(kinds, p.Kind) || e.Sent != (p.Kind == netsim.Data) {
			continue
		}
		n := p.Seq
		if p.Kind != netsim.Control {
			n /= segment
		}
		words = append(words, fmt.Sprintf("%s%d", names[p.Kind], n))
	}
	return strings.Join(words, " ")
}

// A flow of six packets is alone in the network and has a first window of three. The receiver acknowledges each packet
// and pulls another one, until it knows that none is missing. The sender has nothing to send for the fourth and the
// fifth PULL, and there is no sixth. PULLs are a packet's time apart. The first PULL arrives 18 553.6 ns after the
// start: data takes 16.4 us over two links of 7.2 us and 1 us, the ACK before the PULL takes 51.2 ns, and the PULL
// takes 1051.2 ns on each link back. The sender is then sending the third packet, so that it never stops. The last
// packet arrives after 6·7.2 + 9.2 us, and its ACK takes 2102.4 ns.
func TestOneFlowByHand(t *testing.T) {
	l := lab(t, tengig(netsimtest.Star(2)), 3)
	l.Trace = true
	r := l.Run(t, cctest.Flow(0, 1, 6*segment))
	if got, want := log(r, netsim.Data, netsim.Control),
		"data0 data1 data2 pull1 data3 pull2 data4 pull3 data5 pull4 pull5"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := log(r, netsim.Ack, netsim.Nack), "ack1 ack2 ack3 ack4 ack5 ack6"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	var pulls []unit.Time
	for _, e := range r.Wire {
		if e.Packet.Kind == netsim.Control && !e.Sent {
			pulls = append(pulls, e.At)
		}
	}
	for i := 1; i < len(pulls); i++ {
		if gap := pulls[i] - pulls[i-1]; gap != full {
			t.Errorf("PULL %d comes %v after the one before, want %v", i+1, gap, full)
		}
	}
	if x := r.Of(0); x.FCT != 54_502_400 || x.Retx != 0 || x.Packets != 6 {
		t.Errorf("%+v", x)
	}
}

// Two senders with first windows of eight packets send to one port, whose queue has room for two. Every trimmed packet
// gets a NACK before it is sent again, and no packet is sent again without a PULL. Each packet is sent again at most
// once for each time that it was trimmed.
func TestTrimmedPacketsAreSentAgainWhenPulled(t *testing.T) {
	l := lab(t, tengig(netsimtest.Star(3)), 8, func(c *netsim.Config) { c.Trimming.Queue = 2 })
	l.Trace = true
	r := l.Run(t, cctest.Flow(0, 2, 8*segment), cctest.Flow(1, 2, 8*segment))
	c := r.Counters()
	if c.Trimmed == 0 || c.Dropped > 0 || c.Returned > 0 {
		t.Fatalf("%+v", c)
	}
	nacks, pulled, sent := map[int32]int64{}, map[int32]int64{}, map[int32]int64{}
	for _, e := range r.Wire {
		p := &e.Packet
		switch {
		case p.Kind == netsim.Nack:
			nacks[p.Flow]++
		case p.Kind == netsim.Control:
			pulled[p.Flow] = p.Seq
		case p.Kind == netsim.Data && e.Sent:
			if sent[p.Flow]++; sent[p.Flow] > 8+min(pulled[p.Flow], nacks[p.Flow]) {
				t.Errorf("flow %d sends its packet number %d after %d PULLs and %d NACKs",
					p.Flow, sent[p.Flow], pulled[p.Flow], nacks[p.Flow])
			}
		}
	}
	var again int64
	for i := range r.Records {
		x := &r.Records[i]
		again += int64(x.Retx)
		if x.Timeouts > 0 {
			t.Errorf("flow %d: %d timeouts", x.Number, x.Timeouts)
		}
	}
	if again != c.Trimmed {
		t.Errorf("%d packets sent again, %d trimmed", again, c.Trimmed)
	}
}

// The counter of the next PULL compensates for a lost PULL. If the last PULL is lost, the receiver requests again, so
// that the flow ends within a timeout.
func TestLostPulls(t *testing.T) {
	for _, lost := range []int64{1, 3, 5} {
		l := lab(t, tengig(netsimtest.Star(2)), 2)
		done := false
		l.Drop = func(_ unit.Time, p *netsim.Packet) bool {
			drop := p.Kind == netsim.Control && p.Seq == lost && !done
			done = done || drop
			return drop
		}
		r := l.Run(t, cctest.Flow(0, 1, 7*segment))
		x := r.Of(0)
		if !done || x.Timeouts > 0 || x.Retx > 0 || x.FCT > x.Ideal+ms+100*us {
			t.Errorf("PULL %d is lost (%v): %+v", lost, done, x)
		}
	}
}

// Lost data, headers or answers cause a retransmission after a timeout of 1 ms.
func TestLostPackets(t *testing.T) {
	for name, lost := range map[string]func(p *netsim.Packet) bool{
		"data":         func(p *netsim.Packet) bool { return p.Kind == netsim.Data && p.Seq == 2*segment },
		"last data":    func(p *netsim.Packet) bool { return p.Kind == netsim.Data && p.Flags&netsim.FlagLast != 0 },
		"ACK":          func(p *netsim.Packet) bool { return p.Kind == netsim.Ack && p.Seq == 3*segment },
		"last ACK":     func(p *netsim.Packet) bool { return p.Kind == netsim.Ack && p.Seq == 6*segment },
		"first window": func(p *netsim.Packet) bool { return p.Kind == netsim.Data && p.Seq < 3*segment },
	} {
		l := lab(t, tengig(netsimtest.Star(2)), 3)
		gone := map[[2]int64]bool{}
		l.Drop = func(_ unit.Time, p *netsim.Packet) bool {
			key := [2]int64{int64(p.Kind), p.Seq}
			drop := lost(p) && !gone[key]
			gone[key] = gone[key] || drop
			return drop
		}
		x := l.Run(t, cctest.Flow(0, 1, 6*segment)).Of(0)
		if len(gone) == 0 || x.Outcome != transport.Finished || x.FCT > x.Ideal+3*ms {
			t.Errorf("%s: %+v", name, x)
		}
	}
}

// If no packet of the receiver arrives, the flow ends after max_retries timeouts.
func TestNobodyAnswers(t *testing.T) {
	l := lab(t, tengig(netsimtest.Star(2)), 3)
	l.Transport.MaxRetries = 2
	l.Drop = func(_ unit.Time, p *netsim.Packet) bool { return p.Kind == netsim.Data }
	if x := l.Run(t, cctest.Flow(0, 1, 6*segment)).Of(0); x.Outcome != transport.Failed || x.Timeouts != 2 ||
		x.Packets != 9 {
		t.Errorf("%+v", x)
	}
}

// NDP §3.2.4: a sender whose packets all return sends only one of them again. Senders that expect PULLs wait for them.
// 60 senders with 30 packets each far exceed the room for 140 headers (one packet of 9000 B).
func TestReturnedPackets(t *testing.T) {
	const senders = 60
	l := lab(t, tengig(netsimtest.Star(senders+1)), 30, func(c *netsim.Config) { c.Trimming.HeaderQueue = 1 })
	var flows []transport.Flow
	for i := range netsim.NodeID(senders) {
		flows = append(flows, cctest.Flow(i, senders, 30*segment))
	}
	r := l.Run(t, flows...)
	c := r.Counters()
	if c.Returned == 0 || c.Dropped > c.Returned/10 {
		t.Fatalf("%+v", c)
	}
	last, timeouts := unit.Time(0), uint32(0)
	for i := range r.Records {
		last = max(last, r.Records[i].FCT)
		timeouts += r.Records[i].Timeouts
	}
	if best := senders * 30 * full; last > best+best/20 || timeouts > 0 {
		t.Errorf("the last of %d flows ends after %v, at best %v; %d timeouts", senders, last, best, timeouts)
	}
}

// incast runs flows of 50 packets (450 KB, as in the paper) from the given number of senders to one receiver. It
// returns the ends of the first and the last flow, in units of the time that the receiver's link needs for all flows.
func incast(t testing.TB, senders int, change func(*cctest.Lab)) (first, last float64, r *cctest.Trial) {
	t.Helper()
	l := lab(t, tengig(netsimtest.Star(senders+1)), 30)
	if change != nil {
		change(&l)
	}
	var flows []transport.Flow
	for i := range netsim.NodeID(senders) {
		f := cctest.Flow(i, netsim.NodeID(senders), 50*segment)
		if i%2 == 1 {
			f.Class = 5
		}
		flows = append(flows, f)
	}
	r = l.Run(t, flows...)
	best := (unit.Time(senders) * 50 * full).Seconds()
	first = 1e9
	for i := range r.Records {
		x := r.Records[i].FCT.Seconds() / best
		first, last = min(first, x), max(last, x)
	}
	return first, last, r
}

// An incast of 100 senders takes at most 2 % longer than the link needs, all flows end at about the same time, and no
// header is lost (NDP §6, Fig. 16: close to the ideal for any number of senders).
func TestIncastIsIdealAndFair(t *testing.T) {
	for _, senders := range []int{2, 20, 100} {
		first, last, r := incast(t, senders, nil)
		if c := r.Counters(); last > 1.02 && senders > 2 || last > 1.1 || first < 0.9*last || c.Dropped > 0 {
			t.Errorf("%d senders: the flows end between %.3f and %.3f times the ideal; %+v", senders, first, last, c)
		}
	}
}

// Flows of a higher class have priority (NDP §3.2.2): they end in half the time, and the other flows end at the same
// time as without classes.
func TestPullsByClass(t *testing.T) {
	_, last, r := incast(t, 20, func(l *cctest.Lab) { l.Transport.Recovery = ndp.Hosts{ByClass: true} })
	var high, low unit.Time
	for i := range r.Records {
		if x := &r.Records[i]; x.Class == 5 {
			high = max(high, x.FCT)
		} else {
			low = max(low, x.FCT)
		}
	}
	if share := high.Seconds() / low.Seconds(); share > 0.6 || last > 1.03 {
		t.Errorf("flows of the high class end after %.2f of the time of the others, which end at %.3f of the "+
			"ideal", share, last)
	}
}

// permutation runs an endless flow from each host of a k-ary fat tree to the host half a network away. It returns the
// mean and the smallest goodput of a flow as a share of the largest possible goodput of a link.
func permutation(t testing.TB, k int, l cctest.Lab, from, to unit.Time) (mean, least float64, r *cctest.Trial) {
	n := netsim.NodeID(k * k * k / 4)
	var flows []transport.Flow
	for h := range n {
		flows = append(flows, cctest.Flow(h, (h+n/2)%n, 1<<40))
	}
	r = l.Start(t, flows...)
	acked := map[int32]unit.Bytes{}
	r.Engine.Run(from)
	r.Stack.Inspect(func(s transport.FlowState) { acked[s.Number] = s.Acked })
	r.Engine.Run(to)
	least = 1
	r.Stack.Inspect(func(s transport.FlowState) {
		share := float64(s.Acked-acked[s.Number]) / segment * full.Seconds() / (to - from).Seconds()
		mean, least = mean+share/float64(n), min(least, share)
	})
	return mean, least, r
}

// With a permutation in a fat tree of 16 hosts, every host gets more than nine tenths of its link (NDP Fig. 14: 92 % on
// average with 432 hosts).
func TestPermutation(t *testing.T) {
	mean, least, r := permutation(t, 4, lab(t, tengig(netsimtest.KAry(4)), 30), ms, 4*ms)
	if c := r.Counters(); mean < 0.92 || least < 0.9 || c.Dropped > 0 {
		t.Errorf("hosts have %.3f of their links on the mean, one has %.3f; %+v", mean, least, c)
	}
}

// Two otherwise idle hosts exchange short flows in a fat tree whose other hosts send and receive at full rate (NDP Fig.
// 15). A flow of ten packets takes at most as long as alone plus the time in five full queues of eight packets.
// Drop-tail queues would fill the memory of the switches.
func TestShortFlowsUnderLoad(t *testing.T) {
	l := lab(t, tengig(netsimtest.KAry(4)), 30)
	var flows []transport.Flow
	for h := range netsim.NodeID(14) {
		flows = append(flows, cctest.Flow(1+h, 1+(h+7)%14, 600*segment))
	}
	for i := range 15 {
		f := cctest.Flow(0, 15, 10*segment)
		f.Start = ms + unit.Time(i)*200*us
		flows = append(flows, f)
	}
	r := l.Run(t, flows...)
	for i := range r.Records {
		if x := &r.Records[i]; x.Size == 10*segment && x.FCT > x.Ideal+5*8*full {
			t.Errorf("flow %d takes %v, alone %v", x.Number, x.FCT, x.Ideal)
		}
	}
}

// Several engines give the same records as one, even if switches hash the entropy values of PULLs.
func TestNDPOnSeveralEngines(t *testing.T) {
	g := tengig(netsimtest.KAry(4))
	t.Run("permute", func(t *testing.T) { severalEngines(t, lab(t, g, 30)) })
	t.Run("bitmap", func(t *testing.T) {
		l := lab(t, g, 30)
		l.Transport.Balancer = (&route.Bitmap{Oblivious: route.Oblivious{Values: 64}}).Balancer(g, 1)
		severalEngines(t, l)
	})
}

func severalEngines(t *testing.T, l cctest.Lab) {
	run := func(parts int) []transport.Record {
		var flows []transport.Flow
		for h := range netsim.NodeID(15) {
			flows = append(flows, cctest.Flow(h, 15, 20*segment), cctest.Flow(h, (h+4)%15, 30*segment))
		}
		r := l.RunParts(t, parts, flows...)
		slices.SortFunc(r.Records, func(a, b transport.Record) int { return int(a.Number - b.Number) })
		return r.Records
	}
	one := run(1)
	for parts := 2; parts <= 4; parts++ {
		if !slices.Equal(run(parts), one) {
			t.Errorf("on %d engines other records", parts)
		}
	}
}

// Every flow ends, for any losses by bit errors, broken links or short queues.
func TestNDPComesToAnEnd(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := tengig(netsimtest.KAry(4))
		loss := rapid.SampledFrom([]float64{0, 0, 0.001, 0.05}).Draw(rt, "loss")
		for i := range g.Links {
			g.Links[i].ErrorRate = loss
		}
		l := lab(t, g, rapid.IntRange(1, 40).Draw(rt, "window"), func(c *netsim.Config) {
			c.Trimming.Queue = rapid.IntRange(1, 8).Draw(rt, "queue")
			c.Trimming.HeaderQueue = rapid.IntRange(1, 2).Draw(rt, "headers")
			c.Trimming.Return = rapid.Bool().Draw(rt, "return")
		})
		l.Seed = rapid.Uint64().Draw(rt, "seed")
		l.Transport.Recovery = ndp.Hosts{ByClass: rapid.Bool().Draw(rt, "by class")}
		if rapid.IntRange(0, 3).Draw(rt, "fault") == 0 {
			at := unit.Time(rapid.IntRange(1, 300).Draw(rt, "at")) * us
			x := rapid.IntRange(0, len(g.Links)-1).Draw(rt, "link")
			l.Faults = []cctest.Fault{{At: at, Link: x, Broken: true}, {At: at + 200*us, Link: x}}
		}
		var flows []transport.Flow
		for range rapid.IntRange(1, 20).Draw(rt, "flows") {
			src := rapid.IntRange(0, 15).Draw(rt, "src")
			f := cctest.Flow(netsim.NodeID(src),
				netsim.NodeID((src+rapid.IntRange(1, 15).Draw(rt, "distance"))%16),
				unit.Bytes(rapid.IntRange(1, 500_000).Draw(rt, "size")))
			f.Class = uint8(rapid.IntRange(1, 6).Draw(rt, "class"))
			flows = append(flows, f)
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

// BenchmarkPermutation runs all of NDP in a fat tree of 128 hosts at full load.
func BenchmarkPermutation(b *testing.B) {
	_, _, r := permutation(b, 8, lab(b, tengig(netsimtest.KAry(8)), 30), 100*us, 200*us)
	before := r.Counters().PacketHops
	b.ReportAllocs()
	b.ResetTimer()
	for r.Counters().PacketHops < before+int64(b.N) {
		r.Engine.Run(r.Engine.Now() + us)
	}
	b.ReportMetric(float64(r.Counters().PacketHops-before)/b.Elapsed().Seconds()/1e6, "Mhops/s")
}

// avoiding sets the default penalty, with which senders omit bad paths.
func avoiding(l cctest.Lab) cctest.Lab {
	l.Transport.Recovery = (&ndp.Params{PathPenalty: true, PathAnswers: 16, PathRatio: 0.3, PathExcess: 1.25,
		PathRounds: 32}).Recovery(&transport.Setting{})
	return l
}

// last returns when the last flow of a run ended.
func last(r *cctest.Trial) unit.Time {
	end := unit.Time(0)
	for i := range r.Records {
		end = max(end, r.Records[i].FCT)
	}
	return end
}

// tree returns a 4-ary fat tree with the given rates of the uplinks of the first pod.
func tree(uplinks ...unit.Rate) *topo.Graph {
	g := tengig(netsimtest.KAry(4))
	for i, x := range g.Links {
		if max(g.Nodes[x.A].Layer, g.Nodes[x.B].Layer) == 3 && len(uplinks) > 0 {
			g.Links[i].Rate, uplinks = uplinks[0], uplinks[1:]
		}
	}
	return g
}

// Eight flows from two pods to the others use four paths each. With equal links the penalty has no cost.
func TestPenaltyCostsNothing(t *testing.T) {
	var flows []transport.Flow
	for h := range netsim.NodeID(8) {
		flows = append(flows, cctest.Flow(h, 15-h, 5_000_000))
	}
	without, with := lab(t, tree(), 30).Run(t, flows...), avoiding(lab(t, tree(), 30)).Run(t, flows...)
	if float64(last(with)) > 1.005*float64(last(without)) {
		t.Errorf("with the penalty the last flow ends after %v, without it after %v", last(with), last(without))
	}
}

// A link to a core switch has a tenth of its usual rate (NDP paper, §3.2.3). Two hosts of the pod send every fourth
// packet over this link: 5 Gb/s over a link of 1 Gb/s. Without a penalty four of five of these packets are trimmed. The
// other three paths have room for both hosts.
func TestPenaltyAvoidsASlowLink(t *testing.T) {
	flows := []transport.Flow{cctest.Flow(0, 15, 20_000_000), cctest.Flow(2, 13, 20_000_000)}
	even := last(lab(t, tree(), 30).Run(t, flows...))
	without := last(lab(t, tree(unit.Gbps), 30).Run(t, flows...))
	with := last(avoiding(lab(t, tree(unit.Gbps), 30)).Run(t, flows...))
	// The last packets may wait for 0.58 ms in the slow link's queue.
	if float64(without) < 1.2*float64(even) || with > even+ms {
		t.Errorf("the last flow ends after %v with a slow link and %v with the penalty, %v where links are alike",
			without, with, even)
	}
}

// One path of four silently loses all packets. Each lost packet means one packet fewer in flight
// until its timeout, so that without a penalty the flow stands still before each timeout.
func TestPenaltyAvoidsALossyPath(t *testing.T) {
	run := func(l cctest.Lab) *cctest.Trial {
		l.Drop = func(_ unit.Time, p *netsim.Packet) bool { return p.Kind == netsim.Data && p.Path == 2 }
		return l.Run(t, cctest.Flow(0, 15, 10_000_000))
	}
	without, with := run(lab(t, tree(), 30)), run(avoiding(lab(t, tree(), 30)))
	if float64(last(without)) < 1.5*float64(last(with)) || without.Records[0].Retx < 4*with.Records[0].Retx {
		t.Errorf("after %v with %d packets sent again, with the penalty %v and %d",
			last(without), without.Records[0].Retx, last(with), with.Records[0].Retx)
	}
}

// One path of four loses all packets for half a millisecond. Then routes change, because of a link in a pod that the
// flow does not cross, and all paths work. The sender detects the losses by timeouts. By then the number of the lossy
// path belongs to another path. The losses must not count for this other path, which keeps its share.
func TestLossesBeforeAChangeOfRoutesDoNotCount(t *testing.T) {
	const change = ms / 2
	l := avoiding(lab(t, tree(), 30))
	l.Faults = []cctest.Fault{{At: change, Link: slices.IndexFunc(l.Graph.Links, func(x topo.Link) bool {
		// The list contains the four links between the switches of each pod, one pod after the other.
		return max(l.Graph.Nodes[x.A].Layer, l.Graph.Nodes[x.B].Layer) == 2
	}) + 4, Broken: true}}
	lost, paths := 0, map[uint8]int{}
	l.Drop = func(now unit.Time, p *netsim.Packet) bool {
		if p.Kind != netsim.Data {
			return false
		}
		if now >= change {
			paths[p.Path]++
			return false
		}
		if p.Path == 2 {
			lost++
		}
		return p.Path == 2
	}
	r := l.Run(t, cctest.Flow(0, 15, 10_000_000))
	total := 0
	for _, n := range paths {
		total += n
	}
	if lost < 10 || r.Records[0].Timeouts == 0 {
		t.Fatalf("%d packets lost, %d timeouts", lost, r.Records[0].Timeouts)
	}
	if len(paths) != 4 || 4*paths[2] < total-20 {
		t.Errorf("%v packets by path after the change", paths)
	}
}
