// Package truth compares what PINT's collectors say of the flows of a simulation with what
// happened: when a path is known and whether it is the right one, and how far latency
// quantiles are off. The truth travels beside the packets (telemetry.Witness) at no cost.
//
//	Study   netsim.Sink: how well plans do
//	Traces  netsim.Sink: the true latencies of the first packets of each flow
package truth
