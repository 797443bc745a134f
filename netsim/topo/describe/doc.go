// Package describe sums up a graph for people: how many nodes of each layer and
// links of each rate it has, how long its paths are and how much its middle
// carries. It stands above topo and route, which the other parts build on.
package describe
