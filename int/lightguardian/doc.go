// Package lightguardian is LightGuardian, a monitor: packets of the flows carry the switches' sketches to hosts.
//
//	Zhao, Yang, Liu et al., "LightGuardian: A Full-Visibility, Lightweight, In-band
//	Telemetry System Using Sketchlets", NSDI 2021, sections 5 to 7.
//
// Every switch has two SuMax sketches (int/sketch/sumax, Parts). The active sketch counts packets. The idle sketch
// holds the previous interval and is sent column by column, as sketchlets of 24 bytes. At the end of each interval the
// two swap. A packet carries at most one sketchlet. A switch adds one with probability λ_c to a packet that has none,
// but not in the last part of an interval. The selection (k+chance, random or round robin) chooses the column.
// Sketchlets can be lost or overtaken, like the packets that carry them.
//
// A host takes sketchlets off its packets. It reconstructs sketches itself (local analysis), or sends the sketchlets to
// the analyzer in datagrams (global analysis). It sends when enough sketchlets wait or after a timeout, but not while
// its link is busy. Datagrams are packets of the simulated network and may be lost.
//
// # Queries
//
// Watch returns a *Monitor (telemetry.Watch.System). Its Analyzer is a Module, which contains the sketchlets that have
// arrived so far. It may be read between events and after the run. Reconstruction.Query answers for a switch and a flow
// key (netsim.Network.FlowKey): packets, bytes, packets by delay, longest time between packets and last arrival. Each
// answer has a field Valid, which is false if no bucket of the flow has arrived yet. Valid numbers of packets and bytes
// are never too small, and a flow that is Absent was never at the switch.
//
//	r := monitor.Analyzer().At(interval)  // nil: not kept
//	f := r.Query(node, key)
//	if f.Absent() { … }
//
// Interval i of the recording lasts from i·Interval to (i+1)·Interval, and its sketches are collected in the interval
// after it. Module.Latest is the newest interval that is being collected; a Module keeps Params.Keep older ones.
//
// # Differences from the LightGuardian paper
//
// Intervals of a simulation last milliseconds, not seconds, and every time is a parameter. The sketches of all switches
// swap at the same instant, so the quiet time at the end of an interval only has to cover packets and datagrams in
// flight. Only data packets are counted and carry sketchlets. The delay of a packet is the time from its arrival to its
// departure from the queue. The places of a flow in the sketches of two switches are independent. Where the prototype
// hashes the packet with CRC16, this package hashes the flow and the number of the transmission with package hash. With
// array IDs a host computes the column of a sketchlet from the packet, as section 5.3 implies; such a sketchlet has 20
// bytes. A datagram adds no header, as in section 7.2.
//
// In the LightGuardian paper, a sketchlet contains the active bit. Here it contains the number of its interval modulo
// 4096, whose lowest bit is the active bit. The other 11 bits were unused, so a sketchlet is as long as in the paper. A
// Module only accepts sketchlets of the interval that it collects. With the active bit alone, it would mix columns of
// different intervals if a sketchlet came two intervals late, and sizes could be too small. A packet is unlikely to
// take 10 s, two intervals of the paper's testbed, but it may well wait for two intervals of some microseconds.
package lightguardian
