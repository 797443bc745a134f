package inband_test

import (
	"fmt"
	"log"

	inband "pintlab/int"
	"pintlab/netsim/unit"
)

// Two switches write their number and queue into a stack; the newest hop is first. The shim and the header of
// INT-MD v2 take 16 bytes. Each hop takes 8.
func ExampleMessage() {
	ask := inband.NodeID | inband.QueueOccupancy
	source := inband.Source{Node: inband.Node{Mark: inband.Mark{Kind: inband.ByDSCP, DSCP: 0x17}}, Instructions: ask,
		MaxHops: 5}
	if err := source.Validate(); err != nil {
		log.Fatal(err)
	}
	packet := udp()
	packet, _, err := source.Insert(packet, &inband.Metadata{Available: ask, NodeID: 7, QueueOccupancy: 2500}, 1500)
	if err != nil {
		log.Fatal(err)
	}
	packet, _, err = source.Transit(packet, &inband.Metadata{Available: ask, NodeID: 9, QueueOccupancy: 80}, 1500)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(udp()), "bytes became", len(packet))

	var m inband.Message
	if _, _, err := source.Sink(packet, &m); err != nil {
		log.Fatal(err)
	}
	hops, err := m.Hops(0)
	if err != nil {
		log.Fatal(err)
	}
	for i := range hops {
		var at inband.Metadata
		if err := m.Hop(i, hops, &at); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("switch %d, queue %d\n", at.NodeID, at.QueueOccupancy)
	}
	// Output:
	// 30 bytes became 62
	// switch 9, queue 80
	// switch 7, queue 2500
}

// udp returns an IPv4 packet of 20 bytes of header, 8 of UDP without a checksum, and 2 of data.
func udp() []byte {
	packet := []byte{0x45, 0, 0, 30, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 15, 160, 0, 80,
		0, 10, 0, 0, 'h', 'i'}
	sum := uint32(0)
	for i := 0; i < 20; i += 2 {
		sum += uint32(packet[i])<<8 | uint32(packet[i+1])
	}
	sum = ^(sum>>16 + sum&0xffff)
	packet[10], packet[11] = byte(sum>>8), byte(sum)
	return packet
}

// The published simulator writes 64 bits for each hop. Times are whole nanoseconds, and queues are multiples of 320 B.
func ExampleQuantizer_Quantize() {
	q, err := inband.NewQuantizer(inband.Published())
	if err != nil {
		log.Fatal(err)
	}
	said := q.Quantize(inband.Hop{Time: 1_234_567, Tx: 10_000, Queue: 1000, Rate: 100 * unit.Gbps})
	fmt.Println(said.Time, int64(said.Tx), int64(said.Queue), said.Rate)
	// Output: 1.234us 9728 960 100Gbps
}
