/* INT-MD, version 2.1 of the INT dataplane specification (P4.org): a switch that is
 * source, transit hop or sink, over TCP and UDP in IPv4, marked by DSCP.
 *
 *   Ethernet | IPv4 | TCP or UDP | shim 4 B | header 12 B | newest hop | ... | oldest hop
 *
 * What PINT's document calls INT (section 2) has a header of 8 B and 4 B per value: that
 * of version 1, without domains. Each of the values that the papers use has its
 * instruction: switch ID, ports, hop latency, queue occupancy, timestamps, utilisation of
 * the egress link.
 *
 *   source   on the watch list: begins INT and writes the first hop
 *   transit  pushes a hop, all of it or nothing. No hops remain: E. Over the MTU: M.
 *   sink     takes INT out, and reports the packet as it came, with what the ingress of
 *            this switch knows as the last hop, in a clone to the session of the table
 *
 * Values that a switch does not have are all ones. The checksums of IP, TCP and UDP are
 * updated from what changed, so that a packet that was corrupted stays recognisable.
 * Package int is the twin.
 *
 * With -D NO_SINK the switch is no sink, and the stack stays in the payload: a hop is pushed
 * in front of it, and no checksum needs what is in it. So a switch has room for a transit
 * hop and a source; a sink needs the sum of a stack of up to 1008 bytes.
 *
 * What would change on TNA: the checksum units subtract in the parser. Timestamps, queue
 * depth: intrinsic metadata.
 */
#include <core.p4>
#include <v1model.p4>
#include "include/headers.p4"
#include "include/observed.p4"
#include "include/window.p4"

const bit<6>  INT_DSCP = 0x17; // the domain's own choice
const bit<4>  INT_MD = 1;      // type in the shim
const bit<2>  NPT_DSCP = 0;    // the shim keeps the DSCP
const bit<4>  INT_VERSION = 2;
const bit<16> INT_BYTES = 16;  // shim and header
const bit<8>  INT_WORDS = 3;   // header alone
#ifndef NO_SINK
const bit<32> INGRESS_CLONE = 1;
#endif

header shim_t {
    bit<4> type;
    bit<2> npt;
    bit<2> reserved;
    bit<8> length;   // of header and stack, in words of 4 B
    bit<8> unused;
    bit<6> dscp;     // before the source changed it
    bit<2> zero;
}

header int_t {
    bit<4>  version;
    bit<1>  discard;     // D: a copy, which the sink drops
    bit<1>  exceeded;    // E: a hop wrote nothing because no hops remained
    bit<1>  mtu;         // M: a hop wrote nothing because of its MTU
    bit<12> reserved;
    bit<5>  hop_words;   // HopML: what a hop writes, in words
    bit<8>  remaining;   // hops that may still write
    bit<16> instructions;
    bit<16> domain;
    bit<16> domain_instructions;
    bit<16> domain_flags;
}

header word_t     { bit<32> value; }
header words_2_t  { bit<64> value; }
header words_4_t  { bit<128> value; }
header words_8_t  { bit<256> value; }
header words_16_t { bit<512> value; }
#ifndef NO_SINK
header stack_t    { varbit<8064> words; } // the hops before this one
#endif

struct headers {
    ethernet_t ethernet;
    observed_t observed;
    ipv4_t     ipv4;
    options_t  ipv4_options;
    ports_t    ports;
    tcp_t      tcp;
    options_t  tcp_options;
    udp_t      udp;
    shim_t     shim;
    int_t      telemetry;
    /* The hop of this switch, in the order of the instructions. */
    word_t     node;
    word_t     interfaces; // level 1: ingress and egress port
    word_t     latency;
    word_t     queue;
    words_2_t  ingress_time;
    words_2_t  egress_time;
    words_2_t  interfaces_2;
    word_t     utilization;
    word_t     buffer;
    word_t[6]  reserved;   // instructions 9 to 14
    /* Domain-specific words: as many as are missing, in powers of two. */
    words_16_t missing_16;
    words_8_t  missing_8;
    words_4_t  missing_4;
    words_2_t  missing_2;
    word_t     missing_1;
    word_t     complement;
#ifndef NO_SINK
    stack_t    stack;
#endif
}

struct metadata {
    bool    carries;      // an INT packet, and whole
    bool    begins;       // this switch is its source
#ifndef NO_SINK
    bool    ends;         // and its sink
#endif
    bit<16> instructions; // of a source
    bit<8>  hops;
    @field_list(1) bit<5>  words; // that the instructions take
    @field_list(1) bit<9>  from_port;
    @field_list(1) bit<9>  to_port;
    @field_list(1) bit<64> arrived;

