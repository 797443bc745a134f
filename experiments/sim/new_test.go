package sim_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/hpcc"
	"pintlab/int/sketchint"
	"pintlab/netsim/route"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/pint/deploy"
	"pintlab/transport"
	"pintlab/transport/swift"
	"pintlab/workloads"
)

func star(hosts int) *topo.Graph {
	g, err := topo.Star{Hosts: hosts, Rate: 100 * unit.Gbps, Delay: unit.Microsecond}.Build()
	if err != nil {
		panic(err)
	}
	return g
}

func incast(senders int, size unit.Bytes) (flows []workloads.Flow) {
	for i := range senders {
		flows = append(flows, workloads.Flow{Src: topo.NodeID(i + 1), Size: size})
	}
	return flows
}

func ExampleNew() {
	network := sim.New(star(5), incast(4, 100*unit.KB), sim.With(hpcc.Default(), deploy.Default()))
	r, err := network.Run(context.Background(), sim.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for f := range r.Flows.All() {
		fmt.Printf("host %d: slowdown %.2f\n", f.Src, f.Slowdown())
	}
	// Output:
	// host 2: slowdown 3.21
	// host 3: slowdown 3.24
	// host 4: slowdown 3.25
	// host 1: slowdown 3.35
}

// A network from New has the same records as the scenario with the same parts.
func TestNewIsTheScenario(t *testing.T) {
	const text = "topology: {kind: star, hosts: 5}\n" +
		"workload: [{kind: list, flows: [{src: 1, dst: 0, size: 50KB}, {src: 2, dst: 0, size: 50KB}]}]\n" +
		"cc: {kind: hpcc}\ntelemetry: {kind: pint}\n"
	sc, err := scenario.Parse([]byte(text), "same")
	if err != nil {
		t.Fatal(err)
	}
	want, err := sim.Run(t.Context(), sc, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	network := sim.New(star(5), incast(2, 50*unit.KB), sim.With(hpcc.Default(), deploy.Default()))
	got, err := network.Run(t.Context(), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Summary.Fingerprint != want.Summary.Fingerprint {
		t.Errorf("fingerprint %s, want %s as in a scenario", got.Summary.Fingerprint, want.Summary.Fingerprint)
	}
}

// own is a control that is in no set.
type own struct{ swift.Params }

// readsLoad reads utilisation from PINT, but does not set the time over which switches average it.
type readsLoad struct{ own }

func (*readsLoad) Needs() transport.Needs {
	return transport.Needs{Loss: transport.RDMALoss, Feedback: []telemetry.Quantity{telemetry.Utilisation}}
}

func TestNewTakesAnyParts(t *testing.T) {
	p := own{swift.Default()}
	network := sim.New(star(5), incast(2, 50*unit.KB), sim.Set("seed=7", "transport.kind=irn"),
		sim.With(&p, schema.Default[route.Spray](), sketchint.Default()))
	r, err := network.Run(t.Context(), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Monitors) != 1 || r.Scenario.Seed != 7 || r.Scenario.Network.Balancing.Kind != "spray" {
		t.Errorf("%d monitors, seed %d, %s", len(r.Monitors), r.Scenario.Seed, r.Scenario.Network.Balancing.Kind)
	}
	reader := &readsLoad{own{swift.Default()}}
	broken := &topo.Graph{Nodes: make([]topo.Node, 1), Links: []topo.Link{{B: 5}}}
	with := sim.With(hpcc.Default())
	for want, n := range map[string]*sim.Network{
		"no congestion control":   sim.New(star(3), nil, sim.With(3)),
		"unknown key":             sim.New(star(3), nil, sim.Set("x=1")),
		"no graph":                sim.New(nil, nil),
		"link 0":                  sim.New(broken, nil),
		"two parts for the":       sim.New(star(3), nil, with, sim.With(swift.Default())),
		"cc.eta=0.5: the section": sim.New(star(3), nil, with, sim.Set("cc.eta=0.5")),
		"the section topology":    sim.New(star(3), nil, sim.Set("topology.hosts=4")),
		"flow 0: source 9":        sim.New(star(3), []workloads.Flow{{Src: 9, Size: 1}}),
		"no method Horizon":       sim.New(star(3), incast(1, 1), sim.With(reader)),
		"priority 8":              sim.New(star(3), []workloads.Flow{{Src: 1, Size: 1, Priority: 8}}),
	} {
		if _, err := n.Run(t.Context(), sim.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
