// Package longshort is how a long flow gets its rate back when a short one has gone (HPCC, SIGCOMM 2019,
// §5.2, Fig. 9a and 9b).
//
// On the paper's testbed HPCC's long flow is back at line rate at once, DCQCN's not for milliseconds. Ours is
// a simulation at the same 25 Gb/s with a flow of 1 MB, and gives the same order. stored/laptop.csv has the
// measures of the laptop scale.
package longshort
