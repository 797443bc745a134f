// Package dcqcn is DCQCN, congestion control for RDMA from marks.
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
// On a CNP: R_T = R_C, R_C = R_C·(1 − α/2), α = (1−g)·α + g (equation 1), and byte counter,
// timer and alpha timer begin anew. Without one for K, α = (1−g)·α (equation 2). Timer and
// byte counter each count their steps, T and BC: while both are below F, fast recovery
// R_C = (R_T + R_C)/2 (equation 3); while one is not above F, additive increase R_T += R_AI
// (equation 4); then hyper increase, R_T += i·R_HAI with i the steps above F of the one that
// has fewer, as in QCN (IEEE 802.1Qau), from which the DCQCN paper takes it.
//
// What differs from the DCQCN paper:
//
//   - There is no packet of its own for a CNP: the ACK of a marked packet is one, unless the
//     last one came less than N before. That is decided where it arrives.
//   - The byte counter counts bytes that are acknowledged.
//   - α falls when it is looked at, once for each K that has passed: no event is spent on it.
//   - While R_C is at line rate the timer rests.
//
// # Variant ns3
//
// What the published HPCC simulator has (CC_MODE 1), which calls it the Mellanox variant:
//
//   - Marks set a flag. A clock that begins with the first mark looks at it every
//     CutInterval and cuts if it is set, so that the first cut comes that long after the
//     first mark; there is no CNP interval.
//   - Another clock moves α every AlphaTimer, up if a mark has come since.
//   - There is no byte counter, and F is 1 by default.
//   - A cut lowers the target only if there has been an increase since the cut before
//     (ClampTarget false).
//   - Hyper increase adds R_HAI, not a multiple.
package dcqcn
