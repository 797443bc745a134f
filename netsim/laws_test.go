package netsim_test

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/netsim"
	"pintlab/netsim/buffer"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
)

// drawGraph returns a small network of any kind, with links of any rate and delay.
func drawGraph(t *rapid.T) *topo.Graph {
	var g *topo.Graph
	switch rapid.SampledFrom([]string{"star", "chain", "dumbbell", "leaf-spine", "fat tree", "two homes"}).Draw(t,
		"topology") {
	case "star":
		g = netsimtest.Star(rapid.IntRange(2, 7).Draw(t, "hosts"))
	case "chain":
		c := schema.Default[topo.Chain]()
		c.Switches, c.HostsPerSwitch, c.EndsOnly = rapid.IntRange(1, 5).Draw(t, "switches"),
			rapid.IntRange(1, 3).Draw(t, "hosts"), false
		if c.Switches == 1 {
			c.HostsPerSwitch++
		}
		g = netsimtest.Must(c.Build())
	case "dumbbell":
		c := schema.Default[topo.Dumbbell]()
		c.Left, c.Right = rapid.IntRange(1, 4).Draw(t, "left"), rapid.IntRange(1, 4).Draw(t, "right")
		g = netsimtest.Must(c.Build())
	case "leaf-spine":
		c := schema.Default[topo.LeafSpine]()
		c.Leaves, c.Spines, c.HostsPerLeaf = rapid.IntRange(2, 3).Draw(t, "leaves"),
			rapid.IntRange(1, 3).Draw(t, "spines"), 2
		g = netsimtest.Must(c.Build())
	case "fat tree":
		g = netsimtest.KAry(4)
	case "two homes": // every host has a link to each of two switches
		g = netsimtest.Star(rapid.IntRange(2, 4).Draw(t, "hosts"))
		second := netsim.NodeID(len(g.Nodes))
		g.Nodes = append(g.Nodes, topo.Node{Kind: topo.Switch})
		for _, h := range g.Hosts() {
			g.Links = append(g.Links, topo.Link{A: h, B: second, Rate: 100 * unit.Gbps, Delay: unit.Microsecond})
		}
	}
	same := rapid.Bool().Draw(t, "same links")
	for i := range g.Links {
		if l := &g.Links[i]; i == 0 || !same {
			l.Rate = unit.Rate(rapid.SampledFrom([]int64{1, 10, 25, 100, 400}).Draw(t, "gbps")) * unit.Gbps
			l.Delay = unit.Time(rapid.Int64Range(1, 3_000_000).Draw(t, "delay"))
		} else {
			l.Rate, l.Delay = g.Links[0].Rate, g.Links[0].Delay
		}
	}
	return g
}

// trial is a random scenario for the tests of laws.
type trial struct {
	lab      cctest.Lab
	flows    []transport.Flow
	lossless bool
	loss     float64
	fifo     bool
}

// sizes are the sizes of flows: a byte, about a packet, many packets. rapid draws the first sizes of the list more
// often.
var sizes = []int64{20_000, 60_000, 1, 150_000, 1000, 1001, 1460, 5_555}

