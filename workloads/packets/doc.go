// Package packets reads and generates traces of packets: captures, record files and generated traces.
//
// Every trace is a Source. It returns one packet after the other and stores none, so a trace may be larger
// than memory.
//
//   - Open and NewReader read pcap and pcapng files (also compressed with gzip) and
//     files of 21-byte records.
//   - Skewed generates a trace of many small and few large flows.
//   - Testbed generates the packets that the hosts of SketchINT's testbed send.
//   - WritePcap and WriteRecords write any source to a file.
//
// # Records
//
// The repositories of SketchINT and ElasticSketch store their CAIDA traces as record files. A record has 13
// bytes that identify the flow (source and destination address, source and destination port, protocol, in
// network byte order) and 8 bytes of time, a little-endian float64 in seconds. A record file has no header,
// so its name must end in .dat (or .dat.gz).
//
// # Flows
//
// A Tuple is the 5-tuple of IP. IPv6 addresses are replaced by numbers that look like IPv4 addresses: the first of a
// capture is 240.0.0.0, the next 240.0.0.1, and so on. Other packets (ARP) and packets whose headers the capture cuts
// are skipped and counted, see Skipped. A fragment has the ports of the first fragment of its datagram. A fragment is
// skipped and counted if the first fragment did not come before it. Packets of a protocol other than TCP, UDP, SCTP,
// DCCP and UDP-Lite have ports 0.
package packets
