// Package uet implements the transport of Ultra Ethernet (UEC): reliable unordered delivery over
// sprayed paths, with trimming, and its two congestion controls. NSCC (network-signalled congestion
// control) is a window at the sender that reacts to delays and marks. With RCCC (receiver-credit
// congestion control), receivers share their links among senders.
//
// The Ultra Ethernet specification 1.0 defines the packets. This package implements the transport
// of the published simulator uet-htsim (40ccb05, August 2025). In this package § refers to the
// sections of the description MODEL.md, which is kept next to recorded runs:
//
//	description                          here
//	§1 timeout, marking thresholds       params.go: Timeout, Marking
//	§2 windows and credit of a new flow  nscc.go: Start; hosts.go: Open
//	§3 NIC of a host                     receiver.go: Controls, Offer; transport/nic.go
//	§4 receiver: ACK and NACK            receiver.go
//	§5 sender: bookkeeping, timeout      sender.go
//	§6 NSCC                              nscc.go
//	§7 RCCC                              receiver.go: pull; sender.go: takePull, target
//	§8 entropy                           netsim/route/entropy.go
//	§9 SLEEK                             sleek.go
//
// # What differs from uet-htsim
//
//   - Receivers of uet-htsim add a flow to the list of idle flows each time its demand is met, and
//     send unnecessary PULLs. Receivers here do so only with cc.stale_pulls.
//   - Our switches mark a packet when it begins to leave. Switches of uet-htsim mark a packet when
//     it has left, so their marks reflect the arrivals of one more packet time. (Here another
//     worker may already have a packet that has left.)
//   - An RTS, the header that requests the receiver's state after a timeout, uses no packet number.
//   - A flow fails after transport.max_retries successive timeouts without progress. In uet-htsim a
//     flow never fails.
//   - Random decisions are hashes instead of draws from one generator.
package uet
