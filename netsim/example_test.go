package netsim_test

import (
	"fmt"
	"log"

	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// trio is a transport in which host 0 sends three packets and no host answers.
type trio struct {
	*netsim.Engine
	port netsim.PortID // port of the host
	left int
}

func (b *trio) Next(port netsim.PortID) netsim.PacketID {
	if b.left == 0 {
		return netsim.NoPacket
	}
	b.left--
	id := b.Make(0)
	p := b.Packet(id)
	p.Kind, p.Class, p.Size, p.Payload = netsim.Data, 3, 1000, 1000
	return id
}

func (b *trio) Deliver(host netsim.NodeID, id netsim.PacketID) {
	fmt.Printf("%v: host %d has a packet that left %d bytes in a queue\n", b.Now(), host, b.Telemetry(id)[0].Queue)
	b.Free(id)
}

func (b *trio) Due(netsim.PortID) unit.Time {
	if b.left > 0 {
		return 0
	}
	return unit.Never
}

func (b *trio) Timer(int32) {}
func (b *trio) Start()      { b.Kick(b.port) }

func (b *trio) Reroute(netsim.NodeID, *netsim.Packet) (netsim.PortID, bool) {
	return netsim.NoPort, false
}

// stamp is INT in its simplest form: every switch adds the state of its port.
type stamp struct{}

func (stamp) Dequeue(h *netsim.Hop) {
	h.Push(netsim.PortSample{TS: h.Now, Queue: int32(h.Queue), Port: h.Port})
}

// Packets arrive every 80 ns on a link of 100 Gb/s and leave every 800 ns on a link of 10 Gb/s. When the second packet
// leaves, the third waits.
func Example() {
	c := schema.Default[topo.Dumbbell]()
	c.Left, c.Right, c.HostRate, c.BottleneckRate = 1, 1, 100*unit.Gbps, 10*unit.Gbps
	graph, err := c.Build()
	if err != nil {
		log.Fatal(err)
	}
	routes, err := route.New(graph, route.Options{})
	if err != nil {
		log.Fatal(err)
	}
	cfg := netsim.Default()
	cfg.MaxPacket, cfg.StackDepth = 1000, routes.MaxHops()
	network, err := netsim.New(graph, routes.MaxHops(), cfg)
	if err != nil {
		log.Fatal(err)
	}
	engine, err := netsim.NewEngine(network, 1, []netsim.Tap{stamp{}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	there := routes.Path(nil, 0, 1, route.FiveTuple{Src: 0, Dst: 1})
	back := routes.Path(nil, 1, 0, route.FiveTuple{Src: 1, Dst: 0})
	network.SetFlow(0, 7, there, back)
	engine.GrowFlows(1, 1)
	engine.Attach(&trio{Engine: engine, port: there[0], left: 3})
	engine.StartAt(0, 0)
	engine.Run(unit.Second)
	// Output:
	// 3.96us: host 1 has a packet that left 0 bytes in a queue
	// 4.76us: host 1 has a packet that left 1000 bytes in a queue
	// 5.56us: host 1 has a packet that left 0 bytes in a queue
}
