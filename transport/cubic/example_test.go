package cubic_test

import (
	"fmt"
	"log"

	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/cubic"
)

// A loss leaves β = 0.7 of what is in flight. The window then returns to its old size in K = ∛(30/0.4) = 4.2 s, fast at
// first and slowly at the end (RFC 9438 §4.2).
func Example() {
	p := cubic.Default()
	p.InitialWindow = 100
	controllers, err := p.New(&transport.Setting{})
	if err != nil {
		log.Fatal(err)
	}
	flow := controllers()
	flow.Start(0, transport.FlowInfo{Segment: 1000, Packet: 1054, LineRate: 10 * unit.Gbps,
		BaseRTT: 100 * unit.Millisecond})
	flow.OnLoss(0, transport.Loss{Kind: transport.FastRetransmit, Flight: 100_000})
	flow.OnAck(0, &transport.Ack{Phase: transport.Exit, Flight: 70_000})
	for now := unit.Time(0); now <= 5*unit.Second; now += 10 * unit.Millisecond {
		if now%unit.Second == 0 {
			fmt.Println(now, int64(flow.Window()/1000), "segments")
		}
		flow.OnAck(now, &transport.Ack{Acked: flow.Window() / 10, HasRTT: true, RTT: 100 * unit.Millisecond})
	}
	// Output:
	// 0s 70 segments
	// 1s 86 segments
	// 2s 95 segments
	// 3s 99 segments
	// 4s 99 segments
	// 5s 100 segments
}
