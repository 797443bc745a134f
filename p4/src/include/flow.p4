/* Ethernet, IPv4 and the first words of TCP or UDP: the packets of the sketches and of
 * the fridge. */
#ifndef FLOW_P4
#define FLOW_P4

#include "headers.p4"

struct headers {
    ethernet_t ethernet;
    ipv4_t     ipv4;
    ports_t    ports;
    tcp_t      tcp;
}

parser FlowParser(packet_in packet, out headers hdr, inout metadata meta,
                  inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_IPV4: ipv4;
            default: accept;
        }
    }
    state ipv4 { // with options or as a later fragment, a packet has no ports for us
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.ihl, hdr.ipv4.fragment[12:0], hdr.ipv4.protocol) {
            (5, 0, PROTO_TCP): tcp;
            (5, 0, PROTO_UDP): udp;
            default: accept;
        }
    }
    state tcp {
        packet.extract(hdr.ports);
        packet.extract(hdr.tcp);
        transition accept;
    }
    state udp {
        packet.extract(hdr.ports);
        transition accept;
    }
}

control NoVerify(inout headers hdr, inout metadata meta) {
    apply { }
}

control NoChecksum(inout headers hdr, inout metadata meta) {
    apply { }
}

control NoEgress(inout headers hdr, inout metadata meta,
                 inout standard_metadata_t standard_metadata) {
    apply { }
}

control FlowDeparser(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ports);
        packet.emit(hdr.tcp);
    }
}

#endif
