// Package fridges runs traces of requests and responses through fridges and their peers, many at
// once, and compares the distributions that they estimate with the true one.
//
// The clock of the structures counts picoseconds in 64 bits, so that an entry takes 16
// bytes; a switch with 32-bit fields needs 12 for a fridge and 8 for the peer, which has
// no counter. Memory is therefore compared by entries, as in the fridges paper.
package fridges
