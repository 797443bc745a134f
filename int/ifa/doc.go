// Package ifa is in-band flow analyzer, IFA 2.0: headers around the transport header, and a record of every switch.
//
//	draft-kumar-ippm-ifa-08, expired: its body could not be read. The layout is from public decoders.
//	draft-miao-tsv-hpcc-info: the record for HPCC, 32 B a hop.
//
// # On the wire
//
//	IP, with IFA's protocol
//	version 4 (2) | name space 4 (15: in each record) | original protocol 8 | flags 8 (I) | most words 8
//	TCP or UDP
//	request vector 8 | action vector 8 | hop limit 8 | words 8
//	records, the newest first
//
// A record, in words of 4 B:
//
//	LNS 4 | device 20 | reserved 8
//	speed 4 | reserved 8 | arrival, seconds 20
//	egress port 16 | ingress port 16
//	arrival, ns 32
//	residence, ns 32
//	bytes sent 32
//	reserved 16 | queue 16
//	reserved 32
//
// # Choices
//
// The number of the IP protocol (protocol) is not assigned; decoders use 253 or 131. Broadcom's decoders find the TTL,
// ECN and the number of the queue in reserved bits (reserved: ttl). HPCC's draft does not use these bits. A record has
// 16 bits for the queue, too few for a number of bytes. No source names the unit of the queue (queue_unit). The local
// name space is 1. Speeds are 10, 25, 40, 50, 100, 200 and 400 Gb/s; a network with other links is refused. Simulations
// keep only the time of departure. Captures contain it as the arrival, with a residence of 0.
package ifa