// drawTrial returns a trial with any transport, on any network, under any traffic.
func drawTrial(t *rapid.T) trial {
	g := drawGraph(t)
	x := trial{lab: system(rapid.SampledFrom(systems).Draw(t, "system"), g)}
	x.lab.Seed = rapid.Uint64().Draw(t, "seed")
	x.loss = rapid.SampledFrom([]float64{0, 0, 0, 0.001, 0.01, 0.1, 0.3, 0.6}).Draw(t, "loss")
	for i := range g.Links {
		g.Links[i].ErrorRate = x.loss
	}
	c := &x.lab.Transport
	c.AckEvery = rapid.SampledFrom([]int{1, 1, 2, 20}).Draw(t, "ack every")
	if c.AckEvery > 1 && rapid.Bool().Draw(t, "delayed ACK") {
		c.AckDelay = unit.Time(rapid.Int64Range(1, 100_000_000).Draw(t, "ack delay"))
	}
	c.RTOMin = unit.Time(rapid.SampledFrom([]int64{10_000_000, 100_000_000}).Draw(t, "rto"))
	c.RTOInitial, c.RTOMax, c.MaxRetries = 2*c.RTOMin, 8*c.RTOMin, rapid.SampledFrom([]int{0, 3, 8}).Draw(t, "timeouts")
	c.NackInterval = unit.Time(rapid.SampledFrom([]int64{0, 5_000_000, 500_000_000}).Draw(t, "nack interval"))
	x.lossless = rapid.Bool().Draw(t, "lossless")
	x.fifo = rapid.IntRange(0, 3).Draw(t, "ties") == 0
	ecn := rapid.Bool().Draw(t, "ecn")
	processing := unit.Time(rapid.SampledFrom([]int64{0, 0, 250_000}).Draw(t, "processing"))
	capacity := unit.Bytes(rapid.SampledFrom([]int64{20_000, 3_000, 100_000}).Draw(t, "buffer"))
	classes := rapid.IntRange(1, 3).Draw(t, "classes")
	x.lab.Network = func(n *netsim.Config) {
		n.ProcessingDelay = processing
		if x.fifo {
			n.Ties = netsim.FIFO
		}
		if ecn {
			n.ECN = netsim.ECN{Enabled: true, KMin: 5_000, KMax: 20_000, PMax: 0.5,
				AtRate: 100 * unit.Gbps, AtHosts: true}
		}
		if !x.lossless {
			n.PFC.Enabled, n.Buffer, n.PortLimit = false, 2*capacity, unit.Limit(capacity)
			return
		}
		n.Classes, n.Buffer = classes, 0
		degree := make([]unit.Bytes, len(g.Nodes))
		for _, l := range g.Links {
			room := n.PFC.Reserve + buffer.Headroom(l.Rate, l.Delay+processing, n.MaxPacket,
				unit.Bytes(classes)*n.PFC.Frame)
			degree[l.A] += room
			degree[l.B] += room
		}
		n.Buffer = unit.Bytes(classes)*slices.Max(degree) + capacity
	}
	hosts := g.Hosts()
	start := unit.Time(0)
	incast := rapid.Bool().Draw(t, "incast")
	together := rapid.Bool().Draw(t, "together")
	for i := range rapid.SampledFrom([]int{4, 1, 16, 8, 2}).Draw(t, "flows") {
		if !together {
			start += unit.Time(rapid.Int64Range(0, 20_000_000).Draw(t, "later"))
		}
		src := rapid.IntRange(0, len(hosts)-1).Draw(t, "src")
		dst := rapid.IntRange(0, len(hosts)-2).Draw(t, "dst")
		if incast && src != 0 {
			dst = 0
		} else if dst >= src {
			dst++
		}
		f := cctest.Flow(hosts[src], hosts[dst], unit.Bytes(rapid.SampledFrom(sizes).Draw(t, "size")))
		f.Start, f.Class = start, uint8(3+i%classes)
		x.flows = append(x.flows, f)
	}
	at := unit.Time(0)
	for range rapid.SampledFrom([]int{0, 0, 0, 1, 4}).Draw(t, "faults") {
		at += unit.Time(rapid.SampledFrom([]int64{5_000_000, 1, 30_000_000}).Draw(t, "fault after"))
		f := cctest.Fault{At: at, Link: rapid.IntRange(-1, len(g.Links)-1).Draw(t, "link"), Broken: true}
		f.Host = hosts[rapid.IntRange(0, len(hosts)-1).Draw(t, "host")]
		x.lab.Faults = append(x.lab.Faults, f)
		if f.Link < 0 || rapid.Bool().Draw(t, "repair") {
			f.Broken = false
			f.At += unit.Time(rapid.SampledFrom([]int64{20_000_000, 1, 3_000_000_000}).Draw(t, "repair after"))
			x.lab.Faults = append(x.lab.Faults, f)
		}
	}
	slices.SortStableFunc(x.lab.Faults, func(a, b cctest.Fault) int { return cmp.Compare(a.At, b.At) })
	return x
}

// audit stands between the network and the transport and adds up the data that arrives. The transport may report a flow
// as finished only after all bytes of the flow have arrived.
type audit struct {
	*transport.Stack
	e     *netsim.Engine
	ports *netsim.Network
	flows map[int32]*arrived // by slot: the flow that uses it
	all   []*arrived
}

type arrived struct {
	src, dst netsim.NodeID
	segments map[int64]int64
	bytes    int64
	size     int64 // 0 until the last byte has arrived
}

func (a *audit) Next(p netsim.PortID) netsim.PacketID {
	id := a.Stack.Next(p)
	if id != netsim.NoPacket {
		if k := a.e.Packet(id); k.ID == 0 {
			src, _ := a.ports.PortEnds(p)
			f := &arrived{src: src, dst: -1, segments: map[int64]int64{}}
			a.flows[k.Flow] = f
			a.all = append(a.all, f)
		}
	}
	return id
}