    /* For the checksums: complements of what was, and what is instead. */
    bool     changed;
    bit<16>  ip_checksum;
    bit<32>  ip_before;
    bit<16>  l4_checksum;
    bit<16>  l4_length_before;
    bit<16>  l4_length;
    bit<128> before;
    bit<128> after;
#ifndef NO_SINK
    bit<16>  stack;
#endif
    bit<32>  node;
    bit<32>  interfaces;
    bit<32>  latency;
    bit<32>  queue;
    bit<64>  ingress_time;
    bit<64>  egress_time;
    bit<32>  utilization;
}

parser IntParser(packet_in packet, out headers hdr, inout metadata meta,
                 inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_OBSERVED: observed;
            TYPE_IPV4: ipv4;
            default: accept;
        }
    }
    state observed {
        packet.extract(hdr.observed);
        transition select(hdr.observed.type) {
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
    state layer_4 { // not of fragments
        transition select(hdr.ipv4.fragment[13:0], hdr.ipv4.protocol) {
            (0, PROTO_TCP): tcp;
            (0, PROTO_UDP): udp;
            default: accept;
        }
    }
    state tcp {
        packet.extract(hdr.ports);
        packet.extract(hdr.tcp);
        transition select(hdr.tcp.offset) {
            5: mark;
            4w6 &&& 4w14: tcp_options;
            4w8 &&& 4w8: tcp_options;
            default: accept;
        }
    }
    state tcp_options {
        packet.extract(hdr.tcp_options, (bit<32>)(hdr.tcp.offset - 5) << 5);
        transition mark;
    }
    state udp {
        packet.extract(hdr.ports);
        packet.extract(hdr.udp);
        transition mark;
    }
    state mark {
        transition select(hdr.ipv4.tos[7:2]) {
            INT_DSCP: shim;
            default: accept;
        }
    }
    state shim {
        packet.extract(hdr.shim);
        transition select(hdr.shim.type, hdr.shim.npt) {
            (INT_MD, NPT_DSCP): telemetry;
            default: accept;
        }
    }
    state telemetry {
        packet.extract(hdr.telemetry);
#ifdef NO_SINK
        transition accept;
    }
#else
        transition select(hdr.telemetry.version) {
            INT_VERSION: stack;
            default: accept;
        }
    }
    state stack { // a length below 3 wraps around to more than a stack can be
        packet.extract(hdr.stack, (bit<32>)(hdr.shim.length - INT_WORDS) << 5);
        transition accept;
    }
#endif
}

control NoVerify(inout headers hdr, inout metadata meta) {
    apply { }
}

/* Is the packet a whole TCP or UDP packet? room is then what is behind their headers. */
control Whole(inout headers hdr, in bit<32> frame, out bool whole, out bit<16> room) {
    bit<16> ip_header;
    bit<16> behind;
    bit<16> l4_header;
    bit<32> end;
    bool header_fits;
    bool in_frame;
    bool behind_fits;
    bool same_length;
    apply {
        whole = false;
        room = 0;
        ip_header = 10w0 ++ hdr.ipv4.ihl ++ 2w0;
        behind = hdr.ipv4.length - ip_header;
        if (hdr.observed.isValid()) {
            end = (bit<32>)hdr.ipv4.length + 36;
        } else {
            end = (bit<32>)hdr.ipv4.length + 14;
        }
        l4_header = 8;
        if (hdr.tcp.isValid()) { l4_header = 10w0 ++ hdr.tcp.offset ++ 2w0; }
        /* Side by side, and not one in the branch of another. */
        header_fits = hdr.ipv4.length >= ip_header;
        in_frame = end <= frame;
        behind_fits = l4_header <= behind;
        same_length = hdr.udp.length == behind;
        if (hdr.ipv4.isValid()) {
            room = behind - l4_header;
            if (header_fits && in_frame && behind_fits) {
                if (hdr.tcp.isValid()) {
                    whole = hdr.tcp.offset >= 5;
                } else if (hdr.udp.isValid()) {
                    whole = same_length;
                }
            }
        }
    }
}

