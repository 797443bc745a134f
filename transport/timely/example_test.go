package timely_test

import (
	"fmt"
	"log"

	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/timely"
)

// Round-trip times below T_low add δ to the rate. Above T_high the rate is cut by β(1 - T_high/RTT) for any gradient:
// 0.8 × (1 - 500/1000) leaves 6 of 10 Gb/s.
func Example() {
	p := timely.Default()
	p.Low, p.High, p.MinRTT = 50*unit.Microsecond, 500*unit.Microsecond, 20*unit.Microsecond
	p.Segment, p.RateAI, p.MinRate = 16*unit.KB, 10*unit.Mbps, 100*unit.Mbps
	controllers, err := p.New(&transport.Setting{Slowest: 10 * unit.Gbps})
	if err != nil {
		log.Fatal(err)
	}
	flow := controllers()
	flow.Start(0, transport.FlowInfo{Segment: 1000, Packet: 1048, LineRate: 10 * unit.Gbps,
		BaseRTT: 20 * unit.Microsecond})
	for _, rtt := range []unit.Time{unit.Millisecond, unit.Millisecond, 20 * unit.Microsecond} {
		flow.OnAck(0, &transport.Ack{Acked: 16_000, RTT: rtt, HasRTT: true})
		fmt.Println(rtt, flow.Rate())
	}
	// Output:
	// 1ms 6Gbps
	// 1ms 3.6Gbps
	// 20us 3.61Gbps
}
