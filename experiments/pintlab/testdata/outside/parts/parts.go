// Package parts shows what your module can add besides a congestion control and a sketch: a network, a kind of traffic,
// a way to spread it over paths, and a monitor.
package parts

import (
	"pintlab/experiments/protocols"
	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads"
)

// Add adds them to a set of protocols, such as protocols.Standard().
func Add(set *protocols.Set) {
	set.AddNetwork(new(Ring), "ring", "switches in a ring, with a host at each")
	set.AddTraffic(new(Neighbours), "neighbours", "each host sends one flow to the next host")
	set.AddBalancer(new(Turns), "turns", "Turns", "a switch takes equal next hops in turn")
	set.AddMonitor(new(Counter), "counter", "counts data packets at every switch")
}

// Ring is a network. Its fields are keys under topology.
type Ring struct {
	// Switches of the ring.
	Switches int `yaml:"switches" default:"6" range:">=3 <=1000" draw:"3..8"`
	// Rate of every link.
	Rate unit.Rate `yaml:"rate" default:"100Gbps" range:">0bps" draw:"100Gbps|10Gbps"`
}

// Count returns the number of hosts.
func (r *Ring) Count() int { return r.Switches }

// Build returns the graph. Hosts come first.
func (r *Ring) Build() (*topo.Graph, error) {
	n := r.Switches
	g := &topo.Graph{Name: "ring", Nodes: make([]topo.Node, 2*n)}
	for i := range n {
		g.Nodes[n+i].Kind = topo.Switch
		host, at, next := topo.NodeID(i), topo.NodeID(n+i), topo.NodeID(n+(i+1)%n)
		g.Links = append(g.Links, topo.Link{A: host, B: at, Rate: r.Rate, Delay: unit.Microsecond},
			topo.Link{A: at, B: next, Rate: r.Rate, Delay: unit.Microsecond})
	}
	g.InferLayers()
	return g, g.Validate()
}

// Neighbours is traffic. Its fields are keys of an entry of workload.
type Neighbours struct {
	workloads.Plain // without a load
	// Payload of each flow.
	Size                unit.Bytes `yaml:"size" default:"100KB" range:">=1B <=1GB" draw:"20KB|1B|60KB"`
	workloads.Beginning            // start and priority
}

// Generator returns the flows, in order of their starts.
func (t *Neighbours) Generator(s *workloads.Setting) (workloads.Generator, error) {
	var flows workloads.Trace
	for i, h := range s.Hosts {
		flows = append(flows, workloads.Flow{Src: h.Node, Dst: s.Hosts[(i+1)%len(s.Hosts)].Node, Size: t.Size,
			Start: t.Start, Priority: uint8(t.Priority), DstPort: workloads.BackgroundPort})
	}
	return flows, nil
}

// Turns is a balancer, without keys under network.balancing.
type Turns struct{}

func (*Turns) Splits() route.Split                             { return route.Packets }
func (*Turns) Options(*route.Options)                          {}
func (*Turns) Balancer(g *topo.Graph, _ uint64) route.Balancer { return make(turns, 2*len(g.Links)) }

// turns counts packets for each list of next hops. The first port of a list identifies it.
type turns []int

func (t turns) Choose(_ topo.NodeID, _ unit.Time, next []route.Port, _, _ uint64) int {
	t[next[0]]++
	return t[next[0]] % len(next)
}

// Counter is a monitor. In a scenario, its fields are keys of an entry in the section monitors.
type Counter struct {
	// Smallest packet that is counted.
	From unit.Bytes `yaml:"from" default:"0B" range:">=0B <=64KB"`
}

func (*Counter) Room(int) telemetry.Room       { return telemetry.Room{} } // the counter adds nothing to packets
func (*Counter) Check(*schema.Checker, string) {}

// Watch puts the counter at the switches.
func (c *Counter) Watch(at *telemetry.Place) (*telemetry.Watch, error) {
	w := &counts{*c, make([]int, len(at.Graph.Nodes))}
	return &telemetry.Watch{Tap: w, Watcher: w, Tables: w.tables}, nil
}

type counts struct {
	Counter
	packets []int // by node
}

func (c *counts) Dequeue(h *netsim.Hop) {
	if h.Packet.Kind == netsim.Data && unit.Bytes(h.Packet.Size) >= c.From {
		c.packets[h.Switch]++
	}
}

func (*counts) Arrive(*netsim.Arrival)  {} // at a host
func (*counts) Collect(*netsim.Arrival) {} // a report, of which there are none

// tables returns the tables of the counter for the run directory.
func (c *counts) tables(unit.Time) []telemetry.Table {
	t := telemetry.NewTable("packets", "node packets")
	for node, n := range c.packets {
		if n > 0 {
			t.Add(node, n)
		}
	}
	return []telemetry.Table{t}
}