/* How many words the instructions take: 1 each, 2 for times and level-2 interfaces. */
control Words(in bit<16> instructions, out bit<5> words) {
    bit<5> high;
    bit<5> low;
    action of_high(bit<5> n) { high = n; }
    action of_low(bit<5> n) { low = n; }
    table high_byte {
        key = { instructions[15:8] : exact; }
        actions = { of_high; }
        default_action = of_high(0);
#include "include/generated/int_high_entries.p4"
    }
    table low_byte {
        key = { instructions[7:0] : exact; }
        actions = { of_low; }
        default_action = of_low(0);
#include "include/generated/int_low_entries.p4"
    }
    apply {
        high_byte.apply();
        low_byte.apply();
        words = high + low;
    }
}

control IntIngress(inout headers hdr, inout metadata meta,
                   inout standard_metadata_t standard_metadata) {
    Whole() whole_packet;
    Words() words;
    bool whole;
    bool marked;
    bool enough;
    bool few;
    bit<16> room;
    bit<16> needed;
    bit<16> instructions;
#ifdef NO_SINK
    bool has_stack;
#else
    bit<32> session;
#endif

    action to_port(bit<9> port) {
        standard_metadata.egress_spec = port;
    }
    table forward {
        key = { hdr.ipv4.dst : lpm; }
        actions = { to_port; }
        default_action = to_port(1);
        size = 1024;
    }

#ifndef NO_SINK
    /* Behind which egress ports INT ends; the session is that of the collector. */
    action end(bit<32> reports) {
        meta.ends = true;
        session = reports;
    }
    table sinks {
        key = { standard_metadata.egress_spec : exact; }
        actions = { end; NoAction; }
#ifdef SINK
        default_action = end(1);
#else
        default_action = NoAction();
#endif
        size = PORTS;
    }
#endif

    /* What INT begins on, and what is asked of its hops. */
    action begin(bit<16> bitmap, bit<8> hops) {
        meta.begins = true;
        meta.instructions = bitmap;
        meta.hops = hops;
    }
    table watch_list {
        key = {
            standard_metadata.ingress_port : ternary;
            hdr.ipv4.src   : ternary;
            hdr.ipv4.dst   : ternary;
            hdr.ports.src  : ternary;
            hdr.ports.dst  : ternary;
        }
        actions = { begin; NoAction; }
#ifdef SOURCE
        default_action = begin(0xfd00, 8); // all that there is, from up to eight hops
#else
        default_action = NoAction();
#endif
        size = 1024;
    }

    apply {
        meta.from_port = standard_metadata.ingress_port;
        meta.arrived = 16w0 ++ standard_metadata.ingress_global_timestamp;
        if (hdr.observed.isValid()) { meta.arrived = 32w0 ++ hdr.observed.ingress_tick; }
        forward.apply();
        meta.to_port = standard_metadata.egress_spec;
#ifndef NO_SINK
        session = 0;
        sinks.apply();
#endif
        whole_packet.apply(hdr, standard_metadata.packet_length, whole, room);
        needed = 6w0 ++ hdr.shim.length ++ 2w0;
        needed = needed + 4;
        enough = needed <= room;
        marked = hdr.ipv4.tos[7:2] == INT_DSCP;
#ifdef NO_SINK
        if (whole && !marked) {
#else
        if (whole && !marked && !meta.ends) {
#endif
            watch_list.apply();
        }
        if (hdr.telemetry.isValid()) {
            instructions = hdr.telemetry.instructions;
        } else {
            instructions = meta.instructions;
        }
        words.apply(instructions, meta.words);
        few = meta.words <= hdr.telemetry.hop_words;
#ifdef NO_SINK
        has_stack = hdr.shim.length >= INT_WORDS;
        if (whole && marked && hdr.telemetry.isValid() && hdr.telemetry.version == INT_VERSION
            && has_stack && enough && few) {
            meta.carries = true;
        }
#else
        if (whole && marked && hdr.stack.isValid() && enough && few) {
            meta.carries = true;
            if (meta.ends) {
                clone_preserving_field_list(CloneType.I2E, session, 1);
            }
        }
#endif
    }
}

control IntEgress(inout headers hdr, inout metadata meta,
                  inout standard_metadata_t standard_metadata) {
    WindowBytes() bytes_in_window; // of windows of 2^10 µs, or 2^20 ns
    bit<32> node;
    bit<16> mtu;
    bit<64> now;
    bit<32> window;
    bit<32> frame;   // bytes of the packet on the wire
    bit<32> bytes;
    bit<32> length;
    bit<9>  total;
    bit<7>  hop_bytes;
    bit<5>  missing;
    bit<16> by;      // how much longer the packet becomes
    bool    push;
#ifndef NO_SINK
    bool    report;
    bool    strip;
#endif

    /* What the control plane says of a port. */
    action link(bit<32> own, bit<16> bytes_of_ip) {
        node = own;
        mtu = bytes_of_ip;
    }
    table links {
        key = { standard_metadata.egress_port : exact; }
        actions = { link; }
        default_action = link(1, 1500);
        size = PORTS;
    }

    /* Everything that the checksums need of the packet before it changes. */
    action remember() {
        meta.ip_checksum = ~hdr.ipv4.checksum;
        meta.ip_before = ~(hdr.ipv4.version ++ hdr.ipv4.ihl ++ hdr.ipv4.tos ++ hdr.ipv4.length);
        meta.l4_length_before = ~(hdr.ipv4.length - (10w0 ++ hdr.ipv4.ihl ++ 2w0));
    }
    action spell(out bit<128> words) {
        words = hdr.shim.type ++ hdr.shim.npt ++ hdr.shim.reserved ++ hdr.shim.length
              ++ hdr.shim.unused ++ hdr.shim.dscp ++ hdr.shim.zero
              ++ hdr.telemetry.version ++ hdr.telemetry.discard ++ hdr.telemetry.exceeded
              ++ hdr.telemetry.mtu ++ hdr.telemetry.reserved ++ hdr.telemetry.hop_words
              ++ hdr.telemetry.remaining ++ hdr.telemetry.instructions ++ hdr.telemetry.domain
              ++ hdr.telemetry.domain_instructions ++ hdr.telemetry.domain_flags;
    }

    apply {
        links.apply();
#ifndef NO_SINK
        report = standard_metadata.instance_type == INGRESS_CLONE;
        strip = false;
#endif
        if (hdr.observed.isValid()) {
            node = hdr.observed.switch_id;
            now = 32w0 ++ hdr.observed.egress_tick;
            window = 20w0 ++ hdr.observed.egress_tick[31:20];
            frame = hdr.observed.size;
        } else {
            now = 16w0 ++ standard_metadata.egress_global_timestamp;
            window = standard_metadata.egress_global_timestamp[41:10];
            frame = standard_metadata.packet_length;
        }
        bytes_in_window.apply(standard_metadata.egress_port, window, frame, bytes);

        remember();
        if (hdr.tcp.isValid()) {
            meta.l4_checksum = ~hdr.tcp.checksum;
        } else {
            meta.l4_checksum = ~hdr.udp.checksum;
        }
        push = false;
        by = 0;
        length = (bit<32>)hdr.ipv4.length;
        if (meta.begins) {
            if (length + (bit<32>)INT_BYTES <= (bit<32>)mtu) {
                meta.changed = true;
                hdr.shim.setValid();
                hdr.shim.type = INT_MD;
                hdr.shim.npt = NPT_DSCP;
                hdr.shim.reserved = 0;
                hdr.shim.length = INT_WORDS;
                hdr.shim.unused = 0;
                hdr.shim.dscp = hdr.ipv4.tos[7:2];
                hdr.shim.zero = 0;
                hdr.ipv4.tos[7:2] = INT_DSCP;
                hdr.telemetry.setValid();
                hdr.telemetry.version = INT_VERSION;
                hdr.telemetry.discard = 0;
                hdr.telemetry.exceeded = 0;
                hdr.telemetry.mtu = 0;
                hdr.telemetry.reserved = 0;
                hdr.telemetry.hop_words = meta.words;
                hdr.telemetry.remaining = meta.hops;
                hdr.telemetry.instructions = meta.instructions;
                hdr.telemetry.domain = 0;
                hdr.telemetry.domain_instructions = 0;
                hdr.telemetry.domain_flags = 0;
                by = INT_BYTES;
                length = length + (bit<32>)INT_BYTES;
                push = meta.hops > 0 && meta.words > 0; // or it asks only
            }
#ifdef NO_SINK
        } else if (meta.carries) {
#else
        } else if (meta.carries && !meta.ends || report) {
#endif
            spell(meta.before);
            meta.before = ~meta.before;
            push = hdr.telemetry.hop_words > 0;
            if (hdr.telemetry.remaining == 0) {
                hdr.telemetry.exceeded = 1;
                meta.changed = true;
                push = false;
            }
            total = (bit<9>)hdr.shim.length + (bit<9>)hdr.telemetry.hop_words;
            if (total > 255) { push = false; } // the specification has no flag for it
#ifndef NO_SINK
        } else if (meta.carries) {
            spell(meta.before);
            meta.before = ~meta.before;
            hash(meta.stack, HashAlgorithm.csum16, 16w0, { hdr.stack.words }, 32w0x10000);
            meta.changed = true;
            by = 6w0 ++ hdr.shim.length ++ 2w0;
            by = 0xfffc - by; // minus 4, and minus the words of the shim's length
            strip = true;
            hdr.ipv4.tos[7:2] = hdr.shim.dscp;
            if (hdr.telemetry.discard == 1) { mark_to_drop(standard_metadata); }
#endif
        }

        if (push) {
            meta.changed = true;
            hop_bytes = hdr.telemetry.hop_words ++ 2w0;
            if (length + (bit<32>)hop_bytes > (bit<32>)mtu) {
                hdr.telemetry.mtu = 1;
            } else {
                hdr.shim.length = hdr.shim.length + (bit<8>)hdr.telemetry.hop_words;
                hdr.telemetry.remaining = hdr.telemetry.remaining - 1;
                by = by + (bit<16>)hop_bytes;

#ifndef NO_SINK
                /* A report leaves by another port: what the egress knows is not about
                 * the packet. */
                meta.latency = 0xffffffff;
                meta.queue = 0xffffffff;
                meta.egress_time = 0xffffffffffffffff;
                meta.utilization = 0xffffffff;
                if (!report)
#endif
                {
                    if (hdr.observed.isValid()) {
                        meta.latency = hdr.observed.egress_tick - hdr.observed.ingress_tick;
                        meta.queue = 8w0 ++ hdr.observed.queue[23:0];
                    } else {
                        meta.latency = (bit<32>)(now - meta.arrived);
                        meta.queue = 13w0 ++ standard_metadata.deq_qdepth;
                    }
                    meta.egress_time = now;
                    meta.utilization = bytes;
                }
                meta.node = node;
                meta.interfaces = 7w0 ++ meta.from_port ++ 7w0 ++ meta.to_port;
                meta.ingress_time = meta.arrived;

                /* What was not asked for does not enter the checksum. */
                if (hdr.telemetry.instructions[15:15] == 1) {
                    hdr.node.setValid();
                    hdr.node.value = meta.node;
                } else { meta.node = 0; }
                if (hdr.telemetry.instructions[14:14] == 1) {
                    hdr.interfaces.setValid();
                    hdr.interfaces.value = meta.interfaces;
                } else { meta.interfaces = 0; }
                if (hdr.telemetry.instructions[13:13] == 1) {
                    hdr.latency.setValid();
                    hdr.latency.value = meta.latency;
                } else { meta.latency = 0; }
                if (hdr.telemetry.instructions[12:12] == 1) {
                    hdr.queue.setValid();
                    hdr.queue.value = meta.queue;
                } else { meta.queue = 0; }
                if (hdr.telemetry.instructions[11:11] == 1) {
                    hdr.ingress_time.setValid();
                    hdr.ingress_time.value = meta.ingress_time;
                } else { meta.ingress_time = 0; }
                if (hdr.telemetry.instructions[10:10] == 1) {
                    hdr.egress_time.setValid();
                    hdr.egress_time.value = meta.egress_time;
                } else { meta.egress_time = 0; }
                if (hdr.telemetry.instructions[8:8] == 1) {
                    hdr.utilization.setValid();
                    hdr.utilization.value = meta.utilization;
                } else { meta.utilization = 0; }

                /* Not available: all ones, which are 0 in a checksum. */
                if (hdr.telemetry.instructions[9:9] == 1) {
                    hdr.interfaces_2.setValid();
                    hdr.interfaces_2.value = 0xffffffffffffffff;
                }
                if (hdr.telemetry.instructions[7:7] == 1) {
                    hdr.buffer.setValid();
                    hdr.buffer.value = 0xffffffff;
                }
#define RESERVED(i, bit) \
                if (hdr.telemetry.instructions[bit:bit] == 1) { \
                    hdr.reserved[i].setValid(); \
                    hdr.reserved[i].value = 0xffffffff; \
                }
                RESERVED(0, 6)
                RESERVED(1, 5)
                RESERVED(2, 4)
                RESERVED(3, 3)
                RESERVED(4, 2)
                RESERVED(5, 1)
                missing = hdr.telemetry.hop_words - meta.words; // of a domain we do not know
                if (missing[4:4] == 1) {
                    hdr.missing_16.setValid();
                    hdr.missing_16.value = ~512w0;
                }
                if (missing[3:3] == 1) {
                    hdr.missing_8.setValid();
                    hdr.missing_8.value = ~256w0;
                }
                if (missing[2:2] == 1) {
                    hdr.missing_4.setValid();
                    hdr.missing_4.value = ~128w0;
                }
                if (missing[1:1] == 1) {
                    hdr.missing_2.setValid();
                    hdr.missing_2.value = 0xffffffffffffffff;
                }
                if (missing[0:0] == 1) {
                    hdr.missing_1.setValid();
                    hdr.missing_1.value = 0xffffffff;
                }
                if (hdr.telemetry.instructions[0:0] == 1) {
                    hdr.complement.setValid();
                    hdr.complement.value = 0xffffffff;
                }
            }
        }
        if (meta.changed) {
            hdr.ipv4.length = hdr.ipv4.length + by;
            if (hdr.udp.isValid()) { hdr.udp.length = hdr.udp.length + by; }
            meta.l4_length = hdr.ipv4.length - (10w0 ++ hdr.ipv4.ihl ++ 2w0);
#ifdef NO_SINK
            spell(meta.after);
        }
#else
            if (!strip) { spell(meta.after); }
        }
        if (strip) {
            hdr.shim.setInvalid();
            hdr.telemetry.setInvalid();
            hdr.stack.setInvalid();
        }
#endif
    }
}

