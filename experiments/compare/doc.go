// Package compare is the main job of pintlab: HPCC fed by full INT against HPCC fed
// by PINT's one byte, and TCP Reno with and without the bytes of the INT header, on
// the web-search and Hadoop traffic of the PINT paper, §6.1.
//
// All schemes get the same flows on the same paths, seed by seed, so that what
// differs is what they do. A difference is called significant if the 95 % interval
// of the paired ratio over the seeds leaves out 1.
package compare
