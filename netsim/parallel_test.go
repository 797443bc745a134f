package netsim_test

import (
	"slices"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
)

// Every node of the 320-server fat tree belongs to a part, hosts to that of their switch, and
// parts have hosts in proportion: 160 each of two, 64 of five, 112, 112 and 96 of three, whose
// borders are between racks of 16.
func TestPartsShareTheHosts(t *testing.T) {
	g := netsimtest.FatTree320()
	for n, want := range map[int][]int{1: {320}, 2: {160, 160}, 3: {112, 112, 96}, 5: {64, 64, 64, 64, 64}} {
		owner, parts := netsim.Parts(g, n)
		if parts != n || len(owner) != len(g.Nodes) {
			t.Fatalf("%d parts, %d owners", parts, len(owner))
		}
		hosts := make([]int, parts)
		for id := range g.Nodes {
			if int(owner[id]) >= parts {
				t.Fatalf("node %d belongs to part %d of %d", id, owner[id], parts)
			}
			if g.Nodes[id].Kind == topo.Host {
				hosts[owner[id]]++
			}
		}
		for _, l := range g.Links {
			if g.Nodes[l.A].Kind == topo.Host && owner[l.A] != owner[l.B] {
				t.Errorf("host %d is not in the part of its switch", l.A)
			}
		}
		if !slices.Equal(hosts, want) {
			t.Errorf("%d parts have %v hosts, want %v", n, hosts, want)
		}
	}
}

// No part is without a switch that has hosts: a star is one part, whatever is asked for.
func TestPartsAreNotMoreThanRacks(t *testing.T) {
	for n, want := range map[int]int{0: 1, 1: 1, 4: 1} {
		if _, parts := netsim.Parts(netsimtest.Star(5), n); parts != want {
			t.Errorf("%d parts of a star: %d, want %d", n, parts, want)
		}
	}
	if _, parts := netsim.Parts(netsimtest.KAry(4), 1000); parts != 8 {
		t.Errorf("%d parts of 8 racks", parts)
	}
}

func TestSeveralEnginesNeedDelaysAndSeededTies(t *testing.T) {
	g := netsimtest.Chain(2)
	fifo := netsimtest.New(t, g, netsimtest.Options{Config: func(c *netsim.Config) { c.Ties = netsim.FIFO }})
	owner, parts := netsim.Parts(g, 2)
	_, err := netsim.NewParallel(fifo.Net, owner, parts, 2, nil, nil)
	if want := "netsim: the order of scheduling is not known in advance on several engines: want seeded ties"; !errtest.Says(err, want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	g = netsimtest.Chain(2)
	for i := range g.Links {
		g.Links[i].Delay = 0
	}
	_, err = netsim.NewParallel(netsimtest.New(t, g, netsimtest.Options{}).Net, owner, parts, 2, nil, nil)
	if want := "netsim: … link … nodes 2 … 3 … delay, … parts … joins … run side … side"; !errtest.Says(err, want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// Flows across all racks of a fat tree, on 1 to 5 engines: the same records in the same order,
// and the same counters, with every kind of feedback.
func TestRecordsDoNotDependOnTheNumberOfEngines(t *testing.T) {
	for _, name := range []string{"hpcc-int", "hpcc-pint", "newreno"} {
		g := netsimtest.KAry(4)
		l := system(name, g)
		l.Seed = 9
		var flows []transport.Flow
		for i := range 64 {
			f := cctest.Flow(netsim.NodeID(i%16), netsim.NodeID((i*7+3+i/16)%16), unit.Bytes(1+i*i*37))
			if f.Src == f.Dst {
				f.Dst = (f.Dst + 1) % 16
			}
			f.Start = unit.Time(i/4) * 3 * unit.Microsecond
			flows = append(flows, f)
		}
		want := l.RunParts(t, 1, flows...)
		for parts := 2; parts <= 5; parts++ {
			got := l.RunParts(t, parts, flows...)
			if !slices.Equal(got.Records, want.Records) {
				t.Errorf("%s: the records of %d engines differ", name, parts)
			}
			a, b := got.Counters(), want.Counters()
			a.Events, b.Events = 0, 0
			if a != b {
				t.Errorf("%s: %d engines count %+v, one %+v", name, parts, a, b)
			}
		}
	}
}

// Between windows every packet is counted for its flow, those in mailboxes too: while one exists
// its flow's slot is no other's.
func TestPacketsBetweenEnginesAreLive(t *testing.T) {
	g := netsimtest.KAry(4)
	l := system("newreno", g)
	var flows []transport.Flow
	for i := range 16 {
		flows = append(flows, cctest.Flow(netsim.NodeID(i), netsim.NodeID((i+5)%16), 30_000))
	}
	for i := range flows {
		flows[i].Start = unit.Time(i) * 2 * unit.Microsecond
	}
	var engines *netsim.Parallel
	l.Engines = func(r *netsim.Parallel) { engines = r }
	control, looks, most := l.Control, 0, int32(0)
	l.Control = func(n *netsim.Network) transport.Factory {
		factory := control(n)
		return func() transport.Controller { // for a flow to come: no engine runs
			var live int32
			for _, e := range engines.Engines() {
				for slot := range e.Flows() {
					live += e.Live(slot)
				}
			}
			c := engines.Counters()
			if exist := c.Injected - c.Delivered - c.Dropped - c.Lost; int64(live) != exist {
				t.Fatalf("at %v %d packets are live, %d exist", engines.Now(), live, exist)
			}
			looks, most = looks+1, max(most, live)
			return factory()
		}
	}
	if r := l.RunParts(t, 4, flows...); r.Counters().Pauses > 0 || looks < 10 || most < 10 {
		t.Errorf("%d pause frames, %d looks, at most %d packets: the case does not show what it should", r.Counters().Pauses, looks, most)
	}
}

// Engines that get few places for packets at a time run short of them within windows, stop
// and go on, and get the places that others have too many of: records do not show it. Each
// of three racks sends to one host, whose engine ends, by loss, more packets than it makes.
func TestRecordsDoNotDependOnPlacesForPackets(t *testing.T) {
	g := netsimtest.KAry(4)
	for i := range g.Links {
		g.Links[i].Delay = 20 * unit.Microsecond // long windows
		g.Links[i].ErrorRate = 0.05
	}
	l := system("window", g)
	l.Control = cctest.NoLimit
	var flows []transport.Flow
	for i := range 24 {
		f := cctest.Flow(netsim.NodeID(i%12), netsim.NodeID(12+i%4), 200_000)
		f.Start = unit.Time(i/12) * 500 * unit.Microsecond
		flows = append(flows, f)
	}
	want := l.RunParts(t, 1, flows...)
	var engines *netsim.Parallel
	l.Engines = func(p *netsim.Parallel) {
		engines = p
		p.SetBatch(16)
	}
	for _, parts := range []int{2, 4} {
		got := l.RunParts(t, parts, flows...)
		if !slices.Equal(got.Records, want.Records) {
			t.Errorf("the records of %d engines differ", parts)
		}
		if engines.Short() == 0 {
			t.Errorf("%d engines never ran short of places: the case does not show what it should", parts)
		}
		if most := 24 * 200; engines.Places() > most {
			t.Errorf("%d engines have made %d places for %d packets at most", parts, engines.Places(), most)
		}
	}
}
