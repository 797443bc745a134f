// Package mice is the latency of flows of 1 KB beside two long flows (HPCC, SIGCOMM 2019, §5.2, Fig. 9e and
// 9f).
//
// On the paper's testbed HPCC keeps the queue near zero and mice do not wait, with DCQCN they wait in a
// queue that never empties. Ours gives the same order. stored/laptop.csv has the measures of the laptop scale.
package mice
