/* The packets of the PINT programs: what every one of them shares, which is being source,
 * transit hop and sink of a digest (section 3.4) over IPv4.
 *
 *   Ethernet, EtherType 0x88b5 (local experiments)
 *   tag         digest of 16 bits, EtherType of what follows: 4 bytes, as a VLAN tag has
 *   IPv4, TCP or UDP, payload as they were
 *
 * The tag leaves IP and TCP alone: no checksum covers it, the MTU of IP stays, and a
 * switch without PINT that forwards by Ethernet carries it along. Programs whose digest
 * has 8 bits use the low byte.
 *
 *   source   on the port by which a host sends (table sources): adds the tag
 *   transit  every switch: the digest, in egress
 *   sink     on the port that leads to a host (table sinks): takes the tag out, so that the
 *            packet leaves as it was sent but for its TTL; a clone of it with the tag,
 *            cut behind the headers, goes to the collector
 *
 * What a switch needs to know, and from where (section 4.1 and Algorithm 1):
 *
 *   packet     TCP: sequence number, IPID, source port. UDP: checksum, length, IPID, source
 *              port. Otherwise source address, IPID. They are the same at every hop.
 *   hop        how far the TTL is below the 64, 128 or 255 that hosts begin with
 *   switch ID  table identity, from the control plane
 *   plan       table plan: the seeds of the hash functions and the share of HPCC
 *   times      ingress and egress time stamp, in ticks of 1 ns. simple_switch counts
 *              microseconds, of which each has 1000 ticks. With TICK_SHIFT, the unit of the
 *              target's clock has 2^TICK_SHIFT ticks.
 *   queue      deq_qdepth in units of 2^QUEUE_SHIFT bytes. simple_switch counts packets.
 *   size       packet_length, in egress with the tag
 *
 * With -D OBSERVED the packet brings all this along, in headers in front of the payload:
 * so it gives the same result on every target, and one switch can be tested alone.
 *
 *   Ethernet, EtherType 0x88b5
 *   observed   what the switch knows of the packet
 *   pint       packet, hop, digest
 *   payload
 *
 * On TNA: ig_intr_md.ingress_mac_tstamp and eg_intr_md_from_prsr.global_tstamp in
 * nanoseconds (TICK_SHIFT 0), eg_intr_md.deq_qdepth in cells of 80 bytes, and mirroring
 * instead of the clone.
 */
#ifndef PINT_PACKET_P4
#define PINT_PACKET_P4

#include "headers.p4"

#ifndef QUEUE_SHIFT
#define QUEUE_SHIFT 10
#endif

const bit<16> TYPE_PINT = 0x88b5;
const bit<32> EGRESS_CLONE = 2; // instance_type of BMv2
const bit<32> RECIRCULATED = 4;
const bit<32> MOST_QUEUED = 0x3ffffff;
const bit<32> REPORT_BYTES = 64; // Ethernet, tag, IPv4, TCP, and 6 bytes behind

#ifdef OBSERVED
header observed_t {
    bit<32> switch_id;
    bit<32> ingress_tick; // nanoseconds, wrapping around
    bit<32> egress_tick;
    bit<32> queue;        // bytes left in the queue of the egress port
    bit<32> size;         // bytes of this packet on the wire
}

header pint_t {
    bit<64> packet;
    bit<8>  hop;          // switches passed
    bit<16> digest;
}
#else
header pint_t {
    bit<16> digest;
    bit<16> type;         // of what follows
}
#endif

struct headers {
    ethernet_t ethernet;
#ifdef OBSERVED
    observed_t observed;
    pint_t     pint;
#else
    pint_t     pint;
    ipv4_t     ipv4;
    options_t  ipv4_options;
    ports_t    ports;
    tcp_t      tcp;
    udp_t      udp;
#endif
}

struct metadata {
    bit<64> packet;       // identifier
    bit<8>  hop;          // this switch is the hop-th, from 1
    bit<32> switch_id;
    bit<32> arrived;      // tick
    bit<32> now;          // tick
    bit<32> queue;        // bytes, less than 2^26
    bit<32> size;         // bytes
    bit<32> seed;         // of programs with one query
    bit<32> seed_choice;  // of the plan
    bit<32> seed_path;
    bit<32> seed_latency;
    bit<32> seed_load;
    bit<16> load_from;    // first hash that belongs to HPCC
    @field_list(2) bit<16> digest;
#ifdef STORED
    @field_list(1) bit<1>  recirculated;
    @field_list(1) bit<32> load;
#endif
}