/* The ones' complement sum of a checksum field's complement, of the complements of what
 * was and of what is there instead (RFC 1624). UDP sends 0 as all ones: 0 is for packets
 * without a checksum, which stay so. */
#ifdef NO_SINK
#define STACK_SUM
#else
#define STACK_SUM meta.stack,
#endif
control IntChecksum(inout headers hdr, inout metadata meta) {
    apply {
        update_checksum(meta.changed,
            { meta.ip_checksum, meta.ip_before, hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos,
              hdr.ipv4.length },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
        update_checksum(meta.changed && hdr.tcp.isValid(),
            { meta.l4_checksum, meta.l4_length_before, meta.l4_length, meta.before, meta.after,
              STACK_SUM meta.node, meta.interfaces, meta.latency, meta.queue,
              meta.ingress_time, meta.egress_time, meta.utilization },
            hdr.tcp.checksum, HashAlgorithm.csum16);
        update_checksum(meta.changed && hdr.udp.isValid() && meta.l4_checksum != 0xffff,
            { meta.l4_checksum, meta.l4_length_before, meta.l4_length, meta.l4_length_before,
              meta.l4_length, meta.before, meta.after,
              STACK_SUM meta.node, meta.interfaces, meta.latency, meta.queue,
              meta.ingress_time, meta.egress_time, meta.utilization },
            hdr.udp.checksum, HashAlgorithm.csum16);
        update_checksum(meta.changed && hdr.udp.isValid() && meta.l4_checksum != 0xffff
                        && hdr.udp.checksum == 0,
            { 16w0 }, hdr.udp.checksum, HashAlgorithm.csum16);
    }
}

control IntDeparser(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.observed);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ipv4_options);
        packet.emit(hdr.ports);
        packet.emit(hdr.tcp);
        packet.emit(hdr.tcp_options);
        packet.emit(hdr.udp);
        packet.emit(hdr.shim);
        packet.emit(hdr.telemetry);
        packet.emit(hdr.node);
        packet.emit(hdr.interfaces);
        packet.emit(hdr.latency);
        packet.emit(hdr.queue);
        packet.emit(hdr.ingress_time);
        packet.emit(hdr.egress_time);
        packet.emit(hdr.interfaces_2);
        packet.emit(hdr.utilization);
        packet.emit(hdr.buffer);
        packet.emit(hdr.reserved);
        packet.emit(hdr.missing_16);
        packet.emit(hdr.missing_8);
        packet.emit(hdr.missing_4);
        packet.emit(hdr.missing_2);
        packet.emit(hdr.missing_1);
        packet.emit(hdr.complement);
#ifndef NO_SINK
        packet.emit(hdr.stack);
#endif
    }
}

V1Switch(IntParser(), NoVerify(), IntIngress(), IntEgress(), IntChecksum(), IntDeparser()) main;
