// Package inband is in-band network telemetry (INT). The folder is called int; the
// package cannot be, because importing it would hide Go's int type. Import it by
// name: inband "pintlab/int".
//
// # Parts
//
//	header.go    what a telemetry header costs in bytes, fixed or growing by hop
//	cost.go      what those bytes cost in time at a hop, and in goodput
//	quantize.go  the per-hop fields that HPCC reads, exact or in few bits
//
// # Sources
//
//	Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry",
//	SIGCOMM 2020, §2: header sizes, serialisation cost, goodput model.
//	Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019: its own
//	header; field widths and units as in the authors' public simulator.
package inband
