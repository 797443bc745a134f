// Package route finds all shortest paths of a graph and picks one for a flow.
//
// A shortest path crosses the fewest links, as in the HPCC simulators. A Table holds the candidates
// for every switch and every destination: the egress ports on shortest paths. Paths never cross a
// host: a host with two links does not forward between them.
//
// # Equal-cost multipath
//
// At a node with n > 1 candidates the flow takes candidate hash(flow, node) mod n. The hash depends
// on the node, because choices polarise if all switches use the same hash: an aggregation switch
// then sees only flows that the same hash selected before, and part of its uplinks stays idle.
// There are two hashes. Mix, the default, is seeded. Murmur is the hash of the published HPCC and
// PINT simulators and reproduces their paths exactly.
//
// # Other balancers
//
// A Balancing spreads traffic: ECMP and weighted ECMP choose per flow, LetFlow per flowlet and
// Spray per packet. The last two do not change the table; a Balancer chooses among its candidates
// at each switch. With Permute, senders choose among whole paths, which the table numbers (Paths,
// Along).
//
// # Summary
//
// Summarize counts the nodes of a graph per layer, its links per rate and the lengths of its paths, and
// computes the capacity between its halves.
//
// # Cost
//
// Hosts that are linked to the same switches form a group. A group needs one breadth-first search
// and one column of the table. Equal candidate sets are stored once. A lookup reads two small
// arrays and allocates nothing. The table of a fat tree with 8192 hosts and 1280 switches takes 2.6
// MB.
package route
