// Package incast is an incast on top of a long flow (HPCC, SIGCOMM 2019, §5.2, Fig. 9c and 9d), with the
// flow sizes of its simulations (§5.1: 500 KB from each sender) and 16 or 60 senders.
//
// On the paper's testbed HPCC's queue is gone after about a round trip, and DCQCN's stays. Ours gives the
// same order. stored/laptop.csv has the measures of the laptop scale.
package incast
