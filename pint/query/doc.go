// Package query implements PINT's query language and query engine: what to measure, and which
// packets carry which measurement within a bit budget that is the same for every packet.
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
// Package module, below this one, implements the switches and sinks of a plan.
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
// excess of frequencies over the requested ones, the smallest excess first. maxmin.go has the
// linear programs. They are solved exactly, in rational numbers, by a simplex method with column
// generation. Exactness matters because requests usually sum to exactly what fits (15/16 + 1/16),
// where a floating-point solver needs a tolerance. If a program is infeasible, the solution yields
// the weights of a proof that can be checked by hand. The tests compare it with gonum's simplex
// over all sets.
//
// The shares are then rounded to multiples of 2^-16 or 2^-32 that sum to exactly 1, so that
// comparing the leading bits of q(p) divides the packets exactly as planned. Rounding lowers a
// frequency by less than one part per set; Plan prints the rounded frequencies.
//
// # Differences from the PINT paper
//
//   - A query that requests no frequency must still get some packets.
//   - Two queries with the same (value, aggregation, flow) are an error: give one of them more bits
//     or packets instead.
//   - A per-packet aggregation has no flow and no space budget; setting one is an error.
//   - Checksum of switch_id is the path checksum of §7. It distinguishes the packets of a flow that
//     takes several paths at the same time (package routechange).
//   - Max and min can also carry the switch (or port) that had the extremum ("with"), which two use
//     cases of Table 2 need.
package query
