// Package rtt measures round trips at switches with fridges (package fridge). Monitor measures their
// distribution, independently of the telemetry. Params is a telemetry system that gives senders a round-trip time: the
// switch next to a sender measures it and writes it into the acknowledgements on their way to the sender.
//
//	Zheng, Chen, Braverman, Rexford, "Unbiased Delay Measurement in the Data Plane",
//	APOCS 2022.
//
// No paper uses a fridge as the signal of a congestion control. Here TIMELY and Swift can read its
// estimate in place of the host's time stamps (cc.signal: switch).
//
// # What a switch does
//
// A data packet that comes from a host is a request, and the ACK or NACK that repeats its
// identifier is the response, as with TCP's time stamps or the sequence numbers of RDMA. The
// switch measures from the first bit of the data packet at the host to the last bit of the ACK
// there. The link to the host has no queue behind the NIC, so its part is a constant of the port,
// which the switch adds. A sample is therefore what the sender itself would measure for
// the same packet, to the nanosecond.
//
// Few samples survive in a small fridge, and samples of long delays are even fewer. The switch
// therefore keeps estimates, one for each destination, for each flow, or for the whole switch: the
// mean of the samples of the present and the previous period, each weighted with its correction
// factor. It writes the estimate for the destination of the flow into each ACK. Without a sample in
// two periods there is no estimate, and the sender ignores the signal of this ACK.
//
// With Params.Corrected false every sample has weight 1, as in an array without counters: the
// estimate is the mean of the delays that survived.
//
// # Cost
//
// The receiver leaves Field bytes for the estimate in every ACK; data packets carry nothing.
// Small ACKs are padded to the least size of a frame, so that the field often costs nothing.
// A switch needs 12 B for an entry of the fridge, and four sums and the number of a period for an
// estimate. Only switches with hosts measure.
//
// # What is easier here than in a switch
//
// The sums and their quotient are float64. A P4 program would keep whole correction factors
// (package fridge, Factors) and divide by tables of logarithms; this tree has no such program.
// Requests and responses are processed in the order in which packets leave the switch, with the
// time stamp of the arrival of the data packet.
package rtt
