// Package module holds the three modules of a PINT query (section 3.4):
//
//	Encoder    on every switch: updates the digest of a packet; no state of packets or flows
//	Recorder   at the sink: takes the digest off and keeps, per flow, what the queries need
//	Inference  on demand: answers the queries from what is recorded
//
// All are made from one query.Plan and one set of Options, the only things that switches
// and sinks must share. The package knows nothing of a simulator: a switch calls Encode
// with what it observes, a collector calls Record with what arrives.
//
// # What each aggregation does
//
//	static      Algorithm 1 over hashed values (package coding); the sink keeps the newest
//	            digests that fit the space budget, and a decoder of package coding, or any
//	            other, reads them
//	dynamic     a reservoir over the hops picks one of them per packet, whose value is
//	            written as a code; the sink keeps a summary per hop (package latency), the
//	            space budget split evenly over the hops, or Space-Saving counters
//	per-packet  the extremum, sum or product of the codes, or the checksum of the path;
//	            nothing is kept, the result is on the packet (Encoder.PerPacket)
//
// # Hash functions
//
// The query set of a packet is a function of the packet alone, so that switches agree on
// it without a bit on the wire. Every query has a family of its own, made from the seed:
// whether a hop acts for one query tells nothing about another.
//
// # Cost
//
// A hop costs 15 ns for one of the PINT paper's queries, 18 ns for the path in two hashes
// of eight bits and 33 ns for the combined plan; 30 and 39 ns for the last two with the
// CRC family, which a switch computes side by side. Recording a packet of the combined
// plan costs 0.3 µs. Nothing is allocated. (BenchmarkEncode, BenchmarkRecord: the least of
// 60 short runs on one core of a shared Xeon.) The coin tosses of a hop are masks, not
// branches: which packets act is what a processor cannot predict.
//
// # Memory
//
// A flow costs its store, inside the query's space budget, and a fixed overhead for
// finding it. Memory.Total bounds the sum for each query; when a new flow does not fit,
// flows are forgotten, the one whose last packet is oldest first. Packets of a flow over
// paths of different lengths are recorded apart.
package module