parser PintParser(packet_in packet, out headers hdr, inout metadata meta,
                  inout standard_metadata_t standard_metadata) {
#ifdef OBSERVED
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
#else
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_PINT: pint;
            TYPE_IPV4: ipv4;
            default: accept;
        }
    }
    state pint {
        packet.extract(hdr.pint);
        transition select(hdr.pint.type) {
            TYPE_IPV4: ipv4;
            default: accept;
        }
    }
    state ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.version, hdr.ipv4.ihl) {
            (4, 5): layer_4;
            (4, 4w6 &&& 4w14): ipv4_options;
            (4, 4w8 &&& 4w8): ipv4_options;
            default: accept;
        }
    }
    state ipv4_options {
        packet.extract(hdr.ipv4_options, (bit<32>)(hdr.ipv4.ihl - 5) << 5);
        transition layer_4;
    }
    state layer_4 { // fragments but the first have none
        transition select(hdr.ipv4.fragment[12:0], hdr.ipv4.protocol) {
            (0, PROTO_TCP): tcp;
            (0, PROTO_UDP): udp;
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
        packet.extract(hdr.udp);
        transition accept;
    }
#endif
}

control NoVerify(inout headers hdr, inout metadata meta) {
    apply { }
}

control NoChecksum(inout headers hdr, inout metadata meta) {
    apply { }
}

control PintDeparser(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr);
    }
}

#ifdef OBSERVED

/* By destination address, port 1 for those that the control plane says nothing about. */
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
        meta.packet = hdr.pint.packet;
        meta.hop = hdr.pint.hop;
        meta.digest = hdr.pint.digest;
        meta.switch_id = hdr.observed.switch_id;
        meta.seed = SEED;
        meta.seed_choice = SEED_CHOICE;
        meta.seed_path = SEED_PATH;
        meta.seed_latency = SEED_LATENCY;
        meta.seed_load = SEED_LOAD;
        meta.load_from = LOAD_FROM;
    }
}

/* What egress knows of the packet. */
control Observe(inout headers hdr, inout metadata meta,
                inout standard_metadata_t standard_metadata) {
    apply {
        meta.arrived = hdr.observed.ingress_tick;
        meta.now = hdr.observed.egress_tick;
        if (hdr.observed.queue[31:26] != 0) {
            meta.queue = MOST_QUEUED;
        } else {
            meta.queue = hdr.observed.queue;
        }
        meta.size = hdr.observed.size;
    }
}

/* No packet ends here, and none is cloned. */
control Report(inout headers hdr, inout metadata meta,
               inout standard_metadata_t standard_metadata) {
    apply { }
}

control Sink(inout headers hdr, inout metadata meta,
             inout standard_metadata_t standard_metadata) {
    apply { }
}

#else

