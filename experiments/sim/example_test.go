package sim_test

import (
	"context"
	"fmt"
	"log"

	"pintlab/experiments/protocols"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/hpcc"
	"pintlab/int/rtt"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/pint/deploy"
	"pintlab/transport"
	"pintlab/transport/fixed"
	"pintlab/transport/ndp"
)

// Run a scenario like the program pintlab does.
func ExampleRun() {
	rack, err := scenario.Parse([]byte(`
topology: {kind: star, hosts: 5}
workload: [{kind: incast, senders: 4, size: 100KB, sizes: fixed}]
cc: {kind: swift}
`), "rack.yaml")
	if err != nil {
		log.Fatal(err)
	}
	r, err := sim.Run(context.Background(), rack, sim.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d flows, slowdown %.2f to %.2f, %d drops\n", r.Flows.Len(), r.Flows.At(0).Slowdown(),
		r.Flows.At(3).Slowdown(), r.Counters.Dropped)
	// Output: 4 flows, slowdown 2.99 to 3.02, 0 drops
}

// half is a congestion control that is in no list. It always sends at half the line rate.
type half struct{ fixed.Params }

func (h *half) New(s *transport.Setting) (transport.Factory, error) {
	h.Window, h.Rate = unit.NoLimit, s.HostRate/2
	return h.Params.New(s)
}

// Two flows at half the rate share a link without a queue: each takes twice as long as alone.
func ExampleWith() {
	network := sim.New(star(3), incast(2, unit.MB), sim.With(&half{fixed.Default()}))
	r, err := network.Run(context.Background(), sim.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for f := range r.Flows.All() {
		fmt.Printf("%.1f ", f.Slowdown())
	}
	// Output: 2.0 2.0
}

// NDP's receivers request each packet, and switches trim packets that find no room.
func ExampleNew_receiverDriven() {
	network := sim.New(star(17), incast(16, 100*unit.KB), sim.With(ndp.Default()))
	r, err := network.Run(context.Background(), sim.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Counters.Trimmed > 0, "trimmed,", r.Counters.Dropped, "dropped")
	// Output: true trimmed, 0 dropped
}

// A monitor measures in addition to the telemetry. This one measures round trips behind the switch with a fridge.
func ExampleWith_monitor() {
	network := sim.New(star(5), incast(4, 100*unit.KB), sim.With(hpcc.Default(), deploy.Default(),
		&rtt.Monitor{Switch: -1, Entries: 256, Probability: 0.5}))
	r, err := network.Run(context.Background(), sim.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, table := range r.Monitors[0].Tables[:1] {
		fmt.Println(table.Name)
		for i, column := range table.Head[:7] {
			fmt.Println(column, table.Rows[0][i])
		}
	}
	// Output:
	// percentiles
	// node 5
	// segments 400
	// acks 400
	// entered 196
	// lost 7
	// samples 189
	// estimated_pairs 393.924
}

// longest is a tap: it sees every packet that leaves a queue of a switch.
type longest struct{ queue unit.Bytes }

func (l *longest) Dequeue(h *netsim.Hop) { l.queue = max(l.queue, h.Queue) }

func ExampleOptions() {
	var l longest
	network := sim.New(star(5), incast(4, 100*unit.KB), sim.With(fixed.Default()))
	_, err := network.Run(context.Background(), sim.Options{
		Tap: func(*sim.Simulation) (netsim.Tap, error) { return &l, nil }})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("longest queue", l.queue) // 3 of 4 packets that arrive wait
	// Output: longest queue 313.352KB
}

// A program that defines a control runs scenarios that name it.
func ExampleRun_ownProtocol() {
	set := protocols.Standard()
	set.AddControl(new(half), "half", "Half", "half the line rate, whatever happens")
	rack, err := scenario.Of(set).Parse([]byte(`
topology: {kind: star, hosts: 3}
workload: [{kind: incast, senders: 2, sizes: fixed, size: 1MB}]
cc: {kind: half}
`), "rack.yaml")
	if err != nil {
		log.Fatal(err)
	}
	r, err := sim.Run(context.Background(), rack, sim.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %.1f\n", r.Scenario.CC.Kind, r.Flows.At(0).Slowdown())
	// Output: half: 2.0
}
