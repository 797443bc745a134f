// Package decode measures how many packets PINT's coding schemes need until a path is
// known: Fig. 5, Theorem 3 and appendix A.3 of the PINT paper, on paths of random values.
//
//	Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM 2020,
//	section 4.2, appendix A.2 and A.3.
//
// Trials makes independent runs on several workers with the same result for any number of
// them; Distribution is how many packets the runs took.
package decode
