package wire_test

import (
	"encoding/hex"
	"fmt"
	"log"

	"pintlab/int/wire"
)

// The example of Telemetry Report 2.0: switch 3 reports a packet with the stack of switches 1 and 2, and adds its own
// record.
func ExampleSigns_Read() {
	datagram, err := hex.DecodeString("" +
		"4500008400004000401100000a0000030a000063" + "7ffe7ffe00700000" + // IP, UDP
		"20000007" + "00000003" + "14170120" + "1000000000000000" + "01000033" + // report of switch 3
		"4500005000004000401100000a0a01010a0a0202" + "c0001389003c0000" + // IP, UDP of the packet
		"18070006" + "200002069000000000000000" + "0000000202000022" + "0000000101000011" + // INT-MD
		"1f900050000000000000000050100000" + "00000000") // TCP
	if err != nil {
		log.Fatal(err)
	}
	signs := wire.Signs{Outer: 5001, Report: wire.ReportPort}
	found, err := signs.Read(append(make([]byte, 14), datagram...), 14) // behind the Ethernet header
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range found {
		fmt.Println(f.Src, "to", f.Dst)
		for _, hop := range f.Hops {
			fmt.Printf("switch %d, queue %d\n", *hop.Node, *hop.Queue)
		}
	}
	// Output:
	// 10.10.1.1:8080 to 10.10.2.2:80
	// switch 1, queue 17
	// switch 2, queue 34
	// switch 3, queue 51
}
