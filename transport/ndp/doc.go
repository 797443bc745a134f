// Package ndp is NDP, a transport in which receivers ask for packets and switches trim those
// that they have no room for.
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
// A flow starts without a handshake and sends its first window. Each packet that comes is
// ACKed at once, each that comes trimmed is NACKed, and for either the receiver puts a PULL
// into the queue of its link, which it shares out among all flows in turn (transport.pulls:
// class asks for those of the highest class first). PULLs leave as far apart as full packets
// arrive. A PULL carries the number of those sent so far: the sender sends as many packets as
// the number is above the one before, trimmed ones first.
//
// # Choices and differences
//
//   - The NDP paper gives no rule for the first window; 30 packets of 9 KB are what it uses on fat
//     trees at 10 Gb/s, and 8 of them fill a path. Here it is the bandwidth-delay product of the
//     path, and half of what may wait at its switches: 28 packets there.
//   - What waits to be sent again goes in the order of the flow. The NDP paper has a queue.
//   - The NDP paper's receiver drops a flow's PULLs when the last packet comes. Here it keeps as
//     many as packets are missing, which then it knows: headers of others may have come before.
//   - PULLs that find nothing to send are not forgotten: they may have overtaken a NACK.
//   - A sender that has nothing out and waits for a PULL relies on the receiver: this asks
//     again if nothing has come for a timeout. So a lost PULL, the last of a flow, does not hang it,
//     and senders of a large incast, which wait long for their turn, do not time out.
//   - A NIC that is sending a packet holds up a PULL; the next one makes up for it.
//   - Timeouts double while nothing gets on. transport.rto_initial is 1 ms by default.
//   - A class of traffic has a queue of its own at each port, and so have headers.
//   - The path penalty is off unless cc.path_penalty says otherwise. The NDP paper says that senders
//     leave outliers out for a time; what an outlier is and for how long is ours (route.Penalty).
//     A packet counts for the path that it was sent on last, and not if that has been left out, or
//     routes have changed, since. ACKs and PULLs know no penalty.
//   - A returned header counts as one NACK of its path; the simulator of the NDP paper's authors
//     (csg-htsim) counts three. It judges a path after more than 100 answers of which more than 10
//     are ACKs, here after cc.path_answers ACKs and NACKs, of which none need be an ACK.
//   - Headers of 64 B and queues that hold 8 packets of the largest size, as in the NDP paper.
package ndp
