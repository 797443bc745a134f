// Package ndp implements NDP, a transport in which receivers request packets, and switches trim
// packets for which they have no room.
//
//	Handley, Raiciu, Agache, Voinescu, Moore, Antichi and Wójcik, "Re-architecting datacenter
//	networks and stacks for low latency and high performance", SIGCOMM 2017.
//
// # Where it is
//
//	paper                                here
//	first window at line rate            params.go; hosts.Begin sends it
//	ACK, NACK, PULL and the pull queue   receiver.go
//	pull counter, retransmission queue   sender.go
//	return to sender, timeout            sender.go
//	trimming, two queues (§3.1)          netsim/trimming.go: network.trimming
//	10:1 round robin (§3.1)              netsim.Weighted: network.scheduling wrr with weights [7=10]
//	permuted paths (§3.1)                route.Permute: network.balancing permute
//	path penalty (§3.2.3)                route.Penalty; sender.go counts
//
// A flow starts without a handshake and sends its first window. The receiver sends an ACK for each
// packet at once, or a NACK if the packet was trimmed. In both cases the receiver also puts a PULL
// into the queue of its link. This queue serves all flows in turn (with transport.pulls: class, the
// highest class first). PULLs leave at the rate at which full packets arrive. A PULL carries the
// number of PULLs of its flow so far. The sender sends as many packets as this number has grown,
// trimmed packets first.
//
// # Choices and differences
//
//   - The NDP paper has no rule for the first window. On fat trees at 10 Gb/s it uses 30 packets of
//     9 KB, of which 8 fill a path. Here the first window is the bandwidth-delay product of the
//     path, plus half of the queues of its switches: 28 packets in that network.
//   - Retransmissions are sent in the order of the flow. The NDP paper has a queue for them.
//   - In the NDP paper the receiver drops a flow's PULLs when the last packet arrives. Here the
//     receiver keeps as many PULLs as packets are missing, because earlier packets may have been
//     trimmed.
//   - PULLs that find no packet to send are not lost, because they may have overtaken a NACK.
//   - A sender that has nothing in flight and waits for a PULL relies on the receiver, which
//     repeats its PULL if nothing arrives for a timeout. So the loss of a flow's last PULL does not
//     block the flow. Senders of a large incast, which wait long for their turn, do not time out.
//   - A PULL is delayed while the NIC sends another packet. The next PULL then follows sooner.
//   - Timeouts double without progress. transport.rto_initial is 1 ms by default.
//   - Each traffic class has its own queue at each port; trimmed headers are in a class of their own.
//   - The path penalty is off unless cc.path_penalty enables it. In the NDP paper senders stop
//     using outlier paths for a time. The definition of an outlier and the duration are our own
//     choices (route.Penalty). A packet counts for the path of its last transmission, unless that
//     path was excluded or routes have changed since. ACKs and PULLs ignore the penalty.
//   - A returned header counts as one NACK of its path; in the simulator of the NDP paper's authors
//     (csg-htsim) it counts as three. That simulator judges a path after more than 100 answers with
//     more than 10 ACKs. Here a path is judged after cc.path_answers answers, all of which may be
//     NACKs.
//   - Headers have 64 B, and queues hold 8 packets of the largest size, as in the NDP paper.
package ndp
