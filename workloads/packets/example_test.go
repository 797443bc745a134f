package packets_test

import (
	"bytes"
	"fmt"
	"log"

	"pintlab/workloads/packets"
)

// The example writes a trace as a capture and reads it again. The trace has 10,000 packets in 1000 flows, whose sizes
// follow Zipf's law.
func Example() {
	s := packets.DefaultSkewed()
	s.Packets, s.Flows, s.Skew, s.Singles, s.Lifetime, s.Churn = 10_000, 1000, 1.1, 0, 0, 0
	trace, err := s.Window(0)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := packets.WritePcap(&file, trace); err != nil {
		log.Fatal(err)
	}
	in, err := packets.NewReader(&file, "skewed.pcap")
	if err != nil {
		log.Fatal(err)
	}
	flows, largest := map[packets.Tuple]int{}, 0
	var p packets.Packet
	for in.Next(&p) {
		flows[p.Tuple]++
		largest = max(largest, flows[p.Tuple])
	}
	fmt.Println(len(flows), "flows, the largest of", largest, "packets;", in.Err())
	// Output: 1000 flows, the largest of 1865 packets; <nil>
}
