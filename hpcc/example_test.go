package hpcc_test

import (
	"fmt"
	"log"

	"pintlab/hpcc"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Algorithm 1 by hand. In T = 10 µs, a link of 100 Gb/s carries 125 KB. The link has sent 125 KB and still has a queue
// of 12.5 KB, so U = 1 + 0.1 = 1.1. The window, 125 KB at first, becomes W/(U/η) + W_AI = 125 KB × 0.95/1.1 + 80 B.
func Example() {
	gauge := func() hpcc.Gauge {
		return hpcc.NewINT(func(netsim.PortID) unit.Rate { return 100 * unit.Gbps }, nil)
	}
	controllers, err := hpcc.New(hpcc.Config{Eta: 0.95, WAI: 80, T: 10 * unit.Microsecond}, gauge)
	if err != nil {
		log.Fatal(err)
	}
	flow := controllers()
	flow.Start(0, transport.FlowInfo{Segment: 1000, LineRate: 100 * unit.Gbps, BaseRTT: 10 * unit.Microsecond})
	fmt.Println(flow.Window())
	for i, sent := range []unit.Bytes{0, 125_000} { // bytes that the port has sent when the ACK's packet leaves it
		at := unit.Time(i) * 10 * unit.Microsecond
		flow.OnAck(at, &transport.Ack{Seq: int64(i+1) * 1000, Acked: 1000, Next: 200_000,
			Hops: []netsim.PortSample{{TS: at, Sent: sent, Queue: 12_500}}})
	}
	fmt.Println(flow.Window())
	// Output:
	// 125KB
	// 108.034KB
}
