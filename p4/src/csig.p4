/* CSIG: a switch compares the value in a tag with its own and writes its own, with its
 * locator, if that is worse. Package int/csig is the twin.
 *
 *   Ethernet, EtherType 0x9900 | signal 3, reserved 1, value 5, locator 7 | type | ...
 *   Ethernet, EtherType 0x9901 | locator 16, signal 4, value 20, reserved 8 | type | ...
 *
 * Hosts put tags on and take them off. The control plane says of each port whether it updates
 * tags, leaves them alone, or takes them off because the next hop does not know them (table
 * ports).
 *
 *   bandwidth  bytes of the last whole window of 2^13 ticks, which three registers count;
 *              what is free, in units of 128 bytes and for each class of ports, gives the
 *              buckets of ABW and of ABW/C in both formats (table available). So every
 *              division is in the entries.
 *   delay      in steps of 2^11 ticks (compact) and of 2^7 (wide), rounded up
 *
 * A tick is a nanosecond where the packet brings its times along (observed), and 1/1024 µs of
 * v1model's clock otherwise: a window then has 8 µs and not 8.192 µs, so that free bandwidth
 * reads up to 2.3 % of the capacity too high, and delays are 2.4 % too long. Tags of other
 * signals, such as the queue, stay as they are.
 *
 * What would change on TNA: the window is one Register of pairs; its number and sum are
 * compared and added in one RegisterAction.
 */
#include <core.p4>
#include <v1model.p4>
#include "include/headers.p4"
#include "include/observed.p4"
#include "include/window.p4"
#include "include/generated/constants.p4"

const bit<16> TYPE_COMPACT = 0x9900;
const bit<16> TYPE_WIDE    = 0x9901;
const bit<4>  ABW       = 0;
const bit<4>  ABW_SHARE = 1;
const bit<4>  DELAY     = 2;

header compact_t {
    bit<3>  signal;
    bit<1>  reserved;
    bit<5>  value;
    bit<7>  locator;
    bit<16> type;    // of what follows
}

header wide_t {
    bit<16> locator;
    bit<4>  signal;
    bit<20> value;
    bit<8>  reserved;
    bit<16> type;    // of what follows
}

struct headers {
    ethernet_t ethernet;
    observed_t observed;
    compact_t  compact;
    wide_t     wide;
}

struct metadata { }

parser CsigParser(packet_in packet, out headers hdr, inout metadata meta,
                  inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_OBSERVED: observed;
            TYPE_COMPACT: compact;
            TYPE_WIDE: wide;
            default: accept;
        }
    }
    state observed {
        packet.extract(hdr.observed);
        transition select(hdr.observed.type) {
            TYPE_COMPACT: compact;
            TYPE_WIDE: wide;
            default: accept;
        }
    }
    state compact {
        packet.extract(hdr.compact);
        transition accept;
    }
    state wide {
        packet.extract(hdr.wide);
        transition accept;
    }
}

control NoVerify(inout headers hdr, inout metadata meta) {
    apply { }
}

control NoChecksum(inout headers hdr, inout metadata meta) {
    apply { }
}

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
    apply { forward.apply(); }
}

control CsigEgress(inout headers hdr, inout metadata meta,
                   inout standard_metadata_t standard_metadata) {
    WindowBytes() bytes_in_window;
    bool    updates;
    bool    strips;
    bit<16> own;       // locator
    bit<8>  of_class;
    bit<32> capacity;  // bytes that the link can send in a window
    bit<32> window;
    bit<32> frame;     // bytes of the packet
    bit<32> waited;    // ticks
    bit<32> bytes;
    bit<32> free;
    bit<5>  abw_5;
    bit<5>  share_5;
    bit<5>  delay_5;
    bit<20> abw_20;
    bit<20> share_20;
    bit<20> delay_20;
    bit<5>  value_5;
    bit<20> value_20;
    bit<32> steps_5;
    bit<32> steps_20;
    bool    least;     // the smallest value is the worst
    bool    known;
    bit<4>  signal;

    action update(bit<16> locator, bit<8> speed, bit<32> bytes_of_window) {
        updates = true;
        own = locator;
        of_class = speed;
        capacity = bytes_of_window;
    }
    action pass() { }
    action strip() { strips = true; }
    table ports {
        key = { standard_metadata.egress_port : exact; }
        actions = { update; pass; strip; }
        default_action = update(1, 0, CSIG_CAPACITY);
        size = PORTS;
    }

    action codes(bit<5> abw, bit<5> share, bit<20> wide_abw, bit<20> wide_share) {
        abw_5 = abw;
        share_5 = share;
        abw_20 = wide_abw;
        share_20 = wide_share;
    }
    table available {
        key = {
            of_class    : exact;
            free[20:7] : exact;
        }
        actions = { codes; }
        default_action = codes(31, 31, 0xfffff, 0xfffff);
#include "include/generated/csig_entries.p4"
    }

    apply {
        updates = false;
        strips = false;
        own = 0;
        of_class = 0;
        capacity = 0;
        ports.apply();
        if (hdr.observed.isValid()) {
            window = 13w0 ++ hdr.observed.egress_tick[31:13];
            waited = hdr.observed.egress_tick - hdr.observed.ingress_tick;
            frame = hdr.observed.size;
        } else {
            window = standard_metadata.egress_global_timestamp[34:3];
            waited = standard_metadata.egress_global_timestamp[31:0]
                   - standard_metadata.ingress_global_timestamp[31:0];
            waited = waited << 10;
            frame = standard_metadata.packet_length;
        }
        bytes_in_window.apply(standard_metadata.egress_port, window, frame, bytes);
        free = capacity |-| bytes;
        available.apply();
        steps_5 = waited |+| 2047;
        steps_20 = waited |+| 127;
        delay_5 = steps_5[15:11];
        if (steps_5[31:16] != 0) { delay_5 = 31; }
        delay_20 = steps_20[26:7];
        if (steps_20[31:27] != 0) { delay_20 = 0xfffff; }

        signal = hdr.wide.signal;
        if (hdr.compact.isValid()) { signal = 1w0 ++ hdr.compact.signal; }
        value_5 = abw_5;
        value_20 = abw_20;
        least = true;
        known = updates;
        if (signal == ABW_SHARE) {
            value_5 = share_5;
            value_20 = share_20;
        } else if (signal == DELAY) {
            value_5 = delay_5;
            value_20 = delay_20;
            least = false;
        } else if (signal != ABW) {
            known = false;
        }
        if (hdr.compact.isValid()) {
            if (known && (least && value_5 < hdr.compact.value
                          || !least && value_5 > hdr.compact.value)) {
                hdr.compact.value = value_5;
                hdr.compact.locator = own[6:0];
            }
            if (strips) {
                if (hdr.observed.isValid()) { hdr.observed.type = hdr.compact.type; }
                else { hdr.ethernet.type = hdr.compact.type; }
                hdr.compact.setInvalid();
            }
        } else if (hdr.wide.isValid()) {
            if (known && (least && value_20 < hdr.wide.value
                          || !least && value_20 > hdr.wide.value)) {
                hdr.wide.value = value_20;
                hdr.wide.locator = own;
            }
            if (strips) {
                if (hdr.observed.isValid()) { hdr.observed.type = hdr.wide.type; }
                else { hdr.ethernet.type = hdr.wide.type; }
                hdr.wide.setInvalid();
            }
        }
    }
}

control CsigDeparser(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(CsigParser(), NoVerify(), Forward(), CsigEgress(), NoChecksum(), CsigDeparser()) main;
