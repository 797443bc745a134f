package swift_test

import (
	"fmt"
	"log"

	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/swift"
)

// Algorithm 1 by hand. The target is 20 µs and 1 µs for each of 5 switches. Below the target, an ACK adds 1/40 of a
// packet to a window of 40. A round trip of 50 µs is twice the target of 25 µs, so β = 0.8 cuts the window by 0.8 ×
// 25/50.
func Example() {
	p := swift.Default()
	p.Base, p.Hop, p.Range, p.Most, p.Initial = 20*unit.Microsecond, unit.Microsecond, 0, 1000, 40
	controllers, err := p.New(&transport.Setting{Farthest: func() (unit.Time, unit.Bytes) {
		return 16 * unit.Microsecond, 200 * unit.KB // the longest round trip, and a bandwidth-delay product
	}})
	if err != nil {
		log.Fatal(err)
	}
	flow := controllers()
	flow.Start(0, transport.FlowInfo{Segment: 1000, Packet: 1048, LineRate: 100 * unit.Gbps, Hops: 5,
		BaseRTT: 16 * unit.Microsecond})
	for _, rtt := range []unit.Time{20 * unit.Microsecond, 50 * unit.Microsecond, 20 * unit.Microsecond} {
		flow.OnAck(100*unit.Microsecond, &transport.Ack{Acked: 1000, Flight: 40_000, RTT: rtt, HasRTT: true})
		fmt.Println(rtt, flow.Window())
	}
	// Output:
	// 20us 40.025KB
	// 50us 24.014KB
	// 20us 24.056KB
}
