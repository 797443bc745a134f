package telemetry_test

import (
	"fmt"
	"log"

	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// PINT §2: at a load of 70 %, INT that grows from 48 to 108 bytes on packets of 1500 bytes costs long flows a tenth of
// their goodput. A digest of 2 bytes costs nearly nothing.
func ExampleGoodputLoss() {
	for _, bytes := range []unit.Bytes{108, 50} {
		loss, err := telemetry.GoodputLoss(0.7, 1500, 48, bytes)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("48 to %d bytes: %.1f %%\n", bytes, 100*loss)
	}
	// Output:
	// 48 to 108 bytes: 10.1 %
	// 48 to 50 bytes: 0.3 %
}

// The same 60 bytes are eight words of 64 bits at 10 Gb/s. Each takes 6.4 ns on the way into the switch and out of it.
// At 100 Gb/s they are one word of 64 bytes.
func ExampleDatapath_HopDelay() {
	for _, rate := range []unit.Rate{10 * unit.Gbps, 100 * unit.Gbps} {
		path, err := telemetry.DatapathAt(rate)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(rate, path.HopDelay(60))
	}
	// Output:
	// 10Gbps 102.4ns
	// 100Gbps 6ns
}
