package latency_test

import (
	"fmt"

	"pintlab/pint/latency"
)

func ExampleFlow() {
	// A flow over 5 hops has 1000 bytes. How many digests does each hop get?
	c := latency.Config{Kind: latency.Sketch, Bits: 8, Space: 1000}
	f, err := latency.NewFlow(c, 5, 1)
	if err != nil {
		panic(err)
	}
	for i := range 10_000 {
		f.Add(1+i%5, uint16(i%100))
	}
	digests, _ := c.Digests(5)
	median, _ := f.Quantile(1, 0.5)
	fmt.Printf("%d digests per hop, %d bytes, median code within 10: %v\n",
		digests, f.SizeBytes(), median > 40 && median < 60)
	// Output:
	// 83 digests per hop, 999 bytes, median code within 10: true
}
