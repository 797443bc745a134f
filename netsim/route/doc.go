// Package route finds all shortest paths of a graph and picks one for a flow.
//
// The shortest paths are those that cross the fewest links, as in the HPCC
// simulators. A Table holds, for every switch and every destination, the egress
// ports on such paths: the candidates. Hosts are never on the way: a host with
// two links does not forward between them, whatever the distance.
//
// # Equal-cost multipath
//
// At a node with n > 1 candidates the flow takes candidate hash(flow, node) mod
// n. The hash depends on the node, since switches that all use the same one
// polarise: the flows which arrive at an aggregation switch were selected by
// the very hash that it evaluates again, and part of its uplinks stays idle.
// Two hashes are offered: Mix, seeded, the default, and Murmur, the one of the
// published HPCC and PINT simulators, to reproduce their paths exactly.
//
// # Other balancers
//
// A Balancing says how traffic is spread: ECMP and weighted ECMP choose by flow, LetFlow by
// flowlet and Spray by packet. The last two do not change the table: a Balancer chooses
// among its candidates at each switch. With Permute senders choose among whole paths, which
// the table numbers (Paths, Along).
//
// # Cost
//
// Hosts with the same switches form a group and share one breadth-first search
// and one column of the table; equal candidate sets are stored once. A lookup
// reads two small arrays and allocates nothing. A fat tree of 8192 hosts and 1280
// switches takes 2.6 MB of table.
package route
