// Package spacesaving finds the most frequent keys of a stream with a fixed
// number of counters.
//
//	Metwally, Agrawal, El Abbadi, "Efficient Computation of Frequent and Top-k
//	Elements in Data Streams", ICDT 2005: algorithm Space-Saving (figure 1) over
//	the Stream-Summary structure (figure 2).
//
// # Promise
//
// With m counters, after N units of weight:
//
//   - Σ of all counters = N (lemma 3.1), so the smallest is at most ⌊N/m⌋ (lemma 3.3).
//   - A monitored key with counter c and error e truly occurred between c−e and c
//     times, and e is at most the smallest counter (lemma 3.4).
//   - A key that is not monitored occurred at most as often as the smallest counter;
//     so every key that occurs more often than N/m is monitored (theorem 3.5).
//
// # Structure
//
// Counters with the same count form the list of one bucket; buckets form a list in ascending
// order of count. A unit increment moves a counter to the neighbouring bucket. A new
// key takes over the oldest counter of the first bucket. Both take constant time. All
// nodes live in slices made by New and are linked by index, so an update allocates
// nothing and the garbage collector has no pointers to follow. Keys are found through an
// open-addressing table, at most half full, with a seeded hash.
//
// # Differences from the SpaceSaving paper
//
//   - AddN takes weights; its time grows with the number of buckets that the key passes.
//   - The SpaceSaving paper leaves open which of several smallest counters is replaced. Here the counter that has had
//     this count for the longest time is replaced. Equal streams therefore give equal summaries for any seed of the key
//     table.
//
// The tests compare every promise with exact counts, and the structure with a slow
// version that scans for the minimum.
package spacesaving
