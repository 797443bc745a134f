// Package fairness is how four flows share a link while they join and leave (HPCC, SIGCOMM 2019, §5.2,
// Fig. 9g and 9h).
//
// On the paper's testbed HPCC's flows share fairly at short time scales. Ours do at 200 us, in the mean; the
// worst intervals of HPCC over INT are no fairer than DCQCN's. stored/laptop.csv has the measures of the
// laptop scale.
package fairness
