package powertcp_test

import (
	"fmt"
	"log"

	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/powertcp"
)

// Power is voltage times current, relative to a busy link without a queue. In τ = 10 µs a link of 100 Gb/s has sent its
// 125 KB, and its queue has grown from 0 to 125 KB: the current is 2, the voltage 2, the power 4. With
// β = 12.5 KB and γ = 0.9 the window becomes 0.9 × (125/4 + 12.5) + 0.1 × 125 KB.
func Example() {
	p := powertcp.Default()
	p.RTT = "path"
	controllers, err := p.New(&transport.Setting{PortRate: func(netsim.PortID) unit.Rate { return 100 * unit.Gbps }})
	if err != nil {
		log.Fatal(err)
	}
	flow := controllers()
	flow.Start(0, transport.FlowInfo{Segment: 1000, Packet: 1048, LineRate: 100 * unit.Gbps,
		BaseRTT: 10 * unit.Microsecond})
	fmt.Println(flow.Window())
	for i := range unit.Time(2) {
		at := i * 10 * unit.Microsecond
		flow.OnAck(at, &transport.Ack{Seq: 1000 * int64(1+i), Acked: 1000, Next: 200_000,
			Hops: []netsim.PortSample{{TS: at, Sent: unit.Bytes(i) * 125_000, Queue: int32(i) * 125_000}}})
	}
	fmt.Println(flow.Window())
	// Output:
	// 125KB
	// 51.875KB
}
