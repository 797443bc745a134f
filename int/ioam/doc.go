// Package ioam is in situ OAM: trace options in IPv6, to which every switch adds a record for HPCC.
//
//	RFC 9197: trace options, pre-allocated and incremental. RFC 9486: their place in IPv6.
//	draft-gafni-ippm-ioam-additional-data-fields: the bytes that a port has sent.
//	draft-miao-tsv-hpcc-info: which fields HPCC reads, 20 B a hop.
//
// # On the wire
//
// A hop-by-hop option takes 16 B. A record has five fields of 4 B each: hop limit and node, interfaces, fraction of the
// second of departure, queue depth, and bytes sent. The header is padded to a multiple of 8 B. In an incremental trace,
// the header grows with each record. In a pre-allocated trace, the source makes room for all records. The simulation
// counts an IPv4 header, as in other runs; captured frames have an IPv6 header and are 20 B longer.
//
// # Choices
//
// RFC 9197 leaves the unit of the queue depth to the operator (queue_unit) and defines several forms of a time stamp
// (timestamp). Its NTP form, in steps of 233 ps, is not supported. RFC 9197 has no field for the bytes sent, and no bit
// was assigned to the draft's field, so the bytes sent use an undefined bit (tx_bit). The namespace is pintlab's. The
// source of a trace is a host. A node that finds no room sets the overflow flag. A record does not contain the rate of
// the link, so senders find the rate by the interface. With speed: true, the namespace-specific field contains the
// rate.
package ioam
