package global_test

import (
	"fmt"

	"pintlab/pint/global"
)

// Every switch of a path decides from one hash whether it writes on a packet. Hop i writes with probability 1/i. So
// each of five hops is the last writer on a fifth of the packets. The receiver computes the same hashes and finds the
// last writer.
func ExampleFunction_Writer() {
	act := global.CRC(1).Function(global.Act, 0)
	packets := [6]int{}
	for packet := range uint64(10_000) {
		last := 0
		for hop := 1; hop <= 5; hop++ {
			if global.Reservoir(act.At(packet, uint64(hop)), hop) {
				last = hop
			}
		}
		if last != act.Writer(act.Key(packet), 5) {
			fmt.Println("they differ")
		}
		packets[last]++
	}
	fmt.Println(packets[1:])
	// Output: [2032 2022 1986 1940 2020]
}
