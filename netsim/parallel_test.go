package netsim_test

import (
	"slices"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
)

func TestSeveralEnginesNeedDelaysAndSeededTies(t *testing.T) {
	g := netsimtest.Chain(2)
	fifo := netsimtest.New(t, g, netsimtest.Options{Config: func(c *netsim.Config) { c.Ties = netsim.FIFO }})
	_, err := netsim.NewEngine(fifo.Net, 2, nil, nil)
	want := "netsim: several workers do not know the order of scheduling in advance: want seeded ties"
	if !errtest.Says(err, want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	g = netsimtest.Chain(2)
	for i := range g.Links {
		g.Links[i].Delay = 0
	}
	_, err = netsim.NewEngine(netsimtest.New(t, g, netsimtest.Options{}).Net, 2, nil, nil)
	if want := "netsim: … link … nodes 2 … 3 … delay, … parts … joins … run in parallel"; !errtest.Says(err, want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// Flows between all racks of a fat tree have the same records and counters on a network with one domain and on 1 to 5
// engines with several domains. This is true for every kind of feedback, for equal delays, for delays that join hosts
// or racks to one domain, and for delays of hundreds of windows.
func TestRecordsDoNotDependOnPlacesAndEngines(t *testing.T) {
	delays := map[string]func(link int) unit.Time{
		"equal": func(int) unit.Time { return unit.Microsecond },
		"near":  func(i int) unit.Time { return unit.Time(i%5) * 300 * unit.Nanosecond },
		"far": func(i int) unit.Time {
			return []unit.Time{unit.Nanosecond, 60 * unit.Nanosecond, 50 * unit.Nanosecond}[i%3]
		},
		"short": func(i int) unit.Time { return unit.Time(1 + i%7) },
		"none":  func(int) unit.Time { return 0 },
	}
	for _, name := range []string{"hpcc-int", "hpcc-pint", "newreno"} {
		for kind, delay := range delays {
			g := netsimtest.KAry(4)
			for i := range g.Links {
				g.Links[i].Delay = delay(i)
			}
			if kind == "far" {
				g.Links[len(g.Links)-1].Delay = 3 * unit.Microsecond
			}
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
			want := l.Run(t, flows...)
			for engines := 1; engines <= 5 && kind != "none"; engines++ {
				got := l.RunParts(t, engines, flows...)
				if !slices.Equal(got.Records, want.Records) {
					t.Errorf("%s, %s delays: the records of %d engines differ from one domain's",
						name, kind, engines)
				}
				if a, b := got.Counters(), want.Counters(); a != b {
					t.Errorf("%s, %s delays: %d engines count %+v, one domain %+v", name, kind, engines, a, b)
				}
			}
		}
	}
}

// Between windows every packet counts for its flow, including packets on links between domains. While a packet exists,
// no other flow gets the slot of its flow.
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
	var engine *netsim.Engine
	l.Engine = func(e *netsim.Engine) { engine = e }
	control, looks, most := l.Control, 0, int32(0)
	l.Control = func(n *netsim.Network) transport.Factory {
		factory := control(n)
		return func() transport.Controller { // called for a later flow, while no engine runs
			var live int32
			for _, e := range engine.Workers() {
				for slot := range e.Flows() {
					live += e.Live(slot)
				}
			}
			c := engine.Counters()
			if exist := c.Injected - c.Delivered - c.Dropped - c.Lost; int64(live) != exist {
				t.Fatalf("at %v %d packets are live, %d exist", engine.Now(), live, exist)
			}
			looks, most = looks+1, max(most, live)
			return factory()
		}
	}
	if r := l.RunParts(t, 4, flows...); r.Counters().Pauses > 0 || looks < 10 || most < 10 {
		t.Errorf("%d pause frames, %d looks, at most %d packets: the case does not show what it should",
			r.Counters().Pauses, looks, most)
	}
}

// Engines that get few slab entries at a time run out of them within windows, stop, continue, and get surplus entries
// of other engines. None of this affects the records. Three racks send to one host each. The engine of such a host ends
// more packets than it makes, because some are lost.
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
	var engine *netsim.Engine
	l.Engine = func(e *netsim.Engine) {
		engine = e
		e.SetBatch(16)
	}
	for _, parts := range []int{2, 4} {
		got := l.RunParts(t, parts, flows...)
		if !slices.Equal(got.Records, want.Records) {
			t.Errorf("the records of %d engines differ", parts)
		}
		if engine.Short() == 0 {
			t.Errorf("%d engines never ran short of domains: the case does not show what it should", parts)
		}
		if most := 24 * 200; engine.Room() > most {
			t.Errorf("%d engines have made %d places for %d packets at most", parts, engine.Room(), most)
		}
	}
}
