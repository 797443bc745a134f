// Package query is PINT's query language and query engine: what to measure, and which
// packets carry which measurement under a bit budget that is the same for every packet.
//
//	Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM 2020,
//	sections 3.1 to 3.4 and 6.4, tables 1 and 2.
//
// # From queries to a plan
//
//	Parse      a query file                 → Spec, valid, with every error's line
//	Compile    Spec                         → Plan, or a proof that there is none
//	Plan       a distribution over query sets, and where each digest lies in a packet's
//
// What switches and sinks do with a plan is in package module below this one.
//
// # Symbols
//
//	paper                        here
//	⟨val_t, agg_t, bit-budget⟩   Query.Value, Aggregation, Bits
//	space-budget                 Query.Space, memory of one flow at the sink
//	flow definition              Query.Flow
//	frequency                    Query.Frequency, the least share of the packets
//	global bit-budget            Spec.Bits
//	execution plan (Fig. 3)      Plan.Sets with their Parts
//	q(p)                         Plan.Choose of a word of global.QuerySet
//
// # The engine
//
// The PINT paper leaves the plan to the operator ("manually selected"). Here the engine
// finds it: among all distributions over sets of queries that fit the budget, the one
// whose frequencies exceed the requested ones by as much as possible, the smallest excess
// first (max-min fair). maxmin.go has the linear programs. They are solved exactly, in
// rational numbers, by a simplex method that makes the columns it needs: requests that
// sum to precisely what fits are the normal case (15/16 + 1/16), where a solver in
// floating point must guess; and an infeasible program yields the weights of a proof that
// a person can check. The tests compare it with gonum's simplex over all sets.
//
// The shares are then rounded to parts of 2^16 or 2^32 that sum exactly, so that comparing
// the leading bits of q(p) divides the packets exactly as the plan says. A frequency ends
// less than one part per set below the exact plan's; Plan prints what is achieved.
//
// # Differences from the PINT paper
//
//   - A query that asks for no frequency must still get some packets.
//   - Two queries that ask for the same (value, aggregation, flow) are refused: give one
//     of them more bits or packets instead.
//   - A per-packet aggregation has no flow and no space budget; giving one is an error.
//   - Checksum of switch_id is §7's path checksum, which tells apart the packets of a flow
//     that takes several paths at once (package routechange).
//   - Max and min may carry "with" them which switch (or port) had the extremum, which
//     two of Table 2's use cases need.
package query
