// Package dctcp implements DCTCP, which cuts its window in proportion to the share of marked
// packets.
//
//	Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, §3.
//	RFC 8257, "Data Center TCP (DCTCP): TCP Congestion Control for Data Centers",
//	2017, §3.3 to 3.5.
//
// # Symbols
//
//	paper  here          meaning
//	g      Params.Gain   weight of the latest window in alpha
//	F      f             share of a window that was marked
//	α      alpha         moving average of F, initially 1
//	K      (the switch)  queue length above which packets are marked: network.ecn with kmin = kmax
//
// # Forms
//
// Form window is the algorithm of the DCTCP paper: TCP with the slow start and congestion avoidance
// of package reno. On the first mark of a window it sets cwnd to cwnd·(1 − α/2), at least two
// segments, and ssthresh to the same. A loss halves the window as in TCP (RFC 8257 §3.5); a mark in
// the same window then causes no further cut.
//
// Form rate is the DCTCP of the published HPCC simulator (CC_MODE 8): the same α controls the rate
// of RDMA senders, which begin at line rate. It differs from the DCTCP paper:
//
//   - There is no slow start. The rate grows by a constant for each window without a cut.
//   - F is the number of ACKs with a mark divided by the number of packets in flight at the
//     beginning of the window, not a share of bytes.
//   - Marks of the first window also count for the second.
//   - The window follows the rate or is constant. It never exceeds the window at line rate.
//
// # Marks
//
// Every ACK reports the packets since the previous ACK. If one of these packets was marked, all of
// them count as marked. RFC 8257 §3.2 would send an extra ACK whenever marks begin or end.
package dctcp
