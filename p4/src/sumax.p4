/* LightGuardian on a switch: two SuMax sketches, of which one records while packets carry
 * the columns of the other away, one sketchlet each (its document's sections 4, 5, 7.1).
 *
 *   Ethernet | tag 4 B | sketchlet 24 B | IPv4 | TCP or UDP
 *
 * The hosts put in the tag, whose first bit says whether a sketchlet follows.
 *
 *   ingress  which sketch is active; does the packet take a sketchlet with it, which one
 *   egress   both sketches: the active one counts the packet, the idle one is read
 *
 * The sketch is split as in section 7.1.2, since a packet accesses each register once:
 *
 *   delay part     d = 2, w = 2^15: packets by delay, below 100 ns, 1 µs, 10 µs, and above;
 *                  4 sum cells, two to a register. A flow's size is the sum of its four.
 *   interval part  d = 4, w = 2^16: longest time between packets, a maximum cell, and the
 *                  time of the last packet
 *
 * A sketchlet is four cells: those of a bucket of the delay part, or the maxima of a column
 * of the interval part.
 *
 * The control plane flips the active bit, has nothing carried during the last second of an
 * interval, and clears the sketch that becomes active, and the marks of what was carried.
 *
 * On TNA the pair of sum cells in a register is a struct of two 32-bit fields, and the tables
 * of section 7.1 are the RegisterActions.
 */
#include <core.p4>
#include <v1model.p4>
#include "include/generated/constants.p4"
#include "include/headers.p4"
#include "include/observed.p4"
#include "include/hash.p4"

const bit<16> TYPE_SKETCHLET = 0x88b6; // local experiments

header tag_t {
    bit<1>  carries;
    bit<15> reserved;
    bit<16> type;     // of what follows tag and sketchlet
}

header sketchlet_t {
    bit<16>  device;
    bit<1>   sketch;   // the active bit while it recorded
    bit<15>  reserved;
    bit<32>  id;       // delay part: array (1 bit), column; interval part: 2^16 + column
    bit<128> cells;
}

struct headers {
    ethernet_t  ethernet;
    observed_t  observed;
    tag_t       tag;
    sketchlet_t sketchlet;
    ipv4_t      ipv4;
    ports_t     ports;
}

/* Where a flow is kept in each array. */
struct places_t {
    bit<15> delay_0;
    bit<15> delay_1;
    bit<16> interval_0;
    bit<16> interval_1;
    bit<16> interval_2;
    bit<16> interval_3;
}

struct metadata {
    bit<1>  active;
    bit<1>  carry;
    bit<16> device;
    bit<17> id;
    bit<32> arrived; // ticks of the clock: ns, in v1model µs
    places_t places;
}

