// Package query implements PINT's queries: their language, the engine that decides which packets carry which
// measurement within a bit budget that is the same for every packet, and the modules that switches and sinks run.
//
//	Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM 2020,
//	sections 3.1 to 3.4 and 6.4, tables 1 and 2.
//
// # From queries to a plan
//
//	Parse      a query file                 query file → Spec, or errors with lines
//	Compile    Spec                         Spec → Plan, or a proof that there is none
//	Plan       a distribution over query sets, and the position of each digest in a packet's digest
//
// # From a plan to answers
//
//	Encoder    on every switch: updates the digest of a packet, without state of packets or flows
//	Recorder   at the sink: takes the digest and stores, per flow, what the queries need
//	Inference  on demand: answers the queries from the stored data
//
// These are the three modules of section 3.4. All are made from one Plan and one set of Options, which are
// all that switches and sinks must share. They do not depend on a simulator: a switch calls Encode with
// its observations, and a collector calls Record with received digests.
//
// # Symbols
//
//	paper                        here
//	⟨val_t, agg_t, bit-budget⟩   Query.Value, Aggregation, Bits
//	space-budget                 Query.Space, memory of one flow at the sink
//	flow definition              Query.Flow
//	frequency                    Query.Frequency, the smallest share of the packets
//	global bit-budget            Spec.Bits
//	execution plan (Fig. 3)      Plan.Sets with their Parts
//	q(p)                         Plan.Choose of a word of global.QuerySet
//
// # The engine
//
// The PINT paper leaves the plan to the operator ("manually selected"). Here the engine finds the
// max-min fair plan: among all distributions over query sets that fit the budget, it maximises the
// excess of the frequencies over the requested frequencies, the smallest excess first. maxmin.go
// contains the linear programs. A simplex method with column generation solves them exactly, in
// rational numbers. Exactness matters, because requests usually sum to exactly what fits
// (15/16 + 1/16), where a floating-point solver needs a tolerance. If a program is infeasible, the
// solution yields the weights of a proof that can be checked by hand. The tests compare our simplex
// method with gonum's, which runs over all sets.
//
// The shares are then rounded to multiples of 2^-16 or 2^-32 that sum to exactly 1, so that
// comparing the leading bits of q(p) divides the packets exactly as planned. Rounding lowers a
// frequency by less than one part per set; Plan prints the rounded frequencies.
//
// # What each aggregation does on switches and at the sink
//
// Static aggregations use Algorithm 1 over hashed values (package coding). The sink stores the
// newest digests that fit the space budget, and a decoder of package coding, or another one, reads
// them.
//
// Dynamic aggregations select one hop per packet by reservoir sampling over the hops and carry the
// code of its value. The sink stores a summary per hop (package latency), with the space budget
// split evenly over the hops, or Space-Saving counters.
//
// Per-packet aggregations carry the extremum, sum or product of the codes, or the checksum of the
// path. Nothing is stored, because the result is on the packet (Encoder.PerPacket).
//
// # Hash functions
//
// The query set of a packet depends on the packet only, so switches agree on the query set without
// a bit on the wire. Every query has its own family of hash functions, derived from the seed. So
// whether a hop acts for one query is independent of the other queries.
//
// # Cost of a hop
//
// A hop takes 15 ns for one of the PINT paper's queries, 18 ns for the path in two hashes of eight
// bits and 33 ns for the combined plan. With the CRC family, which a switch computes in parallel,
// the last two take 30 and 39 ns. Recording a packet of the combined plan takes 0.3 µs. Nothing is
// allocated. (BenchmarkEncode, BenchmarkRecord: the minimum of 60 short runs on one core of a
// shared Xeon.) The coin tosses of a hop use masks instead of branches, because a processor cannot
// predict on which packets a hop acts.
//
// # Memory of the sink
//
// A flow takes its store, which is within the query's space budget, and a fixed overhead for the
// index. Memory.Total limits the sum for each query. If a new flow does not fit, the flow with the
// oldest last packet is removed first. Packets of a flow over paths of different lengths are
// recorded separately.
//
// # Several paths of a flow
//
// The sink knows the length of a packet's path (from its TTL) and what the digest contains. If every packet with a
// query of flows carries the checksum of switch_id (Plan.Lane), packets with different checksums are recorded
// separately, each lane within the space budget. That costs the bits of the checksum on every packet. Two paths share a
// lane with probability 2^-bits, so that a flow over 16 paths has such a pair with probability 0.38 in 8 bits and 0.002
// in 16 (routechange.Collision). Packet spraying needs a checksum.
//
// Without a checksum, packets over paths of the same length share a record. Digests of a path query still show that a
// path has changed (Inference.Epochs): each epoch has its own path, and begins some packets late (routechange.Chance).
// For failures and flowlets, few of these paths are wrong; with spraying, many are wrong. Records of dynamic queries
// mix values of the old and the new path.
//
// TestLanesAreTruePaths and TestEpochsAreTruePaths in experiments/sim compare lanes and epochs with the
// paths of all packets.
//
// # Differences from the PINT paper
//
//   - A query that requests no frequency must still get some packets.
//   - Two queries with the same (value, aggregation, flow) are an error: give one of them more bits
//     or packets instead.
//   - A per-packet aggregation has no flow and no space budget; setting one is an error.
//   - Checksum of switch_id is the path checksum of §7, as follows.
//   - Max and min can also carry the switch (or port) that had the extremum ("with"). Two use cases
//     of Table 2 need this.
package query
