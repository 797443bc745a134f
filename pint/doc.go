// Package pint is PINT, probabilistic in-band network telemetry: a digest of fixed
// width on every packet in place of a header that grows by hop.
//
//	Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry",
//	SIGCOMM 2020.
//
// The package holds what its parts share; they import it:
//
//	pint/global    the hash functions that switches and inference share (§4.1)
//	pint/query     queries and the plan that packs them into one digest (§3)
//	pint/coding    paths spread over many packets (§4.2)
//	pint/approx    numbers in few bits, HPCC's U among them (§4.3)
//	pint/trace     path tracing (§6.3)
//	pint/latency   latency quantiles (§6.2)
package pint
