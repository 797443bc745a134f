// Package dcqcn implements DCQCN, a congestion control for RDMA that reacts to marks.
//
//	Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, §3
//	and Fig. 7.
//
// # Symbols
//
//	paper   here                meaning
//	g       Params.Gain         gain of alpha
//	N       Params.CNPInterval  least time between two CNPs of a flow
//	K       Params.AlphaTimer   time without CNP after which alpha falls
//	T       Params.Timer        time between rate increases by time
//	B       Params.ByteCounter  bytes between rate increases by bytes
//	F       Params.Recovery     steps of fast recovery
//	R_AI    Params.RateAI       additive increase of the target
//	R_HAI   Params.RateHAI      hyper increase
//	R_C     Pace                current rate
//	R_T     target              target rate
//	α       alpha               estimate of congestion, 1 at first
//
// # Variant paper
//
// On a CNP: R_T = R_C, R_C = R_C·(1 − α/2), α = (1−g)·α + g (equation 1), and byte counter, timer
// and alpha timer restart. After each K without a CNP, α = (1−g)·α (equation 2). T is also the
// number of steps of the timer, and BC is the number of steps of the byte counter. While both are
// below F there is fast recovery: R_C = (R_T + R_C)/2 (equation 3). While one of them is at most F
// there is additive increase: R_T += R_AI (equation 4). Then there is hyper increase: R_T +=
// i·R_HAI, where i is the smaller of T and BC minus F. The DCQCN paper takes this rule from QCN
// (IEEE 802.1Qau).
//
// The differences from the DCQCN paper are:
//
//   - A CNP is not a separate packet. The ACK of a marked packet is a CNP, unless the previous one
//     came less than N before. The sender decides this.
//   - The byte counter counts acknowledged bytes.
//   - α is updated when it is read, once for each K that has passed, so that it needs no event.
//   - The timer stops while R_C is at line rate.
//
// # Variant ns3
//
// This is the DCQCN of the published HPCC simulator (CC_MODE 1), which calls it the Mellanox
// variant:
//
//   - Marks set a flag. A clock that starts with the first mark reads the flag every CutInterval
//     and cuts the rate if the flag is set. So the first cut comes one CutInterval after the first
//     mark. There is no CNP interval.
//   - Another clock updates α every AlphaTimer. α rises if a mark has come since the last update.
//   - There is no byte counter, and F is 1 by default.
//   - A cut lowers the target only if there was an increase since the previous cut (ClampTarget
//     false).
//   - Hyper increase adds R_HAI, not a multiple of it.
package dcqcn
