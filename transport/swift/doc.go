// Package swift is Swift, congestion control that holds the delay at a target.
//
//	Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the
//	Datacenter", SIGCOMM 2020, Algorithm 1 and §3.5.
//
// # Symbols
//
//	paper                   here                  meaning
//	cwnd                    sender.cwnd           window in packets, may be below 1
//	ai                      Params.Increase       packets a round trip
//	β                       Params.Beta           multiplicative decrease
//	max_mdf                 Params.MaxDecrease    largest share that a decrease takes
//	base_target             Params.Base           target delay of a network of one hop
//	ℏ                       Params.Hop            target delay for each hop (topology scaling)
//	fs_range                Params.Range          most that flow scaling adds to the target
//	fs_min_cwnd             Params.RangeMin       window at which it adds all of that
//	fs_max_cwnd             Params.RangeMax       window from which on it adds nothing
//	RETX_RESET_THRESHOLD    Params.Reset          timeouts in a row after which cwnd is min_cwnd
//
// The target is base_target + #hops·ℏ + max(0, min(α/√cwnd + β', fs_range)) with α =
// fs_range/(1/√fs_min_cwnd - 1/√fs_max_cwnd) and β' = -α/√fs_max_cwnd. Below it, the window
// grows by ai a round trip; above it, it is multiplied by 1 - β·(delay-target)/delay, at least
// by 1 - max_mdf, once a round trip. A window below one packet is one packet every rtt/cwnd.
//
// # What delay is
//
// The Swift paper splits a round trip into what the fabric and what the hosts take, has a window for
// each, and uses the smaller one. Hosts of this simulator take no time: they acknowledge a
// packet when it arrives, and the time stamp is taken when a packet leaves the NIC, behind its
// queue. The endpoint delay is 0, the endpoint window would never be the smaller one, and there
// is none here. For the same reason a window does not grow while the NIC, and not the window,
// limits the flow: in the Swift paper the wait for the NIC is part of the delay.
//
// # Choices
//
//   - The Swift paper prints the form of the target and no values for it. The fs_min_cwnd and
//     fs_max_cwnd here are those of its example (§3.5), the threshold 4 that of §3.6. Base, hop
//     and range are ours, for hosts at 100 Gb/s in a fat tree with an RTT of 13 us.
//   - A flow begins with what its NIC sends in the base RTT of its path, as the other controls
//     of RDMA do; Params.Initial says otherwise.
//   - Algorithm 1 notes a decrease whenever cwnd ≤ cwnd_prev. After an ACK that may not decrease
//     the window the two are equal, so that no later one might: here it is cwnd < cwnd_prev.
//   - The hops are those of the path at the start of the flow; the Swift paper reads the TTL.
package swift
