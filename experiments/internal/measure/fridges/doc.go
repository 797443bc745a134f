// Package fridges passes traces of requests and responses to many fridges and comparable structures at once. It
// compares the distributions that they estimate with the true distribution.
//
// The clock of the structures counts picoseconds in 64 bits, so an entry takes 16 bytes. A switch with 32-bit fields
// needs 12 bytes for an entry of a fridge, and 8 bytes for an entry of the naive array, which has no counter. Memory is
// therefore compared by entries, as in the fridges paper.
package fridges
