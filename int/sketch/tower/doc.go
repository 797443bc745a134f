// Package tower is TowerSketch.
//
//	Yang, Li, Liu, Yang, Zhou, He, Xue, Zhao, Jia, Yang, "SketchINT: Empowering INT with
//	TowerSketch for Per-flow Per-switch Measurement", section IV.
//
// All of the d arrays have the same memory, but their counters have different widths: the first has many small
// counters, the last few large ones. A packet increments one counter in each array (CM insertion), or only the smallest
// of these (CU insertion). A δ-bit counter that reaches 2^δ − 1 has overflowed: it never changes again and counts as
// infinite. The estimate is the smallest counter. Small flows are thus counted in the many small counters. Large flows
// overflow their small counters and are counted in the large ones.
//
// # Promise
//
// The estimate is never below the true count. Let N be the number of all packets. For a flow of n packets that fits
// counters of δ_t bits and more, and any ε with n + ε·N < 2^δ_t − 1,
//
//	P[estimate > n + ε·N] ≤ 1/(ε·w_t) · 1/(ε·w_{t+1})
//
// for t < d, and the first factor alone for t = d. Theorem 1 has a factor for each array from t to d. The proof of
// Theorem 1 needs independent hashes.
//
// # Memory
//
// Counters are packed: an array of w counters of δ bits takes ⌈w·δ/8⌉ bytes, for every δ from 1 to 32.
//
// # Several goroutines
//
// Any number of goroutines can insert into an Atomic without a lock. A goroutine with many packets inserts through a
// Writer.
//
// # Differences from the SketchINT paper
//
// The arrays take their indices from one hash (package rows), not from one hash each. Only the indices in two adjacent
// arrays are independent. This is why the bound is weaker: if a few flows have most packets, errors beyond ε·N can be
// more frequent than Theorem 1 allows.
package tower
