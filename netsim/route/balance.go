package route

import (
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Balancing is a way of spreading traffic over equally short paths. It is a struct of parameters
// whose tags are its keys in a scenario (package netsim/schema). experiments/protocols lists all
// of them.
type Balancing interface {
	// Splits returns which parts of a flow may take different paths.
	Splits() Split
	// Options sets how a table chooses the path of a flow.
	Options(*Options)
	// Balancer makes the Balancer that chooses packet by packet; nil if flows keep their paths.
	Balancer(g *topo.Graph, seed uint64) Balancer
}

// Split is the unit of traffic that may take its own path.
type Split uint8

// The units of traffic.
const (
	Flows    Split = iota // a flow keeps its path
	Flowlets              // bursts after a pause
	Packets               // each packet; packets may arrive in any order
)

// Balancer chooses among equal next hops at a switch. It keeps state per switch or port only,
// because several engines call it at the same time, each for its own switches.
type Balancer interface {
	// Choose returns the index in next of the next hop that a packet takes now. All packets of a
	// flow in one direction share the value flow; packet distinguishes them.
	Choose(at topo.NodeID, now unit.Time, next []Port, flow, packet uint64) int
}

// ECMPBalancing chooses the path of each flow by a hash of the flow (RFC 2992). The key network.ecmp sets the hash.
type ECMPBalancing struct{}

func (*ECMPBalancing) Splits() Split { return Flows }

func (*ECMPBalancing) Options(*Options) {}

func (*ECMPBalancing) Balancer(*topo.Graph, uint64) Balancer { return nil }

// WeightedBalancing is WCMP (Zhou et al., "WCMP: Weighted Cost Multipathing for Improved Fairness in Data Centers",
// EuroSys 2014). A hash of the flow chooses its path. The share of a next hop is proportional to the rate at which it
// reaches the destination, as if no other switch sent. Equal shares would overload weaker links where rates differ or
// links are broken. Weights are exact; the table of a real switch would round them.
type WeightedBalancing struct{}

func (*WeightedBalancing) Splits() Split { return Flows }

func (*WeightedBalancing) Options(o *Options) { o.Weighted = true }

func (*WeightedBalancing) Balancer(*topo.Graph, uint64) Balancer { return nil }
