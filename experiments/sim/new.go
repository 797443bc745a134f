package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"pintlab/experiments/protocols"
	"pintlab/experiments/scenario"
	"pintlab/netsim/route"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/workloads"
)

// Network is a graph with flows, ready to run.
type Network struct {
	scenario scenario.Scenario
	err      error // of New
}

// Option is a part of a Network that New does not derive from the graph and flows.
type Option func(*own) error

// own contains the settings and the protocols that a caller has passed to New.
type own struct {
	set    *protocols.Set
	chosen []string // assignments that choose the protocols
	fill   []func(*scenario.Scenario)
	keys   []string
}

// With sets the congestion control, the telemetry system, the monitors or the balancer of a network by their
// parameters, such as hpcc.Default(). They need not be in the list of package protocols. Their fields have the tags of
// package schema, or yaml:"-".
func With(list ...any) Option {
	return func(p *own) error {
		for _, x := range list {
			if v := reflect.ValueOf(x); v.Kind() == reflect.Struct { // the pointer to x has the methods
				pointer := reflect.New(v.Type())
				pointer.Elem().Set(v)
				x = pointer.Interface()
			}
			if err := p.add(x); err != nil {
				return err
			}
		}
		return nil
	}
}

// Set changes keys of the scenario that Default of package scenario returns, such as "network.buffer=8MB". It cannot
// change keys of the sections that come from the graph, the flows and the parts in With.
func Set(assignments ...string) Option {
	return func(p *own) error {
		p.keys = append(p.keys, assignments...)
		return nil
	}
}

// New makes a network from a graph and flows, which must be in the order of their starts. It computes routes, packet
// sizes, buffers and all settings that are auto, and adds the transport and telemetry that the control needs, unless
// they are given. Run returns an error if the parts do not fit together.
func New(graph *topo.Graph, flows []workloads.Flow, list ...Option) *Network {
	p := &own{set: protocols.Standard()}
	p.set.AddNetwork(new(givenGraph), given, "the graph of a program")
	p.set.AddTraffic(new(givenFlows), given, "the flows of a program")
	p.chosen = []string{"topology.kind=" + given, "workload=[{kind: " + given + "}]"}
	for _, part := range list {
		if err := part(p); err != nil {
			return &Network{err: err}
		}
	}
	if err := p.overlap(); err != nil {
		return &Network{err: err}
	}
	sc := scenario.Of(p.set).Default()
	if err := sc.Set(append(p.chosen, p.keys...)...); err != nil {
		return &Network{err: err}
	}
	sc.Topology.Params, sc.Workload[0].Params = &givenGraph{Graph: graph}, &givenFlows{Flows: flows}
	for _, fill := range p.fill {
		fill(&sc)
	}
	return &Network{scenario: sc}
}

// overlap returns an error if two parts, or a part and an assignment of Set, concern the same section.
func (p *own) overlap() error {
	sections := map[string]bool{}
	for _, a := range p.chosen {
		key, _, _ := strings.Cut(a, "=")
		section := strings.TrimSuffix(key, ".kind")
		if sections[section] {
			return fmt.Errorf("sim.With: two parts for the section %s, want at most one", section)
		}
		sections[section] = true
		for _, a := range p.keys {
			if key, _, _ := strings.Cut(a, "="); scenario.Overlap(key, section) {
				return fmt.Errorf("sim.Set: %s: the section %s comes from a part of the program", a, section)
			}
		}
	}
	return nil
}

// Run simulates the network until all flows have ended.
func (n *Network) Run(ctx context.Context, o Options) (*Result, error) {
	if n.err != nil {
		return nil, n.err
	}
	return Run(ctx, n.scenario, o)
}

// add adds a protocol. Its name is the name of its type in the set or, if the set lacks it, a new name.
func (p *own) add(x any) error {
	switch x := x.(type) {
	case transport.Control:
		kind := known(p.set.Controls, x)
		if kind == "" {
			kind = given
			p.set.AddControl(x, given, given, "the control of a program")
		}
		p.chosen = append(p.chosen, "cc.kind="+kind)
		p.fill = append(p.fill, func(sc *scenario.Scenario) { sc.CC.Params = x })
	case telemetry.System:
		kind := known(p.set.Telemetry, x)
		if kind == "" {
			kind = given
			p.set.AddTelemetry(x, given, given, "the telemetry system of a program")
		}
		p.chosen = append(p.chosen, "telemetry.kind="+kind)
		p.fill = append(p.fill, func(sc *scenario.Scenario) { sc.Telemetry.Params = x })
	case route.Balancing:
		kind := known(p.set.Balancers, x)
		if kind == "" {
			kind = given
			p.set.AddBalancer(x, given, given, "the balancer of a program")
		}
		p.chosen = append(p.chosen, "network.balancing.kind="+kind)
		p.fill = append(p.fill, func(sc *scenario.Scenario) { sc.Network.Balancing.Params = x })
	case telemetry.Monitor:
		kind := known(p.set.Monitors, x)
		if kind == "" {
			kind = fmt.Sprintf("%s-%d", given, len(p.fill))
			p.set.AddMonitor(x, kind, "a monitor of a program")
		}
		m := scenario.Monitor{Choice: schema.Choice{Kind: kind, Params: x}}
		p.fill = append(p.fill, func(sc *scenario.Scenario) { sc.Monitors = append(sc.Monitors, m) })
	default:
		return fmt.Errorf("sim.With: %T is no congestion control, telemetry system, monitor or balancer", x)
	}
	return nil
}

// known returns the kind whose parameters have the type of x, or "".
func known(c schema.Catalogue, x any) string {
	i := slices.IndexFunc(c.Kinds, func(k schema.Kind) bool { return reflect.TypeOf(k.New()) == reflect.TypeOf(x) })
	if i < 0 {
		return ""
	}
	return c.Kinds[i].Name
}

// given is the kind of a part that the program supplies as a value, without a scenario key.
const given = "given"

// givenGraph is the topology of a Network.
type givenGraph struct {
	Graph *topo.Graph `yaml:"-"`
}

func (g *givenGraph) Count() int { return 0 } // workloads find the hosts in the graph

func (g *givenGraph) Build() (*topo.Graph, error) {
	if g.Graph == nil {
		return nil, errors.New("sim.New: no graph")
	}
	if err := g.Graph.Validate(); err != nil {
		return nil, err
	}
	c := *g.Graph
	c.Links = slices.Clone(c.Links)
	return &c, nil
}

// givenFlows is the traffic of a Network.
type givenFlows struct {
	workloads.Plain
	Flows []workloads.Flow `yaml:"-"`
}

func (*givenFlows) Span() (start, duration unit.Time) { return 0, 0 }
func (*givenFlows) Class() int                        { return 0 }

func (t *givenFlows) Generator(*workloads.Setting) (workloads.Generator, error) {
	flows := slices.Clone(t.Flows)
	for i := range flows {
		f := &flows[i]
		f.DstPort = cmp.Or(f.DstPort, workloads.BackgroundPort)
		f.Priority = cmp.Or(f.Priority, workloads.DefaultPriority)
	}
	return workloads.Trace(flows), nil
}
