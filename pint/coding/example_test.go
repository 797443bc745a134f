package coding_test

import (
	"fmt"

	"pintlab/pint/coding"
	"pintlab/pint/global"
)

// A path has five switches, and each packet carries one byte. Every switch calls Hop. The collector
// knows the length of the path from the TTL, and which switches exist.
func Example() {
	code, err := coding.New(coding.Config{
		Schemes:   []coding.Scheme{coding.Hybrid(5)},
		Mode:      coding.Hash,
		Bits:      8,
		Instances: 1,
		Family:    global.CRC(1),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	switches := make([]uint64, 80)
	for i := range switches {
		switches[i] = 0x0a000000 + uint64(i)
	}
	path := []uint64{switches[3], switches[31], switches[70], switches[44], switches[12]}

	decoder, err := coding.NewDecoder(code, len(path), switches)
	if err != nil {
		fmt.Println(err)
		return
	}
	for packet := uint64(1); !decoder.Done(); packet++ {
		digest := uint64(0)
		for i, id := range path {
			digest = code.Hop(packet, i+1, id, digest)
		}
		before := decoder.Known()
		if err := decoder.Add(packet, digest); err != nil {
			fmt.Println(err)
			return
		}
		if decoder.Known() > before {
			fmt.Printf("packet %2d: digest %02x, %d hops known\n", packet, digest, decoder.Known())
		}
	}
	for hop := range path {
		id, _ := decoder.Value(hop + 1)
		fmt.Printf("%#x ", id)
	}
	// Output:
	// packet  5: digest b1, 1 hops known
	// packet  7: digest 40, 2 hops known
	// packet 15: digest 19, 5 hops known
	// 0xa000003 0xa00001f 0xa000046 0xa00002c 0xa00000c
}
