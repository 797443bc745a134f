// Package dctcp is DCTCP, which cuts its window by as much as marks say.
//
//	Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, §3.
//	RFC 8257, "Data Center TCP (DCTCP): TCP Congestion Control for Data Centers",
//	2017, §3.3 to 3.5.
//
// # Symbols
//
//	paper  here          meaning
//	g      Params.Gain   weight of the last window in alpha
//	F      f             share of a window that was marked
//	α      alpha         moving average of F, 1 at first
//	K      (the switch)  queue above which packets are marked: network.ecn with kmin = kmax
//
// # Forms
//
// Form window is the DCTCP paper's: TCP, with the slow start and congestion avoidance of package
// reno. For the first mark of a window it sets cwnd to cwnd·(1 − α/2), at least two
// segments, and ssthresh to the same. A loss is a loss (RFC 8257 §3.5), and counts as the
// reaction of its window.
//
// Form rate is what the published HPCC simulator has (CC_MODE 8): the same α on a rate of
// RDMA senders, which begin at line rate. It differs from the DCTCP paper:
//
//   - There is no slow start. A window that is not cut adds a constant rate.
//   - F is the number of ACKs with a mark over the number of packets that were out when
//     the window began, not a share of bytes.
//   - Marks of the first window count for the second, too.
//   - The window follows the rate or is constant, and never exceeds the one at line rate.
//
// # Marks
//
// Every ACK tells of the packets since the ACK before. With transport.ack_every above 1
// all of them count as marked if one was; RFC 8257 §3.2 would send an ACK when marks begin
// or end.
package dctcp
