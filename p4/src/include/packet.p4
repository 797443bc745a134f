/* The packet of the PINT programs, its parser and its deparser.
 *
 *   Ethernet, EtherType 0x88b5 (local experiments)
 *   observed   what the switch knows of the packet
 *   pint       the digest
 *   payload
 *
 * `observed` holds what TNA offers as intrinsic metadata and v1model does not, or not
 * in a usable unit: v1model's clock ticks once per microsecond, while the packets of a
 * 100 Gb/s link are 84 ns apart, and its queue depth counts packets. With the header in
 * front, the same packet gives the same result on every target. On TNA delete it, and
 * read ig_intr_md.ingress_mac_tstamp, eg_intr_md_from_prsr.global_tstamp and
 * eg_intr_md.deq_qdepth (in cells of 80 bytes).
 */
#ifndef PINT_PACKET_P4
#define PINT_PACKET_P4

const bit<16> TYPE_PINT = 0x88b5;
const bit<32> RECIRCULATED = 4; // instance_type of BMv2

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header observed_t {
    bit<32> switch_id;
    bit<32> ingress_tick; // nanoseconds, wrapping around
    bit<32> egress_tick;
    bit<32> queue;        // bytes left in the queue of the egress port
    bit<32> size;         // bytes of this packet on the wire
}

header pint_t {
    bit<64> packet; // identifier; a real network makes it of IPID, ports, sequence number
    bit<8>  hop;    // switches passed; a real network takes it from the TTL
    bit<16> digest;
}

struct headers {
    ethernet_t ethernet;
    observed_t observed;
    pint_t     pint;
}

parser PintParser(packet_in packet, out headers hdr, inout metadata meta,
                  inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_PINT: pint;
            default: accept;
        }
    }
    state pint {
        packet.extract(hdr.observed);
        packet.extract(hdr.pint);
        transition accept;
    }
}

control NoVerify(inout headers hdr, inout metadata meta) {
    apply { }
}

control NoChecksum(inout headers hdr, inout metadata meta) {
    apply { }
}

control PintDeparser(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.observed);
        packet.emit(hdr.pint);
    }
}

/* Forwarding is not what these programs are about: by destination address, port 1 for
 * those that the control plane says nothing about. */
control Forward(inout headers hdr, inout metadata meta,
                inout standard_metadata_t standard_metadata) {
    action to_port(bit<9> port) {
        standard_metadata.egress_spec = port;
    }
    table forward {
        key = { hdr.ethernet.dst : exact; }
        actions = { to_port; }
        default_action = to_port(1);
        size = 1024;
    }
    apply {
        forward.apply();
        if (hdr.pint.isValid() && standard_metadata.instance_type != RECIRCULATED) {
            hdr.pint.hop = hdr.pint.hop + 1;
        }
    }
}

#endif
