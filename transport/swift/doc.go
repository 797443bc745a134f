// Package swift implements Swift, a congestion control that keeps the delay at a target.
//
//	Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the
//	Datacenter", SIGCOMM 2020, Algorithm 1 and §3.5.
//
// # Symbols
//
//	paper                   here                  meaning
//	cwnd                    sender.cwnd           window in packets, may be below 1
//	ai                      Params.Increase       packets per round trip
//	β                       Params.Beta           multiplicative decrease
//	max_mdf                 Params.MaxDecrease    largest share by which one decrease cuts the window
//	base_target             Params.Base           target delay of a network without hops
//	ℏ                       Params.Hop            target delay per hop (topology scaling)
//	fs_range                Params.Range          largest addition to the target by flow scaling
//	fs_min_cwnd             Params.RangeMin       window at which flow scaling adds all of fs_range
//	fs_max_cwnd             Params.RangeMax       window from which flow scaling adds nothing
//	RETX_RESET_THRESHOLD    Params.Reset          successive timeouts after which cwnd is min_cwnd
//
// The target is base_target + #hops·ℏ + max(0, min(α/√cwnd + β', fs_range)) with α =
// fs_range/(1/√fs_min_cwnd - 1/√fs_max_cwnd) and β' = -α/√fs_max_cwnd. Below the target, the window
// grows by ai per round trip. Above it, once per round trip, it is multiplied by 1 -
// β·(delay-target)/delay, but at least by 1 - max_mdf. A window below one packet means one packet
// every rtt/cwnd.
//
// # What delay is
//
// The Swift paper splits a round trip into the time in the fabric and the time in the hosts, has a
// window for each, and uses the smaller one. Hosts of this simulator take no time. They acknowledge
// a packet when it arrives, and they stamp a packet when it leaves the queue of the NIC. So the
// endpoint delay is 0, the endpoint window would never be the smaller one, and this package has no
// endpoint window. A window also does not grow while the NIC, rather than the window, limits the
// flow; in the Swift paper the wait for the NIC is part of the delay.
//
// # Sprayed packets
//
// With delayed_acks = 5 this is LSwift. With feedback = median in addition, it is MSwift. Both are by Gerstein,
// Silberstein and Keslassy (arXiv 2509.07907), and only re-implementations of both were available. Two cuts are at
// least a measured round trip apart, not a pooled one. A cut does not end the row of delayed acknowledgements.
//
// # Choices
//
//   - The Swift paper prints the form of the target but no values. fs_min_cwnd and fs_max_cwnd are
//     from its example (§3.5), and the threshold 4 is from §3.6. Base, hop and range are our own
//     choices, for hosts at 100 Gb/s in a fat tree with an RTT of 13 us.
//   - A flow begins with what its NIC sends in the base RTT of its path, like the other RDMA
//     controls, unless Params.Initial is set.
//   - Algorithm 1 records a decrease whenever cwnd ≤ cwnd_prev. After an ACK that may not decrease
//     the window the two are equal, so no later ACK could decrease the window. Here the condition
//     is cwnd < cwnd_prev.
//   - The number of hops is counted on the path at the start of the flow; the Swift paper reads the
//     TTL.
package swift
