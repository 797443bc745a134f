// Package ndp is NDP beside DCTCP, DCQCN and HPCC on a fat tree at 10 Gb/s, as in its evaluation
// (Handley et al., SIGCOMM 2017, §6): a permutation (Fig. 14), short flows between hosts that do
// nothing else while all others do (Fig. 15), and incasts of 450 KB from each sender (Fig. 16).
//
// The NDP paper has 432 hosts, MPTCP beside these, and for NDP 92 % of the links in a permutation. The
// laptop scale has 128 hosts and gives the NDP paper's order and shape: NDP alone fills the links, its
// incasts end as soon as the receiver's link allows, and its short flows hardly notice the load.
// laptop.csv has its rows. The paper scale, of 432 hosts, has not been run.
package ndp
