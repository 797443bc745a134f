// Package job generates the traffic of jobs whose ranks compute and communicate: collectives, training steps, GOAL
// schedules and Chakra traces. It also places the ranks on hosts.
//
// # GOAL
//
// GOALTraffic reads GOAL schedules, the text form of LogGOPSim's programs: the computations, sends and receives of each
// rank and their dependencies.
//
// The simulated network replaces LogGOPSim's L, G, g and o. Everything else is as in LogGOPSim: a cpu runs one
// computation at a time, a send waits for its cpu, and a message matches the oldest receive that fits it. "a requires
// b" begins a when b is done, "a irequires b" when b has begun. A send of up to 65,535 B is done at once. A larger send
// is done when its source has the ACK of its last byte; LogGOPSim also waits for the receive.
//
// # Chakra
//
// ChakraTraffic reads MLCommons Chakra execution traces, schema 0.0.4. They record what each rank of a training job
// computes and communicates, in one file per rank (NAME.RANK.et, plain or compressed with gzip).
//
// A file is a sequence of protobuf messages, each preceded by its length: GlobalMetadata, and then a Node for each
// operation. The host (is_cpu_op), the accelerator and the memory of a rank each do one thing at a time, as in
// ASTRA-sim. A node begins when the nodes of its data_deps and ctrl_deps are done, as in ASTRA-sim's feeder. A send
// pairs with the receive of the same ranks, tag and size. The n-th collective of a process group at one rank pairs with
// the n-th collective of this group at every other rank. A collective without a group includes all ranks.
//
// PyTorch traces record a communication twice: at the accelerator, and as a call of the host. The call has is_cpu_op
// and no size, and counts as a computation.
//
// Attributes without effect on a simulation are skipped. Attributes that would change the result but are not supported
// are errors.
package job
