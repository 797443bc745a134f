package query_test

import (
	"fmt"
	"net/netip"

	"pintlab/netsim/unit"
	"pintlab/pint/coding"
	"pintlab/pint/query"
)

// A packet crosses switches, and a recorder answers queries, with the paper's combined plan.
func Example() {
	plan, err := query.Compile(query.Combined())
	if err != nil {
		fmt.Println(err)
		return
	}
	encoder, err := query.NewEncoder(plan, query.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	recorder, err := query.NewRecorder(encoder, query.Memory{Total: 10 * unit.MB}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	flow := query.FiveTuple{Src: netip.MustParseAddr("10.0.0.1").As16(), SrcPort: 4000,
		Dst: netip.MustParseAddr("10.0.3.7").As16(), DstPort: 80, Protocol: 6}
	path := []uint64{7, 42, 3}
	for packet := range uint64(2000) {
		digest := uint64(0) // the source adds an empty digest of 16 bits
		for i, id := range path {
			digest = encoder.Encode(packet, i+1, digest, &query.Observation{ // at switch id
				SwitchID:   id,
				HopLatency: unit.Time(i+1) * 2 * unit.Microsecond,
				Load:       0.3 * float64(i+1),
			})
		}
		// at the sink
		if err := recorder.Record(query.Packet{ID: packet, Hops: len(path), Flow: flow}, digest); err != nil {
			fmt.Println(err)
			return
		}
	}

	id := query.FlowID{Flow: flow, Hops: 3}
	inference := query.NewInference(recorder)
	switches := make([]uint64, 100)
	for i := range switches {
		switches[i] = uint64(i)
	}
	decoder, err := coding.NewDecoder(encoder.Coding("path"), len(path), switches)
	if err != nil {
		fmt.Println(err)
		return
	}
	found, _, err := inference.Path("path", id, decoder)
	fmt.Println("path:", found, err)
	median, err := inference.Quantile("latency", id, 2, 0.5, 0.01)
	fmt.Printf("median latency of hop 2: %.1f µs, error %v\n", median.Value/1e6, err)
	// Output:
	// path: [7 42 3] <nil>
	// median latency of hop 2: 4.0 µs, error <nil>
}
