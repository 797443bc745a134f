// Package deploy runs PINT's execution plans (package query) on the switches and hosts of the
// simulator.
//
//	Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM 2020,
//	sections 3.4 (modules) and 6.4 (several queries at once).
//
//	Switches   netsim.Tap: the encoding module at every switch egress
//	Collector  netsim.Sink: the recording module at every host
//	Witness    netsim.Tap: the truth, recorded with the packets at no cost
//	Monitor    telemetry.Monitor: all of this, independent of the telemetry that the congestion control uses
//
// Switches keep a register per port if the plan has a query for HPCC's load, and no other state.
// All choices follow from the packet's key by global hashes. A Collector keeps a recorder per host.
// So each part belongs to one node, and several engines may run one network.
//
// # What a switch observes here
//
//	switch_id          ID that the operator gave the switch (Config.IDs)
//	egress_port        number of the port in the network
//	ingress_timestamp  arrival of the last bit of the packet
//	hop_latency        from that arrival until the packet leaves the queue: only waiting,
//	                   because switches of the simulator forward in no time
//	queue_occupancy    bytes left in the queue
//	load               HPCC's U of the egress link, updated by every packet of any kind
//
// Flows are connections: the definition of every per-flow query must be the 5-tuple,
// and a connection is known by its key in the network.
//
// # Several paths of a flow
//
// With path_checksum, or a query of it in a file, each lane of a flow has its own records (package
// query). Without it, the telemetry of a run refuses balancers that send packets of a flow over several
// paths, and a monitor warns.
//
// # As a monitor
//
// A Monitor has its own digest field, in addition to the field of any telemetry. Results of per-packet queries (load)
// are summed at each host. In the PINT paper the last switch removes the digest and sends it to the Recording Module in
// a storage (§3.4, Fig. 3). Here the destination host sends a report for each packet, or records the digest itself.
//
// # Differences from the PINT paper
//
//   - A retransmitted packet has a new identifier (the number of the transmission), like the IPID
//     of a host.
//   - All switches round a packet's load with the same random word, so that the maximum of the
//     rounded codes has no bias (package approx). The tap pint.Utilization, for one query, rounds
//     independently at each hop, as in the PINT paper.
package deploy
