package fixed_test

import (
	"fmt"
	"log"

	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/fixed"
)

// The smallest congestion control does not react to the path.
func Example() {
	p := fixed.Params{Window: unit.Limit(50 * unit.KB), Rate: 25 * unit.Gbps}
	controllers, err := p.New(&transport.Setting{})
	if err != nil {
		log.Fatal(err)
	}
	flow := controllers()
	flow.Start(0, transport.FlowInfo{Segment: 1000, LineRate: 100 * unit.Gbps})
	changed := flow.OnAck(0, &transport.Ack{Acked: 1000, Marked: true})
	fmt.Println(flow.Window(), flow.Rate(), changed)
	// Output: 50KB 25Gbps false
}
