package buffer_test

import (
	"fmt"
	"log"

	"pintlab/netsim/buffer"
	"pintlab/netsim/unit"
)

// After the decision to pause, bytes still arrive for twice the delay of the link: 2 × 1 µs × 100 Gb/s = 25 KB. Three
// packets, the pause frame and a byte for rounding are added.
func ExampleHeadroom() {
	fmt.Println(buffer.Headroom(100*unit.Gbps, unit.Microsecond, 1000, 64))
	// Output: 28.065KB
}

// Two ports with 10 KB of headroom each leave 80 KB of 100 KB. A port is paused when it uses half as much as is free:
// with x bytes in use, x = (80 - x)/2, so x is 26.7 KB.
func ExampleShared() {
	memory, err := buffer.New(buffer.Config{Total: 100 * unit.KB, Lossless: true,
		Ports: []buffer.Port{{Headroom: 10 * unit.KB, Shift: 1}, {Headroom: 10 * unit.KB, Shift: 1}}})
	if err != nil {
		log.Fatal(err)
	}
	const port, class = 0, 0
	for queued := unit.Bytes(0); ; queued += 1000 {
		if _, pause := memory.Enter(port, class, 1000, queued); pause {
			break
		}
	}
	fmt.Println("pauses with", memory.Used())
	// Output: pauses with 27KB
}
