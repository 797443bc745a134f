// Package lightguardian is LightGuardian, a monitor: sketches in switches that travel to hosts
// in the packets of others.
//
//	Zhao, Yang, Liu et al., "LightGuardian: A Full-Visibility, Lightweight, In-band
//	Telemetry System Using Sketchlets", NSDI 2021, sections 5 to 7.
//
// Every switch has two SuMax sketches (int/sketch/sumax, Parts). The active one counts
// packets; the idle one is that of the interval before and is given away column by column,
// as sketchlets of 24 bytes. At the end of each interval they change places. A packet carries
// at most one sketchlet. A switch adds one with probability λ_c if it has none, but not
// in the last part of an interval. Which one says the selection: k+chance, random, or round
// robin. Sketchlets are lost and overtaken with their packets.
//
// A host takes sketchlets off its packets. It reconstructs sketches itself (local analysis),
// or sends them to the analyzer in datagrams of many (global analysis): when enough wait, or
// after a time, but not while its link is busy. Datagrams are packets of the simulated
// network and may be lost.
//
// # Queries
//
// Watch returns a *Monitor (telemetry.Watch.System). Its Analyzer, and in local analysis
// Local for each host, is a Module: what has arrived, at any moment of the run between
// events, and afterwards. Reconstruction.Query answers for a switch and a flow key
// (netsim.Network.FlowKey): packets, bytes, packets by delay, longest time between packets
// and last arrival, each with Valid, which is false if no bucket of the flow has arrived
// yet. Valid numbers of packets and bytes are never too small, and a flow that is Absent was
// never at the switch.
//
//	r := monitor.Analyzer().At(interval)  // nil: not kept
//	f := r.Query(node, key)
//	if f.Absent() { … }
//
// Interval i of the recording lasts from i·Interval to (i+1)·Interval and is collected in
// the one after it. Module.Latest is the newest that is being collected; Params.Keep older
// ones are kept.
//
// # Differences from the LightGuardian paper
//
// Intervals of a simulation last milliseconds, not seconds, and every time is a parameter.
// The sketches of all switches change places at the same instant, so the time without
// carrying is for packets and datagrams that are on their way. Only data packets are counted
// and carry sketchlets. The delay of a packet is the time between its arrival and its
// leaving the queue. A flow's places in the sketches of two switches are independent. The
// choices that are hashes of the packet (CRC16 in the prototype) are hashes of package hash
// over flow and number of the transmission: with array IDs a host computes the column of a
// sketchlet from the packet, as section 5.3 implies; such a sketchlet has 20 bytes. A
// datagram has no header of its own, as in section 7.2; a sketchlet whose active bit says
// that it is not of the sketch that is being collected is ignored.
package lightguardian
