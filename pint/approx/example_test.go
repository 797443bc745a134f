package approx_test

import (
	"fmt"
	"log"

	"pintlab/netsim/unit"
	"pintlab/pint/approx"
)

// The example encodes HPCC's utilisation in 8 bits (PINT §4.3). Adjacent codes differ by 5 %. The hash of the packet
// decides which of two codes the packet carries, so that the mean over packets has no bias.
func ExampleMultiplicative() {
	code, err := approx.New(approx.Utilization())
	if err != nil {
		log.Fatal(err)
	}
	packets, mean := map[uint32]int{}, 0.0
	for word := range uint64(64) {
		digest := code.Encode(0.95, word<<58)
		packets[digest]++
		mean += code.Decode(digest) / 64
	}
	fmt.Printf("%v, mean %.3f\n", packets, mean)
	fmt.Printf("%.3f, %.3f\n", code.Decode(125), code.Decode(126))
	// Output:
	// map[125:46 126:18], mean 0.950
	// 0.937, 0.984
}

// Eight bits represent delays from 1 µs to 1 ms with a relative error of one percent.
func ExampleLatency() {
	code, err := approx.NewLatency(unit.Microsecond, unit.Millisecond, 8, approx.Nearest)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range []unit.Time{3 * unit.Microsecond, 400 * unit.Microsecond} {
		fmt.Println(t, "is read as", code.Decode(code.Encode(t, 0)))
	}
	// Output:
	// 3us is read as 3036.358ns
	// 400us is read as 398107.171ns
}
