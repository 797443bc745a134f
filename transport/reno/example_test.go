package reno_test

import (
	"fmt"
	"log"

	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/reno"
)

// Slow start doubles a window of ten segments. A loss halves the data in flight; from then on a window of ACKs adds one
// segment.
func Example() {
	controllers, err := new(reno.Default()).New(&transport.Setting{})
	if err != nil {
		log.Fatal(err)
	}
	flow := controllers()
	flow.Start(0, transport.FlowInfo{Segment: 1000, Packet: 1054, LineRate: 10 * unit.Gbps})
	acked := func(segments int) {
		for range segments {
			flow.OnAck(0, &transport.Ack{Acked: 1000})
		}
		fmt.Println(flow.Window())
	}
	acked(10)
	flow.OnLoss(0, transport.Loss{Kind: transport.FastRetransmit, Flight: 20_000})
	flow.OnAck(0, &transport.Ack{Phase: transport.Exit, Flight: 10_000})
	acked(0)
	acked(10)
	// Output:
	// 20KB
	// 10KB
	// 11KB
}
