package guard

import (
	"slices"
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/int/lightguardian/diagnose"
	"pintlab/int/mirror"
	"pintlab/netsim"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

func nodes(n ...netsim.NodeID) []netsim.NodeID { return n }

// victim is a flow from host 0 to host 6 over switches 1 to 5.
func victim(sent uint64) *record {
	return &record{victim: diagnose.Victim{Flow: 7, Path: nodes(1, 2, 3, 4, 5), Source: 0, Destination: 6, Sent: sent}}
}

// What postcards of a flow say, by hand: each letter is the report of one packet by that switch.
func TestPostcards(t *testing.T) {
	for _, c := range []struct {
		name    string
		from    []netsim.NodeID // reports
		stopped int             // in the path
		loop    []netsim.NodeID
		beside  []netsim.NodeID
	}{
		{"all arrive", nodes(1, 2, 3, 4, 5), 4, nil, nil},
		{"one of two ends behind switch 3", nodes(1, 2, 3, 4, 5, 1, 2, 3), 2, nil, nil},
		{"the report of switch 2 is lost", nodes(1, 3, 4, 5, 1, 2, 3), 2, nil, nil},
		{"switches 3 and 4 send it to each other", nodes(1, 2, 3, 4, 3, 4, 3, 4, 3, 4, 3, 4), 3, nodes(3, 4), nil},
		{"sent again and again, and arrives each time", nodes(1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5), 4, nil, nil},
		{"over switch 9 in place of 3", nodes(1, 2, 9, 4, 5), 4, nil, nodes(9)},
		{"none", nil, -1, nil, nil},
	} {
		r := &reports{postcards: true, watched: 1. / 128, loop: 3, flows: map[uint64]*reported{}}
		for i, at := range c.from {
			r.take(unit.Time(i), 7, []mirror.Record{{Node: at}})
		}
		f := r.of(victim(20))
		if c.stopped == 4 { // the last switch: what it sends to the host is not reported
			c.stopped = -1
		}
		if f.stopped != c.stopped || !slices.Equal(f.loop, c.loop) || !slices.Equal(f.beside, c.beside) {
			t.Errorf("%s: stopped %d, loop %v, beside %v; want %d, %v, %v", c.name, f.stopped, f.loop, f.beside, c.stopped, c.loop, c.beside)
		}
	}
}

// A detour of the first packet hides nothing of those that follow on the path.
func TestEchoAfterDetour(t *testing.T) {
	g := &topo.Graph{Nodes: []topo.Node{{Kind: topo.Host}, {Kind: topo.Host}, {Kind: topo.Switch}}}
	for h := range topo.NodeID(2) {
		g.Links = append(g.Links, topo.Link{A: h, B: 2, Rate: unit.Gbps, Delay: unit.Microsecond})
	}
	cfg := netsim.DefaultConfig()
	cfg.MaxPacket = 1000
	n, err := netsim.New(g, 1, cfg)
	if err != nil {
		t.Fatal(err)
	}
	e := newEnds(n).listen()
	x := &record{victim: diagnose.Victim{Flow: 7, Path: nodes(2), Source: 0, Destination: 1}}
	slow := netsim.PortSample{Queue: 1250} // 10 us at 1 Gb/s
	e.read(1, 7, []netsim.PortSample{{}, {}, {}})
	if f := e.of(x); f.slow != nil || e.known != 0 {
		t.Errorf("a detour alone: %+v, known %d", f, e.known)
	}
	e.read(1, 7, []netsim.PortSample{slow})
	if f := e.of(x); !slices.Equal(f.slow, []bool{true}) || e.known != 1 {
		t.Errorf("then a packet that was slow on the path: %+v, known %d", f, e.known)
	}
}

// Passports say where the p95 is slow, and the way of a packet that took another.
func TestPassports(t *testing.T) {
	r := &reports{watched: 1, flows: map[uint64]*reported{}}
	report := func(slowAt netsim.NodeID, path ...netsim.NodeID) {
		var list []mirror.Record
		for _, at := range path {
			c := mirror.Record{Node: at}
			if at == slowAt {
				c.Latency = slowHop
			}
			list = append(list, c)
		}
		r.take(0, 7, list)
	}
	for range 18 {
		report(-1, 1, 2, 3, 4, 5)
	}
	report(4, 1, 2, 3, 4, 5)
	if f := r.of(victim(20)); !f.slow[3] || slices.Contains(f.slow[:3], true) || f.other != nil || f.stopped != -1 {
		t.Errorf("one slow packet of 19 at switch 4: %+v", f)
	}
	report(-1, 1, 2, 3, 4, 5)
	report(-1, 1, 2, 9, 4, 5)
	x := victim(20)
	if x.facts = r.of(x); x.facts.slow[3] || !slices.Equal(x.facts.other, nodes(1, 2, 9, 4, 5)) || !slices.Equal(x.facts.strays(x), nodes(9)) {
		t.Errorf("one of 21, and one over switch 9: %+v", x.facts)
	}
}

// A queue of 125 kB on a link of 100 Gb/s takes 10 µs: slow. One packet of 20 does not make a p95.
func TestTally(t *testing.T) {
	var x tally
	for range 19 {
		x.add(0)
	}
	x.add((100 * unit.Gbps).TxTime(125 * unit.KB))
	if x.late() {
		t.Error("late with one slow packet of 20")
	}
	if x.add(slowHop); !x.late() {
		t.Error("not late with two of 21")
	}
}

// Two flows lose packets, two do not: without postcards it is the link that the two alone share; a packet
// that has been seen at switch 3 was not lost before it.
func TestLoss(t *testing.T) {
	at := &comparison{knows: nothing{}}
	flow := func(lost uint64, path ...netsim.NodeID) *evidence {
		e := &evidence{start: 0, end: 10, nodes: path, sent: 20, lost: lost}
		at.past = append(at.past, e)
		return e
	}
	flow(0, 10, 1, 2, 13)
	flow(0, 11, 3, 4, 5, 6)
	flow(2, 12, 2, 3, 14)
	e := flow(2, 0, 1, 2, 3, 4, 5, 6)
	for _, c := range []struct {
		stopped int
		want    diagnose.Finding
	}{
		{0, diagnose.Finding{Rule: diagnose.Drops, Switches: nodes(3), Last: 2}},
		{3, diagnose.Finding{Rule: diagnose.Drops, Switches: nodes(4), Last: 3}},
	} {
		f, ok := at.loss(e, c.stopped)
		if !ok || f.Rule != c.want.Rule || !slices.Equal(f.Switches, c.want.Switches) || f.Last != c.want.Last {
			t.Errorf("stopped %d: %+v, %v; want %+v", c.stopped, f, ok, c.want)
		}
	}
}

// wrongWay is a fat tree of 16 hosts with a forwarding entry that points to a longer way.
const wrongWay = `topology: {kind: fattree, k: 4, host_rate: 10Gbps, fabric_rate: 10Gbps}
workload: [{kind: poisson, sizes: fixed, size: 20KB, load: 0.4, duration: 1ms}]
cc: {kind: hpcc}
telemetry: {kind: int, hops: 9}
monitors: [{kind: int, mode: postcard}, {kind: pint, hops: 9, flows: false}, {kind: int}]
run: {monitor_cost: none}
faults: [{kind: wrong-path, switch: 24, next: 16, dst: 2, at: 200us}]
`

// Nobody but the packets knows that they take another way: hosts without telemetry miss all these victims, records of all
// packets find them, and so does PINT. All are asked for the same victims.
func TestUnnoticed(t *testing.T) {
	sc, err := scenario.Parse([]byte(wrongWay), "test")
	if err != nil {
		t.Fatal(err)
	}
	q := Question{Scenario: sc, Thresholds: diagnose.Default(), Inflation: 10, Interval: unit.Millisecond, Unnoticed: true}
	list, err := Compare(t.Context(), q, []System{First(Hosts), First(Collector), First(PINT), {Collector, 2}, First(Echo)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range list {
		if a.Afflicted != list[0].Afflicted || a.Afflicted < 5 {
			t.Errorf("%d, %s: %d victims, want the %d of all systems and at least 5", i, a.View, a.Afflicted, list[0].Afflicted)
		}
		switch knows := a.View == Collector || a.View == PINT; {
		case knows && a.Recall < 0.8:
			t.Errorf("%d, %s: recall %v, want 0.8 or more", i, a.View, a.Recall)
		case !knows && a.Recall > 0:
			t.Errorf("%d, %s: recall %v of what nobody told it", i, a.View, a.Recall)
		}
	}
}
