package route

import (
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Balancing is a way of spreading traffic over equally short paths, with its parameters: a
// struct whose tags are its keys in a scenario (package internal/schema), with these
// methods. experiments/protocols lists them, a line each.
type Balancing interface {
	// Splits returns what of a flow may take a path of its own.
	Splits() Split
	// Options changes how a table chooses the path of a flow.
	Options(*Options)
	// Balancer makes the Balancer that chooses packet by packet, nil if flows keep their
	// paths.
	Balancer(g *topo.Graph, seed uint64) Balancer
}

// Split is the part of a flow that may take a path of its own.
type Split uint8

// The parts of a flow.
const (
	Flows    Split = iota // nothing: a flow keeps its path
	Flowlets              // bursts with a pause before them
	Packets               // each packet, so that they arrive in any order
)

// Balancer chooses among equally short ways at a switch. It keeps state for each switch or
// port only: several engines call it side by side, each for its own switches.
type Balancer interface {
	// Choose returns which of several next hops of a node a packet takes now. flow is what packets
	// of a flow have in common in one direction, packet tells them apart.
	Choose(at topo.NodeID, now unit.Time, next []Port, flow, packet uint64) int
}

// ECMPBalancing gives each flow the path of its hash, RFC 2992. Its hash is network.ecmp.
type ECMPBalancing struct{}

func (*ECMPBalancing) Splits() Split { return Flows }

func (*ECMPBalancing) Options(*Options) {}

func (*ECMPBalancing) Balancer(*topo.Graph, uint64) Balancer { return nil }

// WeightedBalancing gives each flow the path of its hash, and next hops a share of the flows
// in proportion to the rate at which the destination can be reached by them: WCMP (Zhou et
// al., "WCMP: Weighted Cost Multipathing for Improved Fairness in Data Centers", EuroSys
// 2014). Where links are of different rates, or some are broken, equal shares overload the
// weaker ones. A weight is the rate that the switch could send that way if it were alone.
// Weights are exact; the table of a real switch would round them.
type WeightedBalancing struct{}

func (*WeightedBalancing) Splits() Split { return Flows }

func (*WeightedBalancing) Options(o *Options) { o.Weighted = true }

func (*WeightedBalancing) Balancer(*topo.Graph, uint64) Balancer { return nil }
