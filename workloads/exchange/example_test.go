package exchange_test

import (
	"fmt"
	"log"

	"pintlab/netsim/unit"
	"pintlab/workloads/exchange"
)

// This is the trace of the fridge paper (§5.2) with delays of up to 8 ms, shortened to 10,000 requests. 40 % of the
// requests have a response.
func Example() {
	c := exchange.Synthetic(8*unit.Millisecond, 1)
	c.Requests = 10_000
	trace, err := exchange.Generate(c)
	if err != nil {
		log.Fatal(err)
	}
	truth := exchange.NewTruth(unit.Second)
	pairs, longest := 0, unit.Time(0)
	var e exchange.Event
	for trace.Next(&e) {
		if delay, ok := truth.Take(&e); ok {
			pairs++
			longest = max(longest, delay)
		}
	}
	fmt.Println(pairs, longest, trace.Err())
	// Output: 3973 7997734.505ns <nil>
}
