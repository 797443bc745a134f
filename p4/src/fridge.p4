/* A fridge-(M, p), M = 2^16, p = 1/2: an unbiased histogram of delays between requests
 * and responses (sections 3 and 6 of its document). Here: of TCP handshakes, SYN to
 * SYN-ACK.
 *
 *   request   enters with probability p: IDS, TS and CTR of its place are overwritten
 *   response  if its request is still there: delay = now - TS, x = insertions since;
 *             the sample counts for p^-1·(1 - 1/M)^-x, from a table of prefixes of x
 *             (section 6.2), in the bin log2(delay)
 *
 * v1model's clock, in microseconds, is fine enough for delays of a network path. What
 * would change on TNA: each register and what is done with it becomes a RegisterAction,
 * which returns the old entry; the entry probability can use the Random extern instead
 * of a hash of the request.
 */
#include <core.p4>
#include <v1model.p4>
#include "include/generated/constants.p4"

struct metadata { }

#include "include/flow.p4"
#include "include/hash.p4"
#include "include/arithmetic.p4"

const bit<8> FLAGS = 0x12; // SYN and ACK
const bit<8> SYN = 0x02;
const bit<8> SYN_ACK = 0x12;

control FridgeIngress(inout headers hdr, inout metadata meta,
                      inout standard_metadata_t standard_metadata) {
    register<bit<32>>(65536) ids;        // 0: empty
    register<bit<32>>(65536) times;
    register<bit<32>>(65536) insertions; // before and with this one
    register<bit<32>>(1)     inserted;   // requests that entered
    register<bit<32>>(32)    histogram;
    Word() id_hash;
    Word() place_hash;
    Word() entry_hash;
    FirstBit() first_delay;
    bit<64> addresses;
    bit<64> rest;
    bit<32> id;
    bit<32> place;
    bit<32> dice;
    bit<32> now;
    bit<32> total;
    bit<32> stored;
    bit<32> since;
    bit<32> survived;
    bit<32> whole;
    bit<8>  next;
    bit<32> factor;
    bit<32> tally;
    bool request;
    bool response;

    action count(bit<32> value) {
        factor = value;
    }
    /* Integer factors from 1/p in steps of 1.1, each for a range of x. */
    table factors {
        key = { survived : lpm; }
        actions = { count; }
        default_action = count(0);
#include "include/generated/factor_entries.p4"
    }

    apply {
        standard_metadata.egress_spec = 1;
        if (hdr.tcp.isValid()) {
            now = standard_metadata.ingress_global_timestamp[31:0];
            request = (hdr.tcp.flags & FLAGS) == SYN;
            response = (hdr.tcp.flags & FLAGS) == SYN_ACK;
            if ((hdr.tcp.flags & FLAGS) == SYN) {
                addresses = hdr.ipv4.src ++ hdr.ipv4.dst;
                rest = hdr.ports.src ++ hdr.ports.dst ++ hdr.tcp.seq;
            } else {
                addresses = hdr.ipv4.dst ++ hdr.ipv4.src;
                rest = hdr.ports.dst ++ hdr.ports.src ++ (hdr.tcp.ack - 1);
            }
            id_hash.apply(SEED, T_TABLE, 0, addresses, rest, id);
            place_hash.apply(SEED, T_TABLE, 1, addresses, rest, place);
            entry_hash.apply(SEED, G_ACT, 0, addresses, rest, dice);
            place = 16w0 ++ place[31:16];
            if (request && dice >= ENTRY) {
                request = false;
            }

            inserted.read(total, 0);
            if (request) {
                total = total + 1;
                inserted.write(0, total);
            }
            ids.read(stored, place);
            if (request) {
                ids.write(place, id);
            } else if (response && stored == id) {
                ids.write(place, 0);
            }
            if (request) {
                times.write(place, now);
                insertions.write(place, total);
            } else if (response && stored == id) {
                times.read(since, place);
                insertions.read(survived, place);
                survived = total - survived;
                factors.apply();
                first_delay.apply(now - since, whole, next);
                histogram.read(tally, 27w0 ++ whole[24:20]);
                histogram.write(27w0 ++ whole[24:20], tally + factor);
            }
        }
    }
}

V1Switch(FlowParser(), NoVerify(), FridgeIngress(), NoEgress(), NoChecksum(), FlowDeparser()) main;
