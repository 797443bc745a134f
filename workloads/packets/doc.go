// Package packets has traces of packets: captures, record files and generated ones.
//
// Every trace is a Source, which hands out one packet after the other and keeps
// none, so that a trace may be larger than memory.
//
//   - Open and NewReader read pcap and pcapng files (also compressed with gzip) and
//     files of 21-byte records.
//   - Skewed makes a trace of many small and few large flows.
//   - Testbed makes the packets that the hosts of SketchINT's testbed send.
//   - WritePcap and WriteRecords write any source to a file.
//
// # Records
//
// A record file is the form in which the repositories of SketchINT and ElasticSketch
// keep their CAIDA traces: per packet 13 bytes that identify the flow (source and
// destination address, source and destination port, protocol, in the order of the
// network) and 8 bytes of time, a little-endian float64 in seconds. It has no header, so
// it is known by its name, which ends in .dat (or .dat.gz).
//
// # What a flow is
//
// A Tuple is the 5-tuple of IPv4. Other packets (IPv6, ARP) and packets of which the
// capture has less than the header are skipped and counted, see Skipped. A fragment
// has the ports of the first one of its datagram, and is skipped and counted if that did
// not come before it. A protocol other than TCP, UDP, SCTP, DCCP and UDP-Lite has ports 0.
package packets