/* Forwarding by IPv4, the source, and what ingress can tell egress. */
control Forward(inout headers hdr, inout metadata meta,
                inout standard_metadata_t standard_metadata) {
    bit<17> checksum;

    action drop() {
        mark_to_drop(standard_metadata);
    }
    action to_port(bit<9> port) {
        standard_metadata.egress_spec = port;
    }
    table forward {
        key = { hdr.ipv4.dst : lpm; }
        actions = { to_port; drop; }
        default_action = drop();
        size = 1024;
    }

    action me(bit<32> id) {
        meta.switch_id = id;
    }
    table identity {
        actions = { me; }
        default_action = me(0);
    }

    action agreed(bit<32> seed, bit<32> choice, bit<32> path, bit<32> latency, bit<32> load,
                  bit<16> from) {
        meta.seed = seed;
        meta.seed_choice = choice;
        meta.seed_path = path;
        meta.seed_latency = latency;
        meta.seed_load = load;
        meta.load_from = from;
    }
    /* A program with one query has the seed of the first query of a plan, so that a collector
     * reads its digests with the plan of this query. */
    table plan {
        actions = { agreed; }
        default_action = agreed(SEED_PATH, SEED_CHOICE, SEED_PATH, SEED_LATENCY, SEED_LOAD, LOAD_FROM);
    }

    /* The TTL that the host began with, plus one. */
    action began(bit<8> next) {
        meta.hop = next - hdr.ipv4.ttl;
    }
    table distance {
        key = { hdr.ipv4.ttl : lpm; }
        actions = { began; }
        default_action = began(65);
        const entries = {
            64 &&& 0xff:  began(65);
            64 &&& 0xc0:  began(129);
            128 &&& 0xff: began(129);
            128 &&& 0x80: began(0);   // 255
        }
    }

    action begin() {
        hdr.pint.setValid();
        hdr.pint.type = hdr.ethernet.type;
        hdr.ethernet.type = TYPE_PINT;
        meta.digest = 0;
    }
    table sources {
        key = { standard_metadata.ingress_port : exact; }
        actions = { begin; NoAction; }
        default_action = NoAction();
        size = 512;
    }

    apply {
        meta.digest = hdr.pint.digest;
        if (!hdr.ipv4.isValid() || hdr.ipv4.ttl == 0
            || hdr.ipv4.ttl == 1 && standard_metadata.instance_type != RECIRCULATED) {
            drop();
        } else {
            forward.apply();
            identity.apply();
            plan.apply();
            distance.apply();
            if (hdr.tcp.isValid()) {
                meta.packet = hdr.tcp.seq ++ hdr.ipv4.id ++ hdr.ports.src;
            } else if (hdr.udp.isValid()) {
                meta.packet = hdr.udp.checksum ++ hdr.udp.length ++ hdr.ipv4.id ++ hdr.ports.src;
            } else {
                meta.packet = hdr.ipv4.src ++ hdr.ipv4.id ++ 16w0;
            }
            if (!hdr.pint.isValid()) {
                sources.apply();
            }
            if (standard_metadata.instance_type != RECIRCULATED) {
                hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
                checksum = (bit<17>)hdr.ipv4.checksum + 0x100; // RFC 1141
                hdr.ipv4.checksum = checksum[15:0] + (bit<16>)checksum[16:16];
            }
        }
    }
}

/* What egress knows of the packet. */
control Observe(inout headers hdr, inout metadata meta,
                inout standard_metadata_t standard_metadata) {
    bit<32> arrived;
    bit<32> now;
    apply {
        arrived = standard_metadata.ingress_global_timestamp[31:0];
        now = standard_metadata.egress_global_timestamp[31:0];
#ifdef TICK_SHIFT
        meta.arrived = arrived << TICK_SHIFT;
        meta.now = now << TICK_SHIFT;
#else
        /* 1000 = 1024 - 16 - 8. A shift by 10 alone would make latencies 2.4 % too long. */
        meta.arrived = (arrived << 10) - (arrived << 4) - (arrived << 3);
        meta.now = (now << 10) - (now << 4) - (now << 3);
#endif
        if (standard_metadata.deq_qdepth[18:16] != 0) {
            meta.queue = MOST_QUEUED;
        } else {
            meta.queue = (bit<32>)standard_metadata.deq_qdepth << QUEUE_SHIFT;
        }
        meta.size = standard_metadata.packet_length;
    }
}

/* The report to the collector: the clone of a packet that a sink took the tag out of gets it
 * back, with the digest. */
control Report(inout headers hdr, inout metadata meta,
               inout standard_metadata_t standard_metadata) {
    apply {
        hdr.pint.setValid();
        hdr.pint.digest = meta.digest;
        hdr.pint.type = hdr.ethernet.type;
        hdr.ethernet.type = TYPE_PINT;
        truncate(REPORT_BYTES);
    }
}

/* The sink, for packets with a tag that has its digest already. */
control Sink(inout headers hdr, inout metadata meta,
             inout standard_metadata_t standard_metadata) {
    bool ends;
    bit<32> collector;

    action end(bit<32> session) {
        ends = true;
        collector = session;
    }
    table sinks {
        key = { standard_metadata.egress_port : exact; }
        actions = { end; NoAction; }
        default_action = NoAction();
        size = 512;
    }

    apply {
        ends = false;
        collector = 0;
        sinks.apply();
        if (ends) {
            clone_preserving_field_list(CloneType.E2E, collector, 2);
            hdr.ethernet.type = hdr.pint.type;
            hdr.pint.setInvalid();
        }
    }
}

#endif

#endif