parser SumaxParser(packet_in packet, out headers hdr, inout metadata meta,
                   inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_OBSERVED: observed;
            TYPE_SKETCHLET: tag;
            TYPE_IPV4: ipv4;
            default: accept;
        }
    }
    state observed {
        packet.extract(hdr.observed);
        transition select(hdr.observed.type) {
            TYPE_SKETCHLET: tag;
            TYPE_IPV4: ipv4;
            default: accept;
        }
    }
    state tag {
        packet.extract(hdr.tag);
        transition select(hdr.tag.carries, hdr.tag.type) {
            (1, _): sketchlet;
            (0, TYPE_IPV4): ipv4;
            default: accept;
        }
    }
    state sketchlet {
        packet.extract(hdr.sketchlet);
        transition select(hdr.tag.type) {
            TYPE_IPV4: ipv4;
            default: accept;
        }
    }
    state ipv4 { // with options or as a later fragment, a packet has no ports for us
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.ihl, hdr.ipv4.fragment[12:0], hdr.ipv4.protocol) {
            (5, 0, PROTO_TCP): ports;
            (5, 0, PROTO_UDP): ports;
            default: accept;
        }
    }
    state ports {
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

/* The decision making stage. A packet carries a sketchlet with probability λ_c, if it has
 * none yet. Which one: k+chance selection with k = 1. One is chosen at random, if it has
 * not been carried yet; if it has, another one, whatever has become of that.
 *
 * The LightGuardian paper's random numbers are CRC16s with different polynomials; words of the global
 * hash are independent of each other. */
control SumaxIngress(inout headers hdr, inout metadata meta,
                     inout standard_metadata_t standard_metadata) {
    register<bit<1>>(131072) carried;
    Word() dice_hash;
    Word() first_hash;
    Word() second_hash;
    Word() delay_hash_0;
    Word() delay_hash_1;
    Word() interval_hash_0;
    Word() interval_hash_1;
    Word() interval_hash_2;
    Word() interval_hash_3;
    bit<64> addresses;
    bit<64> rest;
    bit<64> flow;
    bit<32> word_0;
    bit<32> word_1;
    bit<32> word_2;
    bit<32> word_3;
    bit<32> word_4;
    bit<32> word_5;
    bit<32> dice;
    bit<32> first;
    bit<32> second;
    bit<32> limit;
    bit<1> before;

    action interval(bit<16> device, bit<1> active, bit<32> carry) {
        meta.device = device;
        meta.active = active;
        limit = carry;
    }
    table intervals {
        actions = { interval; }
        default_action = interval(1, 0, CARRY);
    }

    apply {
        standard_metadata.egress_spec = 1;
        intervals.apply();
        meta.arrived = standard_metadata.ingress_global_timestamp[31:0];
        if (hdr.observed.isValid()) { meta.arrived = hdr.observed.ingress_tick; }
        addresses = hdr.ipv4.src ++ hdr.ipv4.dst;
        rest = hdr.ports.src ++ hdr.ports.dst ++ meta.arrived;
        dice_hash.apply(SEED, W_REPORT, 0, addresses, rest, dice);
        first_hash.apply(SEED, W_REPORT, 1, addresses, rest, first);
        second_hash.apply(SEED, W_REPORT, 2, addresses, rest, second);
        if (hdr.ports.isValid() && hdr.tag.isValid() && hdr.tag.carries == 0 && dice < limit) {
            meta.carry = 1;
            meta.id = first[31:15];
            carried.read(before, 15w0 ++ first[31:15]);
            carried.write(15w0 ++ first[31:15], 1);
            if (before == 1) { meta.id = second[31:15]; }
        }

        /* Where the flow is kept: beside the decision, so that egress has it at once. */
        flow = 24w0 ++ hdr.ports.src ++ hdr.ports.dst ++ hdr.ipv4.protocol;
        delay_hash_0.apply(SEED, T_TABLE, 0, addresses, flow, word_0);
        delay_hash_1.apply(SEED, T_TABLE, 1, addresses, flow, word_1);
        interval_hash_0.apply(SEED, T_TABLE, 2, addresses, flow, word_2);
        interval_hash_1.apply(SEED, T_TABLE, 3, addresses, flow, word_3);
        interval_hash_2.apply(SEED, T_TABLE, 4, addresses, flow, word_4);
        interval_hash_3.apply(SEED, T_TABLE, 5, addresses, flow, word_5);
        meta.places.delay_0 = word_0[31:17];
        meta.places.delay_1 = word_1[31:17];
        meta.places.interval_0 = word_2[31:16];
        meta.places.interval_1 = word_3[31:16];
        meta.places.interval_2 = word_4[31:16];
        meta.places.interval_3 = word_5[31:16];
    }
}

/* Two sum cells (Algorithm 1, lines 3 to 8, with α = 1): a cell below ω, the least value
 * so far, is incremented, and is then the least. With α = 1, A < ω says that A + 1 <= ω,
 * so that both branches of the algorithm set the cell to A + 1. */
control SumCells(in bit<1> update, in bit<2> cell, in bit<2> first, in bit<2> second,
                 in bit<32> index, in bit<32> least, out bit<32> smallest, out bit<64> cells) {
    register<bit<64>>(32768) pair;
    bit<32> sum;
    apply {
        pair.read(cells, index);
        smallest = least;
        if (update == 1) {
            if (cell == first) {
                sum = cells[63:32] |+| 1;
                if (cells[63:32] < least) {
                    smallest = sum;
                    pair.write(index, sum ++ cells[31:0]);
                }
            } else if (cell == second) {
                sum = cells[31:0] |+| 1;
                if (cells[31:0] < least) {
                    smallest = sum;
                    pair.write(index, cells[63:32] ++ sum);
                }
            }
        }
    }
}

/* A bucket array of the delay part: cells 0 and 1 in front, 2 and 3 in back. */
control DelayArray(in bit<1> update, in bit<2> cell, in bit<32> index, in bit<32> least,
                   out bit<32> smallest, out bit<128> cells) {
    SumCells() front;
    SumCells() back;
    bit<64> first_two;
    bit<64> last_two;
    bit<32> of_front;
    bit<32> of_back;
    apply {
        front.apply(update, cell, 0, 1, index, least, of_front, first_two);
        back.apply(update, cell, 2, 3, index, least, of_back, last_two);
        smallest = of_front;
        if (cell[1:1] == 1) { smallest = of_back; }
        cells = first_two ++ last_two;
    }
}

/* A maximum cell, and the time of the last packet; 0 says that there was none. They are two
 * registers: the ALU of one cannot compare a difference of what it reads. */
control IntervalArray(in bit<1> update, in bit<32> index, in bit<32> now, out bit<32> longest) {
    register<bit<32>>(65536) last;
    register<bit<32>>(65536) maxima;
    bit<32> before;
    bit<32> since;
    apply {
        last.read(before, index);
        if (update == 1) { last.write(index, now); }
        since = now - before;
        maxima.read(longest, index);
        if (update == 1 && before != 0) {
            if (since > longest) { longest = since; }
            maxima.write(index, longest);
        }
    }
}

/* One of the two sketches: it counts the packet, or gives the cells of a sketchlet. */
control Sketch(in bit<1> update, in places_t places, in bit<2> cell, in bit<32> now,
               in bit<17> id, out bit<128> cells) {
    DelayArray() delay_0;
    DelayArray() delay_1;
    IntervalArray() interval_0;
    IntervalArray() interval_1;
    IntervalArray() interval_2;
    IntervalArray() interval_3;
    places_t at;
    bit<32> least;
    bit<32> least_of_all;
    bit<128> of_delay_0;
    bit<128> of_delay_1;
    bit<32> longest_0;
    bit<32> longest_1;
    bit<32> longest_2;
    bit<32> longest_3;
    apply {
        at = places;
        if (update == 0) {
            at.delay_0 = id[14:0];
            at.delay_1 = id[14:0];
            at.interval_0 = id[15:0];
            at.interval_1 = id[15:0];
            at.interval_2 = id[15:0];
            at.interval_3 = id[15:0];
        }
        delay_0.apply(update, cell, (bit<32>)at.delay_0, 0xffffffff, least, of_delay_0);
        delay_1.apply(update, cell, (bit<32>)at.delay_1, least, least_of_all, of_delay_1);
        interval_0.apply(update, (bit<32>)at.interval_0, now, longest_0);
        interval_1.apply(update, (bit<32>)at.interval_1, now, longest_1);
        interval_2.apply(update, (bit<32>)at.interval_2, now, longest_2);
        interval_3.apply(update, (bit<32>)at.interval_3, now, longest_3);
        if (id[16:16] == 1) {
            cells = longest_0 ++ longest_1 ++ longest_2 ++ longest_3;
        } else if (id[15:15] == 0) {
            cells = of_delay_0;
        } else {
            cells = of_delay_1;
        }
    }
}

/* The sketching and the sketchlet generation stage. */
control SumaxEgress(inout headers hdr, inout metadata meta,
                    inout standard_metadata_t standard_metadata) {
    Sketch() sketch_0;
    Sketch() sketch_1;
    bit<32> nanos;
    bit<32> micros;
    bit<2> cell;
    bit<128> cells_0;
    bit<128> cells_1;
    apply {
        if (hdr.ports.isValid()) {
            nanos = hdr.observed.egress_tick - hdr.observed.ingress_tick;
            micros = (standard_metadata.egress_global_timestamp
                      - standard_metadata.ingress_global_timestamp)[31:0];
            cell = 3;
            if (hdr.observed.isValid()) {
                if (nanos < 100) {
                    cell = 0;
                } else if (nanos < 1000) {
                    cell = 1;
                } else if (nanos < 10000) {
                    cell = 2;
                }
            } else if (micros == 0) { // what v1model's clock does not see is in one cell
                cell = 0;
            } else if (micros < 10) {
                cell = 2;
            }

            sketch_0.apply(~meta.active, meta.places, cell, meta.arrived, meta.id, cells_0);
            sketch_1.apply(meta.active, meta.places, cell, meta.arrived, meta.id, cells_1);
            if (meta.carry == 1) {
                hdr.tag.carries = 1;
                hdr.sketchlet.setValid();
                hdr.sketchlet.device = meta.device;
                hdr.sketchlet.sketch = ~meta.active;
                hdr.sketchlet.reserved = 0;
                hdr.sketchlet.id = 15w0 ++ meta.id;
            }
            if (meta.carry == 1 && meta.active == 1) {
                hdr.sketchlet.cells = cells_0;
            } else if (meta.carry == 1) {
                hdr.sketchlet.cells = cells_1;
            }
        }
    }
}

control SumaxDeparser(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.observed);
        packet.emit(hdr.tag);
        packet.emit(hdr.sketchlet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ports);
    }
}

V1Switch(SumaxParser(), NoVerify(), SumaxIngress(), SumaxEgress(), NoChecksum(), SumaxDeparser()) main;
