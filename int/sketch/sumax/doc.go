// Package sumax is SuMax, the sketch of LightGuardian.
//
//	Zhao, Yang, Liu et al., "LightGuardian: A Full-Visibility, Lightweight, In-band
//	Telemetry System Using Sketchlets", NSDI 2021, section 4.
//
// d arrays of w buckets hold sum cells and maximum cells. A packet has a bucket in each
// array. It adds α to the sum cells with approximate conservative update (Algorithm 1): the
// update visits the arrays in order, and ω is the smallest sum so far. A cell whose sum with
// α is below ω takes that sum, which becomes ω. Otherwise a cell below ω is raised to ω, and
// any other cell stays. A pipeline can do this because it visits no array twice. A maximum
// cell takes the larger of its value and β. The answer to a query is the smallest cell of the
// flow.
//
// Four types share that rule:
//
//   - Sizes has one sum cell per bucket: flow sizes alone, comparable with Count-Min and CU.
//   - Delays has λ_d delay cells per bucket.
//   - Sketch has the bucket of section 4.4 without the delay cells: flow size, longest time
//     between packets, last arrival.
//   - Parts has the layout of section 7.1.2 for a switch, in any Shape: delay part and interval
//     part, each of whose columns fits a sketchlet of 24 bytes. Last arrivals and bytes can also
//     have sketchlets.
//
// Queries about a flow (Shape.Query) and about all flows (Shape.Tasks) take a function that finds
// a column by its ID. They therefore work on a Parts, and on the sketchlets of it that have arrived.
//
// # Promise
//
// No answer is below the truth: a sum is at least the flow's own, and the last arrival is not
// earlier than the flow's own. A sum is never above the sum of a Count-Min sketch of the same shape
// and seed. Its average error is usually between the errors of Count-Min and CU (section 4.3). The
// longest time between packets has errors in both directions: packets of other flows in the bucket
// split a gap, or create one before the flow's first packet.
//
// # Differences from the LightGuardian paper
//
// Cells have 32 bits. A sum cell that reaches 2^32 − 1 stays there and counts as infinite.
// Sizes and Sketch take the places of all arrays from one hash (package rows).
package sumax
