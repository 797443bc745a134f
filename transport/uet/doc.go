// Package uet is the transport of Ultra Ethernet (UEC): reliable unordered delivery over sprayed paths, with trimming, and its two
// congestion controls. NSCC, the network-signalled one, is a window of the sender that follows delays and marks. RCCC, the
// receiver-credit one, lets receivers share out their links.
//
// The Ultra Ethernet specification 1.0 says what must be on the wire; this is the transport of the published simulator
// uet-htsim (40ccb05, August 2025), of which a description is kept beside recorded runs (MODEL.md; § here is a section of it):
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
//   - Its receivers put a flow into the list of idle ones each time that its demand is met, and send PULLs that nobody needs. Ours
//     do with cc.stale_pulls.
//   - Switches mark when a packet begins to leave, it when the packet has left, so that its marks follow arrivals of one
//     packet's time more. (A mark at the end would be on a packet that may already be with another worker.)
//   - An RTS, the header that asks for the receiver's state after a timeout, takes up no packet number.
//   - A flow fails after transport.max_retries timeouts in a row without progress. There, it goes on for ever.
//   - Hashes decide what is left to chance, not one list of random numbers.
package uet
