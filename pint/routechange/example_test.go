package routechange_test

import (
	"fmt"
	"log"

	"pintlab/pint/coding"
	"pintlab/pint/global"
	"pintlab/pint/routechange"
)

// One of five switches of a known path is replaced. One packet, which carries an 8-bit hash of one switch, detects this
// with probability 1/5 × 255/256. 21 packets detect it with probability 99 %.
func ExampleChance() {
	code, err := coding.New(coding.Config{Schemes: []coding.Scheme{coding.Baseline()}, Mode: coding.Hash, Bits: 8,
		Instances: 1, Family: global.CRC(1)})
	if err != nil {
		log.Fatal(err)
	}
	chance, err := routechange.Chance(code, routechange.Change{Hops: 5, Changed: 1})
	if err != nil {
		log.Fatal(err)
	}
	packets, _ := routechange.Packets(chance, 0.99)
	fmt.Printf("%.4f, %d packets\n", chance, packets)
	// Output: 0.1992, 21 packets
}
