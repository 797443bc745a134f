// Package netsimtest has helpers for tests of a network: New builds an engine from a graph, and
// Script is a transport that sends exactly the packets of a list.
//
// Only tests import it.
package netsimtest

import (
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// TB is the part of a test that this package uses. *testing.T, *testing.B and *rapid.T implement
// it.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Net is a network with its engine. It still needs a transport.
type Net struct {
	Graph  *topo.Graph
	Routes *route.Table
	Net    *netsim.Network
	Engine *netsim.Engine
}

// Counters returns the counters of the engine.
func (n *Net) Counters() netsim.Counters { return n.Engine.Counters() }

// Options are the settings of New.
type Options struct {
	// Config changes the configuration. Before this change, it is netsim.Default with a largest packet of 2000 bytes, a
	// stack that fits the longest path and the same PFC threshold at all ports.
	Config func(*netsim.Config)
	Seed   uint64
	// Workers is the number of workers that share the network. If it is 0, the network is not divided.
	Workers int
	// Taps is called once the network exists.
	Taps  func(*netsim.Network) []netsim.Tap
	Sinks []netsim.Sink
}

// New builds the network of g.
func New(tb TB, g *topo.Graph, o Options) *Net {
	tb.Helper()
	routes, err := route.New(g, route.Options{Seed: o.Seed})
	if err != nil {
		tb.Fatalf("routes: %v", err)
	}
	cfg := netsim.Default()
	cfg.Seed, cfg.MaxPacket, cfg.StackDepth = o.Seed, 2000, routes.MaxHops()
	cfg.Divide, cfg.PFC.ShiftByRate = o.Workers > 0, false
	if o.Config != nil {
		o.Config(&cfg)
	}
	net, err := netsim.New(g, routes.MaxHops(), cfg)
	if err != nil {
		tb.Fatalf("network: %v", err)
	}
	var taps []netsim.Tap
	if o.Taps != nil {
		taps = o.Taps(net)
	}
	engine, err := netsim.NewEngine(net, max(1, o.Workers), taps, o.Sinks)
	if err != nil {
		tb.Fatalf("engine: %v", err)
	}
	return &Net{Graph: g, Routes: routes, Net: net, Engine: engine}
}

// Must returns a graph and panics on an error.
func Must(g *topo.Graph, err error) *topo.Graph {
	if err != nil {
		panic(err)
	}
	return g
}

// Star returns hosts around one switch, with links of 100 Gb/s and 1 us.
func Star(hosts int) *topo.Graph {
	c := schema.Default[topo.Star]()
	c.Hosts = hosts
	return Must(c.Build())
}

// Chain returns a row of switches with a host at each end, with links of 100 Gb/s and 1 us.
func Chain(switches int) *topo.Graph {
	c := schema.Default[topo.Chain]()
	c.Switches = switches
	return Must(c.Build())
}

// KAry returns a k-ary fat tree with links of 100 Gb/s and 1 us.
func KAry(k int) *topo.Graph {
	c := schema.Default[topo.KAry]()
	c.K, c.HostRate, c.FabricRate, c.Delay = k, 100*unit.Gbps, 100*unit.Gbps, unit.Microsecond
	return Must(c.Build())
}

// Between returns the port by which node a sends to its neighbour b.
func (n *Net) Between(a, b netsim.NodeID) netsim.PortID {
	for p := range netsim.PortID(n.Net.Ports()) {
		if from, to := n.Net.PortEnds(p); from == a && to == b {
			return p
		}
	}
	return -1
}

// CheckEnd fails the test unless a run has ended properly: every packet is accounted for, and
// queues are empty. Packets without a route count as dropped, but not at a port.
func (n *Net) CheckEnd(tb TB) {
	tb.Helper()
	c := n.Counters()
	if c.Injected != c.Delivered+c.Dropped+c.Lost {
		tb.Errorf("%d packets made, but %d delivered + %d dropped + %d lost",
			c.Injected, c.Delivered, c.Dropped, c.Lost)
	}
	var drops int64
	for p := range netsim.PortID(n.Net.Ports()) {
		if q := n.Net.PortQueue(p); q != 0 {
			tb.Errorf("port %d still holds %d bytes", p, q)
		}
		drops += n.Net.PortDrops(p)
	}
	if drops > c.Dropped {
		tb.Errorf("ports dropped %d packets, the engine counts %d", drops, c.Dropped)
	}
}

// FatTree320 returns the network of PINT §6.1.
func FatTree320() *topo.Graph { return Must(topo.DefaultFatTree320().Build()) }
