package query_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"pintlab/pint/query"
)

// Three queries of 8 bits share 16 bits. Packets that no query requested are divided evenly.
func ExampleCompile() {
	spec, err := query.Parse("queries.yaml", []byte(`
bits: 16
hops: 5
queries:
  - {name: path, value: switch_id, aggregation: static, bits: 8, space: 512B, frequency: 1/2}
  - {name: latency, value: hop_latency, aggregation: quantiles, bits: 8, space: 1KB, frequency: 1/2}
  - {name: queue, value: queue_occupancy, aggregation: max, bits: 8, frequency: 25%}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := query.Compile(*spec)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(plan)
	// Output:
	// 16 bits on every packet, 3 query sets, chosen by 16 bits of q(packet)
	//
	// share  parts  digest bits
	// 1/2    32768  path 0-7, latency 8-15
	// 1/4    16384  path 0-7, queue 8-15
	// 1/4    16384  latency 0-7, queue 8-15
	//
	// query    bits  requested  achieved  slack
	// path     8     1/2        3/4       +0.25
	// latency  8     1/2        3/4       +0.25
	// queue    8     1/4        1/2       +0.25
}

func ExampleInfeasibleError() {
	spec := query.Combined()
	spec.Bits = 8
	_, err := query.Compile(spec)
	fmt.Println(strings.ReplaceAll(err.Error(), " together ", "\ntogether "))
	// Output:
	// no plan fits 8 bits: path (8 bits, frequency 1) and latency (8 bits, frequency 15/16)
	// together request 31/16 digests per packet, but at most 1 of them fit on one packet
}

func ExamplePlan_Report() {
	plan, err := query.Compile(query.Combined())
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := json.MarshalIndent(plan.Report().Sets[1], "", "  ")
	fmt.Println(string(text), err)
	// Output:
	// {
	//   "share": "1/16",
	//   "parts": 4096,
	//   "fields": [
	//     {
	//       "query": "path",
	//       "low_bit": 0,
	//       "high_bit": 7
	//     },
	//     {
	//       "query": "hpcc",
	//       "low_bit": 8,
	//       "high_bit": 15
	//     }
	//   ]
	// } <nil>
}
