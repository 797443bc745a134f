package fridge_test

import (
	"fmt"
	"log"

	"pintlab/int/fridge"
)

// A fridge has room for 2^10 requests, and each of 100,000 requests enters it with probability 1/16. Responses follow
// after 100 to 5000 requests. After a long delay the request has often been evicted, and a correction factor
// compensates for this.
func ExampleFridge() {
	f, err := fridge.New[uint64](fridge.Config{Seed: 1, Parts: []fridge.Part{{Entries: 1024, Probability: 1.0 / 16}}})
	if err != nil {
		log.Fatal(err)
	}
	delay := func(id uint64) uint64 { return 100 + id*7919%4901 } // uniform
	due := map[uint64][]uint64{}
	var samples fridge.Samples
	for now := range uint64(100_000) {
		f.Request(now, now)
		due[now+delay(now)] = append(due[now+delay(now)], now)
		for _, id := range due[now] {
			if s, ok := f.Response(id, now); ok {
				samples.Add(s.Delay, s.Factor)
			}
		}
		delete(due, now)
	}
	d := samples.Distribution()
	fmt.Printf("%d bytes, %d samples of %.0f pairs\n", f.SizeBytes(), f.Stats().Samples, d.Total())
	fmt.Printf("median %.0f, true 2550\n", d.Quantile(0.5))
	// Output:
	// 16384 bytes, 5219 samples of 96988 pairs
	// median 2533, true 2550
}
