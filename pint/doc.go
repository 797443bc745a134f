// Package pint implements PINT, probabilistic in-band network telemetry. Every packet carries a
// digest of fixed width instead of a header that grows with each hop.
//
//	Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry",
//	SIGCOMM 2020.
//
// This package contains what its subpackages share:
//
//	pint/global    hash functions that switches and inference share (§4.1)
//	pint/query     queries, and the plan that packs them into one digest (§3)
//	pint/coding    paths spread over many packets (§4.2)
//	pint/approx    numbers in few bits, including HPCC's U (§4.3)
//	pint/trace     path tracing (§6.3)
//	pint/latency   latency quantiles (§6.2)
package pint