func (a *audit) Deliver(host netsim.NodeID, id netsim.PacketID) {
	if k := a.e.Packet(id); k.Kind == netsim.Data {
		f := a.flows[k.Flow]
		if f.dst >= 0 && f.dst != host {
			panic("a flow reaches two hosts")
		}
		f.dst = host
		if _, ok := f.segments[k.Seq]; !ok {
			f.segments[k.Seq] = int64(k.Payload)
			f.bytes += int64(k.Payload)
		}
		if k.Flags&netsim.FlagLast != 0 {
			f.size = k.Seq + int64(k.Payload)
		}
	}
	a.Stack.Deliver(host, id)
}

// check compares the arrived data with the records.
func (a *audit) check(t *rapid.T, records []transport.Record) {
	type key struct {
		src, dst netsim.NodeID
		size     int64
	}
	complete := map[key]int{}
	for _, f := range a.all {
		if f.size > 0 && f.bytes > f.size {
			t.Fatalf("%d bytes of a flow of %d arrived", f.bytes, f.size)
		}
		if f.size > 0 && f.bytes == f.size {
			complete[key{f.src, f.dst, f.size}]++
		}
	}
	for i := range records {
		if x := &records[i]; x.Outcome == transport.Finished {
			k := key{x.Src, x.Dst, int64(x.Size)}
			if complete[k]--; complete[k] < 0 {
				t.Fatalf("flow %d finished, but its bytes have not all arrived", x.Number)
			}
		}
	}
}

// For any network, transport, traffic, buffers, losses and faults: time does not go back, queues are first in, first
// out, packets and bytes are conserved, PFC does not drop, and every flow either finishes with all its bytes at its
// destination or fails.
func TestLawsOfTheNetwork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawTrial(t)
		taps := x.lab.Taps
		x.lab.Taps = func(n *netsim.Network) []netsim.Tap {
			w := newWatch(t, n)
			w.Reorder = len(x.lab.Faults) > 0
			if taps == nil {
				return []netsim.Tap{w}
			}
			return append(taps(n), w)
		}
		r := x.lab.Start(t, x.flows...)
		a := &audit{Stack: r.Stack, e: r.Engine, ports: r.Net.Net, flows: map[int32]*arrived{}}
		r.Engine.Attach(a)
		x.lab.Finish(r)
		checkMemory(t, r.Net)
		a.check(t, r.Records)
		c := r.Counters()
		whole := len(x.lab.Faults) == 0
		if whole && x.lossless && c.Dropped != 0 {
			t.Fatalf("%d packets dropped with PFC", c.Dropped)
		}
		if whole && x.loss == 0 && c.Lost != 0 {
			t.Fatalf("%d packets lost on links that lose none", c.Lost)
		}
		if whole && x.loss == 0 && x.lossless && x.lab.Transport.MaxRetries == 8 {
			for i := range r.Records {
				if r.Records[i].Outcome != transport.Finished && r.Records[i].Retx == 0 {
					t.Fatalf("flow %d has failed without any loss", r.Records[i].Number)
				}
			}
		}
	})
}

// Two runs with the same seed have the same events, and so does a third run with a tap that adds no bytes. The records
// are also the same on several engines.
func TestRunsRepeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawTrial(t)
		first := x.lab.Run(t, x.flows...)
		again := x.lab.Run(t, x.flows...)
		same(t, "a second run", first, again, true)

		watched := x.lab
		watched.Taps = func(n *netsim.Network) []netsim.Tap {
			w := newWatch(t, n)
			w.Reorder = len(x.lab.Faults) > 0
			taps := []netsim.Tap{w}
			if x.lab.Taps != nil {
				taps = append(taps, x.lab.Taps(n)...)
			}
			return taps
		}
		watched.Sinks = []netsim.Sink{watched.Taps(first.Net.Net)[0].(netsim.Sink)}
		same(t, "a run with a tap", first, watched.Run(t, x.flows...), true)

		if !x.fifo {
			parts := rapid.IntRange(2, 4).Draw(t, "parts")
			same(t, "a run on several engines", first, x.lab.RunParts(t, parts, x.flows...), false)
		}
	})
}

func same(t *rapid.T, what string, a, b *cctest.Trial, events bool) {
	t.Helper()
	ca, cb := a.Counters(), b.Counters()
	if !events {
		ca.Events, cb.Events = 0, 0
	}
	if ca != cb {
		t.Fatalf("%s counts %+v instead of %+v", what, cb, ca)
	}
	byNumber := func(x, y transport.Record) int { return cmp.Compare(x.Number, y.Number) }
	ra, rb := slices.SortedFunc(slices.Values(a.Records), byNumber),
		slices.SortedFunc(slices.Values(b.Records), byNumber)
	for i := range ra {
		if ra[i] != rb[i] {
			t.Fatalf("%s: record\n%+v instead of\n%+v", what, rb[i], ra[i])
		}
	}
}
