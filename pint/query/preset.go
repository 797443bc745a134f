package query

import (
	"pintlab/netsim/unit"
	"pintlab/pint/approx"
)

// Presets returns the names of the query sets in the evaluation of the PINT paper.
func Presets() []string { return []string{"combined", "combined-by-hand", "combined-8"} }

// Preset returns the query set of a name.
func Preset(name string) (s Spec, ok bool) {
	switch name {
	case "combined":
		return Combined(), true
	case "combined-by-hand":
		return CombinedByHand(), true
	case "combined-8":
		return CombinedIn8(), true
	}
	return Spec{}, false
}

// PathQuery returns the query for path tracing (§6.3): the switch IDs of a flow's hops.
func PathQuery(bits, hashes int, space unit.Bytes) Query {
	return Query{
		Name: "path", Value: SwitchID, Aggregation: Path, Bits: bits, Hashes: hashes, Space: space, Flow: ByFiveTuple,
	}
}

// LatencyQuery returns the query for quantiles of the latency of each hop (§6.2).
func LatencyQuery(bits int, space unit.Bytes) Query {
	return Query{
		Name: "latency", Value: HopLatency, Aggregation: Quantiles, Bits: bits, Space: space, Flow: ByFiveTuple,
	}
}

// HPCCQuery returns the query for the load of the bottleneck, for HPCC (§6.1), in 8 bits with ε =
// 0.025.
func HPCCQuery() Query {
	return Query{Name: "hpcc", Value: Load, Aggregation: Max, Bits: 8, Rounding: approx.UnbiasedLog}
}

// Combined returns the queries of §6.4 in 16 bits on every packet, 8 bits per query: path on all
// packets, latency on 15/16 of them and HPCC on 1/16. Paths have up to 5 switches. The path has two
// hashes of 4 bits, as in Fig. 6 of the PINT paper; one hash of 8 bits needs more packets.
func Combined() Spec {
	path, latency, hpcc := PathQuery(8, 2, 1000*unit.Byte), LatencyQuery(8, 1000*unit.Byte), HPCCQuery()
	path.Frequency, latency.Frequency, hpcc.Frequency = Share(1, 1), Share(15, 16), Share(1, 16)
	return Spec{Bits: 16, Hops: 5, HashBits: 16, Queries: []Query{path, latency, hpcc}}
}

// CombinedByHand returns Combined with the plan of the PINT paper: path and latency on 15/16 of the
// packets, path and HPCC on the others.
func CombinedByHand() Spec {
	s := Combined()
	s.ByHand = []Choice{
		{Queries: []string{"path", "latency"}, Probability: Share(15, 16)},
		{Queries: []string{"path", "hpcc"}, Probability: Share(1, 16)},
	}
	return s
}

// AddLane adds a path checksum (§7) to every packet, in additional bits. Two paths have the same checksum with
// probability 2^-bits.
func (s *Spec) AddLane(bits int) {
	q := Query{Name: "lane", Value: SwitchID, Aggregation: Checksum, Bits: bits, Frequency: Share(1, 1)}
	s.Bits, s.Queries = s.Bits+bits, append(s.Queries, q)
	for i := range s.ByHand {
		s.ByHand[i].Queries = append(s.ByHand[i].Queries, q.Name)
	}
}

// CombinedIn8 returns the queries of Combined in 8 bits, so that each packet carries one of them:
// the path on half of the packets, latency on 7/16 and HPCC on 1/16.
func CombinedIn8() Spec {
	s := Combined()
	s.Bits = 8
	s.Queries[0].Frequency, s.Queries[1].Frequency = Share(1, 2), Share(7, 16)
	return s
}
