// Package module implements the three modules of a PINT query (section 3.4):
//
//	Encoder    on every switch: updates the digest of a packet, without state of packets or flows
//	Recorder   at the sink: takes the digest and stores, per flow, what the queries need
//	Inference  on demand: answers the queries from the stored data
//
// All are made from one query.Plan and one set of Options, which are all that switches and sinks
// must share. The package does not depend on a simulator: a switch calls Encode with its
// observations, and a collector calls Record with received digests.
//
// # What each aggregation does
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
// The query set of a packet is a function of the packet only, so that switches agree on it without
// a bit on the wire. Every query has its own family of hash functions, derived from the seed. So
// whether a hop acts for one query is independent of the other queries.
//
// # Cost
//
// A hop takes 15 ns for one of the PINT paper's queries, 18 ns for the path in two hashes of eight
// bits and 33 ns for the combined plan. With the CRC family, which a switch computes in parallel,
// the last two take 30 and 39 ns. Recording a packet of the combined plan takes 0.3 µs. Nothing is
// allocated. (BenchmarkEncode, BenchmarkRecord: the minimum of 60 short runs on one core of a
// shared Xeon.) The coin tosses of a hop use masks instead of branches, because a processor cannot
// predict which packets act.
//
// # Memory
//
// A flow takes its store, which is within the query's space budget, and a fixed overhead for the
// index. Memory.Total limits the sum for each query. If a new flow does not fit, the flow with the
// oldest last packet is removed first. Packets of a flow over paths of different lengths are
// recorded separately.
package module
