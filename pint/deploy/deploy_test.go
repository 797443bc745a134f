package deploy

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/pint"
	"pintlab/pint/approx"
	"pintlab/pint/query"
)

func encoder(t testing.TB, s query.Spec) *query.Encoder {
	t.Helper()
	p, err := query.Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	e, err := query.NewEncoder(p, query.Options{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// pathAndLatency returns a plan with queries for path and latency, but not for load.
func pathAndLatency() query.Spec {
	s := query.Combined()
	s.Queries = s.Queries[:2]
	return s
}

func ids(g *topo.Graph) []uint64 {
	ids := make([]uint64, len(g.Nodes))
	for i, id := range g.Switches() {
		ids[id] = uint64(100 + i)
	}
	return ids
}

func load(n *netsim.Network) func(netsim.PortID) pint.Arithmetic {
	code, err := approx.New(approx.Utilization())
	if err != nil {
		panic(err)
	}
	return func(p netsim.PortID) pint.Arithmetic {
		a, err := approx.NewExact(n.PortRate(p), 13*unit.Microsecond, code)
		if err != nil {
			panic(err)
		}
		return a
	}
}

// crowd returns packets from many hosts to few, so that queues build up.
func crowd(g *topo.Graph, packets int) []netsimtest.Send {
	hosts := g.Hosts()
	var sends []netsimtest.Send
	for i := range packets {
		for h := 1; h < len(hosts); h++ {
			sends = append(sends, netsimtest.Send{
				At:  unit.Time(i)*400*unit.Nanosecond + unit.Time(h)*unit.Nanosecond,
				Src: hosts[h], Dst: hosts[(h*5)%4], Size: 1000,
			})
		}
	}
	return slices.DeleteFunc(sends, func(s netsimtest.Send) bool { return s.Src == s.Dst })
}

// allocations measures what a tap allocates on every data packet.
type allocations struct {
	tap  netsim.Tap
	most float64
	hops int
}

func (a *allocations) Dequeue(h *netsim.Hop) {
	if a.hops++; a.hops%50 == 0 {
		before := *h.Packet
		a.most = max(a.most, testing.AllocsPerRun(1, func() { a.tap.Dequeue(h) }))
		*h.Packet = before
	}
	a.tap.Dequeue(h)
}

// The combined plan allocates nothing at a hop, and its register equals the register of the single-query tap.
func TestSwitches(t *testing.T) {
	g := netsimtest.KAry(4)
	e := encoder(t, query.Combined())
	var a *allocations
	var s *Switches
	n := netsimtest.New(t, g, netsimtest.Options{Taps: func(n *netsim.Network) []netsim.Tap {
		var err error
		if s, err = NewSwitches(n, e, Config{IDs: ids(g), Load: load(n)}); err != nil {
			t.Fatal(err)
		}
		a = &allocations{tap: s}
		return []netsim.Tap{a}
	}})
	netsimtest.Play(t, n, crowd(g, 50))
	if a.hops < 1000 || a.most != 0 {
		t.Errorf("%v allocations at a hop of %d", a.most, a.hops)
	}
}

func TestLoadAsOneQuery(t *testing.T) {
	g := netsimtest.KAry(4)
	e := encoder(t, query.Combined())
	var s *Switches
	var u *pint.Utilization
	n := netsimtest.New(t, g, netsimtest.Options{Taps: func(n *netsim.Network) []netsim.Tap {
		var err error
		if s, err = NewSwitches(n, e, Config{IDs: ids(g), Load: load(n)}); err != nil {
			t.Fatal(err)
		}
		u = pint.NewUtilization(n.Ports(), load(n), pint.UtilizationOptions{Mask: 255})
		return []netsim.Tap{u, s}
	}})
	netsimtest.Play(t, n, crowd(g, 50))
	busy := 0
	for p := range netsim.PortID(n.Net.Ports()) {
		if from, _ := n.Net.PortEnds(p); g.Nodes[from].Kind == topo.Host {
			continue
		}
		if s.U(p) != u.U(p) {
			t.Errorf("port %d: U = %v, the single query has %v", p, s.U(p), u.U(p))
		}
		if s.U(p) > 0.1 {
			busy++
		}
	}
	if busy == 0 {
		t.Error("no port is busy: the test shows nothing")
	}
}

func TestCheck(t *testing.T) {
	if _, err := attach(&telemetry.Site{MaxHops: 6}, encoder(t, query.Combined()).Plan(), 0); err == nil ||
		!strings.Contains(err.Error(), "hops = 5, but the network has paths of 6 switches") {
		t.Errorf("a plan for 5 hops on paths of 6: %v", err)
	}
	n := netsimtest.New(t, netsimtest.Chain(2), netsimtest.Options{})
	if _, err := NewSwitches(n.Net, encoder(t, query.Combined()), Config{IDs: make([]uint64, 4)}); err == nil {
		t.Error("a plan with load and no arithmetic is accepted")
	}
	for _, v := range []query.Value{query.TxUtilization, query.QueueCongestion} {
		e := encoder(t, query.Spec{Bits: 8, Hops: 5, HashBits: 16,
			Queries: []query.Query{{Name: "q", Value: v, Aggregation: query.Max, Bits: 8}}})
		if _, err := NewSwitches(n.Net, e, Config{IDs: make([]uint64, 4)}); err == nil ||
			!strings.Contains(err.Error(), v.String()) {
			t.Errorf("%v without what it needs: %v", v, err)
		}
	}
	if _, err := NewSwitches(n.Net, encoder(t, pathAndLatency()), Config{IDs: make([]uint64, 3)}); err == nil {
		t.Error("three IDs for four nodes are accepted")
	}
	if _, err := NewCollector(n.Net, encoder(t, query.Combined()), query.Memory{Total: 100}, 1); err == nil {
		t.Error("a memory of 100 B is accepted")
	}
}

func BenchmarkDequeue(b *testing.B) {
	g := netsimtest.KAry(4)
	e := encoder(b, query.Combined())
	var tap *timed
	n := netsimtest.New(b, g, netsimtest.Options{Taps: func(n *netsim.Network) []netsim.Tap {
		s, err := NewSwitches(n, e, Config{IDs: ids(g), Load: load(n)})
		if err != nil {
			b.Fatal(err)
		}
		tap = &timed{tap: s, b: b}
		return []netsim.Tap{tap}
	}})
	hosts := g.Hosts()
	netsimtest.Play(b, n, []netsimtest.Send{{Src: hosts[0], Dst: hosts[15], Size: 1000}})
}

// timed runs the benchmark on the third hop of a packet.
type timed struct {
	tap netsim.Tap
	b   *testing.B
}

func (t *timed) Dequeue(h *netsim.Hop) {
	if h.Number != 2 {
		t.tap.Dequeue(h)
		return
	}
	t.b.ReportAllocs()
	for t.b.Loop() {
		h.Packet.ID++
		t.tap.Dequeue(h)
	}
}

// reference is the tap that computes all observations of a switch a second time: from the previous hop, the state of
// the ports, and separate averages.
type reference struct {
	t      *testing.T
	s      *Switches
	net    *netsim.Network
	ids    []uint64
	before map[int64]*netsim.Hop // by packet: the last switch that it has passed
	last   map[netsim.PortID]unit.Time
	u      map[netsim.PortID]float64
	busy   int // number of hops at busy ports
	queued int // number of hops at queues
	waited int // number of hops at which the packet waited
	inner  int // number of hops after another switch
}

const (
	testHorizon = 13 * unit.Microsecond
	testQueue   = unit.MB
)

func (r *reference) Dequeue(h *netsim.Hop) {
	var o query.Observation
	r.s.observe(h, &o)
	size := unit.Bytes(h.Packet.Size)
	here, _ := r.net.PortEnds(h.Port)
	if o.SwitchID != r.ids[here] {
		r.t.Fatalf("switch %d at node %d, want %d", o.SwitchID, here, r.ids[here])
	}
	if o.EgressPort != uint32(h.Port) {
		r.t.Fatalf("egress port %d, want %d", o.EgressPort, h.Port)
	}
	_, behind := r.net.PortEnds(netsim.PortID(o.IngressPort))
	if behind != here {
		r.t.Fatalf("ingress port %d leads to node %d, the packet is at %d", o.IngressPort, behind, here)
	}
	seq := h.Packet.Seq // index of the packet in the script
	// A packet arrives when its last bit has crossed the link from the previous switch.
	if b := r.before[seq]; b != nil {
		r.inner++
		if o.IngressPort != uint32(b.Port) {
			r.t.Fatalf("ingress port %d, the packet has left by %d", o.IngressPort, b.Port)
		}
		if want := b.Now + r.net.PortRate(b.Port).TxTime(size) + r.net.PortDelay(b.Port); o.IngressTime != want {
			r.t.Fatalf("in at %v, want %v", o.IngressTime, want)
		}
	}
	r.before[seq] = &netsim.Hop{Now: h.Now, Port: h.Port}
	if want := h.Now - o.IngressTime; o.HopLatency != want || want < 0 {
		r.t.Fatalf("hop latency %v, want %v", o.HopLatency, want)
	}
	if o.HopLatency > 0 {
		r.waited++
	}
	queue := r.net.PortQueue(h.Port)
	if o.QueueOccupancy != queue || o.QueueCongestion != float64(queue)/float64(testQueue) {
		r.t.Fatalf("queue of %v, which is %v of the longest; want %v of %v",
			o.QueueOccupancy, o.QueueCongestion, queue, testQueue)
	}
	if queue > 0 {
		r.queued++
	}
	// Utilisation is an average of bytes over the time since the previous packet, weighted with this time divided by
	// the horizon.
	tau, u := testHorizon, 0.0
	if at, ok := r.last[h.Port]; ok {
		tau, u = min(h.Now-at, testHorizon), r.u[h.Port]
	}
	w := tau.Seconds() / testHorizon.Seconds()
	rate := float64(8*size) / (float64(r.net.PortRate(h.Port)) * testHorizon.Seconds())
	r.u[h.Port] = u*(1-w) + rate
	r.last[h.Port] = h.Now
	if got, want := o.TxUtilization, min(r.u[h.Port], 1); math.Abs(got-want) > 0.02*want+0.01 {
		r.t.Fatalf("port %d: utilisation %v, want %v", h.Port, got, want)
	}
	if r.u[h.Port] > 0.5 {
		r.busy++
	}
}

// Switches observe all eight values of Table 1 (PINT §3.1): switch and port IDs, ingress time,
// hop latency, utilisation, queue occupancy and congestion.
func TestObservesTable1(t *testing.T) {
	g := netsimtest.KAry(4)
	var q []query.Query
	for i, v := range []query.Value{query.TxUtilization, query.QueueCongestion} {
		q = append(q, query.Query{Name: string(rune('a' + i)), Value: v, Aggregation: query.Max, Bits: 8})
	}
	q = append(q, query.Query{Name: "in", Value: query.IngressPort, Aggregation: query.Path, Bits: 8, Hashes: 1,
		Space: 1000, Flow: query.ByFiveTuple})
	e := encoder(t, query.Spec{Bits: 24, Hops: 5, HashBits: 16, Queries: q})
	var r *reference
	n := netsimtest.New(t, g, netsimtest.Options{Taps: func(n *netsim.Network) []netsim.Tap {
		s, err := NewSwitches(n, e, Config{IDs: ids(g), Load: load(n), Queue: testQueue})
		if err != nil {
			t.Fatal(err)
		}
		r = &reference{t: t, s: s, net: n, ids: ids(g), before: map[int64]*netsim.Hop{},
			last: map[netsim.PortID]unit.Time{}, u: map[netsim.PortID]float64{}}
		return []netsim.Tap{r}
	}})
	netsimtest.Play(t, n, crowd(g, 100))
	if r.busy == 0 || r.queued == 0 || r.waited == 0 || r.inner == 0 {
		t.Errorf("the test shows too little: %d hops at busy ports, %d at queues, %d of packets that waited, "+
			"%d behind a switch", r.busy, r.queued, r.waited, r.inner)
	}
}
