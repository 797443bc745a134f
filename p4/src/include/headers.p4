/* Ethernet, IPv4, TCP and UDP. */
#ifndef HEADERS_P4
#define HEADERS_P4

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8>  PROTO_TCP = 6;
const bit<8>  PROTO_UDP = 17;

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header ipv4_t {
    bit<4>  version;
    bit<4>  ihl;
    bit<8>  tos;
    bit<16> length;
    bit<16> id;
    bit<16> fragment;
    bit<8>  ttl;
    bit<8>  protocol;
    bit<16> checksum;
    bit<32> src;
    bit<32> dst;
}

header ports_t { // TCP and UDP begin alike
    bit<16> src;
    bit<16> dst;
}

header tcp_t { // what follows the ports
    bit<32> seq;
    bit<32> ack;
    bit<4>  offset;
    bit<4>  reserved;
    bit<8>  flags;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgent;
}

header udp_t { // what follows the ports
    bit<16> length;
    bit<16> checksum;
}

header options_t { // of IPv4 or TCP
    varbit<320> bytes;
}

#endif
