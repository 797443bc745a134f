// Package describe summarises a graph for users: the number of nodes per layer and of links per
// rate, the lengths of its paths, and the capacity between its halves.
package describe
