package dctcp_test

import (
	"fmt"
	"log"

	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/dctcp"
)

// α begins at 1. The first ACK ends a window without marks, so α becomes 1 - g = 15/16. The next mark reduces the
// window by α/2, which is 15/32 of 14 KB. Other marks of the same window change nothing.
func Example() {
	controllers, err := new(dctcp.Default()).New(&transport.Setting{})
	if err != nil {
		log.Fatal(err)
	}
	flow := controllers()
	flow.Start(0, transport.FlowInfo{Segment: 1000, Packet: 1048, LineRate: 100 * unit.Gbps,
		BaseRTT: 10 * unit.Microsecond})
	fmt.Println(flow.Window())
	for i := range int64(6) {
		flow.OnAck(0, &transport.Ack{Seq: (i + 1) * 1000, Acked: 1000, Next: 10_000, Marked: i >= 4, Congested: i == 4})
		fmt.Println(flow.Window())
	}
	// Output:
	// 10KB
	// 11KB
	// 12KB
	// 13KB
	// 14KB
	// 7.437KB
	// 7.437KB
}
