package dcqcn_test

import (
	"fmt"
	"log"

	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/dcqcn"
)

// α is 1 at first, so the first mark halves the rate. Each of five steps of fast recovery then halves the distance to
// the old rate.
func Example() {
	p := dcqcn.Default()
	p.CNPInterval, p.AlphaTimer, p.Timer = 50*unit.Microsecond, 55*unit.Microsecond, 55*unit.Microsecond
	p.ByteCounter, p.RateAI, p.RateHAI, p.MinRate = 10*unit.MB, 40*unit.Mbps, 400*unit.Mbps, 10*unit.Mbps
	controllers, err := p.New(&transport.Setting{Slowest: 40 * unit.Gbps})
	if err != nil {
		log.Fatal(err)
	}
	flow, clock := controllers(), &cctest.Clock{}
	flow.Start(0, transport.FlowInfo{Segment: 1000, Packet: 1048, LineRate: 40 * unit.Gbps, Alarms: clock})
	flow.OnAck(0, &transport.Ack{Acked: 1000, Marked: true})
	for now := unit.Time(0); now <= 220*unit.Microsecond; now += 55 * unit.Microsecond {
		clock.Ring(flow, now, 10)
		fmt.Println(now, flow.Rate())
	}
	// Output:
	// 0s 20Gbps
	// 55us 30Gbps
	// 110us 35Gbps
	// 165us 37.5Gbps
	// 220us 38.75Gbps
}
